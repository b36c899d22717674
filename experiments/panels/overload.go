package panels

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// Overload is a panel that the paper lacks: what happens to the false-positive rate as keys come in, up
// to three times as many as a filter was made for.
type Overload struct{}

// About states the claim.
func (Overload) About() lab.About {
	return lab.About{
		Name:  "overload",
		Title: "False-positive rate from empty to three times the capacity",
		Claim: "A Bloom filter takes any number of keys and its rate rises without bound; a cuckoo filter keeps its rate and refuses the key " +
			"that it has no room for.",
		Method: fmt.Sprintf("Filters made for a number of keys at %.4g%% are given up to three times as many; a filter that refuses one is asked for its rate "+
			"as it is then. Rates are pooled over the runs.", 100*catalogue.PanelRate),
		NotShown: []string{
			"What to do at a refusal: make a larger filter, or one that grows.",
		},
		Params: []string{"capacity", "percent"},
		Counts: append([]string{"offered"}, measure.TrialCounts...),
		Derived: append([]lab.Derived{
			{Name: "share_of_capacity", Of: func(r lab.Row) float64 { return lab.Quotient(r.Count("stored"), r.Param("capacity")) }},
		}, measure.TrialDerived...),
	}
}

// overloadSize is what a profile measures.
type overloadSize struct{ capacity, trials, probes int }

var overloadSizes = map[lab.Profile]overloadSize{
	lab.Tiny: {1000, 2, 1 << 12}, lab.Quick: {100_000, 4, 1 << 18}, lab.Paper: {2_000_000, 5, 1 << 21},
}

// overloadPercents are the keys offered, in percent of the capacity.
func overloadPercents(p lab.Profile) []int {
	if p == lab.Tiny {
		return []int{50, 100, 300}
	}
	var out []int
	for percent := 10; percent <= 300; percent += 10 {
		out = append(out, percent)
	}
	return out
}

// Plan returns a job for each filter and number of keys.
func (Overload) Plan(s lab.Setup) ([]lab.Job, error) {
	size := overloadSizes[s.Profile]
	var jobs []lab.Job
	for _, f := range panelLines(s) {
		if f.name == xorSeries {
			continue // between two powers of two its capacity is any number
		}
		for _, percent := range overloadPercents(s.Profile) {
			n := size.capacity / 100 * percent
			jobs = append(jobs, lab.Job{
				Series: f.name,
				Params: lab.Ints(size.capacity, percent),
				Trials: size.trials,
				Bytes:  int64(size.capacity) * 3, // up to 20 bits per item
				Cost:   float64(n)*measure.FillCost(size.capacity) + float64(n+size.probes)*measure.ProbeCost(size.capacity),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					filter, err := f.new(size.capacity, seed)
					if err != nil {
						return nil, err
					}
					counts, err := measure.CountRate(ctx, measure.Stream{Next: seed}, filter, n, size.probes)
					return append([]int{n}, counts...), err
				},
			})
		}
	}
	return jobs, nil
}

// accepting returns the groups of a series in which no key was refused, and the first in which one was.
func accepting(d *lab.Data, series string) (all []lab.Group, refused *lab.Group) {
	for _, g := range d.Select(series) {
		if g.Sum("stored") < g.Sum("offered") {
			return all, &g
		}
		all = append(all, g)
	}
	return all, nil
}

// overloadPoint is a group as a point: keys as a share of the capacity against the rate.
func overloadPoint(g lab.Group) chart.Point {
	pt := measure.RatePoint(g)
	pt.X = lab.Quotient(g.Sum("stored"), g.Param("capacity")*len(g.Rows))
	return pt
}

