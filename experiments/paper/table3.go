package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// SpaceAndSpeed is Table 3 of the paper: filters of one size, what they hold, their rates, and how fast they fill.
func SpaceAndSpeed() *lab.Experiment {
	return &lab.Experiment{
		Name:  "table3",
		Title: "Table 3: space efficiency and construction speed",
		Claim: "Of filters of 192 MiB, the cuckoo filter holds the most items for its rate (12.60 bits per item at 0.19%, " +
			"a Bloom filter of that rate 13.00), and is filled faster than the Bloom filter, slower than the blocked one.",
		Method: "Filters of 12 bits for each of 2^q slots (q = 27 in the paper and its profile) are filled with random " +
			"integers: cuckoo and d-left counting Bloom filters until one is refused, the others with the paper's number of " +
			"items. Every key is looked up again, then absent ones. One hash of a key is counted (hashing.Mix64; the paper: " +
			"CityHash-64). " + oneLife + " " + madeText(),
		Limits: []string{
			paperSpeeds + "What can be compared is the order.",
			"The paper does not state how its d-left counting Bloom filter divides 12 bits into remainder and counter.",
			paperCaches,
			"Tables of the quick profile fit into a cache, where a key of nine hashes costs little more than a key of two.",
		},
		Columns: append(slices.Clone(catalogue.FillDerived), speedOf(keysASecond, "items", "build_ns")),
		Params:  "slots", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life(strings.Join(catalogue.FillCounts, " ")+" kicks build_ns chase_ps", "build_ns chase_ps",
			func(z catalogue.LifeSize, _ catalogue.Entry) int { return 1<<z.Q + z.Probes }),
		Timed: keysASecond,
		Plots: []lab.Plot{{
			Title:   "Filters of one size: false-positive rate by space",
			Caption: "Measured rate on a log axis against bits per item, the paper's values hollow.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "space (bits per item)", Min: 12, Max: 16},
				Y:  chart.Axis{Label: "false-positive rate", Log: true, Min: 5e-4, Max: 3e-2},
				At: groupBits, Of: measure.Rate, Kind: chart.Marks, Label: labelOf, Style: speeds{}.style,
				More: []lab.More{table3Marks},
			}},
			Edit: func(d *lab.Data, f *chart.Figure) {
				f.Below, f.Caption = true, f.Caption+catalogue.OwnText(catalogue.DrawnKinds(d, nil))
				widenForOwn(d, f)
			},
		}},
		Table: table3Table,
		Claims: []lab.Rule{
			func(d *lab.Data) (out []claims.Verdict) {
				for _, g := range ofPaper(d) {
					if k, _ := catalogue.Find(g.Series); k.UntilFull() { // the others have the paper's items by our setting
						out = append(out, d.Judged([]claims.Verdict{table3Space(g)})...)
					}
					out = append(out, table3Rate(d.Setup.Profile, g))
				}
				return append(out, smallerAtItsRate(d), table3Predicted(d))
			},
			lab.Judged(func(d *lab.Data) []claims.Verdict { return []claims.Verdict{outperforms(d), unevenBlocks(d)} }),
			lab.NoneLost("items"), table3Speeds,
		},
	}
}

func madeText() string {
	var all []string
	for _, k := range catalogue.Table3() {
		all = append(all, k.Name+" ("+k.Label+"): "+k.Made)
	}
	return strings.Join(all, "; ") + "."
}

// table3Paper are the paper's values: million items, bits per item, rate, million keys a second.
var table3Paper = map[string]struct{ items, bits, rate, speed float64 }{
	"CF":     {127.78, 12.60, .0019, 5.00},
	"ss-CF":  {128.04, 12.58, .0009, 3.13},
	"BF":     {123.89, 13.00, .0019, 3.91},
	"blk-BF": {123.89, 13.00, .0043, 7.64},
	"QF":     {120.80, 13.33, .0018, 1.91},
	"dl-CBF": {103.82, 15.51, .0076, 4.78},
}

