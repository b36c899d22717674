package paper

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// BlockBits counts what the nine bits of a key in a block of 512 bits do to the false-positive rate, by how they are
// drawn: it shows why the blocked Bloom filter of Table 3 has another rate than ours.
func BlockBits() *lab.Experiment {
	steps := lab.ListOf([]claims.Hashing{claims.NoStep, claims.OddStep, claims.AnyStep}, func(s claims.Hashing) lab.Value {
		return lab.Named(s.String(), s)
	})
	return &lab.Experiment{
		Name:  "block-bits",
		Title: "Table 3, blocked Bloom filter: how the bits of a block are drawn",
		Claim: "The paper's blocked Bloom filter has a rate of 0.43% at 13 bits per item, ours 0.28%: double hashing is why.",
		Method: "Blocked Bloom filters of 1024 blocks of 512 bits hold random keys of nine bits each, drawn independently " +
			"or by double hashing with an odd or any second hash. The lines are exact rates, by inclusion and exclusion.",
		Limits: []string{"That the authors' second hash was odd: the paper says h1 + i*h2, and an odd one gives its number."},
		Params: "bits_per_item",
		Grid: lab.Grid{{
			Series: "{step}",
			Axes:   []lab.Axis{lab.Over("step", steps), lab.Over("bits_per_item", lab.Ints(8, 10, catalogue.BloomBits, 16))},
			Trials: func(c lab.Cell) int {
				judged := c.In(lab.Size{2, 32, 96})
				if c.Int("bits_per_item") != catalogue.BloomBits {
					return max(2, judged/4) // for the picture only
				}
				return judged
			},
		}},
		Trial: lab.Trial{
			Counts: "keys probes false_positives", Needs: func(lab.Cell) (float64, int64) { return 2e5, 0 },
			Run: func(_ context.Context, c lab.Cell, seed uint64) ([]int, error) {
				const probes = 1 << 16
				keys := blockCount * blockBits / c.Int("bits_per_item")
				return []int{keys, probes, blockOf(c.Of("step").(claims.Hashing)).Count(blockCount, keys, probes, seed)}, nil
			},
		},
		Columns: measure.RateColumns[1:],
		Plots: []lab.Plot{{
			Title: "Blocked Bloom filters with nine bits a key, by how they are drawn",
			Caption: "False-positive rate on a log axis against bits per item, for independent bits and two kinds of double " +
				"hashing: counts as marks, exact rates as lines, the paper's point hollow.",
			Edit: blockPanel,
		}},
		Claims: []lab.Rule{blockClaims},
		Table:  blockTable,
	}
}

const (
	blockBits  = 512
	blockCount = 1 << 10
)

// blockOf is a block whose bits are drawn in steps.
func blockOf(s claims.Hashing) claims.Block {
	return claims.Block{Bits: blockBits, Hashes: catalogue.BloomHashes, Hashing: s}
}

// exactBlockRate is the rate of a group by its formula.
func exactBlockRate(g lab.Group) float64 {
	return blockRate(g.Rows[0].Cell.Of("step").(claims.Hashing), blockCount, g.Rows[0].Count("keys"))
}

// blockRates are those that were computed, each of which takes some milliseconds, by their arguments.
var blockRates sync.Map

// blockRate is the exact rate of a filter of so many blocks and keys.
func blockRate(step claims.Hashing, blocks, keys int) float64 {
	at := [3]int{int(step), blocks, keys}
	rate, ok := blockRates.Load(at)
	if !ok {
		rate = blockOf(step).Rate(blocks, keys)
		blockRates.Store(at, rate)
	}
	return rate.(float64)
}

// blockTable puts count and formula beside each other, and the paper's number.
func blockTable(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"bits_of_a_key", "bits_per_item", "rate", "exact_rate", "paper_rate"}}
	for _, g := range d.Groups {
		paper := math.NaN()
		if g.Param("bits_per_item") == catalogue.BloomBits {
			paper = table3Paper["blk-BF"].rate
		}
		t.Add(g.Series, g.Param("bits_per_item"), measure.Pooled(g).Value(), exactBlockRate(g), paper)
	}
	return t
}

// blockPanel draws rates by space, with the paper's point.
func blockPanel(d *lab.Data, f *chart.Figure) {
	p := chart.Panel{X: chart.Axis{Label: "space (bits per item)", Min: 7, Max: 17},
		Y: chart.Axis{Label: "false-positive rate", Log: true}}
	space := lab.At("bits_per_item")
	for i, series := range d.Series() {
		groups, style := d.Select(series), chart.Numbered(i)
		p.Series = append(p.Series,
			chart.Series{Label: series, Kind: chart.Marks, Style: style, Points: lab.Points(groups,
				func(g lab.Group) chart.Point {
					return measure.RateAt(space(g), g)
				})},
			chart.Series{Label: series, Kind: chart.Thin, Style: style, Points: lab.Points(groups,
				func(g lab.Group) chart.Point {
					return chart.Point{X: space(g), Y: exactBlockRate(g)}
				})})
	}
	paper := table3Paper["blk-BF"]
	p.Series = append(p.Series, papersMark("paper, Table 3", entries("blk-BF")[0].Style(), paper.bits, paper.rate))
	f.Panels = []chart.Panel{p}
}

// blockClaims hold the counts against the formula, and the paper's number against the odd second hash.
func blockClaims(d *lab.Data) (out []claims.Verdict) {
	const deviations = claims.Deviations + 1 // with 32 filters, from which the error is made too, more than four
	for _, g := range d.Groups {
		if g.Param("bits_per_item") != catalogue.BloomBits {
			continue
		}
		rates := claims.SampleOf(g.Ratios("false_positives", "probes"))
		scatter := 100 * deviations * math.Max(rates.Err, math.Sqrt(rates.Mean/float64(g.Sum("probes"))))
		e := claims.Around(100*rates.Mean, 200*rates.Err).As("%.4f%%", "%d filters", rates.N)
		reason := fmt.Sprintf("%d standard errors between filters", deviations)
		says := fmt.Sprintf("%s: the rate at %d bits per item is the computed one", g.Series, catalogue.BloomBits)
		out = append(out, claims.Ours(g.Series, says).Equal(e, 100*exactBlockRate(g), scatter, reason))
		if g.Series == claims.OddStep.String() {
			c := claims.Claim{ID: "paper", Paper: "0.43%",
				Says: "Double hashing with an odd second hash has the rate that Table 3 prints for blk-BF"}
			out = append(out, c.Equal(e, 100*table3Paper["blk-BF"].rate, 100*roundedRate+scatter, "rounding, and "+reason))
		}
	}
	return out
}

// doubleHashing tells whether how bits are drawn is why the blocked Bloom filter of a group has another rate than the
// paper's: independent bits have the rate that was measured, and those of double hashing the paper's.
func doubleHashing(g lab.Group) (bool, string) {
	rate, keys := measure.Pooled(g), g.Sum("items")/len(g.Rows)
	blocks := 8 * g.Rows[0].Count("size_bytes") / blockBits
	odd, independent := blockRate(claims.OddStep, blocks, keys), blockRate(claims.NoStep, blocks, keys)
	agrees := math.Abs(rate.Value()-independent) <= claims.Deviations*math.Sqrt(independent/float64(rate.N))
	return agrees && math.Abs(odd-table3Paper["blk-BF"].rate) <= roundedRate, fmt.Sprintf(
		"The nine bits of a key: independent ones, as ours, have a rate of %.4f%%, those of double hashing h1 + i*h2 with "+
			"an odd h2 %.4f%%. The experiment block-bits counts both.", 100*independent, 100*odd)
}
