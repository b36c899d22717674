package speed

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// ErrLost reports keys that were inserted and not found: a defect of the filter.
var ErrLost = errors.New("inserted keys are not found")

// Loads are the ends of the stretches of a fill: every tenth of the table, and the last half tenth.
func Loads() []float64 {
	return []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, FullLoad}
}

// A Bed is one subject at one number of slots, with the integers 0, 1, 2, ... as its keys.
type Bed struct {
	Subject
	// N is the number of slots that the subject is made for, Held the number of keys it holds.
	N, Held int
	filter  *Filter
}

// NewBed makes an empty bed. The error is that of the filter's constructor: some filters do not come in
// every size.
func NewBed(s Subject, n int) (*Bed, error) {
	f, err := s.New(n)
	if err != nil {
		return nil, fmt.Errorf("speed: %s of %d slots: %w", s.Name, n, err)
	}
	return &Bed{Subject: s, N: n, filter: f}, nil
}

// SizeBytes is the size of the table.
func (b *Bed) SizeBytes() int { return b.filter.SizeBytes() }

// BitsPerItem is the size of the table for each key that it holds.
func (b *Bed) BitsPerItem() float64 { return 8 * float64(b.SizeBytes()) / float64(b.Held) }

// Deletes tells whether the filter can delete.
func (b *Bed) Deletes() bool { return b.filter.Delete != nil }

// Builds tells whether the filter can be built in bulk.
func (b *Bed) Builds() bool { return b.filter.Build != nil }

// Fill inserts keys one by one up to the load and returns the lap.
func (b *Bed) Fill(load float64) (measure.Lap, error) {
	from, to := b.Held, keysAt(b.N, load)
	start := time.Now()
	err := b.filter.Fill(uint64(from), uint64(to))
	lap := measure.LapSince(start, to-from)
	if err != nil {
		return lap, fmt.Errorf("speed: %s of %d slots, between %d and %d keys: %w", b.Name, b.N, from, to, err)
	}
	b.Held = max(from, to)
	return lap, nil
}

// Empty takes all keys out at once.
func (b *Bed) Empty() {
	b.filter.Reset()
	b.Held = 0
}

// Refill empties the filter and fills it from load to load; the laps are those of the stretches.
func (b *Bed) Refill(loads []float64) ([]measure.Lap, error) {
	b.Empty()
	laps := make([]measure.Lap, len(loads))
	for i, load := range loads {
		var err error
		if laps[i], err = b.Fill(load); err != nil {
			return nil, err
		}
	}
	return laps, nil
}

// Delete deletes all keys one by one, in the order of their insertion. The error is [ErrLost].
func (b *Bed) Delete() (measure.Lap, error) {
	start := time.Now()
	found := b.filter.Delete(0, uint64(b.Held))
	lap := measure.LapSince(start, b.Held)
	if found != b.Held {
		return lap, fmt.Errorf("speed: %s of %d slots: %w: %d of %d deletes fail", b.Name, b.N, ErrLost, b.Held-found, b.Held)
	}
	b.Held = 0
	return lap, nil
}

// Build makes another filter of the digests, which are those of [Digests] of the bed's size.
func (b *Bed) Build(hs []uint64) (measure.Lap, error) {
	start := time.Now()
	err := b.filter.Build(hs)
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

// MaxBatch is the largest batch of lookups.
const MaxBatch = 1024

// Contains looks all probes up: one by one if batch is 0, else so many at a time, 1024 at most. The error
// is [ErrLost].
func (b *Bed) Contains(p *Probes, batch int) (measure.Lap, error) {
	found := 0
	start := time.Now()
	if batch == 0 {
		found = b.filter.Contains(p.keys)
	} else {
		found = contains(b.filter.Batch, p.keys, min(batch, MaxBatch))
	}
	lap := measure.LapSince(start, len(p.keys))
	if found < p.hits {
		return lap, fmt.Errorf("speed: %s of %d slots: %w: %d of %d", b.Name, b.N, ErrLost, p.hits-found, p.hits)
	}
	return lap, nil
}

// contains makes digests of the keys and looks them up, a batch at a time.
func contains(lookup func(hs []uint64, dst []bool), keys []uint32, batch int) (found int) {
	var digests [MaxBatch]uint64
	var answers [MaxBatch]bool
	for len(keys) > 0 {
		part := keys[:min(batch, len(keys))]
		keys = keys[len(part):]
		hs, dst := digests[:len(part)], answers[:len(part)]
		for i, k := range part {
			hs[i] = hashing.Mix64(uint64(k))
		}
		lookup(hs, dst)
		for _, yes := range dst {
			found += one(yes)
		}
	}
	return found
}

// one is 1 for true, without a branch.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
