package bench

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// BenchmarkMapletLookup sets lookups of stored digests in a maplet of 12 bits and 4 of value beside those in a filter of
// 16 bits and a loop by hand that has the first value of this shape. Turns and metrics are those of BenchmarkFloor.
func BenchmarkMapletLookup(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 20} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { mapletLookup(b, n) })
	}
}

func mapletLookup(b *testing.B, n int) {
	m, err := maplet.New[fingerprint.Bits12](maplet.Config{Buckets: n / 4, ValueBits: 4})
	f, also := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Buckets: n / 4})
	if err != nil || also != nil {
		b.Fatal(err, also)
	}
	stored := uint64(catalogue.KeysAt(n, catalogue.FullLoad))
	for k := range stored {
		if h := hashing.Mix64(k); m.InsertHash(h, h>>60) != nil || f.InsertHash(h) != nil {
			b.Fatal("full")
		}
	}
	file, _ := m.MarshalBinary()
	data, buckets := file[128:], uint64(n)/4
	inTurns(b, []way{
		{"filter", func(hs []uint64) int {
			return measure.Count(hs, func(h uint64) bool { return f.ContainsHash(h) })
		}},
		{"maplet", func(hs []uint64) (total int) {
			for _, h := range hs {
				for v := range m.LookupHash(h) {
					total += int(v)
				}
			}
			return total
		}},
		{"by-hand", func(hs []uint64) (total int) {
			data, buckets, low := data, buckets, lanesOf(16).low
			for _, h := range hs {
				fp, i := place(h, 1<<12-1, buckets)
				j := less(sum(fp, buckets), i, buckets)
				x, y := memory.Load64(data, 8*i), memory.Load64(data, 8*j)
				own := (low<<12 - (x^low*fp)&(low<<12-low)) & (low << 12)
				found := own | (low<<12-(y^low*fp)&(low<<12-low))&(low<<12)>>1
				if own == 0 {
					x = y >> 1
				}
				if found != 0 {
					total += int(x >> (bits.TrailingZeros64(found) & 63) & 15)
				}
			}
			return total
		}},
	}, func(i uint64) uint64 { return hashing.Mix64(hashing.Mix64(i) % stored) })
}
