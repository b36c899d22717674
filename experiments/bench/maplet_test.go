package bench

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// BenchmarkMapletLookup times a maplet's lookups beside those of a filter whose lanes have the same width, at a load of
// 95%. hit is the share of keys that are stored.
func BenchmarkMapletLookup(b *testing.B) {
	for _, hit := range []int{0, 1} {
		lookupBeside[fingerprint.Bits8, fingerprint.Bits16](b, hit)
		lookupBeside[fingerprint.Bits12, fingerprint.Bits24](b, hit)
		lookupBeside[fingerprint.Bits12, fingerprint.Bits32](b, hit)
	}
}

// lookupBeside times a maplet with fingerprints of the width F and a filter with those of the width L, that of the
// maplet's lanes.
func lookupBeside[F, L fingerprint.Width](b *testing.B, hit int) {
	const buckets, n = 1 << 13, 1 << 15 * 95 / 100
	lane := int(fingerprint.WidthOf[L]())
	m, err := maplet.New[F](maplet.Config{Buckets: buckets, ValueBits: lane - int(fingerprint.WidthOf[F]())})
	if err != nil {
		b.Fatal(err)
	}
	f, err := cuckoo.New[L](cuckoo.Config{Buckets: buckets})
	if err != nil {
		b.Fatal(err)
	}
	asked := make([]uint64, 1<<15)
	for k := range uint64(n) {
		h := hashing.Mix64(k)
		if m.InsertHash(h, k&127) != nil || f.InsertHash(h) != nil {
			b.Fatal("full")
		}
	}
	for k := range asked {
		asked[k] = hashing.Mix64(uint64(k)*2654435761%n + uint64(1-hit)<<40)
	}
	for kind, ask := range map[string]func(){
		"maplet": func() { sumOf(m, asked) },
		"cuckoo": func() { measure.Count(asked, func(h uint64) bool { return f.ContainsHash(h) }) },
	} {
		b.Run(fmt.Sprintf("filter=%s/lane=%d/hit=%d", kind, lane, hit), func(b *testing.B) {
			timed(b, func() (measure.Lap, error) { return measure.Timed(len(asked), ask), nil })
		})
	}
}

// sumOf is a loop of a user: the compiler does not put iterators into the body of a loop over b.Loop.
//
//go:noinline
func sumOf[F fingerprint.Width](m *maplet.Map[F], hs []uint64) (sum uint64) {
	for _, h := range hs {
		for v := range m.LookupHash(h) {
			sum += v
		}
	}
	return sum
}
