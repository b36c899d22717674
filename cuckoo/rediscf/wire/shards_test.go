package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// falseAlarm is the probability at which each test of this file may fail if shards are chosen at random.
const falseAlarm = 1e-9

// digests returns those of many keys, whose number is a power of two.
func digests() []uint64 {
	hs := make([]uint64, 1<<18)
	if testing.Short() {
		hs = hs[:1<<16]
	}
	for k := range hs {
		hs[k] = rediscf.DigestString(fmt.Sprint("user:", k))
	}
	return hs
}

// TestShard_Balance bounds each shard's number of keys by Bernstein's inequality for a binomial number.
func TestShard_Balance(t *testing.T) {
	hs := digests()
	n := float64(len(hs))
	for _, shards := range []int{1, 2, 3, 16, 64, 100, 1000, wire.MaxShards} {
		counts := make([]int, shards)
		for _, h := range hs {
			counts[wire.Shard(h, shards)]++
		}
		p := 1 / float64(shards)
		l := math.Log(2 * float64(shards) / falseAlarm)
		slack := l/3 + math.Sqrt(l*l/9+2*l*n*p*(1-p))
		if least, most := slices.Min(counts), slices.Max(counts); float64(most) > n*p+slack ||
			float64(least) < n*p-slack {
			t.Errorf("%d shards have %d to %d keys, want %.0f and %.0f more or less", shards, least, most, n*p, slack)
		}
	}
}

// uneven tells whether numbers in 0..cells-1 are spread less evenly than chance does, by the chi-squared
// statistic and the bound of Laurent and Massart (2000, lemma 1) on its tail.
func uneven(numbers []uint64, cells int, alarm float64) bool {
	counts := make([]float64, cells)
	for _, x := range numbers {
		counts[x]++
	}
	want, statistic := float64(len(numbers))/float64(cells), 0.0
	for _, c := range counts {
		statistic += (c - want) * (c - want) / want
	}
	df, x := float64(cells-1), math.Log(1/alarm)
	return statistic > df+2*math.Sqrt(df*x)+2*x
}

// TestShard_LeavesFilterItsBits holds fingerprints and buckets within a shard to be as even as without
// shards. Shards by the digest modulo their number, which fail, show that the test sees something.
func TestShard_LeavesFilterItsBits(t *testing.T) {
	hs := digests()
	for _, shards := range []int{2, 16, 17} {
		for name, choose := range map[string]func(h uint64) int{
			"Shard":  func(h uint64) int { return wire.Shard(h, shards) },
			"modulo": func(h uint64) int { return int(h % uint64(shards)) },
		} {
			bad := 0
			for i := range shards {
				var fingerprints, buckets []uint64
				for _, h := range hs {
					if choose(h) == i {
						fingerprints, buckets = append(fingerprints, h%255), append(buckets, h%256)
					}
				}
				for cells, numbers := range map[int][]uint64{255: fingerprints, 256: buckets} {
					if uneven(numbers, cells, falseAlarm/float64(2*shards)) {
						bad++
					}
				}
			}
			if (bad > 0) != (name == "modulo") {
				t.Errorf("%s, %d shards: %d of %d statistics are uneven", name, shards, bad, 2*shards)
			}
		}
	}
}

// TestGolden_Shard freezes which shard a key is in: do not change it.
func TestGolden_Shard(t *testing.T) {
	for _, c := range []struct {
		key   string
		n     int
		shard int
	}{{"alice", 16, 5}, {"bob", 16, 10}, {"", 16, 14}, {"alice", 1000, 322}, {"alice", 1, 0}, {"bob", 16384, 11160}} {
		if got := wire.Shard(rediscf.DigestString(c.key), c.n); got != c.shard {
			t.Errorf("%q is in shard %d of %d, want %d", c.key, got, c.n, c.shard)
		}
	}
	if got := wire.ShardKey("people", 12); got != "people:{12}" {
		t.Error(got)
	}
}

// TestShardKey_SpreadsOverACluster counts shards on the nodes of a cluster that has its slots in equal runs, as
// redis-cli makes them.
func TestShardKey_SpreadsOverACluster(t *testing.T) {
	for _, nodes := range []int{3, 6, 10} {
		for _, shards := range []int{16, 64, 256, 1024} {
			counts := make([]int, nodes)
			slots := map[int]bool{}
			for i := range shards {
				slot := wire.Slot(wire.ShardKey("people", i))
				counts[slot*nodes/wire.Slots]++
				slots[slot] = true
			}
			even := float64(shards) / float64(nodes)
			t.Logf("%d shards on %d nodes: %v, in %d slots", shards, nodes, counts, len(slots))
			if most := slices.Max(counts); float64(most) > even+3*math.Sqrt(even) {
				t.Errorf("%d shards on %d nodes: %v", shards, nodes, counts)
			}
		}
	}
}

