package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// filled returns a filter with n keys.
func filled(t testing.TB, c rediscf.Config, n int) *rediscf.Filter {
	t.Helper()
	f, err := rediscf.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for k := range n {
		if err := f.AddString(fmt.Sprint("key ", k)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// samples are filters of all shapes.
func samples(t testing.TB) map[string]*rediscf.Filter {
	deleted := filled(t, rediscf.Config{Capacity: 64}, 200)
	for k := range 5 {
		deleted.DelString(fmt.Sprint("key ", k))
	}
	one, err := rediscf.Load(func(yield func(int64, []byte) bool) {
		_ = yield(1, append(append([]byte{2, 7: 0, 8: 1, 15: 0, 23: 0, 24: 1, 31: 0}, 2, 0), 20, 0, 1, 0)) &&
			yield(3, []byte{7, 9})
	}, rediscf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*rediscf.Filter{
		"plain":      filled(t, rediscf.Config{Capacity: 1000}, 100),
		"grown":      filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 2000),
		"no growth":  filled(t, rediscf.Config{Capacity: 1 << 18, BucketSize: 4, Expansion: rediscf.NoGrowth}, 1000),
		"odd":        filled(t, rediscf.Config{Capacity: 700, BucketSize: 7, MaxIterations: 3, Expansion: 5}, 3000),
		"deleted":    deleted,
		"empty":      filled(t, rediscf.Config{Capacity: 600, BucketSize: 3, MaxIterations: 9, Expansion: 3}, 0),
		"empty full": filled(t, rediscf.Config{Expansion: rediscf.NoGrowth}, 0),
		"one bucket": one,
	}
}

// equal tells whether two filters have the same state and dump.
func equal(f, g *rediscf.Filter) bool {
	return g != nil && f.Info() == g.Info() && bytes.Equal(dumped(f), dumped(g))
}

// dumped returns all of a dump with its positions.
func dumped(f *rediscf.Filter) (b []byte) {
	for position, chunk := range f.Scan() {
		b = append(fmt.Append(b, position, " "), chunk...)
	}
	return b
}

// holds fails unless the server has one key, with a filter like f that does not expire.
func holds(t *testing.T, s *wiretest.Server, key string, f *rediscf.Filter) {
	t.Helper()
	if keys := s.Keys(); len(keys) != 1 || keys[0] != key || s.Expires(key) != 0 {
		t.Fatalf("the server has %q, which expires in %v; want %q", keys, s.Expires(key), key)
	}
	if g, err := s.Filter(key); err != nil || !equal(f, g) {
		t.Fatalf("the server's filter differs, %v", err)
	}
}

func TestShip_ThereAndBack(t *testing.T) {
	for name, f := range samples(t) {
		for _, o := range []wire.PushOptions{{}, {Chunk: 1, InFlight: 7}, {Chunk: 100, InFlight: 100},
			{Chunk: 1000, InFlight: 2500, Overwrite: true}} {
			if f.Info().Size > 100_000 && o.Chunk == 1 {
				continue // takes a second and shows nothing more
			}
			s := wiretest.NewServer()
			if err := wire.Push(t.Context(), s.Conn(), "k", f, o); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			holds(t, s, "k", f)
			g, err := wire.Pull(t.Context(), s.Conn(), "k", wire.PullOptions{})
			if err != nil || !equal(f, g) {
				t.Fatalf("%s: %v", name, err)
			}
			if i, err := wire.Info(t.Context(), s.Conn(), "k"); err != nil || i != f.Info() {
				t.Fatalf("%s: %v, %v", name, i, err)
			}
		}
	}
}

// recordings returns the recordings of package rediscf, about the key golden.
func recordings(t *testing.T) (list []*wiretest.Recording) {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		r, err := wiretest.ReadRecording(file, "golden")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestGolden_PullAndPushSayWhatWasRecorded pulls each recorded dump from a server that answers nothing else,
// and pushes it to one that takes nothing else.
func TestGolden_PullAndPushSayWhatWasRecorded(t *testing.T) {
	for k, r := range recordings(t) {
		s := wiretest.NewScript(r.Pull("golden"))
		f, err := wire.Pull(t.Context(), s.Conn(), "golden", wire.PullOptions{})
		if err != nil || s.Err() != nil {
			t.Fatalf("recording %d: %v, %v", k, err, s.Err())
		}
		if f.Info() != r.Info {
			t.Fatalf("recording %d: %v", k, f.Info())
		}
		s = wiretest.NewScript(r.Push("golden", 5000))
		if err = wire.Push(t.Context(), s.Conn(), "golden", f, wire.PushOptions{Expire: 5 * time.Second}); err != nil ||
			s.Err() != nil {
			t.Fatalf("recording %d: %v, %v", k, err, s.Err())
		}
	}
}

func TestPush_RefusesToOverwrite(t *testing.T) {
	f, old := filled(t, rediscf.Config{}, 100), filled(t, rediscf.Config{}, 3)
	s := wiretest.NewServer()
	s.Put("k", old)
	s.SetFault(nil)
	if err := wire.Push(t.Context(), s.Conn(), "k", f, wire.PushOptions{}); !errors.Is(err, rediscf.ErrExists) {
		t.Fatal(err)
	}
	if log := s.Log(); len(log) != 1 {
		t.Errorf("a key that exists costs the commands %q", log)
	}
	holds(t, s, "k", old)
	if err := wire.Push(t.Context(), s.Conn(), "k", f, wire.PushOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	holds(t, s, "k", f)
}

// TestPush_RefusesToOverwriteWhoCameMeanwhile makes the key between the first look and the rename.
func TestPush_RefusesToOverwriteWhoCameMeanwhile(t *testing.T) {
	f, other := filled(t, rediscf.Config{}, 100), filled(t, rediscf.Config{}, 3)
	s := wiretest.NewServer()
	c := wire.Conn(s.Conn())
	meanwhile := func(ctx context.Context, commands [][]any) ([]any, error) {
		if commands[0][0] == "PERSIST" {
			s.Put("k", other)
		}
		return c(ctx, commands)
	}
	err := wire.Push(t.Context(), meanwhile, "k", f, wire.PushOptions{})
	if !errors.Is(err, rediscf.ErrExists) || errors.Is(err, wire.ErrUncertain) {
		t.Fatal(err)
	}
	holds(t, s, "k", other)
}

func TestPush_RefusesServerThatDiffers(t *testing.T) {
	f := filled(t, rediscf.Config{}, 100)
	for field := range 8 {
		for _, change := range []int64{1, -1} {
			s := wiretest.NewServer()
			s.SetFault(func(_ int, args []string) wiretest.Fault {
				if args[0] != "CF.INFO" {
					return wiretest.Fault{}
				}
				wrong := wiretest.InfoReply(f.Info())
				wrong[2*field+1] = wrong[2*field+1].(int64) + change
				return wiretest.Fault{Reply: wrong}
			})
			err := wire.Push(t.Context(), s.Conn(), "k", f, wire.PushOptions{})
			if !errors.Is(err, wire.ErrDiffers) && !errors.Is(err, wire.ErrReply) {
				t.Errorf("field %d by %d: %v", field, change, err)
			}
			if keys := s.Keys(); len(keys) != 0 {
				t.Errorf("field %d: the server has %q", field, keys)
			}
		}
	}
}

func TestPush_BadInput(t *testing.T) {
	f := filled(t, rediscf.Config{}, 100)
	ended := filled(t, rediscf.Config{Capacity: 64}, 200)
	for k := range 200 {
		ended.DelString(fmt.Sprint("key ", k))
	}
	for _, c := range []struct {
		f    *rediscf.Filter
		o    wire.PushOptions
		want error
	}{
		{f, wire.PushOptions{Chunk: -1}, rediscf.ErrConfig},
		{f, wire.PushOptions{Chunk: 16<<20 + 1}, rediscf.ErrConfig},
		{f, wire.PushOptions{Chunk: 100, InFlight: 99}, rediscf.ErrConfig},
		{f, wire.PushOptions{InFlight: -1}, rediscf.ErrConfig},
		{f, wire.PushOptions{Expire: time.Millisecond}, rediscf.ErrConfig},
		{f, wire.PushOptions{Expire: -time.Hour}, rediscf.ErrConfig},
		{new(rediscf.Filter), wire.PushOptions{}, wire.ErrEmpty},
		{ended, wire.PushOptions{}, wire.ErrEmpty},
	} {
		s := wiretest.NewServer()
		s.SetFault(nil)
		err := wire.Push(t.Context(), s.Conn(), "some key", c.f, c.o)
		if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), `wire: push to key "some key": `) {
			t.Errorf("%+v: %v, want %v", c.o, err, c.want)
		}
		if len(s.Log()) != 0 {
			t.Errorf("%+v: the server was asked %q", c.o, s.Log())
		}
	}
	ended.Compact()
	s := wiretest.NewServer()
	if err := wire.Push(t.Context(), s.Conn(), "k", ended, wire.PushOptions{}); err != nil {
		t.Errorf("after Compact: %v", err)
	}
}

func TestPush_StaysWithinInFlight(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 1000, Expansion: 2}, 3000)
	sent, groups := 0, 0
	s := wiretest.NewServer()
	c := wire.Conn(s.Conn())
	flying := func(ctx context.Context, commands [][]any) ([]any, error) {
		bytes := 0
		for _, args := range commands {
			if chunk, ok := args[len(args)-1].([]byte); ok && args[2] != int64(1) {
				bytes += len(chunk)
			}
		}
		if bytes > 700 {
			t.Errorf("%d bytes are in flight", bytes)
		}
		if sent += bytes; bytes > 0 {
			groups++
		}
		return c(ctx, commands)
	}
	total := int(f.Info().Size) - 40 - 16*f.Info().Filters
	err := wire.Push(t.Context(), flying, "k", f, wire.PushOptions{Chunk: 300, InFlight: 700})
	if err != nil || sent != total || groups > 2*total/700 {
		t.Errorf("%d of %d bytes in %d groups: %v", sent, total, groups, err)
	}
}

// TestOneByOne_IsAPushToo sends each command on its own.
func TestOneByOne_IsAPushToo(t *testing.T) {
	s := wiretest.NewServer()
	c := s.Conn()
	conn := wire.OneByOne(func(ctx context.Context, args ...any) (any, error) {
		replies, err := c(ctx, [][]any{args})
		if err != nil {
			return nil, err
		}
		return replies[0], nil
	})
	f := filled(t, rediscf.Config{}, 100)
	if err := wire.Push(t.Context(), conn, "k", f, wire.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	holds(t, s, "k", f)
	if _, err := wire.Pull(t.Context(), conn, "k2", wire.PullOptions{}); !errors.Is(err, rediscf.ErrNotFound) {
		t.Error(err)
	}
}
