package measure

import (
	"regexp"
	"slices"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// WidestFill is how far the paper's figure goes.
const WidestFill = 20

// exponent is a power in the name of a series; charts raise what is in braces.
var exponent = regexp.MustCompile(`\^([0-9]+)`)

// Raised is the name of a series as a label of a chart.
func Raised(series string) string { return exponent.ReplaceAllString(series, "^{$1}") }

// WidthTicks marks every fifth width of a fingerprint on an axis.
func WidthTicks() []chart.Tick {
	ticks := []chart.Tick{{At: 1}}
	for f := 5; f <= WidestFill; f += 5 {
		ticks = append(ticks, chart.Tick{At: float64(f)})
	}
	return ticks
}

// BucketSizes are those of the paper's figure 3.
var BucketSizes = []int{2, 4, 8}

// RatePoint is a group as a point of a chart: bits per item against the pooled rate with its interval.
func RatePoint(g lab.Group) chart.Point {
	r, x := Pooled(g), lab.Quotient(8*g.Sum("size_bytes"), g.Sum("stored"))
	lo, hi := r.Interval()
	return chart.Point{X: x, Y: r.Value(), Lo: lo, Hi: hi, Zero: r.Events == 0}
}

// Pooled is the false-positive rate over all trials of a group.
func Pooled(g lab.Group) claims.Rate {
	return claims.Rate{Events: g.Sum("false_positives"), N: g.Sum("probes")}
}

// MeanLoad is the load factor of several groups together, by the count of what is stored and the parameter that says
// how many there is room for.
func MeanLoad(stored, room string, groups ...lab.Group) float64 {
	in, slots := 0, 0
	for _, g := range groups {
		in += g.Sum(stored)
		slots += len(g.Rows) * g.Param(room)
	}
	return lab.Quotient(in, slots)
}

// Done keeps the groups in which every round did something.
func Done(groups []lab.Group, count string) []lab.Group {
	return slices.DeleteFunc(groups, func(g lab.Group) bool {
		return slices.ContainsFunc(g.Rows, func(r lab.Row) bool { return r.Count(count) == 0 })
	})
}
