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

// loadByPolicy measures how full a table gets by the kick policy and the placement, over the width of the fingerprints.
func loadByPolicy() lab.Simple {
	return lab.Simple{
		Declare: measure.FillAbout(lab.About{
			Name:  "policies",
			Title: "Load factor by kick policy and placement",
			Claim: "The paper: the fingerprint is hashed before it is combined with the address, i2 = i1 xor hash(f). Ours: without that (PlainXOR) tables of narrow fingerprints " +
				"refuse early. A search for a shortest cuckoo path fills a table further than a random walk, and so does a walk that looks ahead.",
			Method: "Distinct random keys are inserted until the first is refused, for every built-in policy and placement at b = 4, with each policy's " +
				"default limit. Lines are means, bands reach from the lowest to the highest run.",
			NotShown: []string{
				"What an insert costs: that is in the next section.",
				"What capacity may be promised: Filter.Capacity has that.",
			},
		}),
		Trials:  policyTrials,
		Figures: policyFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(policyClaims(d)) },
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

// policyTrials are a job for every policy, placement and width, and for every width of the user's policies.
func policyTrials(s lab.Setup) ([]lab.Job, error) {
	size := policySizes[s.Profile]
	var lines []lab.Policy
	for _, p := range size.placements {
		lines = append(lines, policyLines(builtinPolicies, p)...)
	}
	var jobs []lab.Job
	for _, l := range append(lines, s.Own.Policies...) {
		c := cuckoo.Config{Buckets: size.buckets, BucketSize: 4, Placement: l.Placement, Kick: l.Kick}
		for _, f := range size.widths {
			jobs = append(jobs, measure.FillJob(l.Name, f, c, size.trials))
		}
	}
	return jobs, nil
}

// policyFigures draw the policies under the default placement, enlarged, and the placements under the default policy and the
// paper's.
func policyFigures(d *lab.Data) []*chart.Figure {
	size := policySizes[d.Setup.Profile]
	policies := policyPanel(d, "", chart.Axis{Label: "load factor at the first refused key", Min: 0.93, Max: 0.99})
	for i, k := range builtinPolicies {
		policies.Series = append(policies.Series, policyLine(d, policySeries(k, cuckoo.Additive), k.Recipe(), i))
	}
	for i, own := range d.Setup.Own.Policies {
		policies.Series = append(policies.Series, policyLine(d, own.Name, own.Name, len(builtinPolicies)+i))
	}
	policies.Series = append(policies.Series, chart.Series{
		Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
		Points: []chart.Point{{X: policies.X.Min, Y: law.Threshold(4)}, {X: policies.X.Max, Y: law.Threshold(4)}},
	})
	byPlacement := func(title string, k cuckoo.KickPolicy) chart.Panel {
		p := policyPanel(d, title, chart.Axis{Label: "load factor at the first refused key", Min: 0, Max: 1.02})
		for i, placement := range size.placements {
			p.Series = append(p.Series, policyLine(d, policySeries(k, placement), placement.String(), i))
		}
		return p
	}
	where := measure.Raised(fmt.Sprintf("b = 4, 2^%d buckets", measure.Power2(size.buckets)))
	return []*chart.Figure{{
		Name:    "policies",
		Title:   "Load factor at the first refused key by kick policy, additive placement, " + where,
		Caption: "Load factor at the first refused key, from .93 to .99, against fingerprint bits for four kick policies.",
		Panels:  []chart.Panel{policies},
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
	return chart.Series{Label: label, Style: chart.Numbered(style), Kind: chart.LineMarks, Points: lab.Points(d.Select(series), func(g lab.Group) chart.Point {
		lo, hi := measure.LoadRange(g)
		return chart.Point{X: float64(g.Param("f")), Y: g.Mean("stored", "slots"), Lo: lo, Hi: hi}
	})}
}

// policyLoads is the sample of all runs of a policy and placement at widths from one to another.
func policyLoads(d *lab.Data, k cuckoo.KickPolicy, p cuckoo.Placement, from, to int) stat.Sample {
	var loads []float64
	for _, g := range d.Select(policySeries(k, p)) {
		if f := g.Param("f"); from <= f && f <= to {
			loads = append(loads, g.Ratios("stored", "slots")...)
		}
	}
	return stat.SampleOf(loads)
}

// samePlace is within which share of the slots two placements fill a table alike.
const samePlace = 0.002

// policyClaims compare lines of the panel with each other: at f = 8, and from f = 10 on, where every curve is flat.
func policyClaims(d *lab.Data) []claims.Verdict {
	narrow := func(p cuckoo.Placement) stat.Sample { return policyLoads(d, cuckoo.RandomWalk, p, 8, 8) }
	flat := func(k cuckoo.KickPolicy, p cuckoo.Placement) stat.Sample {
		return policyLoads(d, k, p, 10, measure.WidestFill)
	}
	search, walk := flat(cuckoo.BreadthFirst, cuckoo.Additive), flat(cuckoo.RandomWalk, cuckoo.Additive)
	further := func(c claims.Claim, larger, smaller stat.Sample) claims.Verdict {
		difference := claims.Difference(larger, smaller)
		difference.Format = "%.4f"
		return c.Order([]claims.Step{{Name: fmt.Sprintf("%.4f less %.4f", larger.Mean, smaller.Mean), Of: difference}}, claims.SampledBy)
	}
	ours := func(id, says string) claims.Claim {
		return claims.Claim{ID: id, Says: "b = 4, f of 10 and more: " + says, Paper: "-"}
	}
	alike := claims.Difference(search, flat(cuckoo.BreadthFirst, cuckoo.XOR))
	alike.Format = "%.4f"
	return []claims.Verdict{
		further(claims.Claim{
			ID: "hash of the fingerprint", Says: "f = 8, random walk: hashing the fingerprint (XOR) fills the table further than not hashing it (PlainXOR)",
			Paper: "i2 = i1 xor hash(f)", Source: "section 3.1, algorithm 1",
		}, narrow(cuckoo.XOR), narrow(cuckoo.PlainXOR)),
		further(ours("search", "breadth-first fills the table further than the paper's random walk"), search, walk),
		further(ours("look-ahead", "looking ahead fills the table further than the random walk"), flat(cuckoo.LookAhead, cuckoo.Additive), walk),
		further(ours("region", "breadth-first, the fullest region refuses before a table without regions does"), search, flat(cuckoo.BreadthFirst, cuckoo.Region)),
		ours("additive", "breadth-first, additive placement, for any number of buckets, fills as far as XOR").
			Within(alike, -samePlace, samePlace, "of the difference, a fifth of a percent of the slots; "+claims.SampledBy),
	}
}
