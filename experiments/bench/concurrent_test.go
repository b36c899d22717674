package bench

import (
	"fmt"
	"math/bits"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/simd"
)

// BenchmarkConcurrentFloor sets fills and deletes of a Concurrent beside those of a Filter of as many slots, and beside
// loops by hand, which change a word by a plain store and by a compare-and-swap, and delete with a lock around it too.
// The loops leave out what would have to kick. All take their turns; a metric is the median time of a key.
func BenchmarkConcurrentFloor(b *testing.B) {
	for _, buckets := range []int{1 << 14, 1 << 18} {
		b.Run(fmt.Sprintf("n=%d", 5*buckets), func(b *testing.B) { concurrentFloor(b, buckets) })
	}
}

func concurrentFloor(b *testing.B, buckets int) {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 5 * buckets / 4})
	c, also := cuckoo.NewConcurrent[fingerprint.Bits12](cuckoo.Config{Buckets: buckets})
	if err != nil || also != nil {
		b.Fatal(err, also)
	}
	hs, words, locks := speed.Digests(5*buckets*19/20), make([]uint64, buckets), make([]uint64, 512)
	all := []way{
		{"filter-insert", func(hs []uint64) int {
			return measure.Count(hs, func(h uint64) bool { return f.InsertHash(h) == nil })
		}},
		{"filter-delete", func(hs []uint64) int {
			return measure.Count(hs, func(h uint64) bool { return f.DeleteHash(h) })
		}},
		{"concurrent-insert", func(hs []uint64) int {
			return measure.Count(hs, func(h uint64) bool { return c.InsertHash(h) == nil })
		}},
		{"concurrent-delete", func(hs []uint64) int {
			return measure.Count(hs, func(h uint64) bool { return c.DeleteHash(h) })
		}},
		{"insert-by-store", func(hs []uint64) int { return insertByHand(words, hs, false) }},
		{"insert-by-swap", func(hs []uint64) int { return insertByHand(words, hs, true) }},
		{"delete-by-swap", func(hs []uint64) int { return deleteByHand(words, hs, nil) }},
		{"insert-again", func(hs []uint64) int { return insertByHand(words, hs, true) }},
		{"delete-with-lock", func(hs []uint64) int { return deleteByHand(words, hs, locks) }},
	}
	times := make([]measure.Rounds, len(all))
	for b.Loop() {
		for w := range all {
			if strings.HasPrefix(all[w].name, "insert") {
				clear(words)
			}
			done := 0
			times[w] = append(times[w], measure.Timed(len(hs), func() { done = all[w].run(hs) }).PerKey())
			if done < len(hs)*9/10 {
				b.Fatalf("%s: %d of %d keys", all[w].name, done, len(hs))
			}
		}
	}
	for w := range all {
		b.ReportMetric(times[w].Interval().Median, "ns/"+all[w].name)
	}
	b.ReportMetric(0, "ns/op")
}

// The lowest and the highest bits of five lanes of 12 bits.
const fiveLow, fiveHigh = uint64(1 | 1<<12 | 1<<24 | 1<<36 | 1<<48), fiveLow << 11

func insertByHand(words, hs []uint64, swap bool) (done int) {
	buckets := uint64(len(words))
	for _, h := range hs {
		fp, i := place(h, 1<<12-1, buckets)
		x, at := words[i], i
		free := (x - fiveLow) &^ x & fiveHigh
		if free == 0 {
			at = less(sum(fp, buckets), i, buckets)
			x = words[at]
			free = (x - fiveLow) &^ x & fiveHigh
		}
		switch y := x | fp*(free&-free>>11); {
		case free == 0:
			continue
		case !swap:
			words[at] = y
		case !atomic.CompareAndSwapUint64(&words[at], x, y):
			continue
		}
		done++
	}
	return done
}

func deleteByHand(words, hs []uint64, locks []uint64) (done int) {
	buckets := uint64(len(words))
	for _, h := range hs {
		fp, i := place(h, 1<<12-1, buckets)
		j := less(sum(fp, buckets), i, buckets)
		if locks != nil && !atomic.CompareAndSwapUint64(&locks[fp&511], 0, 1) {
			continue
		}
		x, y := words[i], words[j]
		d, e := x^fp*fiveLow, y^fp*fiveLow
		held, other := (d-fiveLow)&^d&fiveHigh, (e-fiveLow)&^e&fiveHigh
		second := uint64(int64(^held&(held-1)) >> 63) // all ones where the first bucket has none
		i, x, held = i^(i^j)&second, x^(x^y)&second, held|other&second
		if held != 0 && atomic.CompareAndSwapUint64(&words[i], x, x^fp<<((bits.TrailingZeros64(held)-11)&63)) {
			done++
		}
		if locks != nil {
			simd.Release(&locks[fp&511])
		}
	}
	return done
}
