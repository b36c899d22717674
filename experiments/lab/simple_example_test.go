package lab_test

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/fingerprint"
)

// The smallest complete experiment: what it is about, its trials, a figure and a claim of its own.
func ExampleSimple() {
	half := lab.Simple{
		Declare: lab.About{
			Name:    "half",
			Title:   "The false-positive rate of a half-full filter",
			Claim:   "Half as many keys make half as many false positives.",
			Method:  "A filter of 2^14 slots of 12 bits gets random keys, and is asked for a million others.",
			Params:  []string{"keys"},
			Counts:  []string{"false_positives", "probes"},
			Derived: []lab.Derived{{Name: "rate", Of: func(r lab.Row) float64 { return r.Ratio("false_positives", "probes") }}},
		},
		Trials: func(lab.Setup) (jobs []lab.Job, err error) {
			for _, n := range []int{3000, 6000, 9000, 12000} {
				run := func(ctx context.Context, seed uint64) ([]int, error) {
					f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 12})
					if err != nil {
						return nil, err
					}
					c, err := measure.MeasureRate(ctx, seed, nil, f, n, 1<<20)
					return []int{c.FalsePositives, c.Probes}, err
				}
				jobs = append(jobs, lab.Job{Series: "cuckoo", Params: lab.IntValues(n), Trials: 5, Run: run})
			}
			return jobs, nil
		},
		Figures: func(d *lab.Data) []*chart.Figure {
			rates := d.Lines(chart.LineMarks, func(g lab.Group) chart.Point {
				return chart.Point{X: float64(g.Param("keys")), Y: g.Mean("false_positives", "probes")}
			})
			return []*chart.Figure{{Name: "half", Title: "False-positive rate by the number of keys", Panels: []chart.Panel{{
				X: chart.Axis{Label: "keys"}, Y: chart.Axis{Label: "false-positive rate", Format: chart.Percent}, Series: rates,
			}}}}
		},
		Claims: func(d *lab.Data) []claims.Verdict {
			rate := func(i int) stat.Sample { return stat.SampleOf(d.Groups[i].Ratios("false_positives", "probes")) }
			c := claims.Claim{ID: "half", Says: "6000 keys have half the rate of 12000", Paper: "-"}
			return []claims.Verdict{c.Ratio(claims.Quotient(rate(1), rate(3)), 0.5, 1.1, "10% either way")}
		},
	}
	registry := lab.Registry{Experiments: []lab.Old{half}}
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range findings[0].Verdicts {
		fmt.Printf("%s: %v, ours %s (%s)\n", v.Says, v.Status, v.Ours, v.Interval)
	}
	// Output:
	// 6000 keys have half the rate of 12000: holds, ours 0.494 (0.463 to 0.526)
}
