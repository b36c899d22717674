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
func twins() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:   "twins",
			Title:  "Copies of one key",
			Claim:  "A cuckoo filter takes 2b copies of a key, and refuses the next.",
			Method: "One random digest is inserted until it is refused.",
			Params: []string{"b"},
			Counts: []string{"copies"},
		},
		Trials: func(lab.Setup) (jobs []lab.Job, err error) {
			for _, b := range []int{1, 2, 4, 8} {
				run := func(_ context.Context, seed uint64) ([]int, error) { return copies(b, seed) }
				jobs = append(jobs, lab.Job{Series: "cuckoo", Params: lab.IntValues(b), Trials: 3, Cost: 1e-4, Run: run})
			}
			return jobs, nil
		},
		Figures: func(d *lab.Data) []*chart.Figure {
			return []*chart.Figure{{
				Name: "twins", Title: "Copies of one key that a filter takes",
				Panels: []chart.Panel{{X: chart.Axis{Label: "slots per bucket"}, Y: chart.Axis{Label: "copies"},
					Series: d.Lines(chart.LineMarks, func(g lab.Group) chart.Point {
						return chart.Point{X: float64(g.Param("b")), Y: float64(g.Sum("copies")) / float64(len(g.Rows))}
					}),
				}},
			}}
		},
		Claims: func(d *lab.Data) []claims.Verdict {
			wrong := 0.0
			for _, g := range d.Groups {
				for _, r := range g.Rows {
					if r.Count("copies") != 2*r.Param("b") {
						wrong++
					}
				}
			}
			keys := claims.Estimate{Value: wrong, Low: wrong, High: wrong, Format: "%.0f", Note: "keys with another number of copies"}
			return []claims.Verdict{claims.Claim{ID: "2b", Says: "2b copies at b = 1, 2, 4, 8", Paper: "2b", Source: "the text"}.Equal(keys, 0, 0, "none")}
		},
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