func ofPaper(d *lab.Data) (out []lab.Group) {
	for _, g := range d.Groups {
		if _, ok := table3Paper[g.Series]; ok {
			out = append(out, g)
		}
	}
	return out
}

func table3Table(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{
		"filter", "items_million", "paper_items", "bits_per_item", "paper_bits", "rate", "rate_low", "rate_high",
		"predicted_rate", "paper_rate", "million_keys_per_second", "speed_low", "speed_high", "paper_speed",
	}}
	for _, g := range d.Groups {
		paper, ok := table3Paper[g.Series]
		if !ok {
			none := math.NaN() // shows as nothing
			paper.items, paper.bits, paper.rate, paper.speed = none, none, none, none
		}
		rate, speeds := claims.Of(measure.Pooled(g), 1), g.Values(keysASecond)
		low, high := claims.MedianInterval(speeds)
		t.Add(g.Series, lab.Quotient(g.Sum("items"), 1_000_000*len(g.Rows)), paper.items, groupBits(g), paper.bits,
			rate.Value, rate.Low, rate.High, predictedOf(g), paper.rate, claims.Median(speeds), low, high, paper.speed)
	}
	return t
}

// groupBits are the bits per item, and predictedOf the rate to expect, of the trials of a group.
func groupBits(g lab.Group) float64 { return lab.Ratio(8, "size_bytes", "items")(g).Value }

func predictedOf(g lab.Group) float64 { return claims.SampleOf(g.Values("predicted_rate")).Mean }

func table3Marks(_ *lab.Data, groups []lab.Group) (out []chart.Series) {
	for _, g := range groups {
		if paper, ok := table3Paper[g.Series]; ok {
			out = append(out, papersMark("paper", speeds{}.style(g, 0, chart.Style{}), paper.bits, paper.rate))
		}
	}
	return append(out, chart.Series{Label: "Bloom, formula", Kind: chart.Thin, Style: chart.StyleFor("bound"),
		Points: lab.Points(rates(5e-4, 2.9e-2, 1.1), func(rate float64) chart.Point {
			return chart.Point{X: claims.BloomBits(rate), Y: rate}
		})})
}

func widenForOwn(d *lab.Data, f *chart.Figure) {
	for _, s := range f.Panels[0].Series {
		if d.Setup.Own.Number(s.Label) >= 0 {
			catalogue.WidenFor(&f.Panels[0], s)
		}
	}
}

func papersMark(label string, style chart.Style, x, y float64) chart.Series {
	return chart.Series{Label: label, Kind: chart.Hollow, Style: style, Points: []chart.Point{{X: x, Y: y}}}
}

// beyond is what the first refusal comes sooner by in tables of the paper's size, and with each doubling: for cuckoo
// filters by the paper's plateaus in figure 2, .960 at 2^15 buckets and .946 at 2^30; for the d-left one by its fluid
// limit, .7528 at 2^10 buckets a table and .7415 at 2^14.
func beyond(g lab.Group) (share, doubling float64) {
	doubling = map[string]float64{"CF": .001, "ss-CF": .001, "dl-CBF": .0038}[g.Series]
	return float64(catalogue.PaperSlots-measure.Power2(g.Param("slots"))) * doubling, doubling
}

func table3Claim(g lab.Group, id, says, paper string) claims.Claim {
	return claims.Claim{ID: g.Series + ", " + id, Says: g.Series + ": " + says, Paper: paper, Source: "Table 3, " +
		g.Series}
}

func table3Space(g lab.Group) claims.Verdict {
	const rounded = 0.005 // how far a printed number is from the true one at most
	paper, ours := table3Paper[g.Series], claims.SampleOf(g.Values("bits_per_item"))
	falls, doubling := beyond(g)
	scatter := ours.Slack() * math.Sqrt(float64(ours.N)+1) // of the paper's one fill and our mean
	return table3Claim(g, "space", "bits per item", fmt.Sprintf("%.2f, %.2f million items", paper.bits,
		paper.items)).Equal(
		claims.Around(ours.Mean, 2*ours.Err).As("", "2^%d slots, fills: %d", measure.Power2(g.Param("slots")), ours.N),
		paper.bits, rounded+scatter+falls*paper.bits,
		fmt.Sprintf("rounding, %d standard deviations of the paper's one fill and our mean, and %.2f%% for each doubling "+
			"of the table up to the paper's, at which the first refusal comes sooner", claims.Deviations, 100*doubling))
}