// sharded returns n shards with keys in them.
func sharded(t *testing.T, n, keys int) *wire.Shards {
	t.Helper()
	s, err := wire.NewShards(n, rediscf.Config{Capacity: 256})
	if err != nil {
		t.Fatal(err)
	}
	for k := range keys {
		if err := s.AddString(fmt.Sprint("user:", k)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// same tells whether two sets of shards are equal.
func same(s, g *wire.Shards) bool {
	for i := range s.N() {
		if g == nil || g.N() != s.N() || !equal(s.Filter(i), g.Filter(i)) {
			return false
		}
	}
	return true
}

func TestShards_ThereAndBack(t *testing.T) {
	for _, keys := range []int{0, 10, 3000} {
		local := sharded(t, 12, keys)
		s := wiretest.NewServer()
		o := wire.PushOptions{Parallel: 3, Chunk: 100, InFlight: 100}
		if err := wire.PushShards(t.Context(), s.Conn(), "people", local, o); err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			if f, err := s.Filter(wire.ShardKey("people", i)); err != nil || !equal(f, local.Filter(i)) {
				t.Fatalf("shard %d: %v", i, err)
			}
		}
		got, err := wire.PullShards(t.Context(), s.Conn(), "people", 12, wire.PullOptions{})
		if err != nil || len(s.Keys()) != 12 || !same(local, got) {
			t.Fatal(err, s.Keys())
		}
		for k := range keys {
			if key := fmt.Sprint("user:", k); !got.ExistsString(key) || !got.Exists([]byte(key)) {
				t.Fatalf("%s is not there", key)
			}
		}
		if got.Len() != keys {
			t.Errorf("%d items, want %d", got.Len(), keys)
		}
	}
}

func TestShards_RefuseOtherNumbers(t *testing.T) {
	local := sharded(t, 4, 100)
	s := wiretest.NewServer()
	if err := wire.PushShards(t.Context(), s.Conn(), "people", local, wire.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]error{3: rediscf.ErrExists, 5: rediscf.ErrNotFound, 0: rediscf.ErrConfig,
		wire.MaxShards + 1: rediscf.ErrConfig} {
		if _, err := wire.PullShards(t.Context(), s.Conn(), "people", n, wire.PullOptions{}); !errors.Is(err, want) {
			t.Errorf("%d shards: %v, want %v", n, err, want)
		}
		if _, err := wire.NewShards(n, rediscf.Config{}); (n < 1 || n > wire.MaxShards) &&
			!errors.Is(err, rediscf.ErrConfig) {
			t.Errorf("%d shards: %v", n, err)
		}
	}
	overwrite := wire.PushOptions{Overwrite: true}
	if err := wire.PushShards(t.Context(), s.Conn(), "people", sharded(t, 3, 100), overwrite); !errors.Is(err,
		rediscf.ErrExists) {
		t.Error(err)
	}
	for _, c := range []struct {
		name string
		o    wire.PushOptions
	}{{"peo{ple", overwrite}, {"people", wire.PushOptions{Parallel: -1}}} {
		if err := wire.PushShards(t.Context(), s.Conn(), c.name, local, c.o); !errors.Is(err, rediscf.ErrConfig) ||
			!strings.Contains(err.Error(), c.name) {
			t.Error(err)
		}
	}
	if _, err := wire.NewShards(2, rediscf.Config{Capacity: 1}); !errors.Is(err, rediscf.ErrConfig) {
		t.Error(err)
	}
}

// TestShards_FailureBeforeTheRenamesChangesNothing lets each command of a push fail in turn.
func TestShards_FailureBeforeTheRenamesChangesNothing(t *testing.T) {
	old, local := sharded(t, 5, 50), sharded(t, 5, 500)
	o := wire.PushOptions{Parallel: 2, Chunk: 100, InFlight: 200, Overwrite: true}
	for at := 0; ; at++ {
		s := wiretest.NewServer()
		if err := wire.PushShards(t.Context(), s.Conn(), "people", old, o); err != nil {
			t.Fatal(err)
		}
		var renames atomic.Bool
		s.SetFault(func(k int, args []string) wiretest.Fault {
			renames.Store(renames.Load() || args[0] == "PERSIST")
			if k == at {
				return wiretest.Fault{Before: true}
			}
			return wiretest.Fault{}
		})
		err := wire.PushShards(t.Context(), s.Conn(), "people", local, o)
		if renames.Load() {
			break
		}
		if !errors.Is(err, wiretest.ErrDropped) || len(s.Keys()) != 5 {
			t.Fatalf("command %d: %v; the server has %q", at, err, s.Keys())
		}
		if got, err := wire.PullShards(t.Context(), s.Conn(), "people", 5, wire.PullOptions{}); err != nil ||
			!same(old, got) {
			t.Fatalf("command %d: the shards have changed, %v", at, err)
		}
	}
}

// TestShards_LeftoversAreNamed has a server that goes away when shards have been staged. No DEL is answered: all
// together they take half a minute, and the error names every temporary key. The time is that of a bubble.
func TestShards_LeftoversAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local := sharded(t, 100, 3000)
		s := wiretest.NewServer()
		c := wire.Conn(s.Conn())
		headers := 0
		conn := func(ctx context.Context, commands [][]any) ([]any, error) {
			if commands[0][0] == "CF.LOADCHUNK" {
				headers++
			}
			if headers < 90 {
				return c(ctx, commands)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		err := wire.PushShards(ctx, conn, "people", local, wire.PushOptions{Parallel: 1})
		if took := time.Since(begin) - time.Minute; took > 36*time.Second {
			t.Errorf("to clean up takes %v", took)
		}
		if !errors.Is(err, wire.ErrLeftover) || len(s.Keys()) < 80 {
			t.Fatalf("%d keys are left; %v", len(s.Keys()), err)
		}
		for _, key := range s.Keys() {
			if !strings.Contains(err.Error(), key) {
				t.Fatalf("%s is left and not named", key)
			}
		}
	})
}

// TestShards_FailedRenameIsNamed lets one rename fail: the others are made.
func TestShards_FailedRenameIsNamed(t *testing.T) {
	local := sharded(t, 5, 500)
	s := wiretest.NewServer()
	s.SetFault(func(_ int, args []string) wiretest.Fault {
		if args[0] == "RENAMENX" && args[2] == "people:{3}" {
			return wiretest.Fault{Reply: int64(0)}
		}
		return wiretest.Fault{}
	})
	err := wire.PushShards(t.Context(), s.Conn(), "people", local, wire.PushOptions{})
	want := []string{"people:{0}", "people:{1}", "people:{2}", "people:{4}"}
	if !errors.Is(err, rediscf.ErrExists) || !strings.Contains(err.Error(), `"people:{3}"`) ||
		!slices.Equal(s.Keys(), want) {
		t.Errorf("%v; the server has %q", err, s.Keys())
	}
}

// TestShards_BoundedParallel counts the calls that are under way, and ends the context on the way.
func TestShards_BoundedParallel(t *testing.T) {
	local := sharded(t, 20, 500)
	s := wiretest.NewServer()
	c := wire.Conn(s.Conn())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var now, calls atomic.Int32
	conn := func(inner context.Context, commands [][]any) ([]any, error) {
		if now.Add(1) > 3 {
			t.Error("more than 3 at once")
		}
		defer now.Add(-1)
		time.Sleep(100 * time.Microsecond) // so that all who may be here meet
		if calls.Add(1) == 20 {
			cancel()
		}
		return c(inner, commands)
	}
	err := wire.PushShards(ctx, conn, "people", local, wire.PushOptions{Parallel: 3})
	if !errors.Is(err, context.Canceled) || len(s.Keys()) != 0 {
		t.Errorf("%v; the server has %q", err, s.Keys())
	}
}

func TestShards_KeyForms(t *testing.T) {
	s := sharded(t, 7, 0)
	if err := errors.Join(s.Add([]byte("a")), s.AddString("b"), s.AddHash(rediscf.DigestString("c"))); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "c"} {
		h := rediscf.DigestString(key)
		if !s.Exists([]byte(key)) || !s.ExistsString(key) || !s.ExistsHash(h) ||
			s.Of(h) != s.Filter(wire.Shard(h, 7)) || s.Of(h).CountHash(h) != 1 {
			t.Errorf("%s is not in its shard", key)
		}
	}
	key := bytes.Repeat([]byte("k"), 20)
	if n := testing.AllocsPerRun(100, func() { s.Exists(key); s.ExistsString("b") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPushShards_NamesAllThatIsLeft loses the server while several shards are on their way.
func TestPushShards_NamesAllThatIsLeft(t *testing.T) {
	shards, err := wire.NewShards(8, rediscf.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 1000 {
		if err := shards.AddString(fmt.Sprint("key ", k)); err != nil {
			t.Fatal(err)
		}
	}
	for after := 2; after < 30; after += 3 {
		s := wiretest.NewServer()
		begun := make(chan struct{})
		s.SetFault(func(n int, args []string) wiretest.Fault {
			if n == 16 {
				close(begun)
			}
			if args[0] == "CF.INFO" && n < 16 { // until several have begun
				return wiretest.Fault{Wait: begun}
			}
			return wiretest.Fault{Before: n >= 14+after}
		})
		err := wire.PushShards(t.Context(), s.Conn(), "people", shards, wire.PushOptions{})
		if err == nil || !errors.Is(err, wire.ErrLeftover) && len(s.Keys()) > 0 {
			t.Errorf("after %d: %v; the server has %q", after, err, s.Keys())
		}
		for _, key := range s.Keys() {
			if !strings.Contains(fmt.Sprint(err), key) {
				t.Errorf("after %d: %q is left and not in the error: %v", after, key, err)
			}
		}
	}
}
