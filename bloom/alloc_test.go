package bloom_test

import (
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// The verbs are called on the concrete types: through an interface or a type parameter every key
// would escape.

func TestAllocs_ZeroFilter(t *testing.T) {
	eachHash(t, func(t *testing.T, c bloom.Config) {
		f := must(t, bloom.New, c)
		noAllocs(t, func(n byte, text string, hs []uint64, dst []bool) {
			key := [9]byte{n, 2, 3}
			f.Insert(key[:])
			f.InsertUnique(key[1:])
			f.Contains(key[2:])
			f.Insert([]byte(text))
			f.InsertString(text)
			f.InsertUniqueString(text)
			f.ContainsString(text)
			f.InsertHash(uint64(n))
			f.InsertUniqueHash(uint64(n))
			f.ContainsHash(uint64(n))
			f.InsertHashes(hs)
			f.ContainsHashes(hs, dst)
			_ = f.ScanStats()
			f.Reset()
		})
	})
}

func TestAllocs_ZeroBlocked(t *testing.T) {
	eachHash(t, func(t *testing.T, c bloom.Config) {
		f := must(t, bloom.NewBlocked, c)
		noAllocs(t, func(n byte, text string, hs []uint64, dst []bool) {
			key := [9]byte{n, 2, 3}
			f.Insert(key[:])
			f.InsertUnique(key[1:])
			f.Contains(key[2:])
			f.Insert([]byte(text))
			f.InsertString(text)
			f.InsertUniqueString(text)
			f.ContainsString(text)
			f.InsertHash(uint64(n))
			f.InsertUniqueHash(uint64(n))
			f.ContainsHash(uint64(n))
			f.InsertHashes(hs)
			f.ContainsHashes(hs, dst)
			_ = f.ScanStats()
			f.Reset()
		})
	})
}

// eachHash visits a filter of every way in which a Digester calls a hash.
func eachHash(t *testing.T, visit func(t *testing.T, c bloom.Config)) {
	for _, h := range []hashing.Hasher{hashing.XXH64(0), hashing.XXH64(3), hashing.SipHash([16]byte{1})} {
		t.Run(h.Name(), func(t *testing.T) {
			visit(t, bloom.Config{Capacity: 1000, FalsePositiveRate: .01, Hash: h})
		})
	}
}

// noAllocs runs verbs with a text and a batch that are never the same twice.
func noAllocs(t *testing.T, verbs func(n byte, text string, hs []uint64, dst []bool)) {
	n, hs, dst := byte(0), make([]uint64, 50), make([]bool, 50)
	allocs := testing.AllocsPerRun(100, func() {
		n++
		hs[n%50] = uint64(n)
		verbs(n, "some key that is longer than 32 bytes, as many are"[n%50:], hs, dst)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
