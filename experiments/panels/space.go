package panels

import (
	"context"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// SpaceByKeys is a panel that the paper lacks: the bits per item of filters that are made for n keys, for
// any n, not for the numbers that fill a power of two.
type SpaceByKeys struct{}

// About states the claim.
func (SpaceByKeys) About() lab.About {
	return lab.About{
		Name:  "space-by-n",
		Title: "Bits per item by the number of keys",
		Claim: "A table whose number of buckets is a power of two takes anything from 12.6 to 25 bits per item, by the number of keys. " +
			"Additive placement takes the least of that for every number of keys.",
		Method: fmt.Sprintf("Each filter is made for n keys at the rate of a full cuckoo filter of 12-bit fingerprints (%.4g%%) and given n keys; "+
			"each is looked up again, and so are keys that are absent. n runs through eight steps an octave, and through the two numbers of keys "+
			"between which the power-of-two table doubles.", 100*catalogue.PanelRate),
		NotShown: []string{
			"A power-of-two table that is half empty has about half the false-positive rate; the CSV has the measured rates.",
			"A d-left filter has whole bits of remainder, so its rate can be better than was asked for.",
		},
		Params:  []string{"n"},
		Counts:  measure.TrialCounts,
		Derived: measure.TrialDerived,
	}
}

// A panelFilter makes filters for n keys at panelRate.
type panelFilter struct {
	name string
	new  func(n int, seed uint64) (lab.Instance, error)
}

// A bloomLike filter takes every key.
type bloomLike interface {
	InsertHashes(hs []uint64)
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
}

// neverFull is a bloomLike filter as an Instance.
type neverFull struct{ bloomLike }

func (f neverFull) InsertHashes(hs []uint64) (int, error) {
	f.bloomLike.InsertHashes(hs)
	return len(hs), nil
}

// ofBloom wraps a constructor of package bloom or counting.
func ofBloom[F bloomLike](f F, err error) (lab.Instance, error) {
	if err != nil {
		return nil, err
	}
	return neverFull{f}, nil
}

// panelFilters are those of the panels of space and of overload, by name.
var panelFilters = []panelFilter{
	{"cuckoo, additive", func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Capacity: n}, seed)
	}},
	{"cuckoo, xor", func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Capacity: n, Placement: cuckoo.XOR}, seed)
	}},
	{"bloom", func(n int, _ uint64) (lab.Instance, error) {
		return ofBloom(bloom.New(bloom.Config{Capacity: n, FalsePositiveRate: catalogue.PanelRate}))
	}},
	{"blocked bloom", func(n int, _ uint64) (lab.Instance, error) {
		return ofBloom(bloom.NewBlocked(bloom.Config{Capacity: n, FalsePositiveRate: catalogue.PanelRate}))
	}},
	{"d-left counting bloom", func(n int, _ uint64) (lab.Instance, error) {
		return counting.NewDLeft(counting.DLeftConfig{Capacity: n, FalsePositiveRate: catalogue.PanelRate})
	}},
}

// panelLines are the panel's filters, and the user's at their first setting.
func panelLines(s lab.Setup) []panelFilter {
	out := slices.Clone(panelFilters)
	for _, f := range s.Own.Filters {
		out = append(out, panelFilter{f.Name, f.Settings[0].New})
	}
	return out
}

// The series that are judged.
const (
	additiveSeries = "cuckoo, additive"
	xorSeries      = "cuckoo, xor"
	bloomSeries    = "bloom"
)

// spaceRange has the exponents of the first and the last octave of n, and the number of probes.
type spaceRange struct{ from, to, probes int }

var spaceRanges = map[lab.Profile]spaceRange{lab.Tiny: {10, 11, 1 << 12}, lab.Quick: {14, 19, 1 << 17}, lab.Paper: {14, 24, 1 << 20}}

// spaceKeys returns the numbers of keys of a profile, sorted: eight to an octave, and the last that a power of
// two of slots takes and the next.
func spaceKeys(r spaceRange) ([]int, error) {
	var keys []int
	for k := r.from; k < r.to; k++ {
		for eighth := range 8 {
			keys = append(keys, 1<<k+eighth<<(k-3))
		}
		last, err := catalogue.MostKeys(1 << (k + 1))
		if err != nil {
			return nil, err
		}
		keys = append(keys, last, last+1)
	}
	keys = append(keys, 1<<r.to)
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// Plan returns a job for each filter and number of keys.
func (SpaceByKeys) Plan(s lab.Setup) ([]lab.Job, error) {
	size := spaceRanges[s.Profile]
	keys, err := spaceKeys(size)
	if err != nil {
		return nil, err
	}
	var jobs []lab.Job
	for _, f := range panelLines(s) {
		for _, n := range keys {
			jobs = append(jobs, lab.Job{
				Series: f.name,
				Params: lab.Ints(n),
				Trials: 1,
				Bytes:  int64(n) * 4, // up to 25 bits per item
				Cost:   float64(n)*measure.FillCost(n) + float64(n+size.probes)*measure.ProbeCost(n),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					filter, err := f.new(n, seed)
					if err != nil {
						return nil, err
					}
					return measure.CountRate(ctx, measure.Stream{Next: seed}, filter, n, size.probes)
				},
			})
		}
	}
	return jobs, nil
}

