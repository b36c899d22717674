// Package paper has an experiment for each table and figure of "Cuckoo Filter: Practically Better Than Bloom" (Fan,
// Andersen, Kaminsky, Mitzenmacher, CoNEXT 2014).
package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// All returns the experiments of this package, in the order of the report.
func All() []*lab.Experiment {
	return []*lab.Experiment{
		Properties(), LookupCost(), SpaceAndSpeed(), BlockBits(),
		LoadFactor(), RateBySpace(), SpaceByRate(),
		LookupByShare(), LookupByOccupancy(), InsertByOccupancy(), DeleteByOccupancy(),
	}
}

type rule func(claims.Claim, claims.Estimate) claims.Verdict

func within(low, high float64, reason string) rule {
	return func(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Within(e, low, high, reason) }
}

var ofCounts = fmt.Sprintf("%d standard errors of the counts", claims.Deviations)

// rates are those from one to another, each so many times the one before.
func rates(from, to, times float64) (all []float64) {
	for rate := from; rate <= to; rate *= times {
		all = append(all, rate)
	}
	return all
}

// Properties is Table 1 of the paper: space against a Bloom filter of the same rate, cache lines of a lookup, and
// whether keys can be deleted.
func Properties() *lab.Experiment {
	return touched(lab.Experiment{
		Name:  "table1",
		Title: "Table 1: properties of Bloom filters and variants",
		Claim: "Blocked Bloom filters take the space of a Bloom filter of the same rate, counting ones 3 to 4 times that, " +
			"d-left counting ones 1.5 to 2 times, quotient filters 1 to 1.2 times, cuckoo filters no more.",
		Method: "Filters are filled as in Table 3, and their space is divided by that of the best Bloom filter of the " +
			"measured rate. The cache lines of 64 bytes that a lookup reads are counted by a model of its addresses that must " +
			"answer as the filter does. Then every other run of keys is deleted and all are looked up.",
		Limits: []string{
			"A line is counted once for each lookup, whether a cache holds it or not.",
			"The space of the d-left filter: the paper does not state how it divides 12 bits, and its rate stays unexplained.",
			"The space is that of about 12 bits a slot; for a cuckoo filter the ratio falls with the rate, see figure 4.",
		},
		Claims: []lab.Rule{spacesOverBloom, linesOf, deletions}, Table: table1Table,
	}, " deleted kept kept_found deleted_found", tryDelete, "BF", "blk-BF", "CBF", "dl-CBF", "QF", "CF")
}

var table1Sizes = map[lab.Profile]catalogue.FillSize{
	lab.Tiny:  {Q: 11, Trials: 1, Probes: 1 << 14, Traced: 1 << 9},
	lab.Quick: {Q: 20, Trials: 2, Probes: 1 << 20, Traced: 1 << 17},
	lab.Paper: {Q: catalogue.PaperSlots, Trials: 1, Probes: 10_000_000, Traced: 1 << 20},
}

type after = func(ctx context.Context, f *measure.Loops, seed uint64, n int) ([]int, error)

