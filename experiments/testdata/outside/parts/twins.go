package parts

import (
	"context"
	"errors"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
)

// twins is an experiment: how many copies of one key a filter takes. The paper says 2b.
func twins() *lab.Experiment {
	return &lab.Experiment{
		Name: "twins", Title: "Copies of one key",
		Claim:  "A cuckoo filter takes 2b copies of a key, and refuses the next.",
		Method: "One random digest is inserted until it is refused.",
		Params: "b",
		Grid:   lab.Grid{{Series: "cuckoo", Trials: lab.Times(3, 3, 3), Axes: []lab.Axis{lab.Over("b", lab.Ints(1, 2, 4, 8))}}},
		Trial: lab.Trial{Counts: "copies", Run: func(_ context.Context, c lab.Cell, seed uint64) ([]int, error) {
			return copies(c.Int("b"), seed)
		}},
		Plots: []lab.Plot{{Title: "Copies of one key that a filter takes", Panels: []lab.Panel{{
			X: chart.Axis{Label: "slots per bucket"}, Y: chart.Axis{Label: "copies"}, At: lab.At("b"), Of: lab.Mean("copies"),
		}}}},
		Claims: []lab.Rule{lab.Claim{
			Claim: claims.Claim{ID: "2b, b = {b}", Says: "2b copies at b = {b}", Paper: "2b", Source: "the text"}, Each: lab.In("b"),
			Holds: func(c claims.Claim, _ claims.Estimate, groups []lab.Group) claims.Verdict {
				return c.Equal(lab.Mean("copies")(groups[0]), 2*groups[0].Cell.Float("b"), 0, "none")
			},
		}.Rule},
	}
}

// copies inserts one digest until it is refused.
func copies(b int, seed uint64) ([]int, error) {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 12, BucketSize: b})
	if err != nil {
		return nil, err
	}
	for {
		if err := f.InsertHash(seed); err != nil {
			if errors.Is(err, cuckoo.ErrFull) {
				err = nil
			}
			return []int{f.Len()}, err
		}
	}
}
