package wire_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// commandsOf returns how many commands a push of f takes.
func commandsOf(t *testing.T, f *rediscf.Filter, o wire.PushOptions) int {
	t.Helper()
	s := wiretest.NewServer()
	s.SetFault(nil)
	if err := wire.Push(t.Context(), s.Conn(), "k", f, o); err != nil {
		t.Fatal(err)
	}
	return len(s.Log())
}

// world is what a server has after a push that failed.
type world struct {
	key     *rediscf.Filter // nil if none
	left    string          // the temporary key, empty if none
	expires bool
}

// after returns the state of the server, in which the key is old, new or nothing at all.
func after(t *testing.T, where string, s *wiretest.Server, old, fresh *rediscf.Filter) (w world) {
	t.Helper()
	for _, key := range s.Keys() {
		if key != "k" {
			if w.left != "" || !strings.HasPrefix(key, "{k}:tmp-") {
				t.Fatalf("%s: the server has %q", where, s.Keys())
			}
			w.left, w.expires = key, s.Expires(key) > 0
		}
	}
	var err error
	if w.key, err = s.Filter("k"); err != nil || s.Expires("k") != 0 {
		t.Fatalf("%s: the key has half a filter or expires: %v", where, err)
	}
	if w.key != nil && !equal(w.key, fresh) && (old == nil || !equal(w.key, old)) {
		t.Fatalf("%s: the key has another filter", where)
	}
	return w
}

// TestPush_DroppedAtEveryCommand drops the connection at each command of a push, before and after it is
// executed; the next connection works.
func TestPush_DroppedAtEveryCommand(t *testing.T) {
	f, old := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500), filled(t, rediscf.Config{}, 3)
	for _, overwrite := range []bool{false, true} {
		o := wire.PushOptions{Chunk: 300, InFlight: 700, Overwrite: overwrite}
		n := commandsOf(t, f, o)
		for at := range n {
			for _, fault := range []wiretest.Fault{{Before: true}, {After: true}} {
				where := fmt.Sprintf("overwrite %v, command %d of %d, %+v", overwrite, at, n, fault)
				s := wiretest.NewServer()
				var had *rediscf.Filter
				if overwrite {
					had = old
					s.Put("k", old)
				}
				optional := false // a push does without the version of the module
				s.SetFault(func(k int, args []string) wiretest.Fault {
					if k == at {
						optional = args[0] == "MODULE"
						return fault
					}
					return wiretest.Fault{}
				})
				err := wire.Push(t.Context(), s.Conn(), "k", f, o)
				if optional && err == nil {
					continue
				}
				if !errors.Is(err, wiretest.ErrDropped) || errors.Is(err, wire.ErrLeftover) {
					t.Fatalf("%s: %v", where, err)
				}
				w := after(t, where, s, had, f)
				renamed := w.key != nil && equal(w.key, f)
				if w.left != "" || renamed != (at == n-1 && fault.After) ||
					renamed != errors.Is(err, wire.ErrUncertain) {
					t.Fatalf("%s: %v; left %q, renamed %v", where, err, w.left, renamed)
				}
				if !renamed && overwrite && !equal(w.key, old) {
					t.Fatalf("%s: the old filter is gone", where)
				}
			}
		}
	}
}

// TestPush_ServerGoneAtEveryCommand lets no connection work after the failure, so that nothing can be
// cleaned up. What is left expires, except in two gaps: before the PEXPIRE, and behind the PERSIST.
func TestPush_ServerGoneAtEveryCommand(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	o := wire.PushOptions{Chunk: 300, InFlight: 700}
	n := commandsOf(t, f, o)
	for at := range n {
		for _, fault := range []wiretest.Fault{{Before: true}, {After: true}} {
			where := fmt.Sprintf("command %d of %d, %+v", at, n, fault)
			s := wiretest.NewServer()
			var done []string
			s.SetFault(func(k int, args []string) wiretest.Fault {
				switch {
				case k < at || k == at && fault.After:
					done = append(done, args[0])
					if k == at {
						return fault
					}
					return wiretest.Fault{}
				}
				return wiretest.Fault{Before: true}
			})
			err := wire.Push(t.Context(), s.Conn(), "k", f, o)
			created := len(done) >= 2 // EXISTS comes first
			if !errors.Is(err, wiretest.ErrDropped) || errors.Is(err, wire.ErrLeftover) != (at > 0) {
				t.Fatalf("%s: %v", where, err)
			}
			w := after(t, where, s, nil, f)
			renamed := w.key != nil
			if renamed != (at == n-1 && fault.After) || (w.left != "") != (created && !renamed) {
				t.Fatalf("%s: left %q, renamed %v", where, w.left, renamed)
			}
			persisted := done != nil && done[len(done)-1] == "PERSIST"
			gap := created && (len(done) == 2 || persisted)
			if w.left != "" && (w.expires == gap || !strings.Contains(err.Error(), w.left)) {
				t.Fatalf("%s: what is left expires: %v; %v", where, w.expires, err)
			}
			if w.left != "" && !w.expires && !strings.Contains(err.Error(), "which may not expire") {
				t.Fatalf("%s: %v", where, err)
			}
			if known := at >= 3 && at < n-2; known != strings.Contains(err.Error(), "which expires within 1h0m0s") {
				t.Fatalf("%s: %v", where, err)
			}
		}
	}
}

