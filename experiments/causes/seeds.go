package causes

import (
	"errors"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// fullLoad is the load that [Consecutive] fills to.
const fullLoad = 0.95

// consecutiveWidth is the width of its fingerprints.
const consecutiveWidth = 12

// A Run is what a filter of consecutive integers made of one hash function.
type Run struct {
	Slots, Stored int
	Lost          int // stored keys that were denied: 0, or the filter is broken
	Probes, Found int // absent keys that were asked for, and those of them that were found
	Refused       bool
}

// Predicted returns the false-positive rate that random digests have at the load of the run.
func (r Run) Predicted() float64 {
	load := float64(r.Stored) / float64(r.Slots)
	return -math.Expm1(-8 * load / (1<<consecutiveWidth - 1))
}

// Odd tells whether the run is not as with random digests: a key was refused before a load of .95, or the number of absent keys that
// were found is more than so many binomial standard errors from the predicted one. Of random digests that is one run in
// 16 000 at 4.
func (r Run) Odd(deviations float64) bool {
	want := r.Predicted() * float64(r.Probes)
	return r.Refused || math.Abs(float64(r.Found)-want) > deviations*math.Sqrt(want)
}

// Consecutive fills a cuckoo filter of so many slots (fingerprints of 12 bits, buckets of 4 slots, the module's default placement
// and policy) to a load of .95 with the integers from first on, looks all of them up, and asks for as many of the integers behind
// them. slots must be a power of two.
func Consecutive(h hashing.Hasher, slots, probes int, first uint64) (Run, error) {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: slots / 4})
	if err != nil {
		return Run{}, err
	}
	r := Run{Slots: slots, Probes: probes}
	for r.Stored < int(fullLoad*float64(slots)) && !r.Refused {
		switch err := f.InsertHash(h.Sum64Uint64(first + uint64(r.Stored))); {
		case errors.Is(err, cuckoo.ErrFull):
			r.Refused = true
		case err != nil:
			return r, err
		default:
			r.Stored++
		}
	}
	for i := range r.Stored {
		if !f.ContainsHash(h.Sum64Uint64(first + uint64(i))) {
			r.Lost++
		}
	}
	for i := range probes {
		if f.ContainsHash(h.Sum64Uint64(first + uint64(slots+i))) {
			r.Found++
		}
	}
	return r, nil
}
