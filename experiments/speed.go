package experiments

import (
	"context"
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
)

// speedRounds is how often each operation is timed; benchstat asks for at least six. Tiny has one.
const speedRounds = 10

// A table of 2^16 slots is small enough for the second-level cache and for a brief measurement: these timings say that
// nothing is wrong, the command nest bench says how fast things are.
const speedSlots = 1 << 16

// speedFilters are the filters that are timed.
var speedFilters = []string{"cuckoo-additive", "cuckoo-xor", "bloom", "blocked-bloom"}

// Timings measures inserts, lookups, deletes and bulk construction of four filters for bench.txt, interleaved in rounds
// so that a disturbance hits all of them. It takes about a second on an idle core, and its results depend on the
// machine.
func Timings(ctx context.Context, p lab.Profile, seed uint64) ([]report.Bench, error) {
	filters, err := catalogue.ChooseBench(speedFilters...)
	o := speed.Options{Filters: filters, Sizes: []int{speedSlots}, Rounds: speedRounds}
	if p == lab.Tiny {
		o.Rounds = 1
	}
	var result *speed.Result
	var timing *speed.Timing
	if err == nil {
		timing, err = speed.New("", o)
	}
	if err == nil {
		result, err = timing.Run(ctx, lab.Options{Seed: seed})
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: timing %s: %w", strings.Join(speedFilters, ", "), err)
	}
	return result.Bench(), nil
}
