package speed

import (
	"math/bits"
	"time"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/hugepage"
)

// A Gather measures what the memory allows: two reads of 8 bytes for each key, at random places of an
// array.
type Gather struct {
	words []uint64
	hs    []uint64
	sum   uint64
}

// NewGather makes an array of so many bytes, at least 8, and ready digests of as many keys as the probes of
// a filter that holds held keys. A large array asks for large pages as the tables of filters do.
func NewGather(sizeBytes, held int) *Gather {
	g := &Gather{words: hugepage.Words(max(1, sizeBytes/8), hugepage.Auto), hs: digests(min(max(held, minProbes), maxProbes))}
	for i := range g.words {
		g.words[i] = hashing.Mix64(uint64(i)) // written, or all of it may be one page of zeros
	}
	return g
}

// SizeBytes is the size of the array.
func (g *Gather) SizeBytes() int { return 8 * len(g.words) }

// Run reads two words for each digest and adds them up. Where the words lie follows from a digest by a
// multiplication; the digests are ready. It does so twice and returns the second time, so that the caches
// hold what they can.
func (g *Gather) Run() measure.Lap {
	g.sum += gather(g.words, g.hs)
	start := time.Now()
	g.sum += gather(g.words, g.hs)
	return measure.LapSince(start, len(g.hs))
}

// gather is the loop. Both halves of the digest choose a word.
func gather(words, hs []uint64) (sum uint64) {
	n := uint64(len(words))
	for _, h := range hs {
		i, _ := bits.Mul64(h, n)
		j, _ := bits.Mul64(bits.RotateLeft64(h, 32), n)
		sum += words[i] + words[j]
	}
	return sum
}
