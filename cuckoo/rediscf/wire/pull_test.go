package wire_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// TestPull_DetectsChange changes the filter before each command of a pull.
func TestPull_DetectsChange(t *testing.T) {
	changes := map[string]func(f *rediscf.Filter){
		"add":            func(f *rediscf.Filter) { _ = f.AddString("new") },
		"delete":         func(f *rediscf.Filter) { f.DelString("key 1") },
		"add and delete": func(f *rediscf.Filter) { _ = f.AddString("new"); f.DelString("key 1") },
		"growth": func(f *rediscf.Filter) {
			for n := f.Info().Filters; f.Info().Filters == n; {
				_ = f.AddString("again and again")
			}
		},
		"shrinking": func(f *rediscf.Filter) {
			for k := range 450 {
				f.DelString(fmt.Sprint("key ", k))
			}
			f.Compact()
		},
	}
	for name, change := range changes {
		for at := 0; ; at++ {
			f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
			s := wiretest.NewServer()
			s.Put("k", f)
			calls := 0
			s.SetFault(func(k int, _ []string) wiretest.Fault {
				if calls = k + 1; k == at {
					change(f)
				}
				return wiretest.Fault{}
			})
			g, err := wire.Pull(t.Context(), s.Conn(), "k", wire.PullOptions{})
			if at < 2 || at >= calls { // before CF.INFO, or after all
				if err != nil || at < calls && !equal(f, g) {
					t.Fatalf("%s before command %d: %v", name, at, err)
				}
				if at >= calls {
					break
				}
				continue
			}
			if !errors.Is(err, wire.ErrChanged) {
				t.Fatalf("%s before command %d of %d: %v", name, at, calls, err)
			}
		}
	}
}

// TestPull_RefusesWhatIsNoDump replies something else to one of the commands.
func TestPull_RefusesWhatIsNoDump(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 8, Expansion: 2}, 20)
	info := func(name string, value any) []any {
		list := wiretest.InfoReply(f.Info())
		for k := range list {
			if list[k] == name {
				list[k+1] = value
			}
		}
		return list
	}
	_, header, _ := f.ScanDump(0)
	_, chunk, _ := f.ScanDump(1)
	longer := append(append([]byte{}, chunk...), chunk...)
	pair := func(list ...any) []any { return list }
	for _, c := range []struct {
		at    int
		reply any
		want  error
	}{
		{0, int64(0), rediscf.ErrNotFound},
		{0, "1", wire.ErrReply},
		{1, "no info", wire.ErrReply},
		{1, []any{}, wire.ErrReply},
		{1, []any{int64(1), int64(2)}, wire.ErrReply},
		{1, wiretest.InfoReply(f.Info())[:14], wire.ErrReply},
		{1, info("Size", "many"), wire.ErrReply},
		{1, info("Number of items deleted", int64(-1)), wire.ErrReply},
		{1, info("Bucket size", int64(256)), wire.ErrReply},
		{1, info("Number of filters", int64(65536)), wire.ErrReply},
		{1, info("Number of items inserted", int64(21)), wire.ErrChanged},
		{2, pair(int64(0), nil), rediscf.ErrIncomplete},
		{2, pair(int64(1), nil), wire.ErrReply},
		{2, pair(int64(1), ""), wire.ErrReply},
		{2, pair(int64(1), int64(3)), wire.ErrReply},
		{2, pair(int64(2), header), wire.ErrReply},
		{2, pair("1", header), wire.ErrReply},
		{2, pair(header), wire.ErrReply},
		{2, "header", wire.ErrReply},
		{2, pair(int64(1), header[:37]), rediscf.ErrCorrupt},
		{3, pair(int64(0), nil), rediscf.ErrIncomplete},
		{3, pair(int64(0), chunk), wire.ErrReply},
		{3, pair(int64(1), chunk), wire.ErrReply},
		{3, pair(int64(len(chunk)), chunk), wire.ErrReply},
		{3, pair(int64(len(chunk))+2, chunk), wire.ErrReply},
		{3, pair(int64(len(chunk)), chunk[1:]), rediscf.ErrIncomplete},
		{3, pair(int64(2*len(chunk))+1, longer), rediscf.ErrCorrupt},
		{3, pair(int64(len(chunk))+1, strings.Repeat("\x00", len(chunk))), rediscf.ErrCorrupt},
	} {
		s := wiretest.NewServer()
		s.Put("k", f)
		s.SetFault(func(k int, args []string) wiretest.Fault {
			if k == c.at {
				return wiretest.Fault{Reply: c.reply}
			}
			if args[0] == "CF.SCANDUMP" && k > 3 && c.at == 3 && c.want == rediscf.ErrIncomplete {
				return wiretest.Fault{Reply: pair(int64(0), nil)}
			}
			return wiretest.Fault{}
		})
		if _, err := wire.Pull(t.Context(), s.Conn(), "k", wire.PullOptions{}); !errors.Is(err, c.want) ||
			!strings.HasPrefix(err.Error(), `wire: pull of key "k": `) {
			t.Errorf("command %d: %.60q: %v, want %v", c.at, fmt.Sprint(c.reply), err, c.want)
		}
	}
}