// TestPush_CancelledAtEveryCall ends the context before each call of the connection.
func TestPush_CancelledAtEveryCall(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	o := wire.PushOptions{Chunk: 300, InFlight: 700}
	ended := errors.New("the user has gone")
	for at := 0; ; at++ {
		s := wiretest.NewServer()
		c := wire.Conn(s.Conn())
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		counted := func(inner context.Context, commands [][]any) ([]any, error) {
			if inner.Err() != nil {
				t.Fatalf("call %d has a context that ended", calls)
			}
			if calls++; calls == at {
				defer cancel(ended)
			}
			return c(inner, commands)
		}
		if at == 0 {
			cancel(ended)
		}
		err := wire.Push(ctx, counted, "k", f, o)
		if err == nil && at == calls { // ended after the last call
			holds(t, s, "k", f)
			break
		}
		if !errors.Is(err, ended) || len(s.Keys()) != 0 {
			t.Fatalf("call %d: %v; the server has %q", at, err, s.Keys())
		}
	}
}

// TestPush_RefusesWrongReplies answers each command with something that is not its reply.
func TestPush_RefusesWrongReplies(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	o := wire.PushOptions{Chunk: 300, InFlight: 700}
	n := commandsOf(t, f, o)
	for at := range n {
		for _, wrong := range []any{"QUEUED", int64(7), []any{}, wiretest.Error("ERR no"), []any{int64(1), "OK"}} {
			s, optional := wiretest.NewServer(), false
			s.SetFault(func(k int, args []string) wiretest.Fault {
				if k != at {
					return wiretest.Fault{}
				}
				optional = args[0] == "MODULE"
				return wiretest.Fault{Reply: wrong}
			})
			err := wire.Push(t.Context(), s.Conn(), "k", f, o)
			if (err == nil) != optional {
				t.Errorf("command %d: the reply %v: %v", at, wrong, err)
			}
			if err == nil {
				continue
			}
			if len(s.Keys()) != 0 {
				t.Errorf("command %d: the server has %q", at, s.Keys())
			}
		}
	}
}

// TestPush_RefusedPersistIsNoRename has a server that forbids PERSIST and would rename: the key would have a filter
// that expires.
func TestPush_RefusedPersistIsNoRename(t *testing.T) {
	f, old := filled(t, rediscf.Config{}, 100), filled(t, rediscf.Config{}, 3)
	for _, reply := range []any{wiretest.Error("NOPERM User default has no permissions to run the 'persist' command"),
		int64(0)} {
		s := wiretest.NewServer()
		s.Put("k", old)
		s.SetFault(func(_ int, args []string) wiretest.Fault {
			if args[0] == "PERSIST" {
				return wiretest.Fault{Reply: reply}
			}
			return wiretest.Fault{}
		})
		err := wire.Push(t.Context(), s.Conn(), "k", f, wire.PushOptions{Overwrite: true})
		if err == nil || errors.Is(err, wire.ErrUncertain) || errors.Is(err, wire.ErrLeftover) {
			t.Errorf("%v: %v", reply, err)
		}
		holds(t, s, "k", old)
	}
}