const (
	keysASecond  = "million_keys_per_second" // the column of the speed
	roundedRate  = 0.00005                   // how far a printed rate is from the true one at most
	openCounting = "The paper does not state the widths. Tried: every division of 12 bits into remainder and " +
		"counter. With its 4 tables, 4 slots a bucket and load these make 0.30% (no counter), 0.60%, 1.20% (a counter of 2 " +
		"bits, as here), 2.39%; of 560 settings of 2 to 8 tables and 1 to 16 slots nine come within 0.01% of 0.76%, none " +
		"of them with 4 and 4."
)

func table3Rate(p lab.Profile, g lab.Group) claims.Verdict {
	paper, rate := table3Paper[g.Series].rate, measure.Pooled(g)
	c := table3Claim(g, "rate", "false-positive rate", claims.RateText(paper))
	if g.Series == "dl-CBF" {
		c.Open = openCounting
	}
	if p == lab.Tiny {
		return c.NotMeasured(fewProbes)
	}
	v := c.Equal(claims.Of(rate, 100).As("%.4f%%", "%d of %d", rate.Events, rate.N),
		100*paper, 100*(roundedRate+claims.Deviations*math.Sqrt(paper/float64(rate.N))),
		fmt.Sprintf("what rounding hides, and %d standard errors of the count", claims.Deviations))
	if g.Series == "blk-BF" {
		return v.Shown(doubleHashing(g))
	}
	return v
}

// smallerAtItsRate compares the cuckoo filter with a Bloom filter of its rate: as many bits per halving of the rate.
func smallerAtItsRate(d *lab.Data) claims.Verdict {
	c := claims.Sentence("space", claims.Claim{ID: "CF and BF, space", Source: "Table 3, CF and BF",
		Says:  "CF takes fewer bits per item than a Bloom filter of its rate: bits that BF takes more",
		Paper: "13.00 - 12.60 at 0.19%"})
	cuckoo, bloom := d.Select("CF"), d.Select("BF")
	if d.Setup.Profile == lab.Tiny || len(cuckoo) == 0 || len(bloom) == 0 {
		return c.NotMeasured(claims.SmallTables)
	}
	at, of := claims.Of(measure.Pooled(cuckoo[0]), 1), claims.Of(measure.Pooled(bloom[0]), 1)
	bits := claims.SampleOf(cuckoo[0].Values("bits_per_item"))
	more := func(at, of float64) float64 {
		return groupBits(bloom[0])*claims.LowerBound(at)/claims.LowerBound(of) - bits.Mean
	}
	e := claims.Estimate{Value: more(at.Value, of.Value), Low: more(at.High, of.Low) - 2*bits.Err,
		High: more(at.Low, of.High) + 2*bits.Err, Format: "%.2f"}
	return c.Order([]claims.Step{{Name: "at " + claims.RateText(at.Value), Of: e}},
		"BF's bits are taken in proportion to log2(1/rate) from its own rate to that of CF")
}

func table3Predicted(d *lab.Data) claims.Verdict {
	worst, of := 0.0, "-"
	for _, g := range d.Groups {
		want := predictedOf(g) * float64(g.Sum("probes"))
		if off := math.Abs(float64(g.Sum("false_positives"))-want) / math.Sqrt(want); off >= worst {
			worst, of = off, g.Series
		}
	}
	return claims.Ours("predicted rates",
		"Each filter's measured rate is the one that its formula predicts: standard errors between them, at most").
		Equal(claims.Estimate{Value: worst}.As("%.1f", "%s", of), 0, claims.Deviations+1,
			"of six filters one exceeds them once in 290 000")
}

