package panels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// loadByPolicy measures how full a table gets by the kick policy and the placement, over the width of the fingerprints.
func loadByPolicy() *lab.Experiment {
	few := []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR} // Region takes no table of less than 2^18 buckets
	all := measure.Placements(cuckoo.Additive, cuckoo.XOR, cuckoo.Region, cuckoo.PlainXOR)
	tables := []lab.Axis{
		lab.Over("b", lab.Ints(4)), lab.Over("e", lab.By(lab.Ints(8), lab.Ints(18), lab.Ints(20))), measure.Exponent("buckets", "e"),
		lab.Over("f", lab.By(lab.Ints(4, 8, 12, 16), lab.Ints(3, 4, 5, 6, 8, 10, 12, 16, 20), lab.Ints(2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20))),
	}
	line := lab.Panel{
		X:  chart.Axis{Label: "fingerprint width f (bits)", Ticks: measure.WidthTicks()},
		Y:  chart.Axis{Label: "load factor at the first refused key", Min: 0, Max: 1.02},
		At: lab.At("f"), Of: measure.Load, Style: lab.Numbered,
	}
	policies, search, walk := line, line, line
	policies.Y.Min, policies.Y.Max, policies.More = 0.93, 0.99, []lab.More{anyPolicy}
	policies.Only = func(g lab.Group) bool { return g.Cell.Has("policy") || lab.Is("placement", "additive")(g) }
	policies.Label = func(series string) string { return strings.TrimSuffix(series, ", additive") }
	search.Title, search.By, search.Only = "(a) breadth-first", "placement", lab.Is("kick", cuckoo.BreadthFirst.Recipe())
	walk.Title, walk.By, walk.Only = "(b) random walk", "placement", lab.Is("kick", cuckoo.RandomWalk.Recipe())
	return &lab.Experiment{
		Name:  "policies",
		Title: "Load factor by kick policy and placement",
		Claim: "The paper: the fingerprint is hashed before it is combined with the address, i2 = i1 xor hash(f). Ours: without that (PlainXOR) tables of narrow fingerprints " +
			"refuse early. A search for a shortest cuckoo path fills a table further than a random walk, and so does a walk that looks ahead.",
		Method: "Distinct random keys are inserted until the first is refused, for every built-in policy and placement at b = 4, with each policy's " +
			"default limit. Lines are means, bands reach from the lowest to the highest run.",
		Limits: []string{
			"What an insert costs: that is in the next section.",
			"What capacity may be promised: Filter.Capacity has that.",
		},
		Params: "b f buckets",
		Grid: policyGrid(lab.Times(2, 2, 5), []lab.Axis{
			lab.Over("placement", lab.By(measure.Placements(few...), all, all)), lab.Over("kick", measure.Kicks(builtinPolicies...)),
		}, tables...),
		Trial: measure.Fill, Columns: measure.FillColumns,
		Plots: []lab.Plot{{
			Title:   "Load factor at the first refused key by kick policy, additive placement, b = 4, 2^{{e}} buckets",
			Caption: "Load factor at the first refused key, from .93 to .99, against fingerprint bits for four kick policies.",
			Panels:  []lab.Panel{policies}, Edit: overWidths,
		}, {
			Name:    "policies-placement",
			Title:   "Load factor at the first refused key by placement, b = 4, 2^{{e}} buckets",
			Caption: "Load factor at the first refused key against fingerprint bits for each placement, under two kick policies.",
			Panels:  []lab.Panel{search, walk}, Edit: overWidths,
		}},
		Claims: []lab.Rule{lab.Judged(policyClaims)},
	}
}

// widthEnds are those of the x axis.
func widthEnds(groups []lab.Group) (low, high float64) {
	byWidth := func(a, b lab.Group) int { return a.Cell.Int("f") - b.Cell.Int("f") }
	return slices.MinFunc(groups, byWidth).Cell.Float("f") - 0.5, slices.MaxFunc(groups, byWidth).Cell.Float("f") + 0.5
}

// overWidths ends the panels at the widths of the profile.
func overWidths(d *lab.Data, f *chart.Figure) {
	for i := range f.Panels {
		f.Panels[i].X.Min, f.Panels[i].X.Max = widthEnds(d.Groups)
	}
}

// anyPolicy is the load that none exceeds.
func anyPolicy(d *lab.Data, _ []lab.Group) []chart.Series {
	low, high := widthEnds(d.Groups)
	return []chart.Series{{
		Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
		Points: []chart.Point{{X: low, Y: law.Threshold(4)}, {X: high, Y: law.Threshold(4)}},
	}}
}

// policyLoads is the sample of all runs of a policy and placement at widths from one to another.
func policyLoads(d *lab.Data, k cuckoo.KickPolicy, p cuckoo.Placement, from, to int) stat.Sample {
	return lab.Sample("load_factor", slices.DeleteFunc(d.Where("kick", k.Recipe(), "placement", p.String()), func(g lab.Group) bool {
		return g.Cell.Int("f") < from || g.Cell.Int("f") > to
	})...)
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
