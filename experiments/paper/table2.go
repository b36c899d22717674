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

// Judge compares space, load and references with the paper's formulas.
func (LookupCost) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, g := range d.Groups {
		out = append(out, table2Space(d.Setup.Profile, g))
		if _, ok := table2Overhead[g.Series]; ok {
			out = append(out, table2Load(d.Setup.Profile, g))
		}
		out = append(out, table2Positive(g), table2Negative(g))
		if g.Series == "ss-CF" {
			out = append(out, semiSorting(g))
		}
	}
	return out
}

// semiSorting counts the values that four sorted prefixes of 4 bits take, and says what a slot of the filter has.
func semiSorting(g lab.Group) claims.Verdict {
	const prefixes = 16
	values := 0
	for a := range prefixes {
		for b := range a + 1 {
			for c := range b + 1 {
				values += c + 1 // as many for the fourth
			}
		}
	}
	bits := lab.Quotient(8*g.Sum("size_bytes"), g.Param("slots")*len(g.Rows))
	return claims.Judge(values == 3876 && math.Abs(bits-catalogue.SlotBits) < 0.05, claims.Draft{
		Claim:     "Semi-sorting at b = 4: sorted prefixes of 4 bits take 3876 values, so that 12 bits are enough for 16, one bit saved per fingerprint",
		Paper:     "3876 values; 1 bit",
		Ours:      fmt.Sprintf("%d values, below 2^12; fingerprints of %d bits in %.2f bits a slot", values, catalogue.SlotBits+1, bits),
		Tolerance: "none; 0.05 bits for the padding behind the table",
	})
}

// table2Space compares bits per item with the formula.
func table2Space(p lab.Profile, g lab.Group) claims.Verdict {
	const within = 0.02
	formula := "1.44 log2(1/eps)"
	if overhead, ok := table2Overhead[g.Series]; ok {
		formula = fmt.Sprintf("(log2(1/eps)+%v)/alpha", overhead)
	}
	v := claims.Draft{Claim: g.Series + ": bits per item", Paper: formula}
	if p == lab.Tiny {
		return claims.Missing(v.Claim, v.Paper, "Too few absent keys are looked up in this profile.")
	}
	rate, want := measure.Pooled(g), formulaBits(g)
	v.Paper = fmt.Sprintf("%s = %.2f", formula, want)
	v.Ours = fmt.Sprintf("%.2f at %s", groupBits(g), stat.RateText(rate.Value()))
	v.Tolerance = fmt.Sprintf("%.0f%%: the formula takes log2(8) for log2(8 alpha), and a rate counted to 2%% moves it by 0.3%%", 100*within)
	return claims.Judge(math.Abs(groupBits(g)/want-1) <= within, v)
}

// table2Load compares the load factor at the first refusal.
func table2Load(p lab.Profile, g lab.Group) claims.Verdict {
	v := claims.Draft{Claim: g.Series + ": load factor at the first refusal", Paper: "95.5%"}
	if p == lab.Tiny {
		return claims.Missing(v.Claim, v.Paper, claims.SmallTables)
	}
	allowed := claims.SizeEffect(4)
	v.Ours = fmt.Sprintf("%.2f%%, %s", 100*loadOf(g), slotsText(g))
	v.Tolerance = fmt.Sprintf("%.2f%%: how far the paper's own plateaus in figure 2 differ between m = 2^15 and 2^30", 100*allowed)
	return claims.Judge(math.Abs(loadOf(g)-law.DrawnLoad) <= allowed, v)
}

// table2Positive compares memory references for keys that are there.
func table2Positive(g lab.Group) claims.Verdict {
	refs := g.Mean("positive_references", "traced")
	v := claims.Draft{
		Claim: g.Series + ": memory references for a key that is there",
		Paper: "2", Ours: fmt.Sprintf("%.3f", refs), Tolerance: "none",
	}
	if _, ok := table2Overhead[g.Series]; ok {
		return claims.Judge(refs == 2, v)
	}
	v.Paper = fmt.Sprintf("log2(1/eps) = %.2f", law.LowerBound(measure.Pooled(g).Value()))
	v.Tolerance = "0.5: the number of hashes is whole, and 13 ln 2 = 9.01 are best"
	return claims.Judge(math.Abs(refs-law.LowerBound(measure.Pooled(g).Value())) <= 0.5 && refs == catalogue.BloomHashes, v)
}

// table2Negative compares memory references for absent keys.
func table2Negative(g lab.Group) claims.Verdict {
	refs := g.Mean("negative_references", "traced")
	v := claims.Draft{
		Claim: g.Series + ": memory references for an absent key",
		Paper: "2", Ours: fmt.Sprintf("%.3f", refs), Tolerance: "none",
	}
	if _, ok := table2Overhead[g.Series]; ok {
		return claims.Judge(refs == 2, v)
	}
	// Half of the cells are zero: the number read is geometric, with variance 2, cut at 9.
	allowed := 0.01 + stat.Deviations*math.Sqrt(2/float64(g.Sum("traced")))
	v.Tolerance = fmt.Sprintf("%.3f: a lookup ends after 9 cells, which makes it 2-2^-8, and %d standard errors of the count", allowed, stat.Deviations)
	return claims.Judge(math.Abs(refs-2) <= allowed, v)
}
