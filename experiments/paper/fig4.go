package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// SpaceByRate is figure 4 of the paper: the bits per item that each kind of filter takes at a false-positive rate. The
// paper draws formulas; here filters are measured on top of them.
func SpaceByRate() *lab.Experiment {
	filters := lab.ListOf(fig4Filters(), func(f lab.Filter) lab.Value { return lab.Named(f.Name, f) })
	return &lab.Experiment{
		Name: "fig4", Revision: 1,
		Title: "Figure 4: space by false-positive rate",
		Claim: "Cuckoo filters take less space than Bloom filters below a false-positive rate of 3%, or above 7.2 bits per " +
			"item (the label in the paper's figure).",
		Method: "The lines are the paper's formulas, the marks are filled filters: Bloom and blocked ones, cuckoo filters " +
			"of 4 slots a bucket, plain and semi-sorted (XOR placement, random walk), and two of paired slots " +
			"(breadth-first). Space is compared with that of a Bloom filter of the same rate, on lines between its points.",
		Limits: []string{
			"The paper's label is not where its lines cross: 2.26% semi-sorted, and 0.36%.",
			"Cuckoo filters are drawn full. At a lower load they take more bits per item.",
		},
		Params: "b bits keys",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(2, 4, 10), Axes: []lab.Axis{
			lab.Over("filter", lab.Join(filters, lab.OwnFilters)),
			lab.Over("b", lab.From(func(c lab.Cell) lab.Value { return fig4Slots[c.Text("filter")] })),
			lab.Over("bits", lab.OwnSettings), lab.Over("keys", lab.By(lab.Ints(1<<11), lab.Ints(1<<17), lab.Ints(1<<23))),
		}}},
		Trial: measure.FillAndProbe(measure.Asked{
			Keys: measure.Of("keys"),
			New: func(c lab.Cell, seed uint64) (lab.Instance, error) {
				return c.Of("bits").(lab.Setting).New(c.Int("keys"), seed)
			},
			Probes: enoughProbes("bits", lab.Size{100, 400, 10_000}, lab.Size{1 << 12, 1 << 19, 1 << 24},
				lab.Size{1 << 14, 1 << 24, 1 << 28}),
		}),
		Columns: measure.RateColumns,
		Plots: []lab.Plot{{
			Title: "Space by false-positive rate: formulas and measured filters",
			Caption: "Four formulas of the paper, that of static filters, and the measured points of the others. A ring is at " +
				"the paper's label.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "space (bits per item)", Min: 0, Max: 25},
				Y:  chart.Axis{Label: "false-positive rate", Log: true, Min: fig4Low / 2, Max: fig4High},
				At: bitsOf, Of: measure.Rate, Kind: chart.Marks, Style: fig4Style, More: []lab.More{fig4Formulas},
			}},
			Edit: fig4Notes,
		}, glance},
		Claims: []lab.Rule{
			func(d *lab.Data) (out []claims.Verdict) {
				names, parts := lab.Split("filter", d.Groups)
				for i, name := range names {
					if !parts[i][0].Cell.Own() {
						out = append(out, ratePredicted(name, parts[i]))
					}
				}
				return out
			},
			lab.Judged(func(d *lab.Data) []claims.Verdict {
				return []claims.Verdict{
					lessSpace(d, fig4Cuckoo), lessSpace(d, fig4Sorted), bitsPerHalving(d), equalSpace(d), bitLess(d,
						fig4Paired), bitLess(d, fig4Paired8),
				}
			}),
			lab.NoneLost("stored"),
		},
	}
}

const (
	fig4Bloom   = "Bloom"
	fig4Blocked = "blocked Bloom"
	fig4Cuckoo  = "cuckoo"
	fig4Sorted  = "semi-sorted cuckoo"
	fig4Paired  = "paired cuckoo"
	fig4Paired8 = "paired cuckoo, b = 8"
)