// overBloom is the space of the filter of a group over that of a Bloom filter of the measured rate.
func overBloom(g lab.Group) claims.Estimate {
	rate, bits := claims.Of(measure.Pooled(g), 1), claims.SampleOf(g.Values("bits_per_item"))
	over := func(rate, bits float64) float64 { return bits / claims.BloomBits(rate) }
	return claims.Estimate{Value: over(rate.Value, bits.Mean), Low: over(rate.Low, bits.Mean-bits.Slack()),
		High: over(rate.High, bits.Mean+bits.Slack())}
}

// outperforms compares the space of the cuckoo filter with that of others that delete, all over a Bloom filter's.
func outperforms(d *lab.Data) claims.Verdict {
	c := claims.Sentence("outperform", claims.Claim{ID: "outperform, space", Source: "Table 3", Paper: "substantially",
		Says: "Space over that of a Bloom filter of the same rate: by how much more than 2% CF is smaller than QF " +
			"and dl-CBF"})
	var steps []claims.Step
	for _, name := range []string{"QF", "dl-CBF"} {
		cf, other := d.Select("CF"), d.Select(name)
		if len(cf) == 0 || len(other) == 0 {
			return c.NotMeasured("A filter is missing.")
		}
		a, b := overBloom(cf[0]), overBloom(other[0])
		steps = append(steps, claims.Step{Name: fmt.Sprintf("%s, %.3f and %.3f", name, a.Value, b.Value),
			Of: claims.Estimate{Value: b.Value - a.Value - 0.02, Low: b.Low - a.High - 0.02,
				High: b.High - a.Low - 0.02}})
	}
	return c.Order(steps, "2% is more than what cuckoo filters of this size scatter by; where rates differ, space is "+
		"compared as multiples of a Bloom filter's")
}

// unevenBlocks holds the paper's explanation of the higher rate of its blocked Bloom filter against a filter of uneven
// blocks and independent bits.
func unevenBlocks(d *lab.Data) claims.Verdict {
	c := claims.Sentence("uneven", claims.Claim{ID: "blk-BF, uneven blocks", Paper: "0.43%",
		Says: "Uneven blocks alone, with independent bits, give blk-BF the rate of Table 3"})
	groups := d.Select("blk-BF")
	if len(groups) == 0 {
		return c.NotMeasured("The filter is missing.")
	}
	rate := measure.Pooled(groups[0])
	paper := table3Paper["blk-BF"].rate
	v := c.Equal(claims.Of(rate, 100).As("%.4f%%", ""), 100*paper, 100*(roundedRate+
		claims.Deviations*math.Sqrt(paper/float64(rate.N))), "rounding, and 4 standard errors of the count")
	return v.Shown(doubleHashing(groups[0]))
}

// latency is the time of an insert that is in kicks, each a read that waits for the one before, by the chase that was
// timed on the same machine in each round: kicks of an insert, nanoseconds of a read, and of an insert.
func latency(groups []lab.Group, inserts, ns string) (kicks, read, insert float64) {
	all := lab.Group{Rows: slices.Clone(groups[0].Rows)}
	kicks, insert = all.Mean("kicks", inserts), lab.Quotient(all.Sum(ns), all.Sum(inserts))
	var reads []float64
	for _, r := range all.Rows {
		reads = append(reads, float64(r.Count("chase_ps"))/1000)
	}
	return kicks, claims.Median(reads), insert
}

