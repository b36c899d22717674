package paper

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
)

// SpaceByRate is figure 4 of the paper: the bits per item that each kind of filter takes at a
// false-positive rate. The paper draws formulas; here filters are measured on top of them.
type SpaceByRate struct{}

// About states the claim.
func (SpaceByRate) About() lab.About {
	return lab.About{
		Name:  "fig4",
		Title: "Figure 4: space by false-positive rate",
		Claim: "Cuckoo filters take less space than Bloom filters below a false-positive rate of 3%, or above 7.2 bits per item " +
			"(the label in the paper's figure).",
		Method: "The lines are the paper's formulas, the marks are filters of this package filled with distinct random keys: " +
			"Bloom and blocked Bloom filters with a whole number of bits per item, cuckoo filters of 4 slots a bucket, plain and semi-sorted (XOR placement, random walk, as in the paper), " +
			"until they refuse a key. Semi-sorted fingerprints of f bits take f-1. Every key is looked up again, then keys that are absent. Rates are " +
			"pooled over the builds, with 95% intervals. Space is compared at the widths that exist, with that of a Bloom filter of the same rate, on straight lines between its measured " +
			"points on the axes of the chart. The rings are at the least width that takes less.",
		NotShown: []string{
			"Speed: a Bloom filter at 0.001% touches 17 cache lines for a key that it holds, a cuckoo filter two.",
			"The label in the paper's figure, 3% and 7.2 bits, is not where its lines cross: by the formulas the semi-sorted filter crosses at 2.26% and 7.89 bits, the plain one at 0.36% and 11.71 bits. " +
				"The drawn lines add log2(1/alpha) to the fingerprint where the law (2*b*alpha/2^f) subtracts it.",
			"What sorting costs: the semi-sorted filter's inserts, lookups and deletes are slower than the plain one's (figures 5 to 8).",
			"Cuckoo filters are drawn full. At a lower load they take more bits per item.",
		},
		Params:  []string{"b", "bits", "keys"},
		Counts:  measure.TrialCounts,
		Derived: measure.TrialDerived,
	}
}

var fig4Sizes = map[lab.Profile]fig3Size{
	lab.Tiny:  {1 << 11, 2, 100, 1 << 12, 1 << 14},
	lab.Quick: {1 << 17, 4, 400, 1 << 19, 1 << 24},
	lab.Paper: {1 << 23, 10, 10_000, 1 << 24, 1 << 28},
}

// The names of figure 4's filters.
const (
	fig4Bloom   = "Bloom"
	fig4Blocked = "blocked Bloom"
	fig4Cuckoo  = "cuckoo"
	fig4Sorted  = "semi-sorted cuckoo"
)

// blockedHashes is the best number of hashes of a blocked Bloom filter by bits per item, from 6 in
// steps of 2: bloom.OptimalBlockedHashes of 2^17 keys, written down because it is
// computed in floating point. TestFig4_BlockedHashesAreBest compares.
var blockedHashes = [...]int{4, 5, 6, 8, 9, 9, 10, 11, 12, 12}

// fig4Filters returns the filters that are measured.
func fig4Filters() []lab.Filter {
	classic, blocked := lab.Filter{Name: fig4Bloom}, lab.Filter{Name: fig4Blocked}
	for i, hashes := range blockedHashes {
		bits := 6 + 2*i
		classicHashes := (bits*6931 + 5000) / 10_000 // bits*ln 2
		classic.Settings = append(classic.Settings, bloomSetting(bits, 1<<classicHashes, func(n int) (lab.Instance, error) {
			f, err := bloom.New(bloom.Config{Bits: bits * n, Hashes: classicHashes})
			return bloomInstance{f}, err
		}))
		blocked.Settings = append(blocked.Settings, bloomSetting(bits, 1<<hashes, func(n int) (lab.Instance, error) {
			f, err := bloom.NewBlocked(bloom.Config{Bits: bits * n, Hashes: hashes})
			return bloomInstance{f}, err
		}))
	}
	return append([]lab.Filter{classic, blocked}, fig4Cuckoos()...)
}

// fig4Cuckoos returns the cuckoo filters, of the paper's placement and policy. Each width is there around the rate at which
// they begin to be smaller than a Bloom filter.
func fig4Cuckoos() []lab.Filter {
	var filters []lab.Filter
	for _, c := range []struct {
		name   string
		layout cuckoo.Layout
		widths []int
	}{
		{fig4Cuckoo, cuckoo.Packed, []int{6, 8, 9, 10, 11, 12, 14, 16, 18, 20}},
		{fig4Sorted, cuckoo.SemiSorted, []int{7, 8, 9, 10, 11, 13, 15, 17, 19}},
	} {
		filter := lab.Filter{Name: c.name}
		for _, width := range c.widths {
			filter.Settings = append(filter.Settings, lab.Setting{Bits: width, OneIn: (1 << width) / 8, New: func(n int, seed uint64) (lab.Instance, error) {
				return measure.NewCuckoo(width, cuckoo.Config{Buckets: n / 4, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk, Layout: c.layout}, seed)
			}})
		}
		filters = append(filters, filter)
	}
	return filters
}

func bloomSetting(bits, oneIn int, empty func(n int) (lab.Instance, error)) lab.Setting {
	return lab.Setting{Bits: bits, OneIn: oneIn, New: func(n int, _ uint64) (lab.Instance, error) { return empty(n) }}
}

