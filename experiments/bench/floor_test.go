package bench

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// BenchmarkFloor sets single lookups of integer keys, absent ones, beside loops that are written out by hand for one
// width, one placement and four slots a bucket, without a call: what Go can do. One of them takes a digest by
// multiply-shift and the bits of it that C++ takes, which needs a power of two of buckets. Of digests, single ones and
// batches stand beside a loop that places them and loads their buckets, and gives no answer: no code takes less. All
// take their turns in each round; a metric is the median time of a key. The tables of the loops hold random lanes.
func BenchmarkFloor(b *testing.B) {
	for _, n := range append([]int{1 << 16}, sizes()[2:]...) {
		b.Run(fmt.Sprintf("f=8/n=%d", n), func(b *testing.B) { floor[fingerprint.Bits8](b, n) })
		b.Run(fmt.Sprintf("f=12/n=%d", n), func(b *testing.B) { floor[fingerprint.Bits12](b, n) })
	}
}

// place returns the fingerprint and the primary bucket of a digest, as filters do.
func place(h, largest, buckets uint64) (fp, i uint64) {
	i, _ = bits.Mul64(h, buckets)
	return uint64(uint32(h))*largest>>32 + 1, i
}

// cut does the same as C++ does.
func cut(h, largest, buckets uint64) (fp, i uint64) {
	fp = h & largest
	return fp + (fp-1)>>63, h >> 32 & (buckets - 1)
}

// sum is c(fp) of Additive for 2^12 buckets and more, a power of two.
func sum(fp, buckets uint64) uint64 {
	x := fp * 0x9e3779b97f4a7c15
	return (x ^ x>>32) & (buckets - 1)
}

// less returns c-i modulo the number of buckets without a branch, as filters do.
func less(c, i, buckets uint64) uint64 {
	if c < i {
		c += buckets
	}
	c, _ = bits.Sub64(c, i, 0)
	return c
}

// A lanes is how buckets are compared: their bytes, and the lowest and the highest bit of every lane.
type lanes struct{ bytes, low, high uint64 }

func lanesOf(width uint) lanes {
	low := uint64(1 | 1<<width | 1<<(2*width) | 1<<(3*width))
	return lanes{uint64(width / 2), low, low << (width - 1)}
}

// has looks for a fingerprint in two buckets.
func (l lanes) has(data []byte, i, j, fp uint64) bool {
	x, y := memory.Load64(data, i*l.bytes)^l.low*fp, memory.Load64(data, j*l.bytes)^l.low*fp
	return ((x-l.low)&^x|(y-l.low)&^y)&l.high != 0
}

// multiplyShift is the upper half of a product of 128 bits and of a sum: the hash of the C++ that the filters are
// compared with.
func multiplyShift(a, b, c, k uint64) uint64 {
	hi, lo := bits.Mul64(a, k)
	_, carry := bits.Add64(lo, c, 0)
	sum, _ := bits.Add64(hi+b*k, c, carry)
	return sum
}

// A way is one loop.
type way struct {
	name string
	run  func(keys []uint64) int
}