// table3Speeds compares which is filled faster, a filter or the cuckoo filter, or as fast where the paper's are. Where
// the cuckoo filter would be the faster one without the time of its kicks, they are the cause.
func table3Speeds(d *lab.Data) (out []claims.Verdict) {
	cuckoo := d.Select("CF")
	if len(cuckoo) == 0 {
		return nil
	}
	kicks, read, insert := latency(cuckoo, "items", "build_ns")
	speed := map[string][]float64{}
	for _, g := range ofPaper(d) {
		speed[g.Series] = g.Values(keysASecond)
	}
	for _, g := range ofPaper(d) {
		theirs := table3Paper[g.Series].speed / table3Paper["CF"].speed
		c := claims.Claim{ID: g.Series + ", construction", Source: "Table 3, construction speed",
			Says: g.Series + " is filled more slowly than CF (its speed over that of CF)", Paper: fmt.Sprintf("%.2f", theirs)}
		of, by, judge := speed[g.Series], speed["CF"], rule(behind)
		switch {
		case g.Series == "CF":
			continue
		case max(theirs, 1/theirs) < equalSlack:
			c.Says, judge = g.Series+" is filled as fast as CF", equal(1)
		case theirs > 1:
			c.Says, c.Paper = g.Series+" is filled faster than CF (speed of CF over its own)", fmt.Sprintf("%.2f", 1/theirs)
			of, by = by, of
		}
		v := timed(c, d.Setup.Profile, of, by, judge)
		own := 1000 / claims.Median(speed[g.Series])
		out = append(out, v.Shown(theirs < 1 && insert-kicks*read < own && kicks*read > insert/3, fmt.Sprintf("A key "+
			"of CF takes %.0f ns and %.2f kicks, each a read that waits for the one before: %.0f ns on this machine, "+
			"together %.0f ns. Without them it would take less than the %.0f ns of %s, whose writes do not wait. In "+
			"absolute numbers CF is filled with %.2f million keys a second here, with %.2f on the paper's machine of "+
			"2010.", insert, kicks, read, kicks*read, own, g.Series, 1000/insert,
			table3Paper["CF"].speed)))
	}
	c := claims.Sentence("ss-CF inserts", claims.Claim{ID: "ss-CF over BF, construction", Source: "Table 3",
		Says:  "BF is filled more slowly than ss-CF (its speed over that of ss-CF)",
		Paper: fmt.Sprintf("%.2f", table3Paper["BF"].speed/table3Paper["ss-CF"].speed)})
	v := timed(c, d.Setup.Profile, speed["BF"], speed["ss-CF"], behind)
	return append(out, v.Shown(true, "The paper's own Table 3 contradicts the sentence: 3.13 million keys a second "+
		"against 3.91 of BF."))
}

// BlockBits counts what the nine bits of a key in a block of 512 bits do to the false-positive rate, by how they are
// drawn: it shows why the blocked Bloom filter of Table 3 has another rate than ours.
func BlockBits() *lab.Experiment {
	steps := lab.ListOf([]claims.Hashing{claims.NoStep, claims.OddStep, claims.AnyStep,
		claims.Published}, func(s claims.Hashing) lab.Value {
		return lab.Named(s.String(), s)
	})
	return &lab.Experiment{
		Name:  "block-bits",
		Title: "Table 3, blocked Bloom filter: how the bits of a block are drawn",
		Claim: "The paper's blocked Bloom filter has a rate of 0.43% at 13 bits per item, ours 0.28%: how the bits of " +
			"a key depend on each other is why.",
		Method: "Blocked Bloom filters of 1024 blocks of 512 bits hold random keys of nine bits each, drawn " +
			"independently by double hashing with an odd or any second hash, or by h1, h2 and h1 + c[k]*h2 with the " +
			"constants of the code that the authors published first. The lines are exact rates, by inclusion and " +
			"exclusion; that of the constants is counted.",
		Limits: []string{"That the authors drew the figure with that code. The paper says h1 + i*h2, and an odd h2 " +
			"gives its number too."},
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
			Title:   "Blocked Bloom filters with nine bits a key, by how they are drawn",
			Caption: "False-positive rate by bits per item: counts as marks, exact rates as lines, the paper's point hollow.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "space (bits per item)", Min: 7, Max: 17},
				Y:  chart.Axis{Label: "false-positive rate", Log: true},
				At: lab.At("bits_per_item"), Of: measure.Rate, Kind: chart.Marks, Style: lab.Numbered, More: []lab.More{blockLines},
			}},
		}},
		Claims: []lab.Rule{blockClaims},
		Table:  blockTable,
	}
}

const blockBits, blockCount = 512, 1 << 10

func blockOf(s claims.Hashing) claims.Block {
	return claims.Block{Bits: blockBits, Hashes: catalogue.BloomHashes, Hashing: s}
}

// blockRates are the exact rates that were computed, by their arguments: each takes up to a tenth of a second.
var blockRates sync.Map

