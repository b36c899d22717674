package panels

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// LoadByPolicy is a panel that the paper lacks: how full a table gets by the kick policy and the
// placement, over the width of the fingerprints.
type LoadByPolicy struct{}

// About states the claim.
func (LoadByPolicy) About() lab.About {
	return lab.About{
		Name:  "policies",
		Title: "Load factor by kick policy and placement",
		Claim: "A search for a shortest cuckoo path fills a table further than a random walk, and a walk that looks ahead comes close to it. " +
			"Without hashing the fingerprint (PlainXOR) kicked keys stay nearby and tables refuse early, which is why the paper hashes it.",
		Method: "Distinct random keys are inserted until the first is refused, for every built-in policy and placement at b = 4, with each policy's " +
			"default limit. Lines are means, bands reach from the lowest to the highest run.",
		NotShown: []string{
			"What an insert costs: that is in the next section.",
			"What capacity may be promised: Filter.Capacity has that.",
		},
		Params:  []string{"b", "f", "buckets"},
		Counts:  []string{"slots", "stored"},
		Derived: []lab.Derived{{Name: "load_factor", Of: func(r lab.Row) float64 { return r.Ratio("stored", "slots") }}},
	}
}

// policySize is what a profile measures. Placement Region takes no table of less than 2^18 buckets.
type policySize struct {
	buckets, trials int
	widths          []int
	placements      []cuckoo.Placement
}

var policySizes = map[lab.Profile]policySize{
	lab.Tiny:  {1 << 8, 2, []int{4, 8, 12, 16}, []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR}},
	lab.Quick: {1 << 18, 2, []int{3, 4, 5, 6, 8, 10, 12, 16, 20}, []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.Region, cuckoo.PlainXOR}},
	lab.Paper: {1 << 20, 5, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20},
		[]cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.Region, cuckoo.PlainXOR}},
}

// builtinPolicies are the kick policies of package cuckoo, the default first.
var builtinPolicies = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.LookAhead, cuckoo.RandomWalk, cuckoo.RoundRobin}

// policySeries names a line.
func policySeries(k cuckoo.KickPolicy, p cuckoo.Placement) string {
	return k.Recipe() + ", " + p.String()
}

// Plan returns a job for every policy, placement and width, and one for every width of the user's policies.
func (LoadByPolicy) Plan(s lab.Setup) ([]lab.Job, error) {
	size := policySizes[s.Profile]
	var lines []lab.Policy
	for _, p := range size.placements {
		for _, k := range builtinPolicies {
			lines = append(lines, lab.Policy{Name: policySeries(k, p), Kick: k, Placement: p})
		}
	}
	lines = append(lines, s.Own.Policies...)
	var jobs []lab.Job
	for _, l := range lines {
		c := cuckoo.Config{Buckets: size.buckets, BucketSize: 4, Placement: l.Placement, Kick: l.Kick}
		for _, f := range size.widths {
			jobs = append(jobs, measure.FillJob(l.Name, f, c, size.trials))
		}
	}
	return jobs, nil
}

// Draw draws the policies under the default placement, and the placements under the default policy and the
// paper's.
func (LoadByPolicy) Draw(d *lab.Data) []*chart.Figure {
	size := policySizes[d.Setup.Profile]
	y := chart.Axis{Label: "load factor at the first refused key", Min: 0, Max: 1.02}
	near := chart.Axis{Label: "load factor, enlarged", Min: 0.93, Max: 0.99}
	byPolicy := func(title string, y chart.Axis) chart.Panel {
		p := policyPanel(d, title, y)
		for i, k := range builtinPolicies {
			p.Series = append(p.Series, policyLine(d, policySeries(k, cuckoo.Additive), k.Recipe(), i))
		}
		for i, own := range d.Setup.Own.Policies {
			p.Series = append(p.Series, policyLine(d, own.Name, own.Name, len(builtinPolicies)+i))
		}
		return p
	}
	byPlacement := func(title string, k cuckoo.KickPolicy) chart.Panel {
		p := policyPanel(d, title, y)
		for i, placement := range size.placements {
			p.Series = append(p.Series, policyLine(d, policySeries(k, placement), placement.String(), i))
		}
		return p
	}
	closer := byPolicy("(b) the same, enlarged", near)
	closer.Series = append(closer.Series, chart.Series{
		Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
		Points: []chart.Point{{X: closer.X.Min, Y: law.Threshold(4)}, {X: closer.X.Max, Y: law.Threshold(4)}},
	})
	where := measure.Raised(fmt.Sprintf("b = 4, 2^%d buckets", measure.Power2(size.buckets)))
	return []*chart.Figure{{
		Name:    "policies",
		Title:   "Load factor at the first refused key by kick policy, additive placement, " + where,
		Caption: "Load factor at the first refused key against fingerprint bits for four kick policies, whole and enlarged.",
		Panels:  []chart.Panel{byPolicy("(a) by policy", y), closer},
	}, {
		Name:    "policies-placement",
		Title:   "Load factor at the first refused key by placement, " + where,
		Caption: "Load factor at the first refused key against fingerprint bits for each placement, under two kick policies.",
		Panels:  []chart.Panel{byPlacement("(a) breadth-first", cuckoo.BreadthFirst), byPlacement("(b) random walk", cuckoo.RandomWalk)},
	}}
}

