package parts

import (
	"context"
	"errors"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
)

// twins is an experiment: how many copies of one key a filter takes. The paper says 2b.
type twins struct{}

func (twins) About() lab.About {
	return lab.About{
		Name:   "twins",
		Title:  "Copies of one key",
		Claim:  "A cuckoo filter takes 2b copies of a key, and refuses the next.",
		Method: "One random digest is inserted until it is refused.",
		Params: []string{"b"},
		Counts: []string{"copies"},
	}
}

func (twins) Plan(lab.Setup) ([]lab.Job, error) {
	var jobs []lab.Job
	for _, b := range []int{1, 2, 4, 8} {
		jobs = append(jobs, lab.Job{
			Series: "cuckoo", Params: lab.Ints(b), Trials: 3, Cost: 1e-4,
			Run: func(_ context.Context, seed uint64) ([]int, error) { return copies(b, seed) },
		})
	}
	return jobs, nil
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

func (twins) Draw(d *lab.Data) []*chart.Figure {
	s := chart.Series{Label: "cuckoo", Style: chart.StyleFor("cuckoo")}
	for _, g := range d.Groups {
		s.Points = append(s.Points, chart.Point{X: float64(g.Param("b")), Y: float64(g.Sum("copies")) / float64(len(g.Rows))})
	}
	return []*chart.Figure{{
		Name: "twins", Title: "Copies of one key that a filter takes",
		Panels: []chart.Panel{{X: chart.Axis{Label: "slots per bucket"}, Y: chart.Axis{Label: "copies"}, Series: []chart.Series{s}}},
	}}
}

func (twins) Judge(d *lab.Data) []claims.Verdict {
	v := claims.Draft{Claim: "2b copies at b = 1, 2, 4, 8", Paper: "2b", Status: claims.Holds, Deterministic: true, Tolerance: "none"}
	for _, g := range d.Groups {
		for _, r := range g.Rows {
			if v.Ours != "" {
				v.Ours += " "
			}
			v.Ours += fmt.Sprint(r.Count("copies"))
			if r.Count("copies") != 2*r.Param("b") {
				v.Status, v.Why = claims.Unexplained, "The two buckets of the key coincide, or the filter is wrong."
			}
		}
	}
	return []claims.Verdict{v.Verdict()}
}
