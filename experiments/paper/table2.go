package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// LookupCost is Table 2 of the paper: bits per item, load factor and memory references of a lookup.
type LookupCost struct{}

// About states the claim.
func (LookupCost) About() lab.About {
	return lab.About{
		Name:  "table2",
		Title: "Table 2: space and lookup cost",
		Claim: "At a false-positive rate eps, a space-optimized Bloom filter takes 1.44 log2(1/eps) bits per item and log2(1/eps) memory references for a key that is " +
			"there, 2 for one that is not; a cuckoo filter of buckets of 4 slots takes (log2(1/eps)+3)/alpha bits at a load alpha of 95.5%, semi-sorted one bit less, " +
			"and 2 references always.",
		Method: "The filters are those of Table 3. Rates are measured, loads are those at the first refusal, and references are counted: words that a lookup of a single key " +
			"reads, by a model of its addresses that must answer as the filter does. Each formula gets the rate and the load that were measured.",
		NotShown: []string{
			"That the formulas hold: with the measured load, and a rate that follows the law of figure 3, they give back the width of a slot. They are shown, and judge nothing.",
			"References follow from how this module lays the filters out; a test holds them to 2, and to 9 and 2 of the Bloom filter.",
			"References that batches of keys make: they are the same for cuckoo filters, and up to four more for absent keys of Bloom filters.",
		},
		Params:  []string{"slots"},
		Counts:  slices.Concat(catalogue.FillCounts, catalogue.TouchCounts),
		Derived: append(slices.Clone(catalogue.FillDerived), touchDerived...),
	}
}

// table2Kinds returns the filters in the order of the paper's Table 2.
func table2Kinds() []catalogue.Kind {
	return []catalogue.Kind{catalogue.BloomKind(), catalogue.CuckooKind(), catalogue.SortedKind()}
}

// Plan returns a job for each filter.
func (LookupCost) Plan(s lab.Setup) ([]lab.Job, error) {
	size := table1Sizes[s.Profile]
	return touchJobs(table2Kinds(), size, func(ctx context.Context, k catalogue.Kind, seed uint64) ([]int, error) {
		_, counts, err := k.Touches(ctx, size, seed)
		return counts, err
	}), nil
}

// table2Overhead is how many bits beyond log2(1/eps) a slot has by the paper's formula; Bloom filters have no
// slots.
var table2Overhead = map[string]float64{"CF": 3, "ss-CF": 2}

// formulaBits is the paper's formula at the rate and load that were measured.
func formulaBits(g lab.Group) float64 {
	rate := measure.Pooled(g).Value()
	if overhead, ok := table2Overhead[g.Series]; ok {
		return (law.LowerBound(rate) + overhead) / loadOf(g)
	}
	return law.BloomBits(rate)
}

// load is the mean load factor; of filters without slots it means nothing.
func loadOf(g lab.Group) float64 { return lab.Quotient(g.Sum("items"), g.Param("slots")*len(g.Rows)) }

// Shown puts the paper's columns beside ours.
func (LookupCost) Shown(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"filter", "rate", "bits_per_item", "paper_formula", "load_factor", "paper_load",
		"references_positive", "paper_positive", "references_negative", "paper_negative"}}
	for _, g := range d.Groups {
		load, paperLoad, positive := any(""), any(""), any(law.LowerBound(measure.Pooled(g).Value()))
		if _, ok := table2Overhead[g.Series]; ok {
			load, paperLoad, positive = loadOf(g), law.DrawnLoad, 2
		}
		t.Add(g.Series, measure.Pooled(g).Value(), groupBits(g), formulaBits(g), load, paperLoad,
			g.Mean("positive_references", "traced"), positive, g.Mean("negative_references", "traced"), 2)
	}
	return t
}

// Draw draws nothing: the table says it all.
func (LookupCost) Draw(*lab.Data) []*chart.Figure { return nil }

// Judge compares the load factor with the paper's. The formulas are shown and not judged: with the measured load and a rate that follows the
// law of figure 3 they give back the width of a slot. References are those of how the filters are laid out.
func (LookupCost) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, g := range d.Groups {
		if _, ok := table2Overhead[g.Series]; ok {
			out = append(out, table2Load(d.Setup.Profile, g))
		}
	}
	return out
}

// fillScatter is the standard deviation of the load factor at the first refusal between fills of 2^25 buckets: .0020 (CF) and .0014 (ss-CF)
// over six fills of Table 3.
const fillScatter = 0.002

// table2Load compares the load factor at the first refusal.
func table2Load(p lab.Profile, g lab.Group) claims.Verdict {
	c := claims.Claim{ID: g.Series + ", load", Says: g.Series + ": load factor at the first refusal", Paper: "95.5%", Source: "Table 2, " + g.Series}
	if p == lab.Tiny {
		return c.NotMeasured(claims.SmallTables)
	}
	const printed = 0.0005
	doublings := float64(catalogue.PaperSlots - measure.Power2(g.Param("slots")))
	tolerance := printed + stat.Deviations*fillScatter*math.Sqrt(1+1/float64(len(g.Rows))) + doublings*firstRefusalFalls[g.Series]
	return c.Equal(claims.Estimate{Value: loadOf(g), Format: "%.4f", Note: fmt.Sprintf("%s, fills: %d", slotsText(g), len(g.Rows))}, law.DrawnLoad, tolerance,
		fmt.Sprintf("rounding, %d standard deviations (%.4f, of six fills) of the paper's one fill and our mean, and %.2f%% for each doubling of the table up to the paper's",
			stat.Deviations, fillScatter, 100*firstRefusalFalls[g.Series]))
}