// policyPanel is an empty panel over the widths of the profile.
func policyPanel(d *lab.Data, title string, y chart.Axis) chart.Panel {
	widths := policySizes[d.Setup.Profile].widths
	return chart.Panel{Title: title, Y: y, X: chart.Axis{
		Label: "fingerprint width f (bits)", Min: float64(slices.Min(widths)) - 0.5, Max: float64(slices.Max(widths)) + 0.5, Ticks: measure.WidthTicks(),
	}}
}

// policyLine is a series of means with the range of the runs.
func policyLine(d *lab.Data, series, label string, style int) chart.Series {
	s := chart.Series{Label: label, Style: chart.Numbered(style), Kind: chart.LineMarks}
	for _, g := range d.Select(series) {
		lo, hi := measure.LoadRange(g)
		s.Points = append(s.Points, chart.Point{X: float64(g.Param("f")), Y: g.Mean("stored", "slots"), Lo: lo, Hi: hi})
	}
	return s
}

// policyWide is the narrowest width on the flat part of every curve.
const policyWide = 10

// flat is the sample of all runs of a line on its flat part.
func flatLoads(d *lab.Data, k cuckoo.KickPolicy, p cuckoo.Placement) stat.Sample {
	var loads []float64
	for _, g := range d.Select(policySeries(k, p)) {
		if g.Param("f") >= policyWide {
			loads = append(loads, g.Ratios("stored", "slots")...)
		}
	}
	return stat.SampleOf(loads)
}

// Judge compares lines of the panel with each other.
func (LoadByPolicy) Judge(d *lab.Data) []claims.Verdict {
	flat := func(k cuckoo.KickPolicy) stat.Sample { return flatLoads(d, k, cuckoo.Additive) }
	additive, xor, region := flat(cuckoo.BreadthFirst), flatLoads(d, cuckoo.BreadthFirst, cuckoo.XOR), flatLoads(d, cuckoo.BreadthFirst, cuckoo.Region)
	narrow := func(p cuckoo.Placement) stat.Sample {
		for _, g := range d.Select(policySeries(cuckoo.RandomWalk, p)) {
			if g.Param("f") == 8 {
				return stat.SampleOf(g.Ratios("stored", "slots"))
			}
		}
		return stat.Sample{}
	}
	difference := additive.Mean - xor.Mean
	return d.Judged([]claims.Verdict{
		above("f = 8, random walk: hashing the fingerprint (XOR) fills the table further than not hashing it (PlainXOR)",
			"hash the fingerprint: i2 = i1 xor hash(fingerprint)", narrow(cuckoo.XOR), narrow(cuckoo.PlainXOR)),
		above("b = 4, f of 10 and more: breadth-first fills the table further than the paper's random walk", "-",
			flat(cuckoo.BreadthFirst), flat(cuckoo.RandomWalk)),
		above("b = 4, f of 10 and more: looking ahead fills the table further than the random walk", "-",
			flat(cuckoo.LookAhead), flat(cuckoo.RandomWalk)),
		above("b = 4, f of 10 and more, breadth-first: the fullest region refuses before a table without regions does", "-", additive, region),
		claims.Judge(difference*difference <= additive.Tolerance(xor)*additive.Tolerance(xor), claims.Draft{
			Claim:     "b = 4, f of 10 and more, breadth-first: additive placement, for any number of buckets, fills as far as XOR",
			Paper:     "-",
			Ours:      fmt.Sprintf("%.4f against %.4f", additive.Mean, xor.Mean),
			Tolerance: fmt.Sprintf("%d standard errors of the difference", stat.Deviations),
		}),
	})
}

// above is the verdict on the claim that a mean is larger than another.
func above(claim, paper string, larger, smaller stat.Sample) claims.Verdict {
	return claims.Judge(larger.Mean > smaller.Mean+larger.Tolerance(smaller), claims.Draft{
		Claim:     claim,
		Paper:     paper,
		Ours:      fmt.Sprintf("%.4f against %.4f", larger.Mean, smaller.Mean),
		Interval:  fmt.Sprintf("+- %.4f and %.4f", 2*larger.Err, 2*smaller.Err),
		Tolerance: fmt.Sprintf("more than %d standard errors apart", stat.Deviations),
	})
}
