package bench

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// BenchmarkHugePages compares tables with large pages and without, both alive at once and measured by
// turns, three rounds of each. The verb fill includes New and the first touch of all memory. Tables
// below 2 MiB ask for nothing: their difference is the noise.
func BenchmarkHugePages(b *testing.B) {
	for _, n := range sizes() {
		var filters [2]*filter
		modes := [2]cuckoo.HugePages{cuckoo.HugePagesOff, cuckoo.HugePagesOn}
		for round := range 3 {
			for i, mode := range modes {
				c := cuckoo.Config{Buckets: n / 4, Placement: cuckoo.XOR, HugePages: mode}
				label := fmt.Sprintf("/filter=cuckoo/f=12/b=4/placement=xor/n=%d/load=%v/hugepages=%v", n, load, mode)
				if round == 0 {
					b.Run("verb=fill"+label, func(b *testing.B) {
						for b.Loop() {
							filters[i] = hugeFilled(b, c)
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n)/load, "ns/key")
					})
				}
				b.Run("verb=contains"+label, func(b *testing.B) { lookUp(b, filters[i], 1) })
				b.Run("verb=containshashes"+label, func(b *testing.B) { lookUp(b, filters[i], 256) })
			}
		}
	}
}

// hugeFilled returns a filter filled with integer keys.
func hugeFilled(b *testing.B, c cuckoo.Config) *filter {
	f, err := cuckoo.New[fingerprint.Bits12](c)
	if err != nil {
		b.Fatal(err)
	}
	fill(b, f, load)
	return f
}

// lookUp looks absent keys up, batch a time.
func lookUp(b *testing.B, f *filter, batch int) {
	var hs [256]uint64
	var dst [256]bool
	next, looked, found := uint64(f.Len()), 0, 0
	for b.Loop() {
		for i := range hs {
			hs[i] = hashing.Mix64(next)
			next++
		}
		if batch > 1 {
			f.ContainsHashes(hs[:batch], dst[:batch])
		} else {
			for _, h := range hs {
				if f.ContainsHash(h) {
					found++
				}
			}
		}
		looked += len(hs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(looked), "ns/key")
}
