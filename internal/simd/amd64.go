//go:build amd64 && !purego && !race

package simd

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/cpu"
)

// Available tells whether there is a kernel for this processor. It is set before main and not
// changed.
var Available = cpu.HasAVX512

// CanPrefetch tells whether Prefetch does anything.
const CanPrefetch = true

// contains answers all of hs, a positive multiple of [Lanes], under an arithmetic other than None.
func contains(p *Probe, data []byte, hs []uint64, dst []bool) {
	words := [23]uint64{p.Buckets, p.BucketBits, p.Scale, p.Low, p.High, p.Spread, p.Last}
	if p.Paired != nil {
		copy(words[7:], p.Paired[:])
	}
	whole := p.Paired == nil && p.BucketBits%8 == 0 && (p.Arithmetic == Additive || p.Last == p.Buckets-1)
	if whole {
		log := bits.Len64(p.Last) // of the number of buckets, under XOR
		words[1], words[7] = p.BucketBits/8, uint64(64-log)
		if p.Arithmetic == XOR {
			words[5] = p.Spread << (32 - log)
		}
	}
	switch {
	case whole && p.Arithmetic == XOR:
		wholeXOR(&data[0], &words, &hs[0], &dst[0], len(hs))
	case whole:
		wholeAdditive(&data[0], &words, &hs[0], &dst[0], len(hs))
	case p.Paired != nil && p.Arithmetic == XOR:
		pairedXOR(&data[0], &words, &hs[0], &dst[0], len(hs))
	case p.Paired != nil:
		pairedAdditive(&data[0], &words, &hs[0], &dst[0], len(hs))
	case p.Arithmetic == XOR:
		containsXOR(&data[0], &words, &hs[0], &dst[0], len(hs))
	case p.Arithmetic == Additive:
		containsAdditive(&data[0], &words, &hs[0], &dst[0], len(hs))
	}
}

// locate finds all of hs, a positive multiple of [Lanes], under an arithmetic other than None.
func locate(p *Probe, data []byte, hs, at, lanes []uint64) {
	top := bits.TrailingZeros64(p.High) // the highest bit of the lowest lane
	words := [...]uint64{p.Buckets, p.BucketBits, p.Scale, p.Low, p.High, p.Spread, p.Last, uint64(top)}
	if p.Arithmetic == XOR {
		locateXOR(&data[0], &words, &hs[0], &at[0], &lanes[0], len(hs))
	} else {
		locateAdditive(&data[0], &words, &hs[0], &at[0], &lanes[0], len(hs))
	}
}

// containsPrefixes answers all of hs, a positive multiple of [Lanes].
func containsPrefixes(p *PrefixProbe, data []byte, hs []uint64, dst []bool) {
	words := [...]uint64{p.Shift, p.BucketBits, p.Left, p.Low, p.High, p.Right, p.Tail, p.Spread}
	containsPrefix(&data[0], &words, &hs[0], &dst[0], len(hs))
}

// mixAll mixes all of keys, a positive multiple of [Lanes].
func mixAll(m *Mixer, keys, dst []uint64) {
	words := [...]uint64{m.Increment, m.Factor1, m.Factor2}
	mix(&words, &keys[0], &dst[0], len(keys))
}

// Prefetch asks the memory for the cache lines of data at the offsets and does not wait.
func Prefetch(data []byte, offs []uint64) {
	if len(offs) > 0 {
		prefetch(&data[0], &offs[0], len(offs))
	}
}
