package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// fig2PaperSizes are the exponents of the table sizes of the paper's figure 2. Each is judged in every profile: those that
// a profile does not fill are not measured in it.
var fig2PaperSizes = []int{15, 20, 25, 30}

// unfilled is why a run does not measure a table size of the paper.
func unfilled(s lab.Setup, size int) string {
	switch {
	case s.Profile != lab.Paper:
		return "Tables of this size are filled in the profile paper."
	case size >= fig2HugeSize:
		return "Tables of this size take up to 20 GiB each: they are filled with --huge."
	}
	return "Tables of this size are not filled."
}

// paperRuns is how many runs the paper took the minimum of.
const paperRuns = 10

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
		runs, sd = s.N, sd+singleFill(s)/float64(len(groups))
	}
	if runs == paperRuns || runs == 0 {
		return 0, ""
	}
	shift = math.Abs(expectedMinimum(runs)-expectedMinimum(paperRuns)) * sd
	return shift, fmt.Sprintf("; %.4f for a minimum of %d runs here and %d in the paper", shift, runs, paperRuns)
}

// deviation is the standard deviation of the values.
func singleFill(s stat.Sample) float64 { return s.Err * math.Sqrt(float64(s.N)) }

// overfullClasses is the expected number of classes (pairs of buckets and a fingerprint) that more than 2b keys of a
// table of load alpha fall into: the first one refuses a key, whatever the policy. The keys of a class are as good
// as Poisson distributed. Of 2^size buckets there are half as many pairs for each fingerprint. All 2^f-1
// fingerprints are equally likely here; with doubled, there is instead one among 2^f that stands for two values, and only its
// classes count, which fill first by far.
func overfullClasses(alpha float64, b, f, size int, doubled bool) float64 {
	classes, mean := math.Ldexp(math.Exp2(float64(f))-1, size-1), 2*float64(b)*alpha/(math.Exp2(float64(f))-1)
	if doubled {
		classes, mean = math.Ldexp(1, size-1), 4*float64(b)*alpha/math.Exp2(float64(f))
	}
	return classes * law.PoissonFrom(mean, 2*b+1)
}

// doubledWhy explains loads at narrow widths that are above the paper's, by the number of overfull classes. It returns
// nothing where that is no explanation: where one that is twice as likely would not have stopped the paper's table, or where ours
// went on beyond what its own fingerprints allow.
func doubledWhy(b, f, size int, paper, ours float64) string {
	theirs, own := overfullClasses(paper, b, f, size, true), overfullClasses(ours, b, f, size, false)
	if theirs < 0.05 || own > 10 || ours < paper {
		return ""
	}
	return fmt.Sprintf("The paper does not say how a digest becomes a fingerprint. A table refuses at the latest when %d keys have one fingerprint and one pair of buckets. "+
		"Where the value 0, which marks an empty slot, is taken for 1, as in the authors' published code, fingerprint 1 is twice as likely, and at the paper's load of %.3f "+
		"one expects %.2g such groups of keys. Here all %d fingerprints are equally likely: %.2g at that load, and %.2g at ours.",
		2*b+1, paper, theirs, 1<<f-1, overfullClasses(paper, b, f, size, false), own)
}

// crowdedParts is the expected number of parts of 2^reach buckets that more keys fall into than they have slots, in a table of
// 2^size buckets that no kick leads from one part into another.
func crowdedParts(alpha float64, b, reach, size int) float64 {
	slots := b << reach
	return math.Ldexp(law.PoissonFrom(alpha*float64(slots), slots+1), size-reach)
}

// offsetsWhy explains a cliff that lies at a width of 4 bits or fewer, where the paper's load is lower, by the offsets between the
// two buckets. It returns nothing at other widths, and where ours went on beyond what its own fingerprints allow.
func offsetsWhy(b, f, size int, paper, ours float64) string {
	reach := min(1<<f-1, size) // the offsets are independent, so that kicks reach every sum of them
	if f > 4 || ours < paper || overfullClasses(ours, b, f, size, false)+crowdedParts(ours, b, reach, size) > 10 {
		return ""
	}
	return fmt.Sprintf("The paper does not say how a fingerprint becomes the offset between its two buckets, on which everything depends at %d bits. "+
		"Here the %d offsets are all different and lead from a bucket to 2^%d others, of which none is crowded at a load of %.3f. "+
		"A table in which they lead to a few dozen, or in which some fingerprints are more likely, refuses sooner, as the paper's does at %.3f.",
		f, 1<<f-1, reach, ours, paper)
}

// narrowWidths are those on the cliff of b = 4 whose loads are compared with the paper's. At fewer bits the offsets
// of the buckets decide, which the paper does not state.
var narrowWidths = []int{4, 5}

// narrowMost bounds the tolerance of such a point: runs that scatter by more would agree with anything.
const narrowMost = 0.05

