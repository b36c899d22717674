package rivals

import (
	"math/bits"

	"github.com/nestfilter/nest/hashing"
)

// keyOf is the key of a number. The native twin makes the same.
func keyOf(seed, number uint64) uint64 { return hashing.Mix64(seed + number) }

// appendKeys appends the keys of the numbers from one to before another.
func appendKeys(keys []uint64, seed uint64, from, to int) []uint64 {
	for i := from; i < to; i++ {
		keys = append(keys, keyOf(seed, uint64(i)))
	}
	return keys
}

// scale maps a random word to the numbers below n.
func scale(random uint64, n int) int {
	high, _ := bits.Mul64(random, uint64(n))
	return int(high)
}

// probes makes n probes of a round, a share of 100 of them among the first held keys and the others absent, in random
// order. It returns how many are keys. The native twin makes the same.
func probes(seed uint64, share, n, held, round int) (keys []uint64, hits int) {
	keys = make([]uint64, n)
	absent := held + round*n
	for j := range keys {
		random := hashing.Mix64(seed ^ hashing.Mix64(uint64(round)<<32|uint64(j)))
		number := absent + j
		if scale(random, 100) < share {
			number = scale(hashing.Mix64(random), held)
			hits++
		}
		keys[j] = keyOf(seed, uint64(number))
	}
	return keys, hits
}

// probeCount is the number of probes of one timing: few enough to leave the caches to a small table, many enough to find a large
// one out of them.
func probeCount(held int) int { return min(max(held/4, 1<<16), 1<<20) }
