package experiments

import (
	"cmp"
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

// A table of 2^16 slots is measured briefly, to see that nothing is wrong; nest bench says how fast things are.
const speedSlots = 1 << 16

// speedFilters are the filters that are timed.
var speedFilters = []string{"cuckoo-additive", "cuckoo-xor", "bloom", "blocked-bloom"}

// Timings measures inserts, lookups, deletes and bulk construction of four filters for bench.txt, in rounds.
// It takes about a second on an idle core.
func Timings(ctx context.Context, p lab.Profile, seed uint64) ([]report.Bench, error) {
	filters, err := catalogue.ChooseBench(speedFilters...)
	o := speed.Options{Filters: filters, Sizes: []int{speedSlots}, Rounds: speedRounds}
	if p == lab.Tiny {
		o.Rounds = 1
	}
	var result *speed.Result
	timing, failed := speed.New("", o)
	if err = cmp.Or(err, failed); err == nil {
		result, err = timing.Run(ctx, lab.Options{Seed: seed})
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: timing %s: %w", strings.Join(speedFilters, ", "), err)
	}
	return result.Bench(), nil
}
