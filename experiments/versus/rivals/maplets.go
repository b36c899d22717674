package rivals

import (
	"encoding/binary"
	"fmt"

	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// maplets are tables of values, by bytes as the quotient filters that are kept.
func maplets() []Contender {
	of := func(width, bits int, make func(n, bits int) (*Verbs, error)) Contender {
		return Contender{
			Name: fmt.Sprintf("nest maplet-%d by bytes", bits), Group: Ours, Module: oursModule, Bytes: true,
			Remark: fmt.Sprintf("a value of %d bits beside each fingerprint of %d; bits and times are of both", bits, width),
			New:    func(n int) (*Verbs, error) { return make(n, bits) },
		}
	}
	return []Contender{of(12, 36, newMaplet[fingerprint.Bits12]), of(8, 8, newMaplet[fingerprint.Bits8])}
}

// newMaplet makes a maplet of n slots, with values of so many bits: the highest ones of the key's first 8 bytes.
func newMaplet[F fingerprint.Width](n, bits int) (*Verbs, error) {
	m, err := maplet.New[F](maplet.Config{Buckets: n / 4, ValueBits: bits})
	if err != nil {
		return nil, err
	}
	m.Reset() // writes to every page of the table
	value := func(key []byte) uint64 { return binary.LittleEndian.Uint64(key) >> (64 - bits) }
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { return m.Insert(key, value(key)) })
		},
		Contains: func(keys []uint64) int {
			return CountBytes(keys, func(key []byte) bool { return candidates(m, key) < 1<<bits })
		},
		Batch: inBatches(hashing.NewDigester(hashing.XXH64(0)), func(hs []uint64, dst []bool) {
			clear(dst)
			for i, v := range m.LookupHashes(hs) {
				dst[i] = v < 1<<bits
			}
		}),
		Remove: func(keys []uint64) int {
			return CountBytes(keys, func(key []byte) bool { return m.Delete(key, value(key)) })
		},
		Bytes: m.SizeBytes,
	}, nil
}

// candidates reads the candidates of a key and returns the smallest, all ones without any.
func candidates[F fingerprint.Width](m *maplet.Map[F], key []byte) uint64 {
	least := ^uint64(0)
	for v := range m.Lookup(key) {
		least = min(least, v)
	}
	return least
}
