package panels

import (
	"cmp"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// hashSeeds measures for how many of their seeds the hash families of package integerhash make other filters of
// consecutive integers than random digests do.
func hashSeeds() *lab.Experiment {
	slots := measure.In(lab.Size{1 << 10, 1 << 16, 1 << 20})
	return &lab.Experiment{
		Name:  "hash-seeds",
		Title: "Seeds of the hash families for integers",
		Claim: "The paper's authors have multiply-shift and tabulation in their code. Ours: under most seeds of " +
			"multiply-shift a filter of consecutive integers does not have the predicted rate; of tabulation it does.",
		Method: "Each trial draws a seed, fills a cuckoo filter (12 bits, b = 4) to a load of .95 with consecutive " +
			"integers, and asks for those after them. A seed is odd if a key is refused, or the rate is 4 errors off.",
		Limits: []string{"Integers that are not consecutive."},
		Params: "slots",
		Grid: lab.Grid{{Series: "{family}", Trials: lab.Times(4, 32, 256), Axes: []lab.Axis{
			lab.Over("family", lab.ListOf([]int{0, 1},
				func(i int) lab.Value { return lab.Named(integerhash.Families(0)[i].Name(), i) })),
			lab.Over("slots", lab.From(func(c lab.Cell) lab.Value { return lab.Int(slots(c)) })),
			lab.Over("f", lab.Ints(catalogue.PanelWidth)), lab.Over("b", lab.Ints(4)),
		}}},
		Trial: measure.FillAndProbe(measure.Asked{
			Keys:   func(c lab.Cell) int { return keysOf(c.Int("slots")) },
			Probes: measure.In(lab.Size{1 << 12, 1 << 17, 1 << 20}),
			Keyed: func(c lab.Cell, seed uint64) measure.Stream { // a trial's seed is the family's too
				return measure.Stream{Next: hashing.Mix64(seed), Hash: integerhash.Families(seed)[c.Of("family").(int)]}
			},
		}),
		Columns: measure.RateColumns,
		Plots: []lab.Plot{{
			Title: "False-positive rate of filters of consecutive integers, by the seed of the hash family",
			Caption: "Measured over predicted false-positive rate on a log axis, for each seed, sorted. Tabulation's rates " +
				"are near 1, most of multiply-shift's about one half. Values beyond an end of the axis are drawn there.",
			Panels: []lab.Panel{{
				X:    chart.Axis{Label: "share of the seeds", Format: chart.Percent, Min: 0, Max: 1},
				Y:    chart.Axis{Label: "measured over predicted rate", Log: true, Min: 0.05, Max: 20},
				Only: lab.Is("series", ""), More: []lab.More{seedLines},
			}},
		}},
		Claims: []lab.Rule{lab.Judged(func(d *lab.Data) []claims.Verdict {
			shift, tabulation := d.Groups[0], d.Groups[1]
			return []claims.Verdict{
				claims.Ours(shift.Series, "Multiply-shift: more than half of the seeds are odd for consecutive integers").
					Within(oddSeeds(shift), 0.5, 1, itsOwn),
				claims.Ours(tabulation.Series, "Tabulation: fewer than one seed in 8 is odd for consecutive integers").
					Below(oddSeeds(tabulation), 1.0/8, itsOwn+"; of random digests one in 16 000 is odd"),
			}
		})},
	}
}

// seedRate is the rate of a trial over the predicted one, and whether its seed is odd.
func seedRate(r lab.Row) (ratio float64, odd bool) {
	slots, rate := r.Param("slots"), r.Ratio("false_positives", "probes")
	want := claims.ExactRate(catalogue.PanelWidth, 4, lab.Quotient(r.Count("stored"), slots))
	far := math.Abs(rate-want) > claims.Deviations*math.Sqrt(want*(1-want)/float64(r.Count("probes")))
	return rate / want, far || r.Count("stored") < keysOf(slots)
}

// oddSeeds is the share of a family's seeds that are odd.
func oddSeeds(g lab.Group) claims.Estimate {
	odd := claims.Rate{N: len(g.Rows)}
	for _, r := range g.Rows {
		if _, is := seedRate(r); is {
			odd.Events++
		}
	}
	return claims.Of(odd, 1).As("", "%d of %d seeds", odd.Events, odd.N)
}

// seedLines are the rates of all seeds in their order.
func seedLines(d *lab.Data, _ []lab.Group) (lines []chart.Series) {
	for i, g := range d.Groups {
		s := chart.Series{Label: g.Series, Style: chart.Numbered(i), Kind: chart.Line}
		for _, r := range g.Rows {
			ratio, _ := seedRate(r)
			s.Points = append(s.Points, chart.Point{Y: min(max(ratio, 0.05), 20)})
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) })
		for at := range s.Points {
			s.Points[at].X = (float64(at) + 0.5) / float64(len(s.Points))
		}
		lines = append(lines, s)
	}
	return lines
}