// ways are all loops. Those by hand take what describes the table before they begin, as C++ does.
func ways[F fingerprint.Width](b *testing.B, n int) []way {
	filled := func(p cuckoo.Placement) *cuckoo.Filter[F] {
		f, err := cuckoo.New[F](cuckoo.Config{Buckets: n / 4, Placement: p})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.InsertHashes(speed.Digests(catalogue.KeysAt(n, catalogue.FullLoad))); err != nil {
			b.Fatal(err)
		}
		return f
	}
	x, a, width := filled(cuckoo.XOR), filled(cuckoo.Additive), fingerprint.WidthOf[F]()
	buckets, largest, spread := uint64(n)/4, uint64(1)<<width-1, uint64(0x9e3779b97f4a7c15)
	one, two, three := hashing.Mix64(1), hashing.Mix64(2), hashing.Mix64(3) // of multiplyShift
	data := make([]byte, n*int(width)/8+8)
	for at := 0; at+8 <= len(data); at += 8 {
		memory.Store64(data, uint64(at), hashing.Mix64(uint64(at)))
	}
	all := []way{
		{"XOR", func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return x.ContainsHash(hashing.Mix64(k)) })
		}},
		{"Additive", func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return a.ContainsHash(hashing.Mix64(k)) })
		}},
		{"XOR-by-hand", func(keys []uint64) int {
			data, buckets, largest, spread, mask := data, buckets, largest, spread, buckets-1
			return measure.Count(keys, func(k uint64) bool {
				fp, i := place(hashing.Mix64(k), largest, buckets)
				return lanesOf(fingerprint.WidthOf[F]()).has(data, i, i^fp*spread>>32&mask, fp)
			})
		}},
		{"XOR-by-hand-multiply-shift", func(keys []uint64) int {
			data, buckets, largest, spread, mask := data, buckets, largest, spread, buckets-1
			one, two, three := one, two, three
			return measure.Count(keys, func(k uint64) bool {
				fp, i := cut(multiplyShift(one, two, three, k), largest, buckets)
				return lanesOf(fingerprint.WidthOf[F]()).has(data, i, (i^fp*spread)&mask, fp)
			})
		}},
		{"Additive-by-hand", func(keys []uint64) int {
			data, buckets, largest := data, buckets, largest
			return measure.Count(keys, func(k uint64) bool {
				fp, i := place(hashing.Mix64(k), largest, buckets)
				return lanesOf(fingerprint.WidthOf[F]()).has(data, i, less(sum(fp, buckets), i, buckets), fp)
			})
		}},
	}
	return append(all, batches(x, data, buckets)...)
}

// batches are the ways to ask a filter, or a table of as many buckets, for digests.
func batches[F fingerprint.Width](x *cuckoo.Filter[F], data []byte, buckets uint64) []way {
	width, found := fingerprint.WidthOf[F](), make([]bool, measure.ContestBatch)
	largest, spread := uint64(1)<<width-1, uint64(0x9e3779b97f4a7c15)
	return []way{
		{"digests", func(keys []uint64) int { return measure.Count(keys, func(h uint64) bool { return x.ContainsHash(h) }) }},
		{"digests-in-batches", func(keys []uint64) (n int) {
			for part := range slices.Chunk(keys, len(found)) {
				x.ContainsHashes(part, found)
				n += measure.CountTrue(found)
			}
			return n
		}},
		{"digests-in-batches-by-hand", func(keys []uint64) (n int) {
			data, buckets, largest, spread, mask := data, buckets, largest, spread, buckets-1
			for part := range slices.Chunk(keys, len(found)) {
				found := found[:len(part)]
				for k, h := range part {
					fp, i := place(h, largest, buckets)
					found[k] = lanesOf(fingerprint.WidthOf[F]()).has(data, i, i^fp*spread>>32&mask, fp)
				}
				n += measure.CountTrue(found)
			}
			return n
		}},
		{"digests-only-loaded", func(keys []uint64) (n int) {
			data, buckets, largest, spread, mask, bytes := data, buckets, largest, spread, buckets-1, uint64(width/2)
			for _, h := range keys {
				fp, i := place(h, largest, buckets)
				n += int(memory.Load64(data, i*bytes) ^ memory.Load64(data, (i^fp*spread>>32&mask)*bytes))
			}
			return n
		}},
	}
}

// floor is the benchmark of one width and size.
func floor[F fingerprint.Width](b *testing.B, n int) { inTurns(b, ways[F](b, n), hashing.Mix64) }

// inTurns times loops over keys. Each loop runs once before it is timed, so that its table is where it can be.
func inTurns(b *testing.B, all []way, key func(uint64) uint64) {
	times := make([]measure.Rounds, len(all))
	keys, round := make([]uint64, 1<<17), 0
	for b.Loop() {
		round++
		for i := range keys {
			keys[i] = key(uint64(round)<<40 + uint64(i))
		}
		for w := range measure.Turns(round, len(all)) {
			all[w].run(keys)
			times[w] = append(times[w], measure.Timed(len(keys), func() { all[w].run(keys) }).PerKey())
		}
	}
	for w := range all {
		b.ReportMetric(times[w].Interval().Median, "ns/"+all[w].name)
	}
	b.ReportMetric(0, "ns/op")
}