// touched completes an experiment in which filters are filled, asked and traced, and what is done then counts more.
func touched(e lab.Experiment, counts string, then after, filters ...string) *lab.Experiment {
	e.Columns = append(slices.Clone(catalogue.FillDerived), []lab.Column{
		{Name: "lines_positive", Of: lab.Div("positive_lines", "traced")},
		{Name: "lines_negative", Of: lab.Div("negative_lines", "traced")},
		{Name: "references_positive", Of: lab.Div("positive_references", "traced")},
		{Name: "references_negative", Of: lab.Div("negative_references", "traced")},
	}...)
	e.Params, e.Grid = "slots", lab.Grid{{
		Series: "{filter}", Trials: func(c lab.Cell) int { return table1Sizes[c.Setup.Profile].Trials },
		Axes: []lab.Axis{lab.Over("filter", lab.ListOf(filters, func(name string) lab.Value {
			e, _ := catalogue.Find(name)
			return lab.Named(name, e)
		})), lab.Over("slots", lab.From(func(c lab.Cell) lab.Value { return lab.Int(1 << table1Sizes[c.Setup.Profile].Q) }))},
	}}
	e.Trial = lab.Trial{
		Counts: strings.Join(slices.Concat(catalogue.FillCounts, catalogue.TouchCounts), " ") + counts,
		Needs: func(c lab.Cell) (float64, int64) {
			z := table1Sizes[c.Setup.Profile] // bytes of the filter, and of the tracer's
			return float64(2 * (2<<z.Q + z.Probes + 10*z.Traced)), 2 * catalogue.TableBytes(z.Q)
		},
		Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
			f, counts, err := c.Of("filter").(catalogue.Entry).Touches(ctx, table1Sizes[c.Setup.Profile], seed)
			if err != nil || then == nil {
				return counts, err
			}
			more, err := then(ctx, f, seed, counts[0])
			return append(counts, more...), err
		},
	}
	return &e
}

// tryDelete deletes every other run of the n keys of a seed, if the filter deletes at all, and looks both halves up. It
// returns how many were deleted, how many keys should be left and are, and how many deleted ones are still found.
func tryDelete(ctx context.Context, f *measure.Loops, seed uint64, n int) ([]int, error) {
	if f.Remove == nil {
		return []int{0, 0, 0, 0}, nil
	}
	halves := func(first, second func(keys []uint64) int) (a, b int, err error) {
		s := measure.Stream{Next: seed}
		err = s.Each(ctx, n, 64*measure.Batch, func(keys []uint64) error {
			for pair := range slices.Chunk(keys, 512) {
				half := min(256, len(pair))
				a, b = a+first(pair[:half]), b+second(pair[half:])
			}
			return nil
		})
		return a, b, err
	}
	deleted, kept, err := halves(f.Remove, func(keys []uint64) int { return len(keys) })
	if err != nil {
		return nil, err
	}
	deletedFound, keptFound, err := halves(f.Contains, f.Contains)
	return []int{deleted, kept, keptFound, deletedFound}, err
}

// table1Paper are the paper's cells: space, cache lines of a lookup, deletion.
var table1Paper = map[string]struct {
	space, lines string
	deletes      bool
}{
	"BF": {"1x", "k", false}, "blk-BF": {"1x", "1", false}, "CBF": {"3x-4x", "k", true},
	"dl-CBF": {"1.5x-2x", "d", true}, "QF": {"1x-1.2x", ">= 1", true}, "CF": {"<= 1x", "2", true},
}

func table1Table(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"filter", "bits_per_item", "rate", "space_over_bloom", "paper_space",
		"lines_positive", "lines_negative", "paper_misses", "deletion", "paper_deletion"}}
	yes := map[bool]string{true: "yes", false: "no"}
	for _, g := range d.Groups {
		paper, rate := table1Paper[g.Series], measure.Pooled(g).Value()
		t.Add(g.Series, groupBits(g), rate, groupBits(g)/claims.BloomBits(rate), paper.space,
			g.Mean("positive_lines", "traced"), g.Mean("negative_lines", "traced"), paper.lines,
			yes[g.Sum("deleted") > 0], yes[paper.deletes])
	}
	return t
}

// table1Space judges the space over that of a Bloom filter of the same rate, within half of the last digit that the
// paper prints. That of the d-left filter follows from widths that the paper does not state.
var table1Space = map[string]rule{
	"blk-BF": within(0.5, 1.5, "half of the last digit that is printed"),
	"CBF":    within(2.5, 4.5, "half of the last digit that is printed"),
	"QF":     within(0.95, 1.25, "the paper's bounds, and half of the last digit that is printed"),
	"CF": func(c claims.Claim, e claims.Estimate) claims.Verdict {
		return c.Below(e, 1, "the claim is a bound; at fingerprints of 12 bits, for the ratio falls with the rate")
	},
}

