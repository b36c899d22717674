package rivals

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// ErrRefused reports a filter that says no more than that a key was not inserted.
var ErrRefused = errors.New("a key is refused")

// KeysOf is the number of keys that n slots hold, and lastOf how many of them are timed by themselves.
func KeysOf(n int) int { return catalogue.KeysAt(n, catalogue.FullLoad) }

func lastOf(keys int) int { return keys / 19 }

// keyOf is the key of a number. The native twin makes the same.
func keyOf(seed, number uint64) uint64 { return hashing.Mix64(seed + number) }

// scale maps a random word to the numbers below n.
func scale(random uint64, n int) int {
	high, _ := bits.Mul64(random, uint64(n))
	return int(high)
}

// probes are n probes of a round: in so many of 100 cases one of the first held keys, and else an absent one. The
// native twin makes the same.
func probes(seed uint64, share, n, held, round int) measure.Probes {
	return measure.Probes{N: n, Next: func(at int, keys []uint64) (hits int) {
		for i := range keys {
			j := at + i
			random := hashing.Mix64(seed ^ hashing.Mix64(uint64(round)<<32|uint64(j)))
			number := held + round*n + j
			if scale(random, 100) < share {
				number = scale(hashing.Mix64(random), held)
				hits++
			}
			keys[i] = keyOf(seed, uint64(number))
		}
		return hits
	}}
}

// probeCount is the number of probes of one timing: few enough to leave the caches to a small table, many enough to
// find a large one out of them.
func probeCount(held int) int { return min(max(held/4, 1<<16), 1<<20) }

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
	hash := hashing.NewDigester(nil)
	digests := func(keys, hs []uint64) []uint64 {
		hs = hs[:0]
		CountBytes(keys, func(key []byte) bool { hs = append(hs, hash.Sum64(key)); return true })
		return hs
	}
	return func(size int) func(keys []uint64) int { return measure.InBatches(digests, contains, size) }
}
