package hashing_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// sink keeps the compiler from dropping a digest.
var sink uint64

type benchFamily struct {
	name string
	h    hashing.Hasher
}

// benchFamilies are the families under the names that benchmarks use.
func benchFamilies() []benchFamily {
	return []benchFamily{
		{"xxh64", hashing.XXH64(0)},
		{"xxh64-seeded", hashing.XXH64(42)},
		{"xxh3", hashing.XXH3(0)},
		{"metro64", hashing.Metro64(1337)},
		{"fnv1a", hashing.FNV1a(0)},
		{"murmur64a", hashing.Murmur64A(0)},
		{"siphash", hashing.SipHash([16]byte{1})},
		{"maphash", hashing.MapHash()},
		{"user", djb{}},
	}
}

func BenchmarkSum64(b *testing.B) {
	for _, f := range benchFamilies() {
		for _, n := range []int{4, 8, 16, 32, 64, 256} {
			b.Run(fmt.Sprintf("hash=%s/len=%d", f.name, n), func(b *testing.B) {
				d, key := hashing.NewDigester(f.h), make([]byte, n)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					sink += d.Sum64(key)
				}
			})
		}
	}
}

func BenchmarkSum64Uint64(b *testing.B) {
	for _, f := range benchFamilies() {
		b.Run("hash="+f.name, func(b *testing.B) {
			d := hashing.NewDigester(f.h)
			k := uint64(0)
			for b.Loop() {
				sink += d.Sum64Uint64(k)
				k++
			}
		})
	}
	b.Run("hash=comparable", func(b *testing.B) {
		k := uint64(0)
		for b.Loop() {
			sink += hashing.Comparable(k)
			k++
		}
	})
	b.Run("hash=comparable/key=struct", func(b *testing.B) {
		k := struct{ x, y uint64 }{}
		for b.Loop() {
			sink += hashing.Comparable(k)
			k.x++
		}
	})
	b.Run("hash=mix", func(b *testing.B) {
		k := int32(0)
		for b.Loop() {
			sink += hashing.Mix(k)
			k++
		}
	})
	b.Run("hash=mix64", func(b *testing.B) {
		k := uint64(0)
		for b.Loop() {
			sink += hashing.Mix64(k)
			k++
		}
	})
}
