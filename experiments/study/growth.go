package study

import (
	"math"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
)

// growth is the name of the study of growing filters.
const growth = "growth"

// growthWidth is the width of its fingerprints, and growthSlots b.
const growthWidth, growthSlots = 16, 4

// runGrowth measures filters that grow.
func runGrowth(r *runner, n int) error {
	all := beside(catalogue.Growing())
	held, err := r.contest(n, all, true, 1, func(c *measure.Contest) { c.Slowest, c.Deletes = true, false })
	if err != nil {
		return err
	}
	for i, c := range all {
		f := held[i]
		r.note(n, c, "bits per item", "", bitsPerItem(f, n))
		rate := r.rate(f, n)
		r.note(n, c, "false positives, measured", "%", 100*rate)
		grower, ok := f.Filter.(interface {
			Doublings() int
			LoadFactor() float64
		})
		if !ok {
			continue
		}
		c.base = ""
		ungrown := 2 * growthSlots * grower.LoadFactor() / math.Exp2(growthWidth-1)
		r.note(n, c, "rate over that of no doubling, same load", "x", rate/ungrown)
		r.note(n, c, "doublings", "", float64(grower.Doublings()))
		if err := r.grown(n, c); err != nil {
			return err
		}
	}
	return nil
}

// grown fills a filter once more and notes its bits per item just before and just after its last doubling.
func (r *runner) grown(n int, c contender) error {
	f, err := c.Open(c.size(n, true))
	if err != nil {
		return err
	}
	keys, _ := r.digests(n, 0)
	full, just, size := 0., 0., f.SizeBytes()
	for i := range keys {
		if _, err := f.Insert(keys[i : i+1]); err != nil {
			return err
		}
		if grown := f.SizeBytes(); grown != size {
			full, just, size = 8*float64(size)/float64(i), 8*float64(grown)/float64(i+1), grown
		}
	}
	if full > 0 {
		r.note(n, c, "bits per item before the last doubling", "", full)
		r.note(n, c, "bits per item after it", "", just)
	}
	return nil
}

// growthFigure draws lookups against the number of keys.
func (r *Result) growthFigure() *chart.Figure {
	f := &chart.Figure{Title: "Lookups of absent keys in filters of n keys", Caption: "Nanoseconds per lookup of an absent key against the number of keys, median and 95% interval."}
	for i, what := range []string{"lookup, absent", "lookup, absent, 256 at once"} {
		p := chart.Panel{Title: []string{"(a) one by one", "(b) 256 at once"}[i], X: chart.Axis{Label: "keys n (log scale)", Log: true, Base: 2}, Y: chart.Axis{Label: "ns per lookup"}}
		high := 0.
		for k, c := range catalogue.Growing()[:2] {
			line := chart.Series{Label: c.Name, Style: chart.Numbered(k)}
			for _, s := range r.Series {
				if s.Subject == c.Name && s.What == what {
					ns := s.Rounds.Interval()
					line.Points = append(line.Points, chart.Point{X: float64(s.N), Y: ns.Median, Lo: ns.Lo, Hi: ns.Hi})
					high = max(high, ns.Hi)
				}
			}
			p.Series = append(p.Series, line)
		}
		p.Y.Max = 1.1 * high
		f.Panels = append(f.Panels, p)
	}
	return f
}
