package study

import (
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
)

// growth is the name of the study of growing filters.
const growth = "growth"

// growthWidth is the width of its fingerprints, and growthSlots b.
const growthWidth, growthSlots = 16, 4

type growthBits = fingerprint.Bits16

// growing makes contenders of a cuckoo.Scalable.
func growing(c cuckoo.ScalableConfig, sized bool) func(n int) (*holder, error) {
	return func(n int) (*holder, error) {
		if sized {
			c.Capacity = n
		}
		f, err := cuckoo.NewScalable[growthBits](c)
		if err != nil {
			return nil, err
		}
		return holdScalable(f), nil
	}
}

// growers are the contenders: the filter of the right size, growing ones that start with 1024 keys, and one that has no need to grow.
func growers() []contender {
	base := "Filter, right size"
	return []contender{
		{label: base, made: true, make: func(n int) (*holder, error) {
			f, err := cuckoo.New[growthBits](cuckoo.Config{Capacity: n})
			if err != nil {
				return nil, err
			}
			return holdFilter(f), nil
		}},
		{label: "grown in steps", base: base, made: true, make: growing(cuckoo.ScalableConfig{}, false)},
		{label: "grown at once", base: base, made: true, make: growing(cuckoo.ScalableConfig{Kick: cuckoo.LookAhead}, false)},
		{label: "growing, made for n", base: base, made: true, make: growing(cuckoo.ScalableConfig{}, true)},
	}
}

// runGrowth measures filters that grow.
func runGrowth(r *runner, n int) error {
	all := growers()
	held, err := r.contest(n, all, 1, func(c *measure.Contest) { c.Longest, c.Deletes = true, false })
	if err != nil {
		return err
	}
	for i, c := range all {
		f := held[i]
		r.note(n, c, "bits per item", "", bitsPerItem(f, n))
		rate := r.rate(f, n)
		r.note(n, c, "false positives, measured", "%", 100*rate)
		if f.doublings == nil {
			continue
		}
		ungrown := 2 * growthSlots * f.LoadFactor() / math.Exp2(growthWidth-1)
		r.note(n, contender{label: c.label}, "rate over that of no doubling, same load", "x", rate/ungrown)
		r.note(n, contender{label: c.label}, "doublings", "", float64(f.doublings()))
		if err := r.grown(n, c); err != nil {
			return err
		}
	}
	return nil
}

// grown fills a filter once more and notes its bits per item just before and just after its last doubling.
func (r *runner) grown(n int, c contender) error {
	f, err := c.make(n)
	if err != nil {
		return err
	}
	keys, _ := r.digests(n, 0)
	full, just, size := 0., 0., f.SizeBytes()
	for i, h := range keys {
		if err := f.insert([]uint64{h}); err != nil {
			return err
		}
		if grown := f.SizeBytes(); grown != size {
			full, just, size = 8*float64(size)/float64(i), 8*float64(grown)/float64(i+1), grown
		}
	}
	if full > 0 {
		r.note(n, contender{label: c.label}, "bits per item before the last doubling", "", full)
		r.note(n, contender{label: c.label}, "bits per item after it", "", just)
	}
	return nil
}

// growthFigure draws lookups against the number of keys.
func (r *Result) growthFigure() *chart.Figure {
	f := &chart.Figure{Title: "Lookups of absent keys in filters of n keys", Caption: "Nanoseconds per lookup of an absent key against the number of keys, median and 95% interval."}
	for i, what := range []string{"lookup, absent", "lookup, absent, 256 at once"} {
		p := chart.Panel{Title: []string{"(a) one by one", "(b) 256 at once"}[i], X: chart.Axis{Label: "keys n (log scale)", Log: true, Base: 2}, Y: chart.Axis{Label: "ns per lookup"}}
		high := 0.
		for k, c := range growers()[:2] {
			line := chart.Series{Label: c.label, Style: chart.Numbered(k)}
			for _, s := range r.Series {
				if s.Subject == c.label && s.What == what {
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