// TestPush_RefusedRenameIsCertain loses the reply of the DEL behind a rename that the server refused.
func TestPush_RefusedRenameIsCertain(t *testing.T) {
	s := wiretest.NewServer()
	s.SetFault(func(_ int, args []string) wiretest.Fault {
		switch args[0] {
		case "RENAMENX":
			return wiretest.Fault{Reply: int64(0)}
		case "DEL":
			return wiretest.Fault{Before: true}
		}
		return wiretest.Fault{}
	})
	err := wire.Push(t.Context(), s.Conn(), "k", filled(t, rediscf.Config{}, 3), wire.PushOptions{})
	if !errors.Is(err, rediscf.ErrExists) || !errors.Is(err, wire.ErrLeftover) || errors.Is(err, wire.ErrUncertain) {
		t.Error(err)
	}
}

// TestPush_RefusedLeavesNothing pushes to servers that permit nothing to be written: no temporary key can be left.
func TestPush_RefusedLeavesNothing(t *testing.T) {
	readOnly := func(args []string) bool { return args[0] != "EXISTS" }
	otherKeys := func(args []string) bool { return args[1] != "k" } // no key pattern covers the temporary key
	for reply, forbids := range map[wiretest.Error]func(args []string) bool{
		"READONLY You can't write against a read only replica.":                           readOnly,
		"NOPERM this user has no permissions to run the 'cf.loadchunk' command":           readOnly,
		"NOPERM this user has no permissions to access one of the keys used as arguments": otherKeys,
	} {
		s := wiretest.NewServer()
		s.SetFault(func(_ int, args []string) wiretest.Fault {
			if forbids(args) {
				return wiretest.Fault{Reply: reply}
			}
			return wiretest.Fault{}
		})
		conn := wire.OneByOne(func(ctx context.Context, args ...any) (any, error) {
			replies, err := s.Conn()(ctx, [][]any{args})
			if err != nil {
				return nil, err
			}
			return replies[0], nil
		})
		err := wire.Push(t.Context(), conn, "k", filled(t, rediscf.Config{}, 3), wire.PushOptions{})
		if !errors.Is(err, reply) || errors.Is(err, wire.ErrLeftover) || strings.Contains(err.Error(), "expire") ||
			strings.Contains(err.Error(), "push to the master") != strings.HasPrefix(string(reply), "READONLY") {
			t.Errorf("%v", err)
		}
	}
}

// TestPush_RefusedRenameThatStays has a server that permits neither the rename nor the DEL: the rename was not
// made, and the temporary key is left.
func TestPush_RefusedRenameThatStays(t *testing.T) {
	s := wiretest.NewServer()
	s.SetFault(func(_ int, args []string) wiretest.Fault {
		if args[0] == "RENAMENX" || args[0] == "DEL" {
			return wiretest.Fault{Reply: wiretest.Error("NOPERM")}
		}
		return wiretest.Fault{}
	})
	err := wire.Push(t.Context(), s.Conn(), "k", filled(t, rediscf.Config{}, 3), wire.PushOptions{})
	if !errors.Is(err, wire.ErrLeftover) || errors.Is(err, wire.ErrUncertain) ||
		!strings.Contains(err.Error(), "which may not expire") {
		t.Error(err)
	}
}

// TestPush_NoServerLeavesNothing overwrites a key of a server that is not there: no temporary key can be left.
func TestPush_NoServerLeavesNothing(t *testing.T) {
	s := wiretest.NewServer()
	s.SetFault(func(int, []string) wiretest.Fault { return wiretest.Fault{Before: true} })
	err := wire.Push(t.Context(), s.Conn(), "k", filled(t, rediscf.Config{}, 3), wire.PushOptions{Overwrite: true})
	if !errors.Is(err, wiretest.ErrDropped) || errors.Is(err, wire.ErrLeftover) || len(s.Log()) != 1 {
		t.Errorf("%v after the commands %q", err, s.Log())
	}
}

// TestPush_TemporaryKeyThatIsGone deletes it between two batches.
func TestPush_TemporaryKeyThatIsGone(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	s := wiretest.NewServer()
	c := wire.Conn(s.Conn())
	calls := 0
	conn := func(ctx context.Context, commands [][]any) ([]any, error) {
		if calls++; calls == 4 {
			for _, key := range s.Keys() {
				s.Delete(key)
			}
		}
		return c(ctx, commands)
	}
	if err := wire.Push(t.Context(), conn, "k", f,
		wire.PushOptions{Chunk: 300, InFlight: 300, Expire: time.Minute}); err == nil || len(s.Keys()) != 0 {
		t.Errorf("%v, %q", err, s.Keys())
	}
}
