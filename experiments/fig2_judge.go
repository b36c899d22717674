package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// fig2Flat is the narrowest width of the flat part of the paper's curve for m = 2^15.
const fig2Flat = 6

// smallTables is why a profile does not measure a load factor of the paper.
const smallTables = "The tables of this profile are smaller than the paper's."

// readingError is how exactly the points of the paper's figure 2 could be read off, in its unit: a
// quarter of the smallest step between neighbouring values, .0026.
const readingError = 0.0007

// Judge compares plateaus and cliffs with the paper's curves of the same table size.
func (LoadFactor) Judge(d *Data) []Verdict {
	var out []Verdict
	for _, b := range []int{4, 8} {
		for _, size := range fig2PaperSizes {
			out = append(out, plateau(d, b, size), cliff(d, b, size))
		}
		out = append(out, d.judged([]Verdict{largerIsLower(d, b), breadthFirst(d, b)})...)
	}
	for _, f := range narrowWidths {
		for _, size := range fig2PaperSizes {
			out = append(out, narrowLoad(d, f, size))
		}
	}
	return append(out, widthGrows(d)...)
}

// minima returns the lowest load factor of each group of at least fig2Flat bits, up to a width.
func minima(groups []Group, upTo int) []float64 {
	var out []float64
	for _, g := range groups {
		if f := g.Param("f"); f >= fig2Flat && f <= upTo {
			lo, _ := loadRange(g)
			out = append(out, lo)
		}
	}
	return out
}

// plateau compares the means of the flat parts. Their standard errors come from the scatter of the
// minima over the widths, which is all that the paper shows of its spread.
func plateau(d *Data, b, size int) Verdict {
	series, paper := fig2Series(size), fig2Paper(b, size)
	widest := int(paper[len(paper)-1].X)
	theirs := paperPlateau(paper)
	v := report.Verdict{
		Claim: fmt.Sprintf("b = %d, %s: plateau of the load factor, mean of f = %d to %d", b, series, fig2Flat, widest),
		Paper: fmt.Sprintf("%.4f", theirs.mean),
	}
	if !measured(d.Setup, size) {
		return missing(v.Claim, v.Paper, unfilled(d.Setup, size))
	}
	groups := panelGroups(d, series, b)
	ours := sampleOf(minima(groups, widest))
	shift, why := minimumOf(slices.DeleteFunc(groups, func(g Group) bool { return g.Param("f") < fig2Flat }))
	allowed := theirs.tolerance(ours) + shift + readingError
	v.Ours = fmt.Sprintf("%.4f", ours.mean)
	v.Interval = fmt.Sprintf("%.4f to %.4f", ours.mean-2*ours.err, ours.mean+2*ours.err)
	v.Tolerance = fmt.Sprintf("%.4f: %d standard errors of the difference, from the scatter over f, and %.4f of reading%s",
		allowed, deviations, readingError, why)
	return judge(math.Abs(theirs.mean-ours.mean) <= allowed, v)
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
func cliff(d *Data, b, size int) Verdict {
	var f, pf []int
	var load, pload []float64
	paper := fig2Paper(b, size)
	for _, p := range paper {
		pf, pload = append(pf, int(p.X)), append(pload, p.Y)
	}
	theirs := knee(pf, pload, slices.Max(pload))
	v := report.Verdict{
		Claim:     fmt.Sprintf("b = %d, %s: the cliff: smallest f within 2%% of the highest load", b, fig2Series(size)),
		Paper:     fmt.Sprintf("f = %d", theirs),
		Tolerance: "none: a whole number",
	}
	if !measured(d.Setup, size) {
		return missing(v.Claim, v.Paper, unfilled(d.Setup, size))
	}
	for _, g := range panelGroups(d, fig2Series(size), b) {
		lo, _ := loadRange(g)
		f, load = append(f, g.Param("f")), append(load, lo)
	}
	ours := knee(f, load, slices.Max(load))
	v.Ours = fmt.Sprintf("f = %d", ours)
	if ours > 0 && ours < theirs {
		at := load[slices.Index(f, ours)]
		v.Why = cmp.Or(doubledWhy(b, ours, size, pointAt(paper, ours), at), offsetsWhy(b, ours, size, pointAt(paper, ours), at))
		if v.Why != "" {
			return known(v)
		}
	}
	return judge(ours == theirs, v)
}

// largerIsLower checks that larger tables refuse earlier, on the plateau and on the cliff at f = 3.
func largerIsLower(d *Data, b int) Verdict {
	var flat, narrow []float64
	var ours, theirs []string
	for _, size := range fig2PaperSizes {
		points := fig2Paper(b, size)
		theirs = append(theirs, fmt.Sprintf("m=2^%d: %.3f and %.2f", size, paperPlateau(points).mean, points[2].Y))
	}
	for _, size := range fig2Exponents(d.Setup) {
		groups := panelGroups(d, fig2Series(size), b)
		flat = append(flat, sampleOf(minima(groups, fig2Widths)).mean)
		for _, g := range groups {
			if g.Param("f") == 3 {
				narrow = append(narrow, g.mean("stored", "slots"))
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
	return judge(falling(flat) && falling(narrow), report.Verdict{
		Claim:     fmt.Sprintf("b = %d: larger tables refuse earlier, on the plateau (lowest of the runs) and at f = 3 (mean)", b),
		Paper:     strings.Join(theirs, ", "),
		Ours:      strings.Join(ours, ", "),
		Tolerance: "none: an order",
	})
}

// paperPlateau is the flat part of one of the paper's curves.
func paperPlateau(points []PaperPoint) sample {
	var flat []float64
	for _, p := range points {
		if p.X >= fig2Flat {
			flat = append(flat, p.Y)
		}
	}
	return sampleOf(flat)
}

// breadthFirst holds this module's own claim: its default policy fills tables further.
func breadthFirst(d *Data, b int) Verdict {
	walk := sampleOf(minima(panelGroups(d, fig2Series(fig2Shared(d.Setup.Profile)), b), fig2Widths))
	search := sampleOf(minima(panelGroups(d, fig2BreadthFirst, b), fig2Widths))
	return judge(search.mean > walk.mean+walk.tolerance(search), report.Verdict{
		Claim:     fmt.Sprintf("b = %d, %s: searching breadth-first fills the table further than the paper's walk", b, fig2Series(fig2Shared(Paper))),
		Paper:     "-",
		Ours:      fmt.Sprintf("%.4f against %.4f", search.mean, walk.mean),
		Tolerance: fmt.Sprintf("more than %d standard errors apart", deviations),
	})
}
