package rivals

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

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

// probeCount is the number of probes of one timing: few enough to leave the caches to a small table. All timings of a
// turn together go through a large one.
func probeCount(held int) int { return min(max(held/4, 1<<16), 1<<18) }

// KeyBytes is the length of a key for filters that take bytes.
const KeyBytes = 16

// put writes the key of an integer for filters that take bytes: the integer and its complement.
func put(buffer []byte, key uint64) {
	binary.LittleEndian.PutUint64(buffer, key)
	binary.LittleEndian.PutUint64(buffer[8:], ^key)
}

// EachBytes and CountBytes are [measure.Each] and [measure.Count] for filters that take bytes. The slice is the same
// for every key.
func EachBytes(keys []uint64, insert func(key []byte) error) (int, error) {
	buffer := make([]byte, KeyBytes)
	for i, key := range keys {
		put(buffer, key)
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
		put(buffer, key)
		if verb(buffer) {
			n++
		}
	}
	return n
}

// byBytes are the loops of a filter that takes bytes, and removing that of its deletes.
func byBytes(insert func(key []byte) error, contains func(key []byte) bool, size func() int) *measure.Loops {
	return &measure.Loops{
		Insert:    func(keys []uint64) (int, error) { return EachBytes(keys, insert) },
		Contains:  func(keys []uint64) int { return CountBytes(keys, contains) },
		SizeBytes: size,
	}
}

func removing(remove func(key []byte) bool) func(keys []uint64) int {
	return func(keys []uint64) int { return CountBytes(keys, remove) }
}

// inBatches makes loops of lookups of bytes in batches.
func inBatches(contains func(keys [][]byte, dst []bool)) func(size int) func(keys []uint64) int {
	return func(size int) func(keys []uint64) int {
		batch, answers := make([][]byte, size), make([]bool, size)
		for i := range batch {
			batch[i] = make([]byte, KeyBytes)
		}
		return func(keys []uint64) (n int) {
			for part := range slices.Chunk(keys, size) {
				for i, key := range part {
					put(batch[i], key)
				}
				contains(batch[:len(part)], answers[:len(part)])
				n += measure.CountTrue(answers[:len(part)])
			}
			return n
		}
	}
}
