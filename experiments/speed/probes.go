package speed

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// Loads are the ends of the stretches of a fill: every tenth of the table, and the last half tenth.
func Loads() []float64 {
	return []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, catalogue.FullLoad}
}

// Stops are the numbers of keys of [Loads] in a filter of n slots.
func Stops(n int) (stops []int) {
	for _, load := range Loads() {
		stops = append(stops, catalogue.KeysAt(n, load))
	}
	return stops
}

// Digests returns the digests of the integers 0 to n-1, which are the keys.
func Digests(n int) []uint64 {
	hs := make([]uint64, n)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
	}
	return hs
}

// Open begins a turn of a filter of n slots, whose keys are the integers 0, 1, 2, ... The error is that of the filter's
// constructor: some filters do not come in every size.
func Open(ctx context.Context, e catalogue.Entry, n int) (*measure.Turn, error) {
	f, err := e.Open(catalogue.Size{Slots: n})
	if err != nil {
		return nil, fmt.Errorf("%s of %d slots: %w", e.Name, n, err)
	}
	return measure.NewTurn(ctx, f, nil), nil
}

// minProbes makes a lap long enough for the timer and a sequence too long for a branch predictor to know by
// heart; maxProbes keeps the probes of a large table from taking more cache than it does.
const (
	minProbes = 1 << 16
	maxProbes = 1 << 20
)

// probeCount is how many probes a filter of so many keys has: as many as keys, within bounds.
func probeCount(held int) int { return min(max(held, minProbes), maxProbes) }

// Probes draws probes for a filter that holds the keys 0 to held-1: each is one of those with probability
// hit, and absent else. There are as many as keys, within 65,536 and 1,048,576.
func Probes(held int, hit float64, seed uint64) measure.Probes {
	draw := rand.New(rand.NewPCG(seed, uint64(held)))
	all := make([]uint32, probeCount(held))
	for i := range all {
		if held > 0 && draw.Float64() < hit {
			all[i] = uint32(draw.IntN(held))
		} else {
			all[i] = uint32(held + i)
		}
	}
	return measure.Probes{N: len(all), Next: func(at int, keys []uint64) (hits int) {
		for i := range keys {
			k := all[at+i]
			if keys[i] = uint64(k); int(k) < held {
				hits++
			}
		}
		return hits
	}}
}

// Gather measures what the memory allows: two reads of 8 bytes for each key, at random places of an array of so many
// bytes, 8 at least, with ready digests of as many keys as the probes of a filter that holds held keys. A large array
// asks for large pages as the tables of filters do. Its run reads twice and returns the second time, so that the caches
// hold what they can.
func Gather(sizeBytes, held int) (run func() (measure.Lap, error), bytes int) {
	words, sum := memory.Words(max(1, sizeBytes/8)), uint64(0)
	for i := range words {
		words[i] = hashing.Mix64(uint64(i)) // written, or all of it may be one page of zeros
	}
	turn := measure.NewTurn(context.Background(), &measure.Loops{
		Contains: func(hs []uint64) int { sum += gather(words, hs); return 0 },
	}, hashing.Mix64)
	turn.Chunk = probeCount(held)
	asked := measure.Probes{N: turn.Chunk, Next: func(at int, hs []uint64) int { turn.From(at)(0, hs); return 0 }}
	return func() (measure.Lap, error) {
		if _, err := turn.Ask(asked, 0); err != nil {
			return measure.Lap{}, err
		}
		return turn.Ask(asked, 0)
	}, 8 * len(words)
}

// gather is the loop. Both halves of the digest choose a word. By itself its place in the machine code, which is worth
// a quarter of its time, does not depend on what calls it.
//
//go:noinline
func gather(words, hs []uint64) (sum uint64) {
	n := uint64(len(words))
	for _, h := range hs {
		i, _ := bits.Mul64(h, n)
		j, _ := bits.Mul64(bits.RotateLeft64(h, 32), n)
		sum += words[i] + words[j]
	}
	return sum
}
