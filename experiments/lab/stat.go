package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/claims"
)

// Get is a count, a parameter, a column or an axis of the row by its name. It panics if there is none.
func (r Row) Get(name string) float64 {
	e := r.Experiment
	if i := index(e.Trial.Counts, name); i >= 0 {
		return float64(r.Counts[i])
	}
	if i := index(e.Params, name); i >= 0 {
		return r.Params[i].Number
	}
	if i := slices.IndexFunc(e.Columns, func(c Column) bool { return c.Name == name }); i >= 0 {
		return e.Columns[i].Of(r)
	}
	if slices.Contains(r.Cell.names, name) {
		return r.Cell.Float(name)
	}
	panic(fmt.Sprintf("%s has no %s", e.Name, name))
}

// Div is the quotient of two of what [Row.Get] gets; of nothing it is NaN.
func Div(of, by string) func(Row) float64 { return Per(1, of, by) }

// Per is the quotient of the first, times a factor, and the second.
func Per(factor float64, of, by string) func(Row) float64 {
	return func(r Row) float64 {
		if b := r.Get(by); b != 0 {
			return factor * r.Get(of) / b
		}
		return math.NaN()
	}
}

// Values are those of a name in each trial, as of [Row.Get], without trials that have nothing.
func (g Group) Values(name string) []float64 {
	return g.values(func(r Row) float64 { return r.Get(name) })
}

// Total adds what [Row.Get] gets over all rows.
func Total(name string, groups ...Group) (sum float64) {
	for _, g := range groups {
		for _, r := range g.Rows {
			sum += r.Get(name)
		}
	}
	return sum
}

// Sample is that of a column over all rows of groups.
func Sample(name string, groups ...Group) claims.Sample {
	var xs []float64
	for _, g := range groups {
		xs = append(xs, g.Values(name)...)
	}
	return claims.SampleOf(xs)
}

// PooledRate is the rate of two counts over all rows of groups.
func PooledRate(events, of string, groups ...Group) (r claims.Rate) {
	for _, g := range groups {
		r.Events, r.N = r.Events+g.Sum(events), r.N+g.Sum(of)
	}
	return r
}

// Pooled is a rate over all rows, with its interval.
func Pooled(events, of string) Stat {
	return func(g Group) claims.Estimate {
		r := PooledRate(events, of, g)
		lo, hi := r.Interval()
		return claims.Estimate{Value: r.Value(), Low: lo, High: hi}
	}
}

// Ratio is the quotient of two totals times a factor, without an interval.
func Ratio(factor float64, of, by string) Stat {
	return func(g Group) claims.Estimate {
		by := Total(by, g)
		if by == 0 {
			return claims.Exactly(math.NaN())
		}
		return claims.Exactly(factor * Total(of, g) / by)
	}
}

// Mean is the mean of a column with an interval of [claims.Deviations] standard errors.
func Mean(name string) Stat {
	return func(g Group) claims.Estimate { return claims.Mean(claims.SampleOf(g.Values(name))) }
}

// Median is the median of a column with its interval of 95%.
func Median(name string) Stat {
	return func(g Group) claims.Estimate {
		vs := g.Values(name)
		lo, hi := claims.MedianInterval(vs)
		return claims.Estimate{Value: claims.Median(vs), Low: lo, High: hi}
	}
}

// Spread is a quotient of totals, with the range from the least to the most of a trial.
func Spread(of, by string) Stat {
	return func(g Group) claims.Estimate {
		e, vs := Ratio(1, of, by)(g), g.values(Div(of, by))
		if len(vs) > 0 {
			e.Low, e.High = slices.Min(vs), slices.Max(vs)
		}
		return e
	}
}

// Least is the least of the first trials.
func Least(name string, first int) Stat {
	return func(g Group) claims.Estimate {
		vs := g.Values(name)
		if len(vs) == 0 {
			return claims.Exactly(math.NaN())
		}
		return claims.Exactly(slices.Min(vs[:min(len(vs), first)]))
	}
}

// Map is a function of a stat and of both its ends.
func Map(s Stat, f func(Group, float64) float64) Stat {
	return func(g Group) claims.Estimate {
		e := s(g)
		e.Value, e.Low, e.High = f(g, e.Value), f(g, e.Low), f(g, e.High)
		return e
	}
}

// At is the number of an axis, as a place in a chart.
func At(axis string) func(Group) float64 { return func(g Group) float64 { return g.Cell.Float(axis) } }

// Where selects groups: the arguments are names of axes and their texts in turn. The name series is that of the line.
func (d *Data) Where(pairs ...string) []Group { return Among(d.Groups, pairs...) }

// Among selects groups as [Data.Where] does.
func Among(groups []Group, pairs ...string) (out []Group) {
	for _, g := range groups {
		ok := len(g.Rows) > 0
		for i := 0; i+1 < len(pairs) && ok; i += 2 {
			ok = g.text(pairs[i]) == pairs[i+1]
		}
		if ok {
			out = append(out, g)
		}
	}
	return out
}

func (g Group) text(axis string) string {
	if axis == "series" {
		return g.Series
	}
	return g.Cell.Text(axis)
}

// Split is groups by the text of an axis, or by series, in their order.
func Split(by string, groups []Group) (keys []string, parts [][]Group) {
	for _, g := range groups {
		key := g.text(by)
		i := slices.Index(keys, key)
		if i < 0 {
			i, keys, parts = len(keys), append(keys, key), append(parts, nil)
		}
		parts[i] = append(parts[i], g)
	}
	return keys, parts
}

// Is selects the groups in which an axis has a text.
func Is(axis, text string) func(Group) bool {
	return func(g Group) bool { return g.text(axis) == text }
}
