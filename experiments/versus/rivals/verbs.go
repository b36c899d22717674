package rivals

import (
	"encoding/binary"
	"errors"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// ErrRefused reports a filter that says no more than that a key was not inserted.
var ErrRefused = errors.New("a key is refused")

// KeyBytes is the length of a key for filters that take bytes.
const KeyBytes = 16

// EachBytes and CountBytes are [measure.Each] and [measure.Count] for filters that take bytes: the integer and its
// complement. The slice is the same for every key.
func EachBytes(keys []uint64, insert func(key []byte) error) (int, error) {
	buffer := make([]byte, KeyBytes)
	for i, key := range keys {
		binary.LittleEndian.PutUint64(buffer, key)
		binary.LittleEndian.PutUint64(buffer[8:], ^key)
		if err := insert(buffer); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

// CountBytes counts the keys that a verb says yes to.
func CountBytes(keys []uint64, verb func(key []byte) bool) (n int) {
	buffer := make([]byte, KeyBytes)
	for _, key := range keys {
		binary.LittleEndian.PutUint64(buffer, key)
		binary.LittleEndian.PutUint64(buffer[8:], ^key)
		if verb(buffer) {
			n++
		}
	}
	return n
}

// inBatches makes loops of lookups for filters that take bytes, and digests of them in batches.
func inBatches(contains func(hs []uint64, dst []bool)) func(size int) func(keys []uint64) int {
	hash := hashing.NewDigester(hashing.XXH64(0))
	digests := func(keys, hs []uint64) []uint64 {
		hs = hs[:0]
		CountBytes(keys, func(key []byte) bool { hs = append(hs, hash.Sum64(key)); return true })
		return hs
	}
	return func(size int) func(keys []uint64) int { return measure.InBatches(digests, contains, size) }
}
