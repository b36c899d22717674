package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/causes"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// readingError is how exactly the points of the paper's figure 2 could be read off, in its unit: a
// quarter of the smallest step between neighbouring values, .0026.
const readingError = 0.0007

// paperRuns is how many runs the paper took the minimum of.
const paperRuns = 10

// fig2PaperSizes are the exponents of the table sizes of the paper's figure 2.
var fig2PaperSizes = []int{15, 20, 25, 30}

// loadClaims compare plateaus and cliffs with the paper's curves of the same table size, and sizes with each other.
func loadClaims(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, b := range fig2Buckets {
		for _, size := range fig2PaperSizes {
			flat, narrow := plateauClaim(b, size), cliffClaim(b, size)
			if why := unfilled(d, size); why == "" {
				out = append(out, plateau(d, flat, b, size), cliff(d, narrow, b, size))
			} else if size < fig2HugeSize {
				out = append(out, flat.NotMeasured(why), narrow.NotMeasured(why))
			} else { // once for all points
				flat.Says, flat.Paper = flat.Says+", and cliff", flat.Paper+"; "+narrow.Paper
				out = append(out, flat.NotMeasured(why))
			}
		}
		out = append(out, d.Judged([]claims.Verdict{largerIsLower(d, b), breadthFirst(d, b)})...)
	}
	return append(out, d.Judged([]claims.Verdict{widthGrows(d)})...)
}

// unfilled is why a run does not measure a table size of the paper; empty if it does.
func unfilled(d *lab.Data, size int) string {
	switch {
	case slices.Contains(fig2Exponents(d), size):
		return ""
	case d.Setup.Profile != lab.Paper:
		return "Tables of this size are filled in the profile paper."
	case size >= fig2HugeSize:
		return "Tables of this size take up to 20 GiB each: they are filled with --huge."
	}
	return "Tables of this size are not filled."
}

// paperCliff are the paper's points of narrow fingerprints.
func paperCliff(b, size int) string {
	points := claims.LoadPoints(b, size)
	var at []string
	for f := 1; f <= cliffWidth; f++ {
		at = append(at, fmt.Sprintf("%.3f", pointAt(points, f)))
	}
	return fmt.Sprintf("f = 1 to %d: %s", cliffWidth, strings.Join(at, ", "))
}

// pointAt returns the paper's value at a whole x, that of the point before where one was left out.
func pointAt(points []claims.PaperPoint, x int) (y float64) {
	for _, p := range points {
		if int(p.X) <= x {
			y = p.Y
		}
	}
	return y
}

// minima returns the least of ten runs of each group of at least PlateauFrom bits, up to a width.
func minima(groups []lab.Group, upTo int) []float64 {
	var out []float64
	for _, g := range groups {
		if f := g.Param("f"); f >= claims.PlateauFrom && f <= upTo {
			out = append(out, leastOfTen(g))
		}
	}
	return out
}

// expectedMinimum is by how many standard deviations the least of n values lies below the mean, for a normal distribution
// (Blom, Statistical Estimates and Transformed Beta-Variables, 1958: the quantile (n-3/8)/(n+1/4), within 5%).
func expectedMinimum(n int) float64 {
	return math.Sqrt2 * math.Erfinv(2*(float64(n)-0.375)/(float64(n)+0.25)-1)
}

// minimumOf is what the minimum of the runs of some groups may differ by from the paper's, of ten runs, and the words
// for it; nothing for ten runs.
func minimumOf(groups []lab.Group) (shift float64, why string) {
	runs, sd := 0, 0.0
	for _, g := range groups {
		s := stat.SampleOf(g.Ratios("stored", "slots"))
		runs, sd = s.N, sd+s.Err*math.Sqrt(float64(s.N))/float64(len(groups))
	}
	if runs >= paperRuns || runs == 0 {
		return 0, ""
	}
	shift = math.Abs(expectedMinimum(runs)-expectedMinimum(paperRuns)) * sd
	return shift, fmt.Sprintf("; %.4f for a minimum of %d runs here and %d in the paper", shift, runs, paperRuns)
}