const fewProbes = "Too few absent keys are looked up in this profile."

func spacesOverBloom(d *lab.Data) (out []claims.Verdict) {
	for _, g := range d.Groups {
		judge, ok := table1Space[g.Series]
		if !ok {
			continue
		}
		c := claims.Claim{ID: g.Series + ", space", Says: g.Series + ": space over that of a Bloom filter of the same rate",
			Paper: table1Paper[g.Series].space, Source: "Table 1, " + g.Series}
		if g.Series == "CBF" {
			c = claims.Sentence("counting", c)
		}
		if d.Setup.Profile == lab.Tiny {
			out = append(out, c.NotMeasured(fewProbes))
			continue
		}
		pooled, bits := measure.Pooled(g), groupBits(g)
		rate := claims.Of(pooled, 1)
		e := claims.Estimate{Value: bits / claims.BloomBits(rate.Value), Low: bits / claims.BloomBits(rate.Low),
			High: bits / claims.BloomBits(rate.High)}
		out = append(out, judge(c, e.As("%.3f", "%.2f bits per item at %s", bits, claims.RateText(rate.Value))))
	}
	return out
}

// wholeLines is why lines of a cache are compared with whole numbers.
const wholeLines = "the paper prints whole numbers; buckets that cross a line of the cache add to ours"

// linesOf judges the lines of a cache that the lookup of a stored key reads, where Table 1 has a number of them.
func linesOf(d *lab.Data) (out []claims.Verdict) {
	const hashes, tables = catalogue.BloomHashes, 4
	for _, g := range d.Groups {
		want, ok := map[string]float64{"BF": hashes, "blk-BF": 1, "CBF": hashes, "dl-CBF": tables, "CF": 2}[g.Series]
		if ok {
			c := claims.Claim{ID: g.Series + ", lines", Paper: table1Paper[g.Series].lines, Source: "Table 1, " + g.Series,
				Says: fmt.Sprintf("%s: lines of the cache that the lookup of a stored key reads, of %g", g.Series,
					want)}
			out = append(out, c.Equal(claims.Exactly(g.Mean("positive_lines", "traced")), want, 0.5, wholeLines))
		}
	}
	return d.Judged(out)
}

func deletions(d *lab.Data) []claims.Verdict {
	return []claims.Verdict{deletion(d.Select("CF"), claims.Sentence("deletes", claims.Claim{
		ID: "CF, deletion", Paper: "yes", Source: "Table 1, CF",
		Says: "CF deletes keys: others that are lost with them, and deleted ones that are found more often than by chance",
	})), deletion(d.Groups, claims.Ours("deletion",
		"No filter loses a key, and those that delete make it absent: keys that are lost, and deleted ones that are found "+
			"more often than by chance"))}
}

// deletion adds up what went wrong: stored keys that are denied before or after others were deleted, keys that could
// not be deleted, and deleted ones that are found beyond the rate of false positives.
func deletion(groups []lab.Group, c claims.Claim) claims.Verdict {
	stored, deleted, wrong := 0, 0, 0.0
	for _, g := range groups {
		stored, deleted = stored+g.Sum("items"), deleted+g.Sum("deleted")
		wrong += float64(g.Sum("lost") + g.Sum("kept") - g.Sum("kept_found"))
		if table1Paper[g.Series].deletes {
			usual := predictedOf(g) * float64(g.Sum("deleted"))
			wrong += math.Abs(float64(g.Sum("items")-g.Sum("deleted")-g.Sum("kept"))) +
				max(0, float64(g.Sum("deleted_found"))-usual-claims.Deviations*math.Sqrt(usual))
		}
	}
	return c.Equal(claims.Estimate{Value: wrong}.As("%.0f", "%d stored, %d of them deleted", stored, deleted), 0, 0,
		fmt.Sprintf("none may be lost; of the deleted ones as many may be found as a full filter takes for members by "+
			"chance, and %d standard errors", claims.Deviations))
}

