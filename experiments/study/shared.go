package study

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
)

// load is that of the filters which goroutines share, and of those beside them.
const load = 0.95

// buckets returns the number of buckets of b slots of a filter for n keys.
func buckets(n, b int) int { return int(float64(n)/load)/b + 1 }

// runShared measures a filter for goroutines alone and shared.
func runShared(r *runner, n int) error {
	entries := catalogue.Shared() // a Filter and a Concurrent of 12 bits, and of 16: a bucket of a Concurrent fills a word
	all := append(beside(entries[:2]), beside(entries[2:])...)
	for i, slots := range []int{4, 64 / 12, 4, 64 / 16} {
		all[i].slots = slots
	}
	alone := float64(4*contestTurn(n, 1)) / float64(r.study.turn(n))
	held, err := r.contest(n, all, false, alone, func(c *measure.Contest) { c.Small = true })
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