// fig4Cuckoos are the cuckoo filters, of the paper's placement and policy but for paired slots, which need a search.
// Each width is there around the rate at which they begin to be smaller than a Bloom filter. Below 10 bits of paired
// slots more keys of one class than fit become likely in the tables of profile paper.
var fig4Cuckoos = []struct {
	name    string
	c       cuckoo.Config
	compare int // one key in so many has a fingerprint that is compared, times 2^f
	widths  []int
}{
	{fig4Cuckoo, cuckoo.Config{BucketSize: 4, Kick: cuckoo.RandomWalk}, 8, []int{6, 8, 9, 10, 11, 12, 14, 16, 18, 20}},
	{fig4Sorted, cuckoo.Config{BucketSize: 4, Kick: cuckoo.RandomWalk, Layout: cuckoo.SemiSorted}, 8,
		[]int{7, 8, 9, 10, 11, 13, 15, 17, 19}},
	{fig4Paired, cuckoo.Config{BucketSize: 4, Layout: cuckoo.PairedSlots}, 4, []int{10, 11, 12, 15}},
	{fig4Paired8, cuckoo.Config{BucketSize: 8, Layout: cuckoo.PairedSlots}, 4, []int{10, 11, 12, 15}},
}

var fig4Slots = map[string]lab.Value{
	fig4Cuckoo: lab.Int(4), fig4Sorted: lab.Int(4), fig4Paired: lab.Int(4), fig4Paired8: lab.Int(8),
}

// blockedHashes is the best number of hashes of a blocked Bloom filter by bits per item, from 6 in steps of 2:
// bloom.PlanBlocked for 2^17 keys, written down because it is computed in floating point.
// TestFig4_BlockedHashesAreBest compares. classicHashes is bits*ln 2.
var blockedHashes = [...]int{4, 5, 6, 8, 9, 9, 10, 11, 12, 12}

func classicHashes(bits int) int { return (bits*6931 + 5000) / 10_000 }

func fig4Filters() (all []lab.Filter) {
	classic, blocked := lab.Filter{Name: fig4Bloom}, lab.Filter{Name: fig4Blocked}
	for i, hashes := range blockedHashes {
		bits := 6 + 2*i
		classic.Settings = append(classic.Settings, lab.Setting{Bits: bits, OneIn: 1 << classicHashes(bits),
			New: func(n int, _ uint64) (lab.Instance, error) {
				return nest.New(nest.Spec{Kind: nest.Bloom, Slots: bits * n, Hashes: classicHashes(bits)})
			}})
		blocked.Settings = append(blocked.Settings, lab.Setting{Bits: bits, OneIn: 1 << hashes,
			New: func(n int, _ uint64) (lab.Instance, error) {
				return nest.New(nest.Spec{Kind: nest.BlockedBloom, Slots: bits * n, Hashes: hashes})
			}})
	}
	all = []lab.Filter{classic, blocked}
	for _, k := range fig4Cuckoos {
		filter := lab.Filter{Name: k.name}
		for _, width := range k.widths {
			filter.Settings = append(filter.Settings, lab.Setting{Bits: width, OneIn: 1 << width / k.compare, New: func(n int,
				seed uint64) (lab.Instance, error) {
				c := k.c
				c.Buckets, c.Placement = n/c.BucketSize, cuckoo.XOR
				return measure.NewCuckoo(width, c, seed)
			}})
		}
		all = append(all, filter)
	}
	return all
}

// The rates that figure 4 shows, and where the label in the paper's figure puts the crossover.
const (
	fig4Low, fig4High    = 1e-5, 0.1
	labelRate, labelBits = 0.03, 7.2
)

// A rateLine is one formula of figure 4, with the paper's name of it.
type rateLine struct {
	label, paper, filter string
	kind                 chart.Kind
	bits                 func(rate float64) float64
}

func (l rateLine) over(to, step float64, at func(rate, bits float64) chart.Point) chart.Series {
	return chart.Series{Label: l.label, Kind: l.kind, Style: chart.StyleFor(l.filter),
		Points: lab.Points(rates(fig4Low, to, step), func(rate float64) chart.Point { return at(rate, l.bits(rate)) })}
}

func bySpace(rate, bits float64) chart.Point { return chart.Point{X: bits, Y: rate} }
func byRate(rate, bits float64) chart.Point  { return chart.Point{X: rate, Y: bits} }

func fig4Lines() []rateLine {
	return []rateLine{
		{"Bloom, formula", "Bloom filter", fig4Bloom, chart.Line, claims.BloomBits},
		{"cuckoo, formula", "cuckoo filter", fig4Cuckoo, chart.Line, claims.CuckooBits},
		{"semi-sorted cuckoo, formula", "semi-sorted cuckoo filter", fig4Sorted, chart.Line, claims.SemiSortedBits},
		{"lower bound log2(1/rate)", "lower bound", "bound", chart.Thin, claims.LowerBound},
	}
}