func plateauClaim(b, size int) claims.Claim {
	points := claims.LoadPoints(b, size)
	return claims.Claim{ID: fmt.Sprintf("plateau, b = %d, m = 2^%d", b, size), Source: fmt.Sprintf("figure 2, b = %d, m = 2^%d", b, size),
		Says:  fmt.Sprintf("b = %d, %s: plateau of the load factor, mean of f = %d to %g", b, claims.SizeSeries(size), claims.PlateauFrom, points[len(points)-1].X),
		Paper: fmt.Sprintf("%.4f", claims.PaperPlateau(points).Mean)}
}

// plateau compares the means of the flat parts. Their standard errors come from the scatter of the
// minima over the widths, which is all that the paper shows of its spread.
func plateau(d *lab.Data, c claims.Claim, b, size int) claims.Verdict {
	points := claims.LoadPoints(b, size)
	widest := int(points[len(points)-1].X)
	theirs := claims.PaperPlateau(points)
	groups := fig2At(d, claims.SizeSeries(size), b)
	ours := stat.SampleOf(minima(groups, widest))
	shift, why := minimumOf(slices.DeleteFunc(groups, func(g lab.Group) bool { return g.Param("f") < claims.PlateauFrom }))
	e := claims.Around(ours.Mean, 2*ours.Err)
	e.Format = "%.4f"
	return c.Equal(e, theirs.Mean, theirs.Tolerance(ours)+shift+readingError,
		fmt.Sprintf("%d standard errors of the difference, from the scatter over f, and %.4f of reading%s", stat.Deviations, readingError, why))
}

// leastChance is the chance below which the points of a curve together are no outcome of tables like ours, and doubtful that below
// which one of them is said to be off.
const (
	leastChance = 0.01
	doubtful    = 0.05
)

func cliffClaim(b, size int) claims.Claim {
	return claims.Claim{ID: fmt.Sprintf("cliff, b = %d, m = 2^%d", b, size), Source: fmt.Sprintf("figure 2, b = %d, m = 2^%d", b, size), Paper: paperCliff(b, size),
		Says: fmt.Sprintf("b = %d, %s: the points of the cliff may be the least of %d runs of this module's fingerprints", b, claims.SizeSeries(size), paperRuns)}
}

// cliff holds the paper's points of narrow fingerprints against what the least of ten runs of tables like ours may be. Where that cannot be,
// it says which of the suppositions about the paper's fingerprints give all of its points at this bucket size.
func cliff(d *lab.Data, c claims.Claim, b, size int) claims.Verdict {
	ours := cliffOf(d, supposition{}, b, size)
	tried := "Tried, with the chance of all points together: "
	for i, s := range suppositions {
		if i > 0 {
			tried += "; "
		}
		tried += s.name + ": " + cliffOf(d, s, b, size).text()
	}
	if b == 8 && ours.onlyLower() { // the difference that is on record
		c.Open = tried + ". 2^f values of which one has both of its buckets in one give the points of b = 8 in tables of 2^15 and 2^20 buckets, but not those of b = 4, and nothing is known that would make the panels of one figure in two ways."
	}
	chance := claims.Exactly(ours.chance())
	chance.Format = "%.2g"
	v := c.Within(chance, leastChance, 1, fmt.Sprintf("the chance of all points together, by Fisher's product of those of each to be at most, or at least, the paper's within %.4f of reading. "+
		"At least: by the limit of overfull classes and by ranks. At most: by three times as many overfull classes and Weibull's law through our runs, its exponent lowered by 3 standard errors", readingError))
	v.Ours = fmt.Sprintf("%s: %.2g", ours.list(), ours.chance())
	fits := ours.explained()
	for _, other := range fig2Exponents(d) {
		if slices.Contains(fig2PaperSizes, other) && equalValues.measured(d.Setup.Profile, b, other) {
			fits = fits && cliffOf(d, equalValues, b, other).chance() >= leastChance
		}
	}
	return v.Shown(fits && equalValues.measured(d.Setup.Profile, b, size), fmt.Sprintf("The paper does not say how a digest becomes a fingerprint. 2^f equally likely values, simulated, give "+
		"all points of b = %d; this module has 2^f-1, as 0 marks an empty slot. %s.", b, tried))
}

