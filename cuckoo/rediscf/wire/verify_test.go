package wire_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// replica is a connection to a server that answers CF.COUNT from f, whatever the key.
func replica(f *rediscf.Filter) wire.Conn {
	return func(_ context.Context, commands [][]any) (replies []any, err error) {
		for _, c := range commands {
			if c[0] != "CF.COUNT" || !strings.HasPrefix(c[1].(string), "{k}:tmp-") {
				return nil, fmt.Errorf("a replica is asked %v", c[:2])
			}
			replies = append(replies, int64(f.Count(c[2].([]byte))))
		}
		return replies, nil
	}
}

// without returns f as a server has it that got all pieces of a dump but some.
func without(t *testing.T, f *rediscf.Filter, size int, lost func(piece int) bool) (g *rediscf.Filter, pieces int) {
	t.Helper()
	l := rediscf.Loader{Repair: true}
	for position, chunk := range f.Scan() {
		begin := position - int64(len(chunk))
		for at := 0; at < len(chunk); at += size {
			piece := chunk[at:min(at+size, len(chunk))]
			if position == 1 {
				piece, at = chunk, len(chunk)
			} else if pieces++; lost(pieces - 1) {
				piece = make([]byte, len(piece))
			}
			if err := l.Load(begin+int64(min(at, len(chunk)-len(piece))+len(piece)), piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, err := l.Filter()
	if err != nil {
		t.Fatal(err)
	}
	return g, pieces
}

// shapes are filters with one and several sub-filters, with full and with nearly empty ones.
func shapes(t *testing.T) map[string]*rediscf.Filter {
	return map[string]*rediscf.Filter{
		"one item":   filled(t, rediscf.Config{Capacity: 1 << 14}, 1),
		"one bucket": filled(t, rediscf.Config{Capacity: 6, BucketSize: 3}, 4),
		"full":       filled(t, rediscf.Config{Capacity: 2000, BucketSize: 4, MaxIterations: 500}, 1900),
		"grown":      filled(t, rediscf.Config{Capacity: 64, BucketSize: 1, Expansion: 4}, 1500),
		"wide":       filled(t, rediscf.Config{Capacity: 5000, BucketSize: 255, Expansion: 2}, 9000),
		"empty":      filled(t, rediscf.Config{}, 0),
	}
}

// TestPush_VerifySeesEachLostPiece has a replica that lacks one piece of a dump, whichever, or all.
func TestPush_VerifySeesEachLostPiece(t *testing.T) {
	const size = 300
	for name, f := range shapes(t) {
		push := func(on *rediscf.Filter) (err error) {
			synctest.Test(t, func(t *testing.T) { // the time passes at once
				s := wiretest.NewServer()
				err = wire.Push(t.Context(), s.Conn(), "k", f,
					wire.PushOptions{Chunk: size, Verify: replica(on), VerifyWithin: 100 * time.Millisecond})
				if got, _ := s.Filter("k"); (got != nil) != (err == nil) || err != nil && len(s.Keys()) != 0 {
					t.Errorf("%s: %v; the server has %q", name, err, s.Keys())
				}
			})
			return err
		}
		if err := push(f); err != nil {
			t.Errorf("%s, nothing lost: %v", name, err)
		}
		if f.Len() == 0 {
			continue
		}
		_, pieces := without(t, f, size, func(int) bool { return false })
		for k := range pieces {
			on, _ := without(t, f, size, func(piece int) bool { return piece == k })
			if err := push(on); errors.Is(err, wire.ErrNotReplicated) != (on.Len() != f.Len()) {
				t.Errorf("%s, %d items of piece %d of %d lost: %v", name, f.Len()-on.Len(), k, pieces, err)
			}
		}
		on, _ := without(t, f, size, func(int) bool { return true })
		if err := push(on); !errors.Is(err, wire.ErrNotReplicated) || !strings.Contains(err.Error(), "after 100ms: ") ||
			!strings.Contains(err.Error(), "sample keys are not counted as here") {
			t.Errorf("%s, all lost: %v", name, err)
		}
	}
}

// TestPush_VerifyWaits has a replica that lags behind, fails, or knows nothing of the key at first.
func TestPush_VerifyWaits(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	other := filled(t, rediscf.Config{}, 3)
	none, _ := without(t, f, 300, func(int) bool { return true })
	asked := 0
	lagging := func(ctx context.Context, commands [][]any) ([]any, error) {
		switch asked++; asked {
		case 1:
			return nil, errors.New("CF.COUNT: ERR not found")
		case 2:
			return replica(none)(ctx, commands)
		}
		return replica(f)(ctx, commands)
	}
	s := wiretest.NewServer()
	o := wire.PushOptions{Verify: lagging}
	if err := wire.Push(t.Context(), s.Conn(), "k", f, o); err != nil || asked < 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	holds(t, s, "k", f)
	failed := errors.New("nobody is there")
	o = wire.PushOptions{Overwrite: true, VerifyWithin: 200 * time.Millisecond}
	o.Verify = func(context.Context, [][]any) ([]any, error) { return nil, failed }
	if err := wire.Push(t.Context(), s.Conn(), "k", other, o); !errors.Is(err, wire.ErrNotReplicated) ||
		!errors.Is(err, failed) {
		t.Error(err)
	}
	o.Verify = func(_ context.Context, commands [][]any) ([]any, error) { return make([]any, len(commands)), nil }
	if err := wire.Push(t.Context(), s.Conn(), "k", other, o); !errors.Is(err, wire.ErrNotReplicated) ||
		!errors.Is(err, wire.ErrReply) {
		t.Error(err)
	}
	ended := errors.New("the user has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	o.Verify = func(context.Context, [][]any) ([]any, error) {
		cancel(ended)
		return nil, failed
	}
	if err := wire.Push(ctx, s.Conn(), "k", other, o); !errors.Is(err, ended) || errors.Is(err, wire.ErrNotReplicated) {
		t.Error(err)
	}
	holds(t, s, "k", f)
}

// TestConn_NoModule asks a server without the commands: that is the error, in one line and without a warning.
func TestConn_NoModule(t *testing.T) {
	f := filled(t, rediscf.Config{}, 3)
	shards, err := wire.NewShards(3, rediscf.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, warn := range []func(error){nil, func(err error) { t.Error(err) }} {
		s := wiretest.NewServer()
		s.SetFault(func(_ int, args []string) wiretest.Fault {
			switch {
			case args[0] == "MODULE":
				return wiretest.Fault{Reply: []any{}}
			case strings.HasPrefix(args[0], "CF."):
				return wiretest.Fault{Reply: wiretest.Error("ERR unknown command '" + args[0] + "', with args beginning with: ")}
			}
			return wiretest.Fault{}
		})
		o := wire.PushOptions{Warn: warn}
		const want = `wire: push to key "k": the server has no CF.* commands: module bf is not loaded`
		if err := wire.Push(t.Context(), s.Conn(), "k", f, o); !errors.Is(err, wire.ErrNoCommands) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := wire.PushShards(t.Context(), s.Conn(), "k", shards, o); !errors.Is(err, wire.ErrNoCommands) {
			t.Error(err)
		}
		if _, err := wire.Pull(t.Context(), s.Conn(), "k", wire.PullOptions{}); !errors.Is(err, wire.ErrNoCommands) {
			t.Error(err)
		}
		if _, err := wire.Info(t.Context(), s.Conn(), "k"); !errors.Is(err, wire.ErrNoCommands) {
			t.Error(err)
		}
		if len(s.Keys()) != 0 {
			t.Errorf("the server has %q", s.Keys())
		}
	}
}

// TestPush_WarnsOfModule answers MODULE LIST as servers with several versions do, which refuse EVAL or execute it.
func TestPush_WarnsOfModule(t *testing.T) {
	f := filled(t, rediscf.Config{}, 3)
	list := func(ver int64) any {
		return []any{[]any{"name", "other", "ver", int64(1)},
			[]any{"name", "bf", "ver", ver, "path", "", "args", []any{}}}
	}
	for _, c := range []struct {
		reply any
		text  string
	}{
		{list(80980), ""}, {list(81000), ""}, {list(100000), ""},
		{[]any{map[any]any{"name": "bf", "ver": int64(81002)}}, ""},
		{list(80800), "version 8.8.0"}, {list(20612), "version 2.6.12"}, {list(80979), "version 8.9.79"},
		{list(999999), "build of the main branch"},
		{[]any{}, `there is no "bf"`},
		{"OK", "unexpected reply"}, {[]any{"bf"}, "unexpected reply"},
		{wiretest.Error("NOPERM"), "not known: MODULE: NOPERM"},
	} {
		s := wiretest.NewServer()
		replies := map[string]any{"MODULE": c.reply}
		s.SetFault(func(_ int, args []string) wiretest.Fault { return wiretest.Fault{Reply: replies[args[0]]} })
		var warned []string
		o := wire.PushOptions{Warn: func(err error) {
			if !errors.Is(err, wire.ErrReplication) {
				t.Error(err)
			}
			warned = append(warned, err.Error())
		}}
		conn := func(ctx context.Context, commands [][]any) ([]any, error) {
			if m, ok := c.reply.([]any); ok &&
				commands[0][0] == "MODULE" { // maps are RESP3, which the server does not speak
				return []any{m}, nil
			}
			return s.Conn()(ctx, commands)
		}
		if err := wire.Push(t.Context(), conn, "k", f, o); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(warned, ""); (text == "") != (c.text == "") || !strings.Contains(text, c.text) ||
			len(warned) > 1 || text != "" && !strings.Contains(text, "'REPLACE')\" 1 'k'") {
			t.Errorf("%v: %q, want %q", c.reply, warned, c.text)
		}
		shards, err := wire.NewShards(3, rediscf.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for h := range uint64(30) {
			if err := shards.AddHash(h); err != nil {
				t.Fatal(err)
			}
		}
		warned = nil
		if err := wire.PushShards(t.Context(), conn, "shards", shards, o); err != nil ||
			(len(warned) == 1) != (c.text != "") {
			t.Errorf("%v: %d warnings for shards, %v", c.reply, len(warned), err)
		}
		warned, replies["EVAL"] = nil, wiretest.Status("OK")
		before := len(s.Log())
		if err := wire.Push(t.Context(), conn, "k2", f, o); err != nil || len(warned) != 0 ||
			strings.Contains(strings.Join(s.Log()[before:], "\n"), "EVAL") != (c.text != "") {
			t.Errorf("%v: %q, %v; the server was sent %q", c.reply, warned, err, s.Log()[before:])
		}
	}
}
