package price

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/tabular"
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
	columns []Column
	seed    uint64
	mark    *Advice
}

// A Column is the ladders of one number of keys.
type Column struct {
	// Keys is the number of keys.
	Keys float64
	// Costs are the rungs of all families.
	Costs []Cost
}

// mapping is how often filters of n keys are timed for a map. Which pages of memory a table happens to get
// decides how well a cache of about its size holds it, so a small one is built anew for each round.
func mapping(n int) Effort { return Effort{Rounds: 5, Builds: min(max(3_000_000/n, 1), 5)} }

// MeasureMap measures the ladders of the kinds at the sizes of [MapSizes], with random integers as keys. Of
// o it takes Work, Layouts, Seed and Say. Cuckoo filters are additive: the size of xor tables jumps at powers of
// two, so there is nothing between two numbers of keys. Where keys need not be deletable the counting
// filters are left out, whose counters can only cost. It takes up to a minute and 1 GB. The error is
// [ErrOptions] or that of ctx.
func MeasureMap(ctx context.Context, o Options) (*Map, error) {
	o.Keys, o.Set, o.FPR, o.Bits = 1, nil, 0, 0
	if err := o.resolve(); err != nil {
		return nil, err
	}
	var columns []Column
	for _, n := range MapSizes() {
		costs, err := Integers(n, o.Seed).scout(ctx, mapFamilies(o), mapping(n), o.Say)
		if err != nil {
			return nil, err
		}
		columns = append(columns, Column{float64(n), costs})
	}
	m := NewMap(o.Work, columns)
	m.seed = o.Seed
	return m, nil
}

func mapFamilies(o Options) []size.Form {
	return slices.DeleteFunc(families(o.Work, false, o.Layouts...), func(f size.Form) bool {
		return !o.Work.deletes() && f.Spec.Kind != nest.Cuckoo && size.Deletes(f.Spec.Kind)
	})
}

// NewMap returns the map of measured columns, which it sorts by keys. w's own cost of a miss does not
// matter.
func NewMap(w Workload, columns []Column) *Map {
	columns = slices.Clone(columns)
	slices.SortFunc(columns, func(a, b Column) int { return cmp.Compare(a.Keys, b.Keys) })
	return &Map{work: w, columns: columns}
}

// Mark marks the point of an advice.
func (m *Map) Mark(a *Advice) { m.mark = a }

// Winners returns which kind wins at which cost of a miss for so many keys. Between two measured numbers of
// keys times are interpolated linearly, and rates geometrically, in the logarithm of the keys; outside
// they are those of the nearest one.
func (m *Map) Winners(keys float64) []Stretch { return m.work.Winners(m.at(keys)) }

// at returns the ladders for so many keys.
func (m *Map) at(keys float64) []Cost {
	above := slices.IndexFunc(m.columns, func(c Column) bool { return c.Keys >= keys })
	switch {
	case above == 0:
		return m.columns[0].Costs
	case above < 0:
		return m.columns[len(m.columns)-1].Costs
	}
	a, b := m.columns[above-1], m.columns[above]
	t := math.Log(keys/a.Keys) / math.Log(b.Keys/a.Keys)
	var out []Cost
	for i := range a.Costs {
		from := &a.Costs[i]
		to := from.rung(b.Costs)
		if to < 0 {
			continue
		}
		c := *from
		c.between(from, &b.Costs[to], t)
		c.Rate = math.Exp(float64(math.Log(from.Rate)*(1-t)) + float64(math.Log(b.Costs[to].Rate)*t))
		out = append(out, c)
	}
	return out
}

// CSV returns the measured and interpolated costs, a row for each rung of each kind at each number of keys.
func (m *Map) CSV() ([]byte, error) {
	t := report.Table{Columns: []string{"keys", "kind", "rung", "parameters", "bits_per_item", "rate", "absent_ns", "present_ns",
		"absent_batch_ns", "present_batch_ns", "insert_ns", "interpolated"}}
	for _, c := range m.columns {
		for _, r := range c.Costs {
			t.Add(int(c.Keys), r.Plan.Kind, r.Rung, r.Plan.Parameters(), r.Plan.BitsPerItem, r.Rate, r.Absent, r.Present,
				r.AbsentBatch, r.PresentBatch, r.Insert, r.Interpolated)
		}
	}
	return t.CSV()
}

// Write prints who wins where, a row for each number of keys, and the names of the files. The error is w's.
func (m *Map) Write(w io.Writer, width int, files ...string) error {
	t := &tabular.Table{Header: []string{"keys", "winners, and the costs of a miss at which they change"}, Left: 2}
	for _, c := range m.columns {
		text := ""
		for i, s := range m.Winners(c.Keys) {
			if i > 0 {
				text += " | " + Duration(s.From) + " | "
			}
			text += s.Kind
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(int(c.Keys)), text})
	}
	_, err := fmt.Fprintf(w, "%s\nWrote %s\n", t.Text(width), strings.Join(files, " and "))
	return err
}
