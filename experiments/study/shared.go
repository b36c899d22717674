package study

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
)

// load is that of the filters which goroutines share, and of those beside them.
const load = 0.95

// buckets returns the number of buckets of b slots of a filter for n keys.
func buckets(n, b int) int { return int(float64(n)/load)/b + 1 }

// single makes contenders of a cuckoo.Filter at that load, and many those of a cuckoo.Concurrent.
func single[F fingerprint.Width](n int) (*holder, error) {
	f, err := cuckoo.New[F](cuckoo.Config{Buckets: buckets(n, 4)})
	if err != nil {
		return nil, err
	}
	f.Reset()
	return holdFilter(f), nil
}

func many[F fingerprint.Width](n int) (*holder, error) {
	f, err := cuckoo.NewConcurrent[F](cuckoo.Config{Buckets: buckets(n, 64/int(fingerprint.WidthOf[F]()))})
	if err != nil {
		return nil, err
	}
	f.Reset()
	return holdConcurrent(f), nil
}

// runShared measures a filter for goroutines alone and shared.
func runShared(r *runner, n int) error {
	const narrow, wide = "Filter, 12 bits", "Filter, 16 bits"
	all := []contender{
		{label: narrow, make: single[fingerprint.Bits12]},
		{label: "Concurrent, 12 bits", base: narrow, make: many[fingerprint.Bits12]},
		{label: wide, make: single[fingerprint.Bits16]},
		{label: "Concurrent, 16 bits", base: wide, make: many[fingerprint.Bits16]},
	}
	alone := float64(4*contestTurn(n, 1)) / float64(r.study.turn(n))
	held, err := r.contest(n, all, alone, func(c *measure.Contest) { c.Small = true })
	if err != nil {
		return err
	}
	for i, c := range all {
		r.note(n, c, fmt.Sprintf("bits per item, load %v", load), "", bitsPerItem(held[i], n))
	}
	for i, width := range []uint{12, 16} {
		bits, err := promised(n, width)
		if err != nil {
			return err
		}
		for k := range bits {
			r.note(n, all[2*i+k], "bits per item of one rate, at the promised load", "", bits[k])
		}
	}
	return r.together(n, alone)
}

// promised returns the bits per item of a Filter of n keys at its promised load, and of a Concurrent at its own, to which the bits are added that
// would give it the rate of the Filter.
func promised(n int, width uint) (bits [2]float64, err error) {
	rates := [2]float64{}
	for i, plan := range []func(cuckoo.Config, uint) (cuckoo.Config, int, error){cuckoo.Plan, cuckoo.PlanConcurrent} {
		c, size, err := plan(cuckoo.Config{Capacity: n}, width)
		if err != nil {
			return bits, err
		}
		bits[i], rates[i] = 8*float64(size)/float64(n), c.PredictRate(width, n)
	}
	bits[1] += math.Log2(rates[1] / rates[0])
	return bits, nil
}
