package speed

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/hugepage"
)

// Loads are the ends of the stretches of a fill: every tenth of the table, and the last half tenth.
func Loads() []float64 {
	return []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, catalogue.FullLoad}
}

// Digests returns the digests of the integers 0 to n-1: the keys of a bed.
func Digests(n int) []uint64 {
	hs := make([]uint64, n)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
	}
	return hs
}

// chunk is how many keys are timed at a time. They are made outside of the time and take 16 KiB.
const chunk = 1 << 11

// A Bed is one subject at one number of slots, with the integers 0, 1, 2, ... as its keys.
type Bed struct {
	catalogue.Subject
	*catalogue.Loops
	// N is the number of slots that the subject is made for, Held the number of keys it holds.
	N, Held int
	keys    [chunk]uint64
}

// NewBed makes an empty bed. The error is that of the filter's constructor: some filters do not come in
// every size.
func NewBed(s catalogue.Subject, n int) (*Bed, error) {
	f, err := s.New(n)
	if err != nil {
		return nil, fmt.Errorf("speed: %s of %d slots: %w", s.Name, n, err)
	}
	return &Bed{Subject: s, Loops: f, N: n}, nil
}

// each calls do with n keys, a chunk at a time, and returns the time of the calls and the sum of what they return.
func (b *Bed) each(n int, key func(i int) uint64, do func(keys []uint64) (int, error)) (lap measure.Lap, sum int, err error) {
	for at := 0; at < n && err == nil; at += chunk {
		part := b.keys[:min(chunk, n-at)]
		for i := range part {
			part[i] = key(at + i)
		}
		var done int
		start := time.Now()
		done, err = do(part)
		lap.Add(measure.LapSince(start, len(part)))
		sum += done
	}
	return lap, sum, err
}

// count makes a verb that counts one that may fail.
func count(verb func(keys []uint64) int) func(keys []uint64) (int, error) {
	return func(keys []uint64) (int, error) { return verb(keys), nil }
}

// Fill inserts keys one by one up to the load and returns the lap.
func (b *Bed) Fill(load float64) (measure.Lap, error) {
	from, to := b.Held, catalogue.KeysAt(b.N, load)
	lap, in, err := b.each(to-from, func(i int) uint64 { return uint64(from + i) }, b.Insert)
	if err != nil {
		return lap, fmt.Errorf("speed: %s of %d slots refuses key %d of %d: %w", b.Name, b.N, from+in, to, err)
	}
	b.Held = max(from, to)
	return lap, nil
}

// Empty takes all keys out at once.
func (b *Bed) Empty() {
	b.Reset()
	b.Held = 0
}

// lost returns the error of keys that are in the filter and not found.
func (b *Bed) lost(found, of int) error {
	if found >= of {
		return nil
	}
	return fmt.Errorf("speed: %s of %d slots: %w: %d of %d", b.Name, b.N, measure.ErrLost, of-found, of)
}

// Delete deletes all keys one by one, in the order of their insertion. The error is [measure.ErrLost].
func (b *Bed) Delete() (measure.Lap, error) {
	lap, found, _ := b.each(b.Held, func(i int) uint64 { return uint64(i) }, count(b.Remove))
	err := b.lost(found, b.Held)
	b.Held = 0
	return lap, err
}

// Bulk makes another filter of the digests, which are ready.
func (b *Bed) Bulk(hs []uint64) (measure.Lap, error) {
	start := time.Now()
	err := b.Build(hs)
	lap := measure.LapSince(start, len(hs))
	if err != nil {
		return lap, fmt.Errorf("speed: building %s of %d slots: %w", b.Name, b.N, err)
	}
	return lap, nil
}

// Probes are integer keys to be looked up.
type Probes struct {
	keys []uint32
	hits int
}

// minProbes makes a lap long enough for the timer and a sequence too long for a branch predictor to know by
// heart; maxProbes keeps the probes of a large table from taking more cache than it does.
const (
	minProbes = 1 << 16
	maxProbes = 1 << 20
)

// NewProbes draws probes for a bed that holds the keys 0 to held-1: each is one of those with probability
// hit, and absent else. There are as many as keys, within 65,536 and 1,048,576.
func NewProbes(held int, hit float64, seed uint64) *Probes {
	draw := rand.New(rand.NewPCG(seed, uint64(held)))
	p := &Probes{keys: make([]uint32, min(max(held, minProbes), maxProbes))}
	for i := range p.keys {
		if held > 0 && draw.Float64() < hit {
			p.keys[i] = uint32(draw.IntN(held))
			p.hits++
		} else {
			p.keys[i] = uint32(held + i)
		}
	}
	return p
}

// Lookup looks all probes up: one by one if batch is 0, else so many at a time. The error is [measure.ErrLost].
func (b *Bed) Lookup(p *Probes, batch int) (measure.Lap, error) {
	verb := b.Contains
	if batch > 0 {
		verb = b.Batches(batch)
	}
	lap, found, _ := b.each(len(p.keys), func(i int) uint64 { return uint64(p.keys[i]) }, count(verb))
	return lap, b.lost(found, p.hits)
}

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
	g := &Gather{words: hugepage.Words(max(1, sizeBytes/8), hugepage.Auto), hs: Digests(min(max(held, minProbes), maxProbes))}
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

// gather is the loop. Both halves of the digest choose a word. By itself its place in the machine code, which is worth a
// quarter of its time, does not depend on what calls it.
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