// A cliffPoint is a point of the paper, our least of ten, and the chances that the least of ten such runs is as low, and as high, as the paper's.
type cliffPoint struct {
	paper, ours, atMost, atLeast float64
	// limited says that our runs stopped where they must: on the plateau, or where classes are about to be overfull, which is at an
	// expected number of 1 or a little less.
	limited bool
}

// cliffPoints are those of one curve.
type cliffPoints []cliffPoint

// cliffOf are the points under a supposition; the zero one is this module's own fingerprints.
func cliffOf(d *lab.Data, s supposition, b, size int) (out cliffPoints) {
	series := claims.SizeSeries(size)
	if s != (supposition{}) {
		series = s.series(size)
	}
	points := claims.LoadPoints(b, size)
	for _, g := range fig2At(d, series, b) {
		f := g.Param("f")
		if f > cliffWidth {
			continue
		}
		p := cliffPoint{paper: pointAt(points, f), ours: leastOfTen(g)}
		table, runs := s.table(b, f, size), g.Ratios("stored", "slots")
		p.atMost, p.atLeast = chances(table, runs, p.paper)
		overfull := 0.0
		for _, load := range runs {
			overfull += table.Overfull(load) / float64(len(runs))
		}
		p.limited = overfull >= 0.01 || p.ours >= 0.98*claims.PaperPlateau(points).Mean
		out = append(out, p)
	}
	return out
}

// chance is that of all points together, each on its nearer side (Fisher, Statistical Methods for Research Workers, 1925); 1 without points.
func (ps cliffPoints) chance() float64 {
	sum, term, tail := 0.0, 1.0, 0.0
	for _, p := range ps {
		sum -= math.Log(min(2*min(p.atMost, p.atLeast), 1))
	}
	for i := range ps {
		tail += term
		term *= sum / float64(i+1)
	}
	if len(ps) == 0 || math.IsInf(sum, 1) {
		return float64(1 - min(len(ps), 1))
	}
	return tail * math.Exp(-sum)
}

// explained tells whether other values may explain what is off: the paper's points are above ours, and ours stopped where they must.
func (ps cliffPoints) explained() bool {
	return !slices.ContainsFunc(ps, func(p cliffPoint) bool {
		return p.atMost < doubtful || p.atLeast < doubtful && !p.limited
	})
}

// onlyLower tells whether every point that is off lies below ours.
func (ps cliffPoints) onlyLower() bool {
	return !slices.ContainsFunc(ps, func(p cliffPoint) bool { return p.atLeast < doubtful })
}

// text is the chance in words.
func (ps cliffPoints) text() string {
	if len(ps) == 0 {
		return "(not filled)"
	}
	return fmt.Sprintf("%.2g", ps.chance())
}

// list is our least of ten for each width, and the smaller chance of the paper's point.
func (ps cliffPoints) list() string {
	var at []string
	for i, p := range ps {
		at = append(at, fmt.Sprintf("f = %d: %.3f (chance %.2g)", i+1, p.ours, min(p.atMost, p.atLeast)))
	}
	return strings.Join(at, "; ") + "; together"
}