// narrowLoad compares one point of the cliff of b = 4 with the paper's.
func narrowLoad(d *lab.Data, f, size int) claims.Verdict {
	const b = 4
	points := claims.LoadPoints(b, size)
	paper := pointAt(points, f)
	claim := fmt.Sprintf("b = %d, %s, f = %d: load factor, minimum of the runs", b, claims.SizeSeries(size), f)
	if !measured(d.Setup, size) {
		return claims.Missing(claim, fmt.Sprintf("%.4f", paper), unfilled(d.Setup, size))
	}
	var at []lab.Group
	for _, g := range measure.PanelGroups(d, claims.SizeSeries(size), b) {
		if g.Param("f") == f {
			at = append(at, g)
		}
	}
	lo, hi := measure.LoadRange(at[0])
	runs := stat.SampleOf(at[0].Ratios("stored", "slots"))
	shift, why := minimumOf(at)
	allowed := min(stat.Deviations*math.Hypot(singleFill(claims.PaperPlateau(points)), singleFill(runs))+shift+readingError, narrowMost)
	v := claims.Draft{
		Claim:    claim,
		Paper:    fmt.Sprintf("%.4f", paper),
		Ours:     fmt.Sprintf("%.4f", lo),
		Interval: fmt.Sprintf("%.4f to %.4f, lowest and highest of %d runs", lo, hi, runs.N),
		Tolerance: fmt.Sprintf("%.4f: %d standard deviations of a run of ours and of a point of the paper's plateau, %.4f of reading%s; not more than %.2f",
			allowed, stat.Deviations, readingError, why, narrowMost),
	}
	if math.Abs(lo-paper) > allowed {
		if v.Why = doubledWhy(b, f, size, paper, lo); v.Why != "" {
			return claims.Known(v)
		}
	}
	return claims.Judge(math.Abs(lo-paper) <= allowed, v)
}

// measured tells whether a run fills tables of 2^size buckets.
func measured(s lab.Setup, size int) bool { return slices.Contains(fig2Exponents(s), size) }

// pointAt returns the paper's value at a whole x, that of the point before where one was left out.
func pointAt(points []claims.PaperPoint, x int) (y float64) {
	for _, p := range points {
		if int(p.X) <= x {
			y = p.Y
		}
	}
	return y
}

// halfWidth is the width of fingerprints, interpolated, at which the load passes half the plateau. Its standard error is that
// of the loads on either side, by their weights, over the slope between them.
func halfWidth(width []float64, load []stat.Sample, plateau float64) stat.Sample {
	half := plateau / 2
	for i := 1; i < len(load); i++ {
		if low, high := load[i-1], load[i]; low.Mean < half && high.Mean >= half {
			step, at := width[i]-width[i-1], (half-low.Mean)/(high.Mean-low.Mean)
			return stat.Sample{Mean: width[i-1] + at*step, Err: step * math.Hypot((1-at)*low.Err, at*high.Err) / (high.Mean - low.Mean), N: high.N}
		}
	}
	return stat.Sample{Mean: math.NaN()}
}

// halfWidths returns those of the sizes of a run, and the words for them.
func halfWidths(d *lab.Data, b int) (at []stat.Sample, text string) {
	var words []string
	for _, size := range fig2Exponents(d.Setup) {
		var width []float64
		var load []stat.Sample
		groups := measure.PanelGroups(d, claims.SizeSeries(size), b)
		for _, g := range groups {
			width, load = append(width, float64(g.Param("f"))), append(load, stat.SampleOf(g.Ratios("stored", "slots")))
		}
		at = append(at, halfWidth(width, load, stat.SampleOf(minima(groups, measure.WidestFill)).Mean))
		words = append(words, fmt.Sprintf("m=2^%d: %.2f+-%.2f", size, at[len(at)-1].Mean, 2*at[len(at)-1].Err))
	}
	return at, strings.Join(words, ", ")
}

// paperHalfWidths is the same of the paper's curves.
func paperHalfWidths(b int) string {
	var words []string
	for _, size := range fig2PaperSizes {
		points := claims.LoadPoints(b, size)
		var width []float64
		var load []stat.Sample
		for _, p := range points {
			width, load = append(width, p.X), append(load, stat.Sample{Mean: p.Y})
		}
		words = append(words, fmt.Sprintf("m=2^%d: %.2f", size, halfWidth(width, load, claims.PaperPlateau(points).Mean).Mean))
	}
	return strings.Join(words, ", ")
}

// widthGrows checks that fingerprints must be wider in larger tables, and less so with larger buckets.
func widthGrows(d *lab.Data) []claims.Verdict {
	const grows = "b = %d: the least fingerprint grows with the table, as Omega(log n / b): width at which the mean load passes half of the plateau"
	const smaller = "The least fingerprint is smaller at b = 8 than at b = 4, in tables of as many buckets: widths as above"
	const both = "b=8: %s; b=4: %s"
	const order = "none: an order, of the largest and the smallest table; the curves are interpolated between whole widths"
	const smallest = "none: an order, in each table; the curves are interpolated between whole widths"
	var out []claims.Verdict
	var at [2][]stat.Sample
	var ours [2]string
	for i, b := range []int{4, 8} {
		at[i], ours[i] = halfWidths(d, b)
		out = append(out, claims.Judge(at[i][len(at[i])-1].Mean > at[i][0].Mean, claims.Draft{Claim: fmt.Sprintf(grows, b), Paper: paperHalfWidths(b), Ours: ours[i], Tolerance: order}))
	}
	less := true
	for i := range at[0] {
		less = less && at[1][i].Mean < at[0][i].Mean
	}
	return d.Judged(append(out, claims.Judge(less, claims.Draft{
		Claim: smaller, Paper: fmt.Sprintf(both, paperHalfWidths(8), paperHalfWidths(4)), Ours: fmt.Sprintf(both, ours[1], ours[0]), Tolerance: smallest,
	})))
}