func bitsOf(g lab.Group) float64 { return measure.BitsPerItem(g).Value }

func fig4Style(g lab.Group, _ int, usual chart.Style) chart.Style {
	if g.Cell.Own() {
		return catalogue.OwnStyle(g.Cell.Int("filter"))
	}
	return usual
}

func fig4Formulas(*lab.Data, []lab.Group) (lines []chart.Series) {
	for _, l := range fig4Lines() {
		paper := chart.Series{Label: "paper's lines", Kind: chart.Hollow, Style: chart.StyleFor(l.filter)}
		for i, pt := range claims.PaperPoints(4, "", l.paper) {
			if i%16 == 8 { // a hundred of them would hide our marks
				paper.Points = append(paper.Points, chart.Point{X: pt.Y, Y: pt.X})
			}
		}
		lines = append(lines, l.over(fig4High, 1.12, bySpace), paper)
	}
	static := rateLine{label: "binary fuse, formula", filter: "binary fuse", kind: chart.Line, bits: claims.FuseBits}
	return append(lines, static.over(fig4High, 1.12, bySpace))
}

func fig4Notes(d *lab.Data, f *chart.Figure) {
	widenForOwn(d, f)
	f.Panels[0].Notes = []chart.Note{{X: labelBits, Y: labelRate, Text: "paper's label: 3%, 7.2 bits"}}
	f.Width, f.Height = 15, 10
}

func fig4Load(groups ...lab.Group) float64 { return measure.MeanLoad("stored", "keys", groups...) }

// glanceHigh is the highest rate of fig4-glance, which shows the paper's point at one look: the space that lies between
// a Bloom filter and the semi-sorted cuckoo filter, by the formula of the one and the exact law of the other.
const glanceHigh = 0.2

var glance = lab.Plot{
	Name: "fig4-glance", Title: "A cuckoo filter is smaller than a Bloom filter at low rates, and it deletes",
	Caption: "Lines: the best Bloom filter, and the law of the semi-sorted one at its measured load. Marks: counts.",
	Panels: []lab.Panel{{
		X: chart.Axis{Label: "false-positive rate (log)", Log: true, Min: fig4Low, Max: glanceHigh, Format: chart.Percent},
		Y: chart.Axis{Label: "space (bits per key)", Min: 0, Max: 26}, Kind: chart.Marks,
		At: func(g lab.Group) float64 { return measure.Rate(g).Value },
		Of: func(g lab.Group) claims.Estimate { return claims.Exactly(bitsOf(g)) },
		Only: func(g lab.Group) bool {
			return g.Series == fig4Bloom || g.Series == fig4Sorted && g.Sum("false_positives") > 0
		},
		More: []lab.More{glanceLines},
	}},
	Edit: glanceAreas,
}

// sortedBits is the law of the semi-sorted filter at the load that was measured.
func sortedBits(d *lab.Data) func(rate float64) float64 {
	alpha := fig4Load(d.Select(fig4Sorted)...)
	return func(rate float64) float64 { return claims.ExactCuckooBits(rate, 4, alpha, 1) }
}

func glanceLines(d *lab.Data, _ []lab.Group) (lines []chart.Series) {
	for _, l := range []rateLine{
		{fig4Bloom, "", fig4Bloom, chart.Line, claims.BloomBits}, {fig4Sorted, "", fig4Sorted, chart.Line, sortedBits(d)},
		{"no filter can be smaller", "", "bound", chart.Thin, claims.LowerBound},
	} {
		lines = append(lines, l.over(glanceHigh, 1.1, byRate))
	}
	return lines
}

func glanceAreas(d *lab.Data, f *chart.Figure) {
	const step = 1.02
	p, sorted := &f.Panels[0], sortedBits(d)
	for _, rate := range rates(fig4Low, math.Nextafter(glanceHigh, 0), step) {
		area := chart.Area{Label: "saved by cuckoo", Style: chart.StyleFor(fig4Sorted), X0: rate,
			X1: min(rate*step, glanceHigh), Y0: sorted(rate), Y1: claims.BloomBits(rate)}
		if area.Y1 < area.Y0 {
			area.Label, area.Style, area.Y0, area.Y1 = "saved by Bloom", chart.StyleFor("bloom"), area.Y1, area.Y0
		}
		p.Areas = append(p.Areas, area)
	}
	if rate, bits, ok := claims.Crossover(sorted, claims.BloomBits, fig4Low, glanceHigh); ok {
		p.Notes = []chart.Note{{X: rate, Y: bits, Text: fmt.Sprintf("equal at %.1f%%", 100*rate)}}
	}
	f.Width, f.Height = 15, 8.5
}