// chances returns how likely the least of ten more fills of a table is at most, and at least, the paper's point, by the loads of fills.
//
// At least: no more than by the overfull classes, which refuse a key whatever the policy; and no more than the chance that so many of
// our fills are below all ten others if all are alike.
//
// At most: a load at the first refusal is the least over many places, so that its distribution is about Weibull's, whose exponent
// follows from the scatter of the logarithms. The least of ten is compared with the mean of our powers; both are exponentially distributed. To that
// come overfull classes, which scattered runs may not have met: tables refuse a little sooner than their number says.
func chances(t causes.Table, runs []float64, point float64) (atMost, atLeast float64) {
	n := float64(len(runs))
	logs := make([]float64, len(runs))
	for i, x := range runs {
		logs[i] = math.Log(x)
	}
	const grain = 1e-4 // of loads that do not scatter
	scatter := max(stat.SampleOf(logs).Err*math.Sqrt(n), grain)
	exponent := math.Pi / math.Sqrt(6) / scatter / (1 + 3/math.Sqrt(n))
	high, low := point+readingError, point-readingError
	power, below := 0.0, 0.0
	for _, x := range runs {
		power += math.Pow(x/high, exponent) / n
		if x < low {
			below++
		}
	}
	atLeast = t.Reaches(low, paperRuns)
	ranks := 1.0
	for i := range paperRuns {
		ranks *= max(n+paperRuns-below-float64(i), 0) / (n + paperRuns - float64(i))
	}
	return 1 - math.Pow(1+paperRuns/power/n, -n)*t.Reaches(high, 3*paperRuns), min(atLeast, ranks)
}

// largerIsLower checks that larger tables refuse earlier, on the plateau and at one to three bits.
func largerIsLower(d *lab.Data, b int) claims.Verdict {
	c := claims.Claim{ID: fmt.Sprintf("larger is lower, b = %d", b), Source: fmt.Sprintf("figure 2, b = %d", b),
		Says: fmt.Sprintf("b = %d: larger tables refuse earlier, on the plateau (mean of f >= %d) and at f = 1 to 3", b, claims.PlateauFrom)}
	var theirs []string
	for _, size := range fig2PaperSizes {
		points := claims.LoadPoints(b, size)
		theirs = append(theirs, fmt.Sprintf("m=2^%d: %.3f; %.3f, %.3f, %.3f", size, claims.PaperPlateau(points).Mean, points[0].Y, points[1].Y, points[2].Y))
	}
	c.Paper = strings.Join(theirs, ", ")
	var steps []claims.Step
	before, last := []stat.Sample{}, 0
	for _, size := range fig2Exponents(d) {
		groups := fig2At(d, claims.SizeSeries(size), b)
		now := make([]stat.Sample, 4)
		var flat []float64
		for _, g := range groups {
			loads := g.Ratios("stored", "slots")
			if f := g.Param("f"); f < len(now) {
				now[f] = stat.SampleOf(loads)
			} else if f >= claims.PlateauFrom {
				flat = append(flat, loads...)
			}
		}
		now[0] = stat.SampleOf(flat)
		for i := range before {
			at := fmt.Sprintf("f = %d", i)
			if i == 0 {
				at = "plateau"
			}
			steps = append(steps, step(fmt.Sprintf("%s, 2^%d - 2^%d", at, last, size), before[i], now[i]))
		}
		before, last = now, size
	}
	return c.Order(steps, twoErrors)
}

// twoErrors is the interval of a [step].
const twoErrors = "2 standard errors"

// step is the difference of two samples.
func step(name string, a, b stat.Sample) claims.Step {
	return claims.Step{Name: name, Of: claims.Around(a.Mean-b.Mean, 2*math.Hypot(a.Err, b.Err))}
}

// breadthFirst holds this module's own claim: its default policy fills tables further.
func breadthFirst(d *lab.Data, b int) claims.Verdict {
	shared := claims.SizeSeries(fig2Shared(d.Setup.Profile))
	walk := stat.SampleOf(minima(fig2At(d, shared, b), measure.WidestFill))
	search := stat.SampleOf(minima(fig2At(d, fig2BreadthFirst, b), measure.WidestFill))
	c := claims.Claim{ID: fmt.Sprintf("breadth-first, b = %d", b), Paper: "-",
		Says: fmt.Sprintf("b = %d, %s: searching breadth-first fills the table further than the paper's walk", b, claims.SizeSeries(fig2Shared(lab.Paper)))}
	return c.Order([]claims.Step{step("difference of the plateaus", search, walk)}, twoErrors)
}