func blockRate(step claims.Hashing, blocks, keys int) float64 {
	at := [3]int{int(step), blocks, keys}
	if _, known := blockRates.Load(at); !known {
		blockRates.Store(at, blockOf(step).Rate(blocks, keys))
	}
	rate, _ := blockRates.Load(at)
	return rate.(float64)
}

// exactBlockRate is NaN for the published constants, of which no rate is computed.
func exactBlockRate(g lab.Group) float64 {
	if g.Rows[0].Cell.Of("step") == claims.Published {
		return math.NaN()
	}
	return blockRate(g.Rows[0].Cell.Of("step").(claims.Hashing), blockCount, g.Rows[0].Count("keys"))
}

func blockLines(_ *lab.Data, groups []lab.Group) (lines []chart.Series) {
	names, parts := lab.Split("series", groups)
	for i, name := range names {
		lines = append(lines, chart.Series{Label: name, Kind: chart.Thin, Style: chart.Numbered(i),
			Points: lab.Points(parts[i], func(g lab.Group) chart.Point {
				return chart.Point{X: g.Cell.Float("bits_per_item"), Y: exactBlockRate(g)}
			})})
	}
	paper := table3Paper["blk-BF"]
	return append(lines, papersMark("paper, Table 3", chart.StyleFor("blk-BF"), paper.bits, paper.rate))
}

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

func blockClaims(d *lab.Data) (out []claims.Verdict) {
	const deviations = claims.Deviations + 1 // with 32 filters, from which the error is made too, more than four
	for _, g := range d.Where("bits_per_item", fmt.Sprint(catalogue.BloomBits)) {
		rates := claims.SampleOf(g.Values("false_positive_rate"))
		scatter := 100 * deviations * math.Max(rates.Err, math.Sqrt(rates.Mean/float64(g.Sum("probes"))))
		e := claims.Around(100*rates.Mean, 200*rates.Err).As("%.4f%%", "%d filters", rates.N)
		reason := fmt.Sprintf("%d standard errors between filters", deviations)
		says := fmt.Sprintf("%s: the rate at %d bits per item is the computed one", g.Series, catalogue.BloomBits)
		if exact := exactBlockRate(g); !math.IsNaN(exact) {
			out = append(out, claims.Ours(g.Series, says).Equal(e, 100*exact, scatter, reason))
		}
		if g.Series == claims.OddStep.String() || g.Series == claims.Published.String() {
			c := claims.Claim{ID: "paper, " + g.Series, Paper: "0.43%",
				Says: "Bits by " + g.Series + " have the rate that Table 3 prints for blk-BF"}
			out = append(out, c.Equal(e, 100*table3Paper["blk-BF"].rate, 100*roundedRate+scatter, "rounding, and "+reason))
		}
	}
	return out
}

// doubleHashing tells whether how bits are drawn is why the blocked Bloom filter of a group has another rate than the
// paper's: independent bits have the rate that was measured, and those of double hashing the paper's.
func doubleHashing(g lab.Group) (bool, string) {
	rate, keys, blocks := measure.Pooled(g), g.Sum("items")/len(g.Rows), 8*g.Rows[0].Count("size_bytes")/blockBits
	odd, independent := blockRate(claims.OddStep, blocks, keys), blockRate(claims.NoStep, blocks, keys)
	agrees := math.Abs(rate.Value()-independent) <= claims.Deviations*math.Sqrt(independent/float64(rate.N))
	return agrees && math.Abs(odd-table3Paper["blk-BF"].rate) <= roundedRate, fmt.Sprintf(
		"Uneven blocks alone have a rate of %.4f%%, as ours, with independent bits. How the nine bits of a key depend "+
			"on each other is the cause: h1, h2 and h1 + c[k]*h2 with the constants of the authors' first published "+
			"code (efficient/cuckoofilter, commit f9808ce, filter/blockedbloomfilter.h) have the paper's rate, as "+
			"counted in block-bits, and so does h1 + i*h2 with an odd h2, %.4f%%.", 100*independent, 100*odd)
}