// predicted returns the rate that a filter's own package predicts for a group.
func predicted(name string, g lab.Group) float64 {
	stored, bits, keys := g.Sum("stored")/len(g.Rows), g.Param("bits"), g.Param("keys")
	switch name {
	case fig4Bloom:
		return bloom.PredictRate(bits*keys, classicHashes(bits), stored)
	case fig4Blocked:
		return bloom.PredictBlockedRate(bits*keys, blockedHashes[(bits-6)/2], stored)
	case fig4Paired, fig4Paired8:
		return claims.ExactRate(float64(bits), 2, fig4Load(g)) // four slots can match, as in two buckets of 2
	}
	return claims.ExactRate(float64(bits), g.Param("b"), fig4Load(g))
}

func ratePredicted(name string, groups []lab.Group) claims.Verdict {
	e := overExpected(2, func(g lab.Group) float64 { return predicted(name, g) })(groups)
	return equalsOne(claims.Ours("rate of "+name, name+": measured rate over the rate that the filter predicts"),
		e, groups)
}

// A widthOf is a cuckoo filter of one width, and how many bits more one with the points of another filter takes.
type widthOf struct {
	bits   int
	point  chart.Point
	saved  claims.Estimate
	other  float64 // bits of the other filter
	events float64
}

// widthsAgainst returns those of a series, by rising widths, that have a rate the other's points reach.
func widthsAgainst(d *lab.Data, name, other string) (out []widthOf) {
	points := fig4Points(d, other)
	for _, g := range d.Select(name) {
		p := measure.RatePoint(g)
		if len(points) < 2 || p.Y > points[0].Y || p.Y < points[len(points)-1].Y || p.Zero {
			continue
		}
		bits := through(points)(p.Y) // the error is in bits of a Bloom filter
		out = append(out, widthOf{g.Param("bits"), p, claims.Around(bits-p.X, bitsError(g)/math.Ln2/math.Ln2), bits,
			float64(g.Sum("false_positives"))})
	}
	return out
}

// firstSmaller is the least width from which on all take less space than a Bloom filter, with their intervals.
func firstSmaller(widths []widthOf) (w widthOf, ok bool) {
	for _, at := range slices.Backward(widths) {
		if at.saved.Low <= 0 {
			break
		}
		w, ok = at, true
	}
	return w, ok
}

// lessSpace holds that a cuckoo filter takes less space than a Bloom filter of its rate at widths of rates below 3%.
func lessSpace(d *lab.Data, name string) claims.Verdict {
	c := claims.Sentence("3 percent", claims.Claim{ID: "less space, " + name, Source: "figure 4, label",
		Paper: "less than 3%",
		Says: name + ": takes fewer bits per item than a Bloom filter of its measured rate, at each width whose rate is " +
			"below 3%"})
	var steps []claims.Step
	widths := widthsAgainst(d, name, fig4Bloom)
	for _, w := range widths {
		if w.point.Y < labelRate-0.005 {
			steps = append(steps, claims.Step{Name: fmt.Sprintf("f = %d (%.2g%%)", w.bits, 100*w.point.Y), Of: w.saved})
		}
	}
	v := c.Order(steps, "bits saved, "+ofCounts+"; rates below 2.5%, as 3% has one digit")
	groups := d.Select(name)
	first, ok := firstSmaller(widths)
	if !ok || name != fig4Cuckoo {
		return v
	}
	alpha := fig4Load(groups[len(groups)-1])
	bits := func(rate float64) float64 { return claims.ExactCuckooBits(rate, 4, alpha, 0) }
	rate, _, crosses := claims.Crossover(bits, claims.BloomBits, fig4Low, fig4High)
	follows := ratePredicted(name, groups).Status == claims.Holds
	return v.Shown(follows && crosses && first.point.Y < rate && rate < labelRate,
		fmt.Sprintf("Measured rates are those of the exact law (row above). By it a plain filter of this load, %.3f, takes "+
			"less than a Bloom filter below %.2f%%, which is at f = %d, the first width that does. The sentence is right of "+
			"the semi-sorted filter (next row).", alpha, 100*rate, first.bits))
}

