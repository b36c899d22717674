package bitsandblooms_test

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// BenchmarkContains asks for keys of 8 bytes, half of them present.
func BenchmarkContains(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("filter=bitsandblooms/n=%d/hashes=7/hit=0.5", n), func(b *testing.B) {
			f := newFilter(b, 10*n, 7)
			for i := range uint64(n) {
				f.Insert(key(i))
			}
			var buffer [8]byte
			i := uint64(0)
			for b.Loop() {
				i++
				binary.LittleEndian.PutUint64(buffer[:], i*0x9e3779b97f4a7c15%uint64(2*n))
				f.Contains(buffer[:])
			}
			b.ReportMetric(8*float64(f.SizeBytes())/float64(n), "bits/item")
		})
	}
}
