package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// readingError is how exactly the points of the paper's figure 2 could be read off, in its unit: a
// quarter of the smallest step between neighbouring values, .0026.
const readingError = 0.0007

// Judge compares plateaus and cliffs with the paper's curves of the same table size.
func (LoadFactor) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, b := range []int{4, 8} {
		for _, size := range fig2PaperSizes {
			out = append(out, plateau(d, b, size), cliff(d, b, size))
		}
		out = append(out, d.Judged([]claims.Verdict{largerIsLower(d, b), breadthFirst(d, b)})...)
	}
	for _, f := range narrowWidths {
		for _, size := range fig2PaperSizes {
			out = append(out, narrowLoad(d, f, size))
		}
	}
	return append(out, widthGrows(d)...)
}

// minima returns the lowest load factor of each group of at least PlateauFrom bits, up to a width.
func minima(groups []lab.Group, upTo int) []float64 {
	var out []float64
	for _, g := range groups {
		if f := g.Param("f"); f >= claims.PlateauFrom && f <= upTo {
			lo, _ := measure.LoadRange(g)
			out = append(out, lo)
		}
	}
	return out
}

// plateau compares the means of the flat parts. Their standard errors come from the scatter of the
// minima over the widths, which is all that the paper shows of its spread.
func plateau(d *lab.Data, b, size int) claims.Verdict {
	series, paper := claims.SizeSeries(size), claims.LoadPoints(b, size)
	widest := int(paper[len(paper)-1].X)
	theirs := claims.PaperPlateau(paper)
	v := claims.Draft{
		Claim: fmt.Sprintf("b = %d, %s: plateau of the load factor, mean of f = %d to %d", b, series, claims.PlateauFrom, widest),
		Paper: fmt.Sprintf("%.4f", theirs.Mean),
	}
	if !measured(d.Setup, size) {
		return claims.Missing(v.Claim, v.Paper, unfilled(d.Setup, size))
	}
	groups := measure.PanelGroups(d, series, b)
	ours := stat.SampleOf(minima(groups, widest))
	shift, why := minimumOf(slices.DeleteFunc(groups, func(g lab.Group) bool { return g.Param("f") < claims.PlateauFrom }))
	allowed := theirs.Tolerance(ours) + shift + readingError
	v.Ours = fmt.Sprintf("%.4f", ours.Mean)
	v.Interval = fmt.Sprintf("%.4f to %.4f", ours.Mean-2*ours.Err, ours.Mean+2*ours.Err)
	v.Tolerance = fmt.Sprintf("%.4f: %d standard errors of the difference, from the scatter over f, and %.4f of reading%s",
		allowed, stat.Deviations, readingError, why)
	return claims.Judge(math.Abs(theirs.Mean-ours.Mean) <= allowed, v)
}

// knee returns the smallest width whose load is at least 98% of the plateau's.
func knee(f []int, load []float64, plateau float64) int {
	for i, l := range load {
		if l >= 0.98*plateau {
			return f[i]
		}
	}
	return 0
}

// cliff compares the width at which the curve comes down from the plateau.
func cliff(d *lab.Data, b, size int) claims.Verdict {
	var f, pf []int
	var load, pload []float64
	paper := claims.LoadPoints(b, size)
	for _, p := range paper {
		pf, pload = append(pf, int(p.X)), append(pload, p.Y)
	}
	theirs := knee(pf, pload, slices.Max(pload))
	v := claims.Draft{
		Claim:     fmt.Sprintf("b = %d, %s: the cliff: smallest f within 2%% of the highest load", b, claims.SizeSeries(size)),
		Paper:     fmt.Sprintf("f = %d", theirs),
		Tolerance: "none: a whole number",
	}
	if !measured(d.Setup, size) {
		return claims.Missing(v.Claim, v.Paper, unfilled(d.Setup, size))
	}
	for _, g := range measure.PanelGroups(d, claims.SizeSeries(size), b) {
		lo, _ := measure.LoadRange(g)
		f, load = append(f, g.Param("f")), append(load, lo)
	}
	ours := knee(f, load, slices.Max(load))
	v.Ours = fmt.Sprintf("f = %d", ours)
	if ours > 0 && ours < theirs {
		at := load[slices.Index(f, ours)]
		v.Why = cmp.Or(doubledWhy(b, ours, size, pointAt(paper, ours), at), offsetsWhy(b, ours, size, pointAt(paper, ours), at))
		if v.Why != "" {
			return claims.Known(v)
		}
	}
	return claims.Judge(ours == theirs, v)
}

// largerIsLower checks that larger tables refuse earlier, on the plateau and on the cliff at f = 3.
func largerIsLower(d *lab.Data, b int) claims.Verdict {
	var flat, narrow []float64
	var ours, theirs []string
	for _, size := range fig2PaperSizes {
		points := claims.LoadPoints(b, size)
		theirs = append(theirs, fmt.Sprintf("m=2^%d: %.3f and %.2f", size, claims.PaperPlateau(points).Mean, points[2].Y))
	}
	for _, size := range fig2Exponents(d.Setup) {
		groups := measure.PanelGroups(d, claims.SizeSeries(size), b)
		flat = append(flat, stat.SampleOf(minima(groups, measure.WidestFill)).Mean)
		for _, g := range groups {
			if g.Param("f") == 3 {
				narrow = append(narrow, g.Mean("stored", "slots"))
			}
		}
		ours = append(ours, fmt.Sprintf("m=2^%d: %.3f and %.2f", size, flat[len(flat)-1], narrow[len(narrow)-1]))
	}
	falling := func(xs []float64) bool {
		return slices.IsSortedFunc(xs, func(a, b float64) int {
			if a > b {
				return -1
			}
			return 1
		})
	}
	return claims.Judge(falling(flat) && falling(narrow), claims.Draft{
		Claim:     fmt.Sprintf("b = %d: larger tables refuse earlier, on the plateau (lowest of the runs) and at f = 3 (mean)", b),
		Paper:     strings.Join(theirs, ", "),
		Ours:      strings.Join(ours, ", "),
		Tolerance: "none: an order",
	})
}

// breadthFirst holds this module's own claim: its default policy fills tables further.
func breadthFirst(d *lab.Data, b int) claims.Verdict {
	walk := stat.SampleOf(minima(measure.PanelGroups(d, claims.SizeSeries(fig2Shared(d.Setup.Profile)), b), measure.WidestFill))
	search := stat.SampleOf(minima(measure.PanelGroups(d, fig2BreadthFirst, b), measure.WidestFill))
	return claims.Judge(search.Mean > walk.Mean+walk.Tolerance(search), claims.Draft{
		Claim:     fmt.Sprintf("b = %d, %s: searching breadth-first fills the table further than the paper's walk", b, claims.SizeSeries(fig2Shared(lab.Paper))),
		Paper:     "-",
		Ours:      fmt.Sprintf("%.4f against %.4f", search.Mean, walk.Mean),
		Tolerance: fmt.Sprintf("more than %d standard errors apart", stat.Deviations),
	})
}
