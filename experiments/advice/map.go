package advice

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// MapSizes returns the numbers of keys at which a map is measured.
func MapSizes() []int {
	return []int{1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000}
}

// The costs of a miss that a map shows, in nanoseconds: 1 ns to 10 ms.
const (
	lowestMiss  = 1
	highestMiss = 1e7
)

// A Map says which kind wins at which number of keys and cost of a miss.
type Map struct {
	work    Workload
	columns []column
	mark    *Advice
}

// A column is the ladders of all families at one number of keys.
type column struct {
	keys  float64
	costs []Cost
}

// MeasureMap measures the ladders of the kinds at the sizes of [MapSizes], with random integers as keys. Of o it takes
// Work, Flags, Seed and Say. Cuckoo filters are additive: the size of xor tables jumps at powers of two. Where keys
// need not be deletable the counting filters are left out, whose counters can only cost. It takes up to a minute and
// 1 GB. The error is [ErrSpec] or that of ctx.
func MeasureMap(ctx context.Context, o Options) (*Map, error) {
	o.Keys, o.Set, o.FPR, o.Bits = 1, nil, 0, 0
	if err := o.resolve(); err != nil {
		return nil, err
	}
	m := &Map{work: o.Work}
	for _, n := range MapSizes() {
		// Which pages of memory a table happens to get decides how well a cache of about its size holds it, so a small
		// one is built anew for each round.
		builds := min(max(3_000_000/n, 1), 5)
		costs, err := integers(n, o.Seed).scout(ctx, families(o, true), builds, o.Say)
		if err != nil {
			return nil, err
		}
		m.columns = append(m.columns, column{float64(n), costs})
	}
	return m, nil
}

// Mark marks the point of an advice.
func (m *Map) Mark(a *Advice) { m.mark = a }

// CSV returns the measured costs, a row for each rung of each kind at each number of keys.
func (m *Map) CSV() ([]byte, error) {
	t := report.Table{Columns: []string{"keys", "kind", "rung", "parameters", "bits_per_item", "rate", "absent_ns",
		"present_ns", "absent_batch_ns", "present_batch_ns", "insert_ns"}}
	for _, c := range m.columns {
		for _, r := range c.costs {
			t.Add(int(c.keys), r.Plan.Kind, r.Rung, r.Plan.Parameters(), r.Plan.BitsPerItem, r.Rate, r.Absent, r.Present,
				r.AbsentBatch, r.PresentBatch, r.Insert)
		}
	}
	return t.CSV()
}

// Write prints who wins where, a row for each number of keys, and the names of the files. The error is w's.
func (m *Map) Write(w io.Writer, width int, files ...string) error {
	t := &report.Table{Columns: []string{"keys", "winners, and the costs of a miss at which they change"}, Left: 2}
	for _, c := range m.columns {
		t.Rows = append(t.Rows, []string{fmt.Sprint(int(c.keys)), winners(m.work.Winners(c.costs))})
	}
	_, err := fmt.Fprintf(w, "%s\nWrote %s\n", t.Text(width), strings.Join(files, " and "))
	return err
}

// Figure draws the map: who wins in which region, the lines along which two break even, and the marked point.
func (m *Map) Figure() *chart.Figure {
	left, right := m.columns[0].keys, m.columns[len(m.columns)-1].keys
	p := chart.Panel{
		X: chart.Axis{Label: "keys in the filter (log scale)", Log: true, Min: left, Max: right},
		Y: chart.Axis{Label: "cost of a miss (log scale)", Log: true, Min: lowestMiss, Max: highestMiss},
	}
	if a := m.mark; a != nil && float64(a.Keys) >= left && float64(a.Keys) <= right && a.Work.MissCost >= lowestMiss &&
		a.Work.MissCost <= highestMiss {
		text := group(a.Keys) + " keys, " + Duration(a.Work.MissCost)
		p.Notes = []chart.Note{{X: float64(a.Keys), Y: a.Work.MissCost, Text: text}}
	}
	for at := float64(lowestMiss); at <= highestMiss; at *= 10 {
		p.Y.Ticks = append(p.Y.Ticks, chart.Tick{At: at, Label: Duration(at)})
	}
	for i, c := range m.columns { // each to half the way to its neighbours
		x0 := math.Sqrt(c.keys * m.columns[max(i-1, 0)].keys)
		x1 := math.Sqrt(c.keys * m.columns[min(i+1, len(m.columns)-1)].keys)
		won := m.work.Winners(c.costs)
		for i, s := range won {
			lo, hi := max(s.From, lowestMiss), float64(highestMiss)
			if i+1 < len(won) {
				hi = min(won[i+1].From, highestMiss)
			}
			if lo < hi {
				p.Areas = append(p.Areas, chart.Area{Label: s.Kind, Style: chart.StyleFor(s.Kind), X0: x0, X1: x1, Y0: lo, Y1: hi})
			}
		}
	}
	negative := ", all lookups for absent keys"
	if m.work.Negative != 1 {
		negative = fmt.Sprintf(", %s of lookups for absent keys", claims.Percent(m.work.Negative, 2))
	}
	if m.work.MustDelete {
		negative += ", keys deletable"
	}
	return &chart.Figure{
		Name:  "winners",
		Title: "Which filter has the cheapest lookups, wasted work included" + negative,
		Caption: fmt.Sprintf("The kind of filter with the lowest price of a lookup, each at its own best number of bits per "+
			"item from %d to %d, by number of keys and cost of a miss.", MinBits, MaxBits),
		Panels: []chart.Panel{p},
	}
}