// TestPull_RefusesDumpOfAnother dumps a filter that is none of the two that CF.INFO speaks of: there was another
// under the key meanwhile.
func TestPull_RefusesDumpOfAnother(t *testing.T) {
	s, other := wiretest.NewServer(), wiretest.NewServer()
	s.Put("k", filled(t, rediscf.Config{}, 20))
	other.Put("k", filled(t, rediscf.Config{}, 21))
	conn := func(ctx context.Context, commands [][]any) ([]any, error) {
		if commands[0][0] == "CF.SCANDUMP" {
			return other.Conn()(ctx, commands)
		}
		return s.Conn()(ctx, commands)
	}
	if _, err := wire.Pull(t.Context(), conn, "k", wire.PullOptions{}); !errors.Is(err, wire.ErrChanged) {
		t.Error(err)
	}
}

// TestPull_AppliesLimits asks for filters beyond them. The header is all that is asked for then.
func TestPull_AppliesLimits(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	empty := filled(t, rediscf.Config{Capacity: 1 << 20}, 0)
	for _, c := range []struct {
		f      *rediscf.Filter
		limits rediscf.Limits
	}{
		{f, rediscf.Limits{Bytes: 500}},
		{f, rediscf.Limits{Filters: f.Info().Filters - 1}},
		{f, rediscf.Limits{Iterations: 19}},
		{empty, rediscf.Limits{Bytes: 1 << 19}},
	} {
		s := wiretest.NewServer()
		s.Put("k", c.f)
		s.SetFault(nil)
		if _, err := wire.Pull(t.Context(), s.Conn(), "k", wire.PullOptions{Limits: c.limits}); !errors.Is(err,
			rediscf.ErrTooLarge) {
			t.Errorf("%+v: %v", c.limits, err)
		}
		if n := strings.Count(fmt.Sprint(s.Log()), "CF.SCANDUMP"); n != 1 {
			t.Errorf("%+v: %d chunks were asked for", c.limits, n)
		}
	}
}

// TestPull_RefusesEmptyFilterOfAnotherSize has no header to hold CF.INFO against.
func TestPull_RefusesEmptyFilterOfAnotherSize(t *testing.T) {
	empty := filled(t, rediscf.Config{Capacity: 64}, 0)
	s := wiretest.NewServer()
	s.Put("k", empty)
	s.SetFault(func(_ int, args []string) wiretest.Fault {
		if args[0] != "CF.INFO" {
			return wiretest.Fault{}
		}
		wrong := empty.Info()
		wrong.Size++
		return wiretest.Fault{Reply: wiretest.InfoReply(wrong)}
	})
	if _, err := wire.Pull(t.Context(), s.Conn(), "k", wire.PullOptions{}); !errors.Is(err, wire.ErrReply) {
		t.Error(err)
	}
}

// TestPull_CancelledAtEveryCall ends the context after each call.
func TestPull_CancelledAtEveryCall(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	s := wiretest.NewServer()
	s.Put("k", f)
	c := wire.Conn(s.Conn())
	for at := 1; ; at++ {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, err := wire.Pull(ctx, func(ctx context.Context, commands [][]any) ([]any, error) {
			if calls++; calls == at {
				cancel()
			}
			return c(ctx, commands)
		}, "k", wire.PullOptions{})
		cancel()
		if calls < at || calls == at && err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || calls != at {
			t.Fatalf("call %d: %v after %d calls", at, err, calls)
		}
	}
}

// TestInfo_ReadsBothProtocols gives the same reply as RESP2 has it, as RESP3 has it, and with more in it.
func TestInfo_ReadsBothProtocols(t *testing.T) {
	want := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500).Info()
	flat := append(wiretest.InfoReply(want), "Mood", int64(7))
	mapped := map[any]any{}
	for k := 0; k < len(flat); k += 2 {
		mapped[flat[k]] = flat[k+1]
	}
	for _, reply := range []any{flat, mapped} {
		conn := func(_ context.Context, commands [][]any) ([]any, error) {
			if commands[0][0] == "EXISTS" {
				return []any{int64(1)}, nil
			}
			return []any{reply}, nil
		}
		if got, err := wire.Info(t.Context(), conn, "k"); err != nil || got != want {
			t.Errorf("%T: %v, %v", reply, got, err)
		}
	}
	conn := func(context.Context, [][]any) ([]any, error) { return nil, nil }
	if _, err := wire.Info(t.Context(), conn, "k"); !errors.Is(err, wire.ErrReply) {
		t.Errorf("no replies: %v", err)
	}
}
