package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"gonum.org/v1/gonum/stat/distuv"
)

// readingError is how exactly the points of the paper's figure 2 could be read off: a quarter of the smallest step
// between neighbouring values, .0026.
const readingError = 0.0007

// twoErrors is the interval of a [step].
const twoErrors = "2 standard errors"

// step is the difference of two samples, with 2 standard errors.
func step(name string, a, b claims.Sample) claims.Step {
	return claims.Step{Name: name, Of: claims.Around(a.Mean-b.Mean, 2*math.Hypot(a.Err, b.Err))}
}

// loadClaims compare plateaus and cliffs with the paper's curves of the same table size, and sizes with each other.
func loadClaims(d *lab.Data) (out []claims.Verdict) {
	for _, b := range fig2Buckets {
		for _, size := range fig2PaperSizes {
			out = append(out, plateauClaim(d, b, size))
		}
		out = append(out, d.Judged([]claims.Verdict{cliff(b), twoHashes(d, b), textLoad(d, b), widthGrows(d, b),
			largerIsLower(d, b), breadthFirst(d, b)})...)
	}
	return append(out, d.Judged([]claims.Verdict{oneTheory(), lawHolds(d), sixBits(d)})...)
}

// plateauClaim compares the flat part of one of the paper's curves, of a table size that a run has filled.
func plateauClaim(d *lab.Data, b, size int) claims.Verdict {
	points, name := claims.LoadPoints(b, size), fmt.Sprintf("b = %d, m = 2^%d", b, size)
	c := claims.Claim{ID: "plateau, " + name, Source: "figure 2, " + name,
		Says: fmt.Sprintf("%s: plateau of the load factor, mean of f = %d to %g", name, claims.PlateauFrom,
			points[len(points)-1].X), Paper: fmt.Sprintf("%.4f", claims.PaperPlateau(points).Mean)}
	switch {
	case slices.Contains(fig2Exponents(d), size):
		return plateau(d, c, b, size)
	case size >= fig2HugeSize && d.Setup.Profile == lab.Paper:
		return c.NotMeasured("Tables of this size take up to 20 GiB each: they are filled with --huge.")
	}
	return c.NotMeasured("Tables of this size are filled in the profile paper.")
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

// flatPart are the groups of a series of at least PlateauFrom bits, and the least of ten runs of each, up to a width.
func flatPart(d *lab.Data, series string, b, upTo int) (groups []lab.Group, minima claims.Sample) {
	var least []float64
	for _, g := range fig2At(d, series, b) {
		if f := g.Cell.Int("f"); f >= claims.PlateauFrom {
			groups = append(groups, g)
			if f <= upTo {
				least = append(least, leastOfTen(g))
			}
		}
	}
	return groups, claims.SampleOf(least)
}

// expectedMinimum is by how many standard deviations the least of n normal values lies below the mean (Blom, 1958,
// Statistical Estimates and Transformed Beta-Variables: the quantile (n-3/8)/(n+1/4), within 5%).
func expectedMinimum(n int) float64 {
	return math.Sqrt2 * math.Erfinv(2*(float64(n)-0.375)/(float64(n)+0.25)-1)
}

// minimumOf is what the minimum of fewer than ten runs may differ by from the paper's, of ten, and the words for it.
func minimumOf(groups []lab.Group) (shift float64, why string) {
	runs, sd := 0, 0.0
	for _, g := range groups {
		s := lab.Sample("load_factor", g)
		runs, sd = s.N, sd+s.Err*math.Sqrt(float64(s.N))/float64(len(groups))
	}
	if runs >= paperRuns || runs == 0 {
		return 0, ""
	}
	shift = math.Abs(expectedMinimum(runs)-expectedMinimum(paperRuns)) * sd
	return shift, fmt.Sprintf("; %.4f for a minimum of %d runs here and %d in the paper", shift, runs, paperRuns)
}

// plateau compares means of flat parts, with errors from the scatter over the widths: all that the paper shows.
func plateau(d *lab.Data, c claims.Claim, b, size int) claims.Verdict {
	points := claims.LoadPoints(b, size)
	theirs := claims.PaperPlateau(points)
	groups, ours := flatPart(d, claims.SizeSeries(size), b, int(points[len(points)-1].X))
	shift, why := minimumOf(groups)
	e := claims.Around(ours.Mean, 2*ours.Err).As("%.4f", "")
	return c.Equal(e, theirs.Mean, theirs.Tolerance(ours)+shift+readingError, fmt.Sprintf("%d standard errors of the "+
		"difference, from the scatter over f, and %.4f of reading%s", claims.Deviations, readingError, why))
}

// leastChance is the chance below which points are no outcome of tables of some values.
const leastChance = 0.01

// pointChance is how likely the least of so many fills is as far from its median as a load is, or farther, by the law
// of overfull classes; within how exactly the load is known.
func pointChance(t claims.NarrowTable, load, within float64, fills int) float64 {
	p := 2 * min(t.Reaches(load-within, fills), 1-t.Reaches(load+within, fills))
	return min(1, max(p, math.SmallestNonzeroFloat64))
}

// together is the chance of independent chances (Fisher, Statistical Methods for Research Workers, 1925: minus twice
// the sum of the logarithms is distributed like chi squared); 1 of none.
func together(chances []float64) float64 {
	if len(chances) == 0 {
		return 1
	}
	sum := 0.0
	for _, p := range chances {
		sum -= math.Log(p)
	}
	return distuv.ChiSquared{K: float64(2 * len(chances))}.Survival(2 * sum)
}

// limited tells of a load whether overfull classes limit it, and not the walk: whether it is below the plateau.
func limited(load, plateau float64) bool { return load < 0.98*plateau }

// curveChances are those of the points of one of the paper's cliffs, for values and offsets.
func curveChances(v supposition, b, size int) (all []float64) {
	points := claims.LoadPoints(b, size)
	flat := claims.PaperPlateau(points).Mean
	for f := 1; f <= cliffWidth; f++ {
		if y := pointAt(points, f); limited(y, flat) {
			all = append(all, pointChance(v.table(b, f, size), y, readingError, paperRuns))
		}
	}
	return all
}

// panelChance is the chance of all cliffs of a panel, and in words that of each curve.
func panelChance(v supposition, b int) (chance float64, each string) {
	var all []float64
	for _, size := range fig2PaperSizes {
		of := curveChances(v, b, size)
		all = append(all, of...)
		each += fmt.Sprintf("2^%d: %.2g; ", size, together(of))
	}
	return together(all), each
}

// The theory of figure 2: 2^f equally likely values in both panels, and the offset by the switch of the authors' code,
// hashed in one panel and multiplied in the other.
var theory = map[int]supposition{4: equalValues, 8: suppositions[2]}

const theSwitch = "the authors' code has a switch for the offset, a hash of the fingerprint or its product with " +
	"0x5bd1e995, which leaves 0 where it is (efficient/cuckoofilter, commit f9808ce, filter/cuckoofilter.h). That " +
	"file maps 0 to 1, so other code drew the figure."

// tried is how many theories there are: three rules of values, and a switch for each panel.
const tried = 3 * 2 * 2

func theoryChance() (chance float64, text string) {
	var all []float64
	for _, b := range fig2Buckets {
		_, each := panelChance(theory[b], b)
		text += fmt.Sprintf("b = %d, %s: %s", b, theory[b].name, each)
		for _, size := range fig2PaperSizes {
			all = append(all, curveChances(theory[b], b, size)...)
		}
	}
	return together(all), strings.TrimSuffix(text, "; ")
}

// oneTheory holds one theory against all eight curves. It is the best of several, and has to fit as much better.
func oneTheory() claims.Verdict {
	chance, text := theoryChance()
	v := claims.Ours("one theory", "One rule gives the cliffs of both panels, 2^30 buckets included: 2^f equally "+
		"likely values, hashed offsets at b = 4, multiplied ones at b = 8").
		Within(claims.Exactly(chance).As("%.2g", ""), leastChance*tried, 1, fmt.Sprintf("the chance of all points together, "+
			"by the law of overfull classes: %.2g, times the %d theories that were tried", leastChance, tried))
	v.Ours += ": " + text
	return v
}

// cliff holds the paper's points of narrow fingerprints against the least of ten fills of this module's, by the law.
func cliff(b int) claims.Verdict {
	c := claims.Claim{ID: fmt.Sprintf("cliff, b = %d", b), Source: fmt.Sprintf("figure 2, b = %d", b),
		Says: fmt.Sprintf("b = %d: the points of the cliff, m = 2^15 to 2^30, may be the least of %d runs of this "+
			"module's fingerprints", b, paperRuns)}
	for _, size := range fig2PaperSizes {
		c.Paper += fmt.Sprintf("2^%d:", size)
		for f := 1; f <= cliffWidth; f++ {
			c.Paper += fmt.Sprintf(" %.3f", pointAt(claims.LoadPoints(b, size), f))
		}
		c.Paper += "; "
	}
	c.Paper = strings.TrimSuffix(c.Paper, "; ")
	chance, each := panelChance(supposition{}, b)
	v := c.Within(claims.Exactly(chance).As("%.2g", "the chance of all points; %s", strings.TrimSuffix(each, "; ")),
		leastChance, 1, fmt.Sprintf("the chance of all points together, each within %.4f of reading, by the law of "+
			"overfull classes", readingError))
	fits, text := theoryChance()
	return v.Shown(fits >= leastChance*tried, "The paper does not say how a digest becomes a fingerprint. Ours have "+
		"2^f-1 values, as 0 marks an empty slot. 2^f values give all points of both panels ("+text+"): "+theSwitch)
}

// lawHolds compares the fills of a run, of this module and simulated ones, with the law that judges the paper's points.
func lawHolds(d *lab.Data) claims.Verdict {
	c := claims.Ours("law", "The least of our own fills is where the law of overfull classes has it, in every table "+
		"of 2^15 buckets and more, filled or simulated: the chance of all points together")
	var all []float64
	for _, b := range fig2Buckets {
		for _, size := range fig2Exponents(d) {
			_, flat := flatPart(d, claims.SizeSeries(size), b, measure.WidestFill)
			for _, v := range append(suppositions, supposition{}) {
				for _, g := range fig2At(d, v.series(size), b) {
					runs, f := g.Values("load_factor"), g.Cell.Int("f")
					if least := slices.Min(runs); size >= 15 && f <= cliffWidth && limited(least, flat.Mean) {
						all = append(all, pointChance(v.table(b, f, size), least, 0, len(runs)))
					}
				}
			}
		}
	}
	return c.Within(claims.Exactly(together(all)).As("%.2g", "%d points", len(all)), leastChance, 1, "no theory was "+
		"chosen by these points")
}

// twoHashes holds that partial-key hashing loses nothing: beyond six bits the load is that of two independent hashes.
func twoHashes(d *lab.Data, b int) claims.Verdict {
	const alike = 0.0025 // half of what the plateaus of neighbouring curves differ by
	size := fig2Shared(d.Setup.Profile)
	groups, _ := flatPart(d, claims.SizeSeries(size), b, 0)
	partial := lab.Sample("load_factor", groups[1:]...)
	full := lab.Sample("load_factor", fig2At(d, fig2TwoHashes, b)...)
	return claims.Sentence("two hashes", claims.Claim{ID: fmt.Sprintf("two hashes, b = %d", b),
		Says: fmt.Sprintf("b = %d, m = 2^15: load factor of f = %d and more less that of two independent hashes (simulated)",
			b, claims.PlateauFrom+1), Paper: "0"}).
		Within(claims.Difference(partial, full).As("%.4f", "%.4f and %.4f", partial.Mean, full.Mean), -alike, alike,
			"half of what neighbouring curves differ by; "+claims.SampledBy)
}

// textLoad compares the loads of section 5.1 with the plateaus at the size that its figure 2 and ours share.
func textLoad(d *lab.Data, b int) claims.Verdict {
	load := map[int]float64{4: 0.95, 8: 0.98}[b]
	c := claims.Sentence("loads", claims.Claim{ID: fmt.Sprintf("text, b = %d", b), Paper: fmt.Sprintf("%.0f%%",
		100*load),
		Says: fmt.Sprintf("b = %d, m = 2^25: load factor, mean of the least of ten, f of %d and more", b,
			claims.PlateauFrom)})
	const size = 25
	if !slices.Contains(fig2Exponents(d), size) {
		return c.NotMeasured("Tables of this size are filled in the profile paper.")
	}
	_, ours := flatPart(d, claims.SizeSeries(size), b, measure.WidestFill)
	return c.Equal(claims.Mean(ours).As("%.4f", ""), load, 0.005, "half of the last digit of the percentage; smaller "+
		"tables fill further, as in figure 2")
}

// sixBits holds that six bits do: by fills of the largest tables, and by the law where the paper's have 2^32 slots.
func sixBits(d *lab.Data) claims.Verdict {
	const lost, size = 0.01, 30
	largest := slices.Max(fig2Exponents(d))
	_, flat := flatPart(d, claims.SizeSeries(largest), 4, measure.WidestFill)
	at := lab.Sample("load_factor", fig2At(d, claims.SizeSeries(largest), 4)[claims.PlateauFrom-1])
	overfull := supposition{}.table(4, claims.PlateauFrom, size).Overfull(claims.PaperPlateau(claims.LoadPoints(4,
		size)).Mean)
	return claims.Sentence("6 bits", claims.Claim{ID: "6 bits", Paper: "f = 6 at m = 2^30: " +
		fmt.Sprintf("%.3f", pointAt(claims.LoadPoints(4, size), claims.PlateauFrom)),
		Says: "Six bits fill the largest tables to within 1% of the plateau, and at 2^32 slots fewer than one table " +
			"in 100 has an overfull class below it: what is left of either"}).
		Order([]claims.Step{
			step(fmt.Sprintf("m = 2^%d, f = 6, less 0.99 of the plateau", largest), at,
				claims.Sample{Mean: (1 - lost) * flat.Mean, Err: flat.Err}),
			{Name: "m = 2^30, by the law", Of: claims.Exactly(lost-overfull).As("%.5f", "")},
		}, twoErrors)
}

// largerIsLower checks that larger tables refuse earlier, on the plateau and at one to three bits.
func largerIsLower(d *lab.Data, b int) claims.Verdict {
	var theirs []string
	for _, size := range fig2PaperSizes {
		p := claims.LoadPoints(b, size)
		theirs = append(theirs, fmt.Sprintf("m=2^%d: %.3f; %.3f, %.3f, %.3f", size, claims.PaperPlateau(p).Mean, p[0].Y,
			p[1].Y, p[2].Y))
	}
	c := claims.Claim{ID: fmt.Sprintf("larger is lower, b = %d", b), Source: fmt.Sprintf("figure 2, b = %d", b),
		Paper: strings.Join(theirs, ", "),
		Says: fmt.Sprintf("b = %d: larger tables refuse earlier, on the plateau (mean of f >= %d) and at f = 1 to 3", b,
			claims.PlateauFrom)}
	var steps []claims.Step
	var before []claims.Sample
	for i, size := range fig2Exponents(d) {
		groups, _ := flatPart(d, claims.SizeSeries(size), b, 0)
		now := []claims.Sample{lab.Sample("load_factor", groups...)}
		for _, g := range fig2At(d, claims.SizeSeries(size), b)[:3] {
			now = append(now, lab.Sample("load_factor", g))
		}
		for j, was := range before {
			at := []string{"plateau", "f = 1", "f = 2", "f = 3"}[j]
			steps = append(steps, step(fmt.Sprintf("%s, 2^%d - 2^%d", at, fig2Exponents(d)[i-1], size), was, now[j]))
		}
		before = now
	}
	return c.Order(steps, twoErrors)
}

// breadthFirst holds this module's own claim: its default policy fills tables further.
func breadthFirst(d *lab.Data, b int) claims.Verdict {
	_, walk := flatPart(d, claims.SizeSeries(fig2Shared(d.Setup.Profile)), b, measure.WidestFill)
	_, search := flatPart(d, fig2BreadthFirst, b, measure.WidestFill)
	return claims.Ours(fmt.Sprintf("breadth-first, b = %d", b),
		fmt.Sprintf("b = %d, %s: searching breadth-first fills the table further than the paper's walk", b,
			claims.SizeSeries(fig2Shared(lab.Paper)))).
		Order([]claims.Step{step("difference of the plateaus", search, walk)}, twoErrors)
}

// halfWidth is the width of fingerprints, interpolated, at which loads by width, from 1 bit on, pass half the plateau.
// Its standard error is that of the loads on either side, by their weights, over the slope between them.
func halfWidth(load []claims.Sample, plateau claims.Sample) claims.Sample {
	half := plateau.Mean / 2
	for i := 1; i < claims.PlateauFrom; i++ {
		if low, high := load[i-1], load[i]; low.Mean < half && high.Mean >= half {
			slope := high.Mean - low.Mean
			at := (half - low.Mean) / slope
			return claims.Sample{Mean: float64(i) + at, Err: math.Hypot((1-at)*low.Err, at*high.Err) / slope, N: high.N}
		}
	}
	return claims.Sample{Mean: math.NaN()}
}

// ourHalfWidth is that of a size of a run, and paperHalfWidth that of one of the paper's curves.
func ourHalfWidth(d *lab.Data, b, size int) claims.Sample {
	_, flat := flatPart(d, claims.SizeSeries(size), b, measure.WidestFill)
	return halfWidth(samples(fig2At(d, claims.SizeSeries(size), b), func(g lab.Group) claims.Sample {
		return lab.Sample("load_factor", g)
	}), flat)
}

func paperHalfWidth(b, size int) float64 {
	points := claims.LoadPoints(b, size)
	return halfWidth(samples(points, func(p claims.PaperPoint) claims.Sample { return claims.Sample{Mean: p.Y} }),
		claims.PaperPlateau(points)).Mean
}

func samples[T any](all []T, of func(T) claims.Sample) (out []claims.Sample) {
	for _, one := range all {
		out = append(out, of(one))
	}
	return out
}

// widthGrows compares the slope of the theorem, that the least fingerprint has Omega(log n / b) bits, with the paper's
// points: what each doubling of the table adds to the width at which the load passes half of the plateau.
func widthGrows(d *lab.Data, b int) claims.Verdict {
	sizes := fig2Exponents(d)
	size := sizes[len(sizes)-1]
	doublings := float64(size - sizes[0])
	first, last := ourHalfWidth(d, b, sizes[0]), ourHalfWidth(d, b, size)
	theirs := (paperHalfWidth(b, 30) - paperHalfWidth(b, 15)) / 15
	ours := claims.Sample{Mean: (last.Mean - first.Mean) / doublings, Err: math.Hypot(last.Err, first.Err) / doublings}
	slope := func(v supposition) float64 { return (v.halfWidth(b, size) - v.halfWidth(b, sizes[0])) / doublings }
	v := claims.Sentence("least width", claims.Claim{ID: fmt.Sprintf("least width, b = %d", b),
		Paper: fmt.Sprintf("%.3f, "+
			"by its points from 2^15 to 2^30", theirs), Says: fmt.Sprintf("b = %d: bits that each doubling of the "+
			"table adds to the least fingerprint, the width at which the load passes half of the plateau", b)}).
		Within(claims.Around(ours.Mean, 2*ours.Err), theirs/1.25, 1.25*theirs, "a quarter, as cliffs step by classes; "+
			twoErrors)
	fits, _ := theoryChance()
	follows := math.Abs(slope(supposition{})-ours.Mean) < 0.25*ours.Mean && fits >= leastChance*tried
	return v.Shown(follows, fmt.Sprintf("It grows, by less than in the paper: the law has %.3f for 2^f-1 values, as ours "+
		"are, and %.3f for those of the paper's panel (%s).", slope(supposition{}), slope(theory[b]), theory[b].name))
}

// halfWidth is the width at which the median load at the first refusal passes half of the plateau, by the law.
func (v supposition) halfWidth(b, size int) float64 {
	plateau := claims.Sample{Mean: claims.PaperPlateau(claims.LoadPoints(b, 20)).Mean}
	return halfWidth(samples([]int{1, 2, 3, 4, 5, 6}, func(f int) claims.Sample {
		return claims.Sample{Mean: min(v.table(b, f, size).LoadAt(math.Ln2), plateau.Mean)}
	}), plateau).Mean
}