// Draw draws rates against keys. A line ends with a note where the filter refuses.
func (Overload) Draw(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "keys inserted / capacity", Min: 0, Max: 3.05},
		Y: chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 1},
	}
	for _, series := range d.Series() {
		groups, refused := accepting(d, series)
		s := chart.Series{Label: series, Style: panelStyle(d, series), Kind: chart.LineMarks}
		for _, g := range groups {
			s.Points = append(s.Points, overloadPoint(g))
		}
		if refused != nil {
			end := overloadPoint(*refused)
			s.Points = append(s.Points, end)
			p.Notes = append(p.Notes, chart.Note{X: end.X, Y: end.Y, Text: fmt.Sprintf("refuses at %.2f", end.X)})
		}
		p.Series = append(p.Series, s)
	}
	law := chart.Series{Label: "bloom, predicted", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	for _, g := range d.Select(bloomSeries) {
		law.Points = append(law.Points, chart.Point{X: lab.Quotient(g.Param("percent"), 100), Y: predictedBloom(g)})
	}
	p.Series = append(p.Series, law)
	return []*chart.Figure{{
		Name:    "overload",
		Title:   fmt.Sprintf("False-positive rate beyond the capacity, filters made for %d keys", overloadSizes[d.Setup.Profile].capacity),
		Caption: "Measured false-positive rate on a log axis against the number of keys as a share of the capacity. Bloom filters' lines rise to three times the capacity; those of filters with slots end where a key is refused.",
		Panels:  []chart.Panel{p},
	}}
}

// predictedBloom is the rate that package bloom predicts for the filters of a group.
func predictedBloom(g lab.Group) float64 {
	bits := 8 * g.Sum("size_bytes") / len(g.Rows)
	return bloom.PredictRate(bits, bloom.OptimalHashes(bits, g.Param("capacity")), g.Param("capacity")/100*g.Param("percent"))
}

// Judge holds the cuckoo filter to its bound and to its capacity, and the Bloom filter to its prediction.
func (Overload) Judge(d *lab.Data) []claims.Verdict {
	worst, share := stat.Rate{}, 0.0
	groups, refused := accepting(d, additiveSeries)
	if refused != nil {
		groups = append(groups, *refused)
		share = overloadPoint(*refused).X
	}
	for _, g := range groups {
		if r := measure.Pooled(g); worst.N == 0 || r.Value() > worst.Value() {
			worst = r
		}
	}
	bound := law.RateBound(catalogue.PanelWidth, 4)
	noise := stat.Deviations * math.Sqrt(bound*(1-bound)/float64(worst.N))
	all, bloomRefused := accepting(d, bloomSeries)
	last := all[len(all)-1]
	measured, predicted := measure.Pooled(last), predictedBloom(last)
	lo, hi := measured.Interval()
	// The filters differ by the luck of the keys: the share of bits set by some 1/(2*sqrt(bits)), its k-th power by k times that.
	allowed := stat.Deviations*math.Sqrt(predicted*(1-predicted)/float64(measured.N)) + 0.01*predicted
	worstLow, worstHigh := worst.Interval()
	return d.Judged([]claims.Verdict{
		claims.Judge(worst.Value() <= bound+noise, claims.Draft{
			Claim:     "Cuckoo filter: the rate stays below the bound 2b/2^f however many keys are offered",
			Paper:     stat.RateText(bound),
			Ours:      stat.RateText(worst.Value()),
			Interval:  stat.RateText(worstLow) + " to " + stat.RateText(worstHigh),
			Tolerance: fmt.Sprintf("%.2g: %d binomial standard errors, for the highest of %d rates", noise, stat.Deviations, len(groups)),
		}),
		claims.Judge(refused != nil && share >= 1 && share < 1.05, claims.Draft{
			Claim:     "Cuckoo filter: it takes its capacity, and refuses soon after",
			Paper:     "-",
			Ours:      fmt.Sprintf("refuses at %.3f of the capacity", share),
			Tolerance: "1 to 1.05: the reserve behind the promise",
		}),
		claims.Judge(bloomRefused == nil && math.Abs(measured.Value()-predicted) <= allowed, claims.Draft{
			Claim:     fmt.Sprintf("Bloom filter: nothing is refused, and at %d%% of the capacity the rate is the predicted one", last.Param("percent")),
			Paper:     "-",
			Ours:      fmt.Sprintf("%s, predicted %s", stat.RateText(measured.Value()), stat.RateText(predicted)),
			Interval:  stat.RateText(lo) + " to " + stat.RateText(hi),
			Tolerance: fmt.Sprintf("%.2g: %d binomial standard errors, and 1%% for the luck of the keys", allowed, stat.Deviations),
		}),
	})
}