// bitsPerHalving compares what halving the rate costs: the constant factor between the filters.
func bitsPerHalving(d *lab.Data) claims.Verdict {
	c := claims.Sentence("asymptotic", claims.Claim{ID: "bits per halving", Paper: "1.05 and 1.44",
		Says: "Bits per item that halving the rate costs, " + fig4Cuckoo + " and Bloom: how far they are from 1.05 and 1.44"})
	off := 0.0
	var each []string
	for name, want := range map[string]float64{fig4Cuckoo: 1.05, fig4Bloom: 1 / math.Ln2} {
		points := fig4Points(d, name)
		if len(points) < 2 {
			return c.NotMeasured("Too few rates were measured.")
		}
		first, last := points[0], points[len(points)-1]
		slope := (last.X - first.X) / math.Log2(first.Y/last.Y)
		off, each = max(off, math.Abs(slope-want)), append(each, fmt.Sprintf("%s %.3f", name, slope))
	}
	slices.Sort(each)
	return c.Equal(claims.Exactly(off).As("%.3f", "%s", strings.Join(each, ", ")), 0, 0.02, "the last digit is 0.01; "+
		"the ends of the lines are some thousands of events, or 0.05 of 10 to 13 halvings")
}

func equalSpace(d *lab.Data) claims.Verdict {
	const slack = 0.1 / labelBits
	c := claims.Claim{ID: "equal space", Source: "figure 4, label", Paper: "1, at 3% and 7.2 bits",
		Says: fig4Sorted + ", f = 8: bits per item over those of a Bloom filter of its measured rate"}
	for _, w := range widthsAgainst(d, fig4Sorted, fig4Bloom) {
		if w.bits == 8 {
			e := claims.Around(w.point.X/w.other, (w.saved.High-w.saved.Value)/w.other)
			return c.Within(e.As("", "%.2f bits at %.2f%%", w.point.X, 100*w.point.Y), 1-slack, 1+slack,
				"0.1 of 7.2 bits, the digit printed")
		}
	}
	return c.NotMeasured("No filter of 8 bits was measured.")
}

// bitLess holds that paired slots take a bit per item less than packed buckets of 4 at a rate, pooled over widths.
func bitLess(d *lab.Data, name string) claims.Verdict {
	c := claims.Ours("a bit less, "+name, name+": bits per item that plain buckets of 4 slots take beyond it at its "+
		"measured rate, pooled over the widths")
	saved, weights := 0.0, 0.0
	for _, w := range widthsAgainst(d, name, fig4Cuckoo) {
		weight := w.events / 2 // two rates, each as certain as its count
		saved, weights = saved+weight*w.saved.Value, weights+weight
	}
	if weights == 0 {
		return c.NotMeasured("No such filter was measured.")
	}
	// A bit of fingerprint is 1/alpha bits of an item.
	half := claims.Deviations / math.Sqrt(weights) / math.Ln2 / claims.DrawnLoad
	return c.Within(claims.Around(saved/weights, half), 0.85, 1.25,
		"what 11 bits save at loads of .95 to .98, where plain buckets of 12 fill to .965; the interval is "+ofCounts)
}

// fig4Points returns the measured points of a filter that have a rate, by falling rates.
func fig4Points(d *lab.Data, series string) []chart.Point {
	out := slices.DeleteFunc(lab.Points(d.Select(series), measure.RatePoint), func(p chart.Point) bool { return p.Zero })
	slices.SortFunc(out, func(a, b chart.Point) int { return cmp.Compare(b.Y, a.Y) })
	return out
}

// through is the line from point to point by falling rates, straight where rates are logarithms, and beyond the last.
func through(points []chart.Point) func(rate float64) float64 {
	return func(rate float64) float64 {
		i := 1
		for i < len(points)-1 && points[i].Y > rate {
			i++
		}
		a, b := points[i-1], points[i]
		return a.X + (b.X-a.X)*math.Log(rate/a.Y)/math.Log(b.Y/a.Y)
	}
}