// LookupCost is Table 2 of the paper: bits per item, load factor and memory references of a lookup.
func LookupCost() *lab.Experiment {
	return touched(lab.Experiment{
		Name:  "table2",
		Title: "Table 2: space and lookup cost",
		Claim: "A Bloom filter takes 1.44 log2(1/eps) bits per item and log2(1/eps) references of memory for a key that is " +
			"there; a cuckoo filter (log2(1/eps)+3)/alpha bits at a load of 95.5%, semi-sorted one less, and 2 references.",
		Method: "The filters are those of Table 3. References are words that a lookup of a single key reads, by a model " +
			"that must answer as the filter does. Each formula gets the rate and the load that were measured.",
		Limits: []string{"The load of 95.5%: Table 3 has it as bits per item, and judges it by six fills and not by one."},
		Claims: []lab.Rule{table2Claims}, Table: table2Table,
	}, "", nil, "BF", "CF", "ss-CF")
}

// table2Overhead is how many bits beyond log2(1/eps) a slot has by the paper's formula; Bloom filters have no slots.
var table2Overhead = map[string]float64{"CF": 3, "ss-CF": 2}

func table2Table(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"filter", "rate", "bits_per_item", "paper_formula", "load_factor", "paper_load",
		"references_positive", "paper_positive", "references_negative", "paper_negative"}}
	for _, g := range d.Groups {
		rate := measure.Pooled(g).Value()
		formula, load, paperLoad, positive := claims.BloomBits(rate), any(""), any(""), any(claims.LowerBound(rate))
		if overhead, ok := table2Overhead[g.Series]; ok {
			alpha := measure.MeanLoad("items", "slots", g)
			formula, load, paperLoad, positive = (claims.LowerBound(rate)+overhead)/alpha, alpha, claims.DrawnLoad, 2
		}
		t.Add(g.Series, rate, groupBits(g), formula, load, paperLoad,
			g.Mean("positive_references", "traced"), positive, g.Mean("negative_references", "traced"), 2)
	}
	return t
}

// table2Claims hold the formulas of Table 2 against what was measured.
func table2Claims(d *lab.Data) (out []claims.Verdict) {
	for _, g := range d.Groups {
		c := func(id, says, paper string) claims.Claim {
			return claims.Claim{ID: g.Series + ", " + id, Says: g.Series + ": " + says, Paper: paper,
				Source: "Table 2, " + g.Series}
		}
		bits := claims.LowerBound(measure.Pooled(g).Value())
		positive, negative := g.Mean("positive_references", "traced"), g.Mean("negative_references", "traced")
		of, memory, formula, slack, why := claims.Exactly(groupBits(g)), "2 / 2",
			claims.BloomBits(measure.Pooled(g).Value()),
			0.05, "the last digit of 1.44 is 0.01 of 9 halvings; a whole number of hashes"
		off := math.Abs(positive-2) + math.Abs(negative-2)
		if overhead, ok := table2Overhead[g.Series]; ok {
			alpha := measure.MeanLoad("items", "slots", g)
			formula = (bits + overhead) / alpha
			chance := 2.58 * math.Log2E / math.Sqrt(float64(max(1, g.Sum("false_positives"))))
			slack, why = (0.1+chance)/alpha,
				"3 stands for log2(8 alpha) = 2.93, by the exact law of the rate; and 99% of the measured rate's chance"
		} else {
			memory, off = "log2(1/eps) / 2", math.Abs(positive-bits)+math.Abs(negative-2)
		}
		out = append(out, c("formula", "bits per item, measured", "by its formula for the measured rate: "+
			claims.Digits(formula, 4)).Equal(of, formula, slack, why),
			c("references", "how far the references of memory of a lookup, of stored and of absent keys, are from the paper's",
				memory).Equal(claims.Exactly(off).As("", "%.2f / %.2f", positive, negative), 0, 0.1,
				"counts; log2(1/eps) of a measured rate is no whole number"))
	}
	return d.Judged(out)
}