// bloomInstance is a Bloom filter of either kind: its inserts cannot fail.
type bloomInstance struct {
	f interface {
		InsertHashes(hs []uint64)
		ContainsHashes(hs []uint64, dst []bool)
		SizeBytes() int
	}
}

func (b bloomInstance) InsertHashes(hs []uint64) (int, error) {
	b.f.InsertHashes(hs)
	return len(hs), nil
}

func (b bloomInstance) ContainsHashes(hs []uint64, dst []bool) { b.f.ContainsHashes(hs, dst) }

func (b bloomInstance) SizeBytes() int { return b.f.SizeBytes() }

// Plan returns a job for each setting of each filter, the user's included.
func (SpaceByRate) Plan(s lab.Setup) ([]lab.Job, error) {
	size := fig4Sizes[s.Profile]
	var jobs []lab.Job
	b := map[string]lab.Value{fig4Cuckoo: lab.Int(4), fig4Sorted: lab.Int(4)}
	for _, f := range append(fig4Filters(), s.Own.Filters...) {
		for _, set := range f.Settings {
			job := size.job(f.Name, []lab.Value{b[f.Name], lab.Int(set.Bits), lab.Int(size.slots)}, set.OneIn, nil, func(seed uint64) (lab.Instance, error) {
				return set.New(size.slots, seed)
			})
			if f.Name == fig4Sorted {
				job.Cost *= sortedCost
			}
			jobs = append(jobs, job)
		}
	}
	return jobs, nil
}

// sortedCost is how many times the time of a plain filter's trial one of the semi-sorted filter takes: 1.4 to 1.8 of the plain
// one as wide, at 2^17 and 2^23 slots, measured once on a 2.7 GHz Xeon; used for estimates only.
const sortedCost = 1.8

// The rates that figure 4 shows.
const (
	fig4Low  = 1e-5
	fig4High = 0.1
)

// Where the label in the paper's figure puts the crossover.
const (
	labelRate = 0.03
	labelBits = 7.2
)

// A rateLine is one formula of figure 4, with the paper's name of it.
type rateLine struct {
	label, paper, filter string
	kind                 chart.Kind
	bits                 func(rate float64) float64
}

func fig4Lines() []rateLine {
	return []rateLine{
		{"Bloom, formula", "Bloom filter", fig4Bloom, chart.Line, law.BloomBits},
		{"cuckoo, formula", "cuckoo filter", fig4Cuckoo, chart.Line, law.CuckooBits},
		{"semi-sorted cuckoo, formula", "semi-sorted cuckoo filter", fig4Sorted, chart.Line, law.SemiSortedBits},
		{"lower bound log2(1/rate)", "lower bound", "bound", chart.Thin, law.LowerBound},
	}
}

// Draw draws the formulas, the measured points on them, the paper's lines below and the crossovers.
func (SpaceByRate) Draw(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item)", Min: 0, Max: 25},
		Y: chart.Axis{Label: "false-positive rate", Log: true, Min: fig4Low / 2, Max: fig4High},
	}
	for _, l := range fig4Lines() {
		s := chart.Series{Label: l.label, Kind: l.kind, Style: chart.StyleFor(l.filter)}
		for i := 0; i <= 80; i++ {
			rate := fig4Low * math.Pow(fig4High/fig4Low, float64(i)/80)
			s.Points = append(s.Points, chart.Point{X: l.bits(rate), Y: rate})
		}
		paper := chart.Series{Label: "paper's lines", Kind: chart.Hollow, Style: s.Style}
		for i, pt := range claims.PaperPoints(4, "", l.paper) {
			if i%16 == 8 { // a hundred of them would hide our marks
				paper.Points = append(paper.Points, chart.Point{X: pt.Y, Y: pt.X})
			}
		}
		p.Series = append(p.Series, s, paper)
	}
	styles := chart.StylesFor(d.Series()...)
	for i, name := range d.Series() {
		s := chart.Series{Label: name + ", measured", Kind: chart.Marks, Style: styles[i]}
		for _, g := range d.Select(name) {
			s.Points = append(s.Points, measure.RatePoint(g))
		}
		if number := d.Setup.Own.Number(name); number >= 0 {
			s.Style = catalogue.OwnStyle(number)
			catalogue.WidenFor(&p, s)
		}
		p.Series = append(p.Series, s)
	}
	p.Notes = []chart.Note{{X: labelBits, Y: labelRate, Text: "paper's label: 3%, 7.2 bits"}}
	for _, name := range []string{fig4Cuckoo, fig4Sorted} {
		if w, ok := firstSmaller(widthsOf(d, name)); ok {
			p.Notes = append(p.Notes, chart.Note{X: w.point.X, Y: w.point.Y, Text: fmt.Sprintf("%s: smaller from f = %d on, %.2g%%", name, w.bits, 100*w.point.Y)})
		}
	}
	return []*chart.Figure{{
		Name:    "fig4",
		Title:   "Space by false-positive rate: formulas and measured filters",
		Caption: "False-positive rate on a log axis against bits per item: four formulas and the measured points of four filters. Rings: the paper's label, and the least width at which each cuckoo filter takes less than a Bloom filter of its rate.",
		Panels:  []chart.Panel{p},
		Width:   15, Height: 10,
	}, glance(d)}
}
