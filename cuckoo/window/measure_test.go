package window

import (
	"flag"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

var measured = flag.Int("measure", 0, "rounds of the measurement of a window filter beside a plain one; 0 is none")

// A contest has one kind of work, done by a plain filter of the same lane and by a window filter. Each does n
// operations.
type contest struct {
	name        string
	most        float64 // the largest ratio that is asked for
	plain, ours func(n int)
}

// TestMeasure_BesideAPlainFilter prints the medians of the ratios of times within each round.
func TestMeasure_BesideAPlainFilter(t *testing.T) {
	if *measured == 0 {
		t.Skip("no -measure")
	}
	for _, slots := range []int{1 << 16, 1 << 20} {
		for _, c := range contests(t, slots) {
			ratios, plain, ours := []float64{}, []float64{}, []float64{}
			for range *measured {
				const n = 1 << 20
				a, b := timed(n, c.plain), timed(n, c.ours)
				ratios, plain, ours = append(ratios, b/a), append(plain, a), append(ours, b)
			}
			t.Logf("2^%d slots, %-44s %6.1f ns, %6.1f ns, ratio %.2f (want %.1f)",
				log2(slots), c.name, median(plain), median(ours), median(ratios), c.most)
		}
		tail(t, slots)
	}
}

// TestMeasure_Refresh prints what touches of keys that are in the table take, beside an InsertUnique of them and beside
// the memory alone: reads of two random words of as many bytes, and a write of one of them.
func TestMeasure_Refresh(t *testing.T) {
	if *measured == 0 {
		t.Skip("no -measure")
	}
	for _, slots := range []int{1 << 16, 1 << 20, 1 << 24} {
		f, words, load := must[fingerprint.Bits12](t, Config{Buckets: slots / 4}), make([]uint64, slots/4), slots*9/10
		for k := range load {
			if k%(load/15) == 0 {
				f.Advance()
			}
			_, _ = f.TouchHash(mixed(k))
			words[k/4] = mixed(k)
		}
		each := func(do func(h uint64)) func(n int) {
			return func(n int) {
				for k := range n {
					do(mixed(load - 1 - k))
				}
			}
		}
		touch := each(func(h uint64) { _, _ = f.TouchHash(h) })
		at := func(h uint64) *uint64 { return &words[h>>8%uint64(len(words))] }
		works := []struct {
			name string
			work func(n int)
		}{
			{"InsertUnique", each(func(h uint64) { _, _ = f.InsertUniqueHash(h) })},
			{"Touch, last touched in another generation", touch},
			{"Touch, last touched in this generation", touch},
			{"two reads", each(func(h uint64) { sink += int(*at(h) ^ *at(h >> 20)) })},
			{"two reads and a write", each(func(h uint64) {
				x := *at(h) ^ *at(h >> 20)
				*at(h) = x
			})},
		}
		times := make([][]float64, len(works))
		for range *measured * max(1, 1<<18/slots) {
			f.Advance()
			f.Sweep(slots)
			for k := range works {
				times[k] = append(times[k], timed(slots/2, works[k].work))
			}
		}
		for k := range works {
			t.Logf("2^%d slots, %-42s %6.1f ns", log2(slots), works[k].name, median(times[k]))
		}
	}
}

func log2(n int) (log int) {
	for ; n > 1; n /= 2 {
		log++
	}
	return log
}

func timed(n int, work func(int)) (nanos float64) {
	start := time.Now()
	work(n)
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// mixed returns the digest of a number.
func mixed(k int) uint64 { return hashing.Mix64(uint64(k)) }

// contests makes a plain filter of lanes of 16 bits and a window filter, both at a load of .9 or, for lookups, .95, of
// which a fifteenth of the latter's lanes is expired.
func contests(t *testing.T, slots int) []contest {
	plain, err := cuckoo.New[fingerprint.Any](cuckoo.Config{Buckets: slots / 4, FingerprintBits: 16})
	if err != nil {
		t.Fatal(err)
	}
	f := must[fingerprint.Bits12](t, Config{Buckets: slots / 4, Generations: 14})
	var fresh int
	each := slots * 9 / 10 / 15
	add := func(n int) {
		for range n {
			if fresh%each == 0 {
				f.Advance()
			}
			_, _ = f.TouchHash(mixed(fresh))
			fresh++
		}
	}
	newest := slots * 9 / 10
	queue := make([]uint64, newest) // without one it cannot tell what is the oldest key
	for k := range newest {
		queue[k] = mixed(k)
		_ = plain.InsertHash(queue[k])
	}
	add(newest + each/2)
	hs, dst := make([]uint64, 256), make([]bool, 256)
	batch := func(contains func([]uint64, []bool)) func(int) {
		return func(n int) {
			for k := 0; k < n; k += len(hs) {
				for j := range hs {
					hs[j] = mixed(-k - j)
				}
				contains(hs, dst)
			}
		}
	}
	ask := func(contains func(uint64) bool, sign, from int) func(int) {
		return func(n int) {
			for k := range n {
				if contains(mixed(sign*(k%(slots/2)) + from)) {
					sink++
				}
			}
		}
	}
	old := fresh
	return []contest{
		{"ContainsHash, absent", 1.2, ask(plain.ContainsHash, -1, -1), ask(f.ContainsHash, -1, -1)},
		{"ContainsHash, present", 1.2, ask(plain.ContainsHash, 1, newest-slots/2), ask(f.ContainsHash, 1, old-slots/2)},
		{"ContainsHashes of 256, absent", 1.5, batch(plain.ContainsHashes), batch(f.ContainsHashes)},
		{"new keys, steady: Delete and InsertUnique", 1.1, func(n int) {
			for range n {
				oldest := &queue[newest%len(queue)]
				plain.DeleteHash(*oldest)
				*oldest = mixed(newest)
				_, _ = plain.InsertUniqueHash(*oldest)
				newest++
			}
		}, add},
	}
}

var sink int

// TestMeasure_Shards prints how many touches goroutines make in filters with a mutex each, as in Example_shards: one
// key for each time that it is locked, and 64, which a goroutine collects before.
func TestMeasure_Shards(t *testing.T) {
	if *measured == 0 {
		t.Skip("no -measure")
	}
	const slots, each = 1 << 20, 1 << 19
	for _, shards := range []int{16, 64, 256} {
		for _, together := range []int{1, 64} {
			s := newSharded(t, shards, slots)
			at := 0
			for goroutines := 1; goroutines <= max(2, runtime.NumCPU()); goroutines *= 2 {
				var rates []float64
				for range *measured {
					nanos := timed(goroutines*each, func(int) {
						var wait sync.WaitGroup
						for g := range goroutines {
							wait.Go(func() { s.touch(at+g*each, each, at, goroutines, together) })
						}
						wait.Wait()
					})
					at += goroutines * each
					rates = append(rates, 1e3/nanos)
				}
				t.Logf("%d goroutines in %d shards, %d keys at once: %.1f million touches a second",
					goroutines, shards, together, median(rates))
			}
		}
	}
}

// sharded are filters that together have so many slots.
type sharded struct {
	slots, bits int
	shards      []struct {
		sync.Mutex
		filter *Filter[fingerprint.Bits12]
		_      [64]byte
	}
}

func newSharded(t *testing.T, shards, slots int) *sharded {
	s := &sharded{slots: slots, bits: log2(shards)}
	s.shards = slices.Grow(s.shards, shards)[:shards]
	for k := range s.shards {
		s.shards[k].filter = must[fingerprint.Bits12](t, Config{Buckets: slots / 4 / shards})
	}
	return s
}

// touch touches n keys, of which the first has a number, beside other goroutines that began after so many keys too.
func (s *sharded) touch(first, n, at, goroutines, together int) {
	waiting := make([][]uint64, len(s.shards))
	for k := range n {
		h := mixed(first + k)
		own := h >> (64 - s.bits)
		waiting[own] = append(waiting[own], bits.RotateLeft64(h, s.bits))
		if len(waiting[own]) < together {
			continue
		}
		shard := &s.shards[own]
		shard.Lock()
		shard.filter.advanceBy(int64((at+k*goroutines)/(s.slots*9/10/15)) - shard.filter.now)
		for _, h := range waiting[own] {
			_, _ = shard.filter.TouchHash(h)
		}
		shard.Unlock()
		waiting[own] = waiting[own][:0]
	}
}

// tail prints the longest inserts of a steady stream, and what a refusal after a refusal takes.
func tail(t *testing.T, slots int) {
	f := must[fingerprint.Bits12](t, Config{Buckets: slots / 4, Generations: 14})
	each := f.Capacity() / 15
	var took []float64
	for k := range 40 * each {
		if k%each == 0 {
			f.Advance()
		}
		start := time.Now()
		_, err := f.TouchHash(mixed(k))
		took = append(took, float64(time.Since(start).Nanoseconds()))
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(took)
	refused, k := 0, 40*each
	nanos := []float64{}
	for ; refused < 2000; k++ {
		start := time.Now()
		if _, err := f.TouchHash(mixed(k)); err != nil {
			refused++
			nanos = append(nanos, float64(time.Since(start).Nanoseconds()))
		}
	}
	first := nanos[0]
	t.Logf("2^%d slots: 99.99%% of inserts at the promised load within %.0f ns; "+
		"the first refusal %.0f ns, refusals after it %.0f ns (median)",
		log2(slots), took[len(took)*9999/10000], first, median(nanos))
}