// bitsPerItem is that of a group's filters, for the keys that they hold.
func bitsPerItem(g lab.Group) float64 { return lab.Quotient(8*g.Sum("size_bytes"), g.Sum("stored")) }

// Draw draws the bits per item against n.
func (SpaceByKeys) Draw(d *lab.Data) []*chart.Figure {
	r := spaceRanges[d.Setup.Profile]
	p := chart.Panel{
		X: chart.Axis{Label: "keys n", Log: true, Base: 2, Min: float64(int(1) << r.from), Max: float64(int(1) << r.to)},
		Y: chart.Axis{Label: "space (bits per item)", Min: 10, Max: 26},
	}
	for _, series := range d.Series() {
		s := chart.Series{Label: series, Style: panelStyle(d, series), Kind: chart.Line}
		for _, g := range d.Select(series) {
			s.Points = append(s.Points, chart.Point{X: float64(g.Param("n")), Y: bitsPerItem(g)})
		}
		if d.Setup.Own.Number(series) >= 0 {
			catalogue.WidenFor(&p, s)
		}
		p.Series = append(p.Series, s)
	}
	return []*chart.Figure{{
		Name:    "space-by-n",
		Title:   fmt.Sprintf("Space of filters made for n keys at a rate of %.3g%%", 100*catalogue.PanelRate),
		Caption: "Bits per item against the number of keys on a log axis: the power-of-two cuckoo filter's line has the shape of a saw, the others are flat.",
		Panels:  []chart.Panel{p},
	}}
}

// panelStyle is the fixed style of a filter. The power-of-two table is a black line.
func panelStyle(d *lab.Data, series string) chart.Style {
	if number := d.Setup.Own.Number(series); number >= 0 {
		return catalogue.OwnStyle(number + 1) // the first one is black too
	}
	switch series {
	case additiveSeries:
		return chart.StyleFor("cuckoo")
	case xorSeries:
		return chart.Style{Marker: chart.Square}
	}
	return chart.StyleFor(series)
}

// spaceExtremes returns the least and the most bits per item of a series.
func spaceExtremes(d *lab.Data, series string) (least, most float64) {
	for i, g := range d.Select(series) {
		bits := bitsPerItem(g)
		if i == 0 {
			least, most = bits, bits
		}
		least, most = min(least, bits), max(most, bits)
	}
	return least, most
}

// Judge holds the two lines of the cuckoo filter against each other, and all filters to their promise.
func (SpaceByKeys) Judge(d *lab.Data) []claims.Verdict {
	least, most := spaceExtremes(d, xorSeries)
	flat, flattest := spaceExtremes(d, additiveSeries)
	_, classic := spaceExtremes(d, bloomSeries)
	lost, short := 0, 0
	for _, g := range d.Groups {
		if !slices.ContainsFunc(panelFilters, func(f panelFilter) bool { return f.name == g.Series }) {
			continue // the user's own
		}
		lost += g.Sum("lost")
		short += g.Param("n")*len(g.Rows) - g.Sum("stored")
	}
	return d.Judged([]claims.Verdict{
		claims.Judge(least > 12.3 && least < 12.9 && most > 24.6 && most < 25.8, claims.Draft{
			Claim:     "Power-of-two tables: bits per item between just full and just doubled",
			Paper:     "12.60 at 127.78 million keys (Table 3), 25 by doubling",
			Ours:      fmt.Sprintf("%.2f to %.2f", least, most),
			Tolerance: "2.5% of 12.6 and of 25.2: a promised capacity keeps a reserve that the paper's fill to refusal does not",
		}),
		claims.Judge(flattest < 1.05*flat, claims.Draft{
			Claim:     "Additive placement: bits per item hardly depend on the number of keys",
			Paper:     "-",
			Ours:      fmt.Sprintf("%.2f to %.2f", flat, flattest),
			Tolerance: "5%: smaller tables keep a larger reserve",
		}),
		claims.Judge(flattest < classic, claims.Draft{
			Claim:     fmt.Sprintf("At a rate of %.3g%% a cuckoo filter is smaller than a Bloom filter for every n", 100*catalogue.PanelRate),
			Paper:     "12.60 and 13.00 bits (Table 3)",
			Ours:      fmt.Sprintf("at most %.2f against %.2f", flattest, classic),
			Tolerance: "none: an order",
		}),
		claims.Judge(lost == 0 && short == 0, claims.Draft{
			Claim:     "Every filter takes the keys that it was made for, and finds them",
			Paper:     "-",
			Ours:      fmt.Sprintf("%d refused, %d lost", short, lost),
			Tolerance: "none",
		}),
	})
}
