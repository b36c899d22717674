package claims

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// Hashing says which second hashes double hashing draws inside a block: bit i of a key is first + i*step, modulo the
// bits of the block.
type Hashing int

const (
	// OddStep is one of the odd numbers: the bits of a key are all different.
	OddStep Hashing = iota
	// AnyStep is any number: where it shares a factor with the block, bits of a key fall together.
	AnyStep
	// NoStep is no double hashing: each bit is drawn by itself.
	NoStep
	// Published is what the code does that the paper's authors published first: the bits are h1, h2, and h1 + c[k]*h2
	// with a constant for each k (efficient/cuckoofilter, commit f9808ce, filter/blockedbloomfilter.h). Rates of it are
	// counted, not computed.
	Published
)

// constants are those of Published for the third to the ninth bit, modulo a block of 512 bits (filter/filter_common.h).
var constants = [...]int{76, 339, 451, 152, 98, 386, 91}

// String names the steps in words.
func (s Hashing) String() string {
	return []string{"double hashing, odd second hash", "double hashing, any second hash", "independent bits",
		"the published constants"}[s]
}

// A Block is the setting of a blocked Bloom filter.
type Block struct {
	Bits    int // of a block: a power of two, 2 to 4096
	Hashes  int // bits of a key, 1 to 12; 2 to 9 of Published
	Hashing Hashing
}

// Rate returns the false-positive rate of a filter of so many blocks that keys random keys were put into. It is exact
// for random hashes, but for rounding; of independent bits it is that of [bloom.PredictBlockedRate], for blocks of 512.
// That a key is taken for a member means that no bit of it is left out by all keys of its block. By inclusion and
// exclusion that is the sum, over the sets of its bits, of the chance that all keys leave the set out, with the sign of
// the set's size. A key in the block leaves it out with a chance that is counted over all patterns that a key may have,
// and a key is in the block with chance 1/blocks. Multiplying all positions by an odd number turns the patterns of
// double hashing into each other, so that one queried pattern stands for all whose steps have as many factors 2.
func (b Block) Rate(blocks, keys int) float64 {
	switch b.Hashing {
	case NoStep:
		return bloom.PredictBlockedRate(blocks*b.Bits, b.Hashes, keys)
	case OddStep:
		return b.given(1, blocks, keys)
	}
	rate, share := 0.0, 0.5 // half of all steps are odd, half of the others twice an odd one, and so on
	for step := 1; step < b.Bits; step *= 2 {
		rate += share * b.given(step, blocks, keys)
		share /= 2
	}
	return rate + 2*share*b.given(0, blocks, keys) // step 0 is left: as many as half a block
}

// pattern sets the bits of a key in a set of words.
func (b Block) pattern(first, step int, do func(bit int)) {
	for range b.Hashes {
		do(first & (b.Bits - 1))
		first += step
	}
}

// given is the rate of queries whose step is step.
func (b Block) given(step, blocks, keys int) float64 {
	number := map[int]int{} // of the queried bits: fewer than Hashes if some fall together
	b.pattern(0, step, func(bit int) {
		if _, ok := number[bit]; !ok {
			number[bit] = len(number)
		}
	})
	// hit[s] is how many patterns have exactly the queried bits of s.
	hit := make([]float64, 1<<len(number))
	stride := 1
	if b.Hashing == OddStep {
		stride = 2
	}
	patterns := 0.0
	for first := range b.Bits {
		for other := stride - 1; other < b.Bits; other += stride {
			s := 0
			b.pattern(first, other, func(bit int) {
				if n, ok := number[bit]; ok {
					s |= 1 << n
				}
			})
			hit[s]++
			patterns++
		}
	}
	for bit := 1; bit < len(hit); bit *= 2 { // now those that have no other queried bits than those of s
		for s := range hit {
			if s&bit != 0 {
				hit[s] += hit[s^bit]
			}
		}
	}
	rate := 0.0
	for s := range hit {
		leavesOut := hit[len(hit)-1-s] / patterns
		term := math.Exp(float64(keys) * math.Log1p((leavesOut-1)/float64(blocks)))
		if bits.OnesCount(uint(s))%2 == 1 {
			term = -term
		}
		rate += term
	}
	return rate
}

// Count fills so many blocks with random keys, and returns how many others are found. Equal seeds, equal results.
func (b Block) Count(blocks, keys, probes int, seed uint64) (found int) {
	words := (b.Bits + 63) / 64
	table := make([]uint64, blocks*words)
	source := numbers{seed}
	for range keys {
		block := table[source.below(blocks)*words:][:words]
		b.draw(&source, func(bit int) { block[bit/64] |= 1 << (bit % 64) })
	}
	for range probes {
		block, missing := table[source.below(blocks)*words:][:words], false
		b.draw(&source, func(bit int) { missing = missing || block[bit/64]>>(bit%64)&1 == 0 })
		if !missing {
			found++
		}
	}
	return found
}

// draw draws the bits of a key.
func (b Block) draw(source *numbers, do func(bit int)) {
	if b.Hashing == NoStep {
		for range b.Hashes {
			do(source.below(b.Bits))
		}
		return
	}
	first, step := source.below(b.Bits), source.below(b.Bits)
	switch b.Hashing {
	case OddStep:
		step |= 1
	case Published:
		do(first)
		do(step)
		for _, c := range constants[:b.Hashes-2] {
			do((first + c*step) & (b.Bits - 1))
		}
		return
	}
	b.pattern(first, step, do)
}

// numbers are random numbers: SplitMix64.
type numbers struct{ state uint64 }

func (n *numbers) next() uint64 {
	n.state += 0x9e3779b97f4a7c15
	return hashing.Mix64(n.state)
}

// below is a number below m.
func (n *numbers) below(m int) int {
	hi, _ := bits.Mul64(n.next(), uint64(m))
	return int(hi)
}