// halfWidth is the width of fingerprints, interpolated, at which the load passes half the plateau. Its standard error is that
// of the loads on either side, by their weights, over the slope between them.
func halfWidth(load []stat.Sample, plateau float64) stat.Sample {
	half := plateau / 2
	for i := 1; i < len(load); i++ {
		if low, high := load[i-1], load[i]; low.Mean < half && high.Mean >= half {
			at := (half - low.Mean) / (high.Mean - low.Mean)
			return stat.Sample{Mean: float64(i) + at, Err: math.Hypot((1-at)*low.Err, at*high.Err) / (high.Mean - low.Mean), N: high.N}
		}
	}
	return stat.Sample{Mean: math.NaN()}
}

// halfWidths returns those of the sizes of a run.
func halfWidths(d *lab.Data, b int) (at []stat.Sample) {
	for _, size := range fig2Exponents(d) {
		groups := fig2At(d, claims.SizeSeries(size), b)
		var load []stat.Sample
		for _, g := range groups[:claims.PlateauFrom] {
			load = append(load, stat.SampleOf(g.Ratios("stored", "slots")))
		}
		at = append(at, halfWidth(load, stat.SampleOf(minima(groups, measure.WidestFill)).Mean))
	}
	return at
}

// paperHalfWidths is the same of the paper's curves.
func paperHalfWidths(b int) (at []float64) {
	for _, size := range fig2PaperSizes {
		points := claims.LoadPoints(b, size)
		var load []stat.Sample
		for _, p := range points[:claims.PlateauFrom] {
			load = append(load, stat.Sample{Mean: p.Y})
		}
		at = append(at, halfWidth(load, claims.PaperPlateau(points).Mean).Mean)
	}
	return at
}

// widthGrows checks the theorem that the least fingerprint has Omega(log n / b) bits: it grows with each doubling, and both it and its growth are
// smaller at larger b.
func widthGrows(d *lab.Data) claims.Verdict {
	c := claims.Claim{ID: "least width", Source: "section 4, Omega(log n / b)",
		Says: "The least fingerprint, as the width at which the load passes half of the plateau, grows with each doubling of the table; at b = 8 it is smaller than at b = 4, and grows by less"}
	sizes := fig2Exponents(d)
	doublings := float64(sizes[len(sizes)-1] - sizes[0])
	at, slope := map[int][]stat.Sample{}, map[int]stat.Sample{}
	var theirs []string
	var steps []claims.Step
	for _, b := range fig2Buckets {
		at[b] = halfWidths(d, b)
		first, last := at[b][0], at[b][len(sizes)-1]
		slope[b] = stat.Sample{Mean: (last.Mean - first.Mean) / doublings, Err: math.Hypot(last.Err, first.Err) / doublings}
		steps = append(steps, step(fmt.Sprintf("b = %d, bits per doubling", b), slope[b], stat.Sample{}))
		paper := paperHalfWidths(b)
		theirs = append(theirs, fmt.Sprintf("b = %d: %.2f bits at m = 2^15, %.3f more per doubling", b, paper[0], (paper[3]-paper[0])/15))
	}
	c.Paper = strings.Join(theirs, "; ") + ", by its points"
	steps = append(steps, step("b = 4 less b = 8, bits per doubling", slope[4], slope[8]))
	for i, size := range sizes {
		steps = append(steps, step(fmt.Sprintf("b = 4 less b = 8, bits at m = 2^%d", size), at[4][i], at[8][i]))
	}
	return c.Order(steps, twoErrors)
}
