package lab_test

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
)

// The smallest complete experiment: what it is about, its cells and trial, a figure and a claim of its own.
func ExampleExperiment() {
	half := &lab.Experiment{
		Name:   "half",
		Title:  "The false-positive rate of a half-full filter",
		Claim:  "Half as many keys make half as many false positives.",
		Method: "A filter of 2^14 slots of 12 bits gets random keys, and is asked for a million others.",
		Params: "keys",
		Grid: lab.Grid{{Series: "cuckoo", Trials: lab.Times(8, 8, 20), Axes: []lab.Axis{
			lab.Over("keys", lab.Ints(3000, 6000, 9000, 12000)),
		}}},
		Trial: lab.Trial{
			Counts: "stored size_bytes lost probes false_positives",
			Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
				f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 12})
				if err != nil {
					return nil, err
				}
				return measure.CountRate(ctx, measure.Stream{Next: seed}, f, c.Int("keys"), 1<<20)
			},
		},
		Columns: []lab.Column{{Name: "rate", Of: lab.Div("false_positives", "probes")}},
		Plots: []lab.Plot{{
			Title: "False-positive rate by the number of keys",
			Panels: []lab.Panel{{
				X: chart.Axis{Label: "keys"}, Y: chart.Axis{Label: "false-positive rate", Format: chart.Percent},
				At: lab.At("keys"), Of: lab.Pooled("false_positives", "probes"),
			}},
		}},
		Claims: []lab.Rule{func(d *lab.Data) []claims.Verdict {
			rate := func(keys string) claims.Sample { return lab.Sample("rate", d.Where("keys", keys)...) }
			c := claims.Claim{ID: "half", Says: "6000 keys have half the rate of 12000", Paper: "-"}
			return []claims.Verdict{c.Ratio(claims.Quotient(rate("6000"), rate("12000")), 0.5, 1.1, "10% either way")}
		}},
	}
	registry := lab.Registry{Experiments: []*lab.Experiment{half}}
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range findings[0].Verdicts {
		fmt.Printf("%s: %v, ours %s (%s)\n", v.Says, v.Status, v.Ours, v.Interval)
	}
	// Output:
	// 6000 keys have half the rate of 12000: holds, ours 0.491 (0.461 to 0.520)
}
