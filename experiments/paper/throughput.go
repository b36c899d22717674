package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// paperCaches is what the paper leaves open about its machine.
const paperCaches = "The paper gives two sizes of its processor's cache, 12 MB and 20 MB. Its filters of 192 MiB are far larger than either."

// throughputLimits is what must not be concluded from any of the four figures.
var throughputLimits = []string{
	"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. Its points are drawn as multiples of its own cuckoo filter's, so that shapes can be compared.",
	"The quick profile's tables of 3 MiB fit into the caches of most processors, where branches and instructions count and reads of memory do not; the paper's of 192 MiB do not.",
	paperCaches,
}

// throughputMethod is how all of them are measured.
const throughputMethod = " Keys are random 64-bit integers, made beforehand, and one hash of each (hashing.Mix64; the paper: CityHash-64) is counted in the times. " +
	"Filters take turns, on one goroutine and alone on the machine; lines are medians over the rounds, bands their intervals. " + oneLife

// oneLife is what they share with Table 3.
const oneLife = "Within a round a filter is filled once for Table 3 and for figures 5 to 8, and everything is timed by itself on that way." + timedRule

// speedOf is the derived column of a speed.
func speedOf(name, of, by string) lab.Column {
	return lab.Column{Name: name, Of: func(r lab.Row) float64 { return 1000 * r.Ratio(of, by) }}
}

// million names the column of a speed where there is one.
const million = "million_per_second"

// speedsOf returns the speed of each round, in millions a second.
func speedsOf(g lab.Group, of, by string) []float64 {
	return times(1000, g.Ratios(of, by))
}

// times multiplies values.
func times(factor float64, values []float64) []float64 {
	for i := range values {
		values[i] *= factor
	}
	return values
}

// mid is the occupancy in the middle of a step of some keys that ends, or begins, at stored ones.
func mid(stored, keys, room int) float64 {
	return lab.Quotient(2*stored-keys, 2*room)
}

// withBatch returns the groups of a series for a form of lookups.
func withBatch(d *lab.Data, series string, batch int) []lab.Group {
	return slices.DeleteFunc(d.Select(series), func(g lab.Group) bool { return g.Param("batch") != batch })
}

// A speedAxis says how the groups of a series become a line: the counts whose quotient is a speed, and where on the x
// axis a group stands.
type speedAxis struct {
	of, by string
	x      func(lab.Group) float64
}

// speeds are those of the rounds of a group, in millions a second.
func (a speedAxis) speeds(g lab.Group) []float64 { return speedsOf(g, a.of, a.by) }

// point is a group as a point of a chart: the median, and its interval.
func (a speedAxis) point(g lab.Group) chart.Point {
	speeds := a.speeds(g)
	lo, hi := stat.MedianInterval(speeds)
	return chart.Point{X: a.x(g), Y: stat.Median(speeds), Lo: lo, Hi: hi}
}

// line is the line of a filter. A point stands for so many steps of it.
func (a speedAxis) line(k catalogue.Entry, groups []lab.Group, steps int) chart.Series {
	s := chart.Series{Label: k.Label, Style: k.Style(), Kind: chart.LineMarks}
	for some := range slices.Chunk(groups, steps) {
		s.Points = append(s.Points, a.point(joined(some)))
	}
	return s
}

// likePaper tells whether the tables are of the paper's size: only then its points are drawn, for smaller ones lie in a cache.
func likePaper(d *lab.Data) bool { return d.Setup.Profile == lab.Paper }

// speedTop is where a y axis of some panels ends: above their points, and above the bands unless these are so wide that the points would be
// flat beneath them.
func speedTop(panels ...chart.Panel) float64 {
	points, bands := 0.0, 0.0
	for _, p := range panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				points, bands = max(points, pt.Y), max(bands, pt.Hi)
			}
		}
	}
	return max(1.05*points, min(1.5*points, 1.02*bands))
}

// stepsAPoint is how many steps of occupancy a point stands for: of small tables two, for a step takes less than a millisecond there.
func stepsAPoint(d *lab.Data) int {
	if likePaper(d) {
		return 1
	}
	return 2
}

// pointText is what captions say about that.
func pointText(d *lab.Data) string {
	if likePaper(d) {
		return ""
	}
	return " A point stands for two steps. The paper's points are not drawn: its tables are larger than a cache, these are not."
}

// scale is the number that puts the paper's points at x on the line of the groups.
func (a speedAxis) scale(groups []lab.Group, paper []claims.PaperPoint, x float64) float64 {
	var ours []claims.PaperPoint
	for _, g := range groups {
		p := a.point(g)
		ours = append(ours, claims.PaperPoint{X: p.X, Y: p.Y})
	}
	return paperAt(ours, x) / paperAt(paper, x)
}

// paperAt returns the height of a line of points at x, between two of them on the straight line that leaves out
// collinear ones; beyond its ends that of the nearest one. The points may run in either direction.
func paperAt(points []claims.PaperPoint, x float64) float64 {
	if len(points) == 0 {
		return 1
	}
	nearest := points[0]
	for i, p := range points {
		if (p.X-x)*(p.X-x) < (nearest.X-x)*(nearest.X-x) {
			nearest = p
		}
		if i == 0 || p.X == points[i-1].X {
			continue
		}
		last := points[i-1]
		if (last.X-x)*(p.X-x) <= 0 {
			return last.Y + (p.Y-last.Y)*(x-last.X)/(p.X-last.X)
		}
	}
	return nearest.Y
}

// percents are the paper's points whose occupancy is a fraction, in percent.
func percents(points []claims.PaperPoint) []claims.PaperPoint {
	out := make([]claims.PaperPoint, len(points))
	for i, p := range points {
		p.X *= 100
		out[i] = p
	}
	return out
}

// paperLine is the paper's line of a filter in a figure, as marks in a style.
func paperLine(figure int, panel, label string, k catalogue.Entry, style chart.Style, scale, unit float64) []chart.Series {
	points := claims.PaperPoints(figure, panel, k.Name)
	if len(points) == 0 {
		return nil
	}
	marks := lab.Points(paperMarks(points, unit, figure == 5), func(x float64) chart.Point { return chart.Point{X: x * unit, Y: paperAt(points, x) * scale} })
	return []chart.Series{{Label: label, Kind: chart.Hollow, Style: style, Points: marks}}
}

// paperMarks is where one of the paper's lines is marked: at all of its points, or, since they stand close together
// in one place and are left out where they are collinear in another, at the first, the last and every tenth
// percent between.
func paperMarks(points []claims.PaperPoint, unit float64, all bool) []float64 {
	var out []float64
	if all {
		for _, p := range points {
			out = append(out, p.X)
		}
		return out
	}
	first, last := points[0].X, points[len(points)-1].X
	out = append(out, first)
	for tenth := 1; tenth < 10; tenth++ {
		if x := float64(10*tenth) / unit; x > first+5/unit && x < last-5/unit {
			out = append(out, x)
		}
	}
	return append(out, last)
}

// occupancyAxis is the x axis of figures 6 to 8.
var occupancyAxis = chart.Axis{Label: "occupancy (%)", Min: 0, Max: 100}

// throughputWhere says how large the tables of a run are.
func throughputWhere(d *lab.Data) string {
	q := catalogue.LifeSizes[d.Setup.Profile].Q
	if q < 20 {
		return measure.Raised(fmt.Sprintf(", 2^%d slots", q))
	}
	return fmt.Sprintf(", %.4g MiB", float64(int(catalogue.SlotBits)<<(q-20))/8)
}

// timedRule is how claims about times are judged, for the methods of the experiments that have some.
const timedRule = " A claim about times is judged by the ratio of two speeds, taken round by round: it holds if the whole 95% interval " +
	"of the ratio lies within the tolerance, differs if all of it lies outside, and is undecided if it reaches over an end. " +
	"A line is called flat by one ratio, that of its fullest third to its emptiest."

const (
	// leastRounds is how many rounds have an interval of 95%: the range of six holds the median with 97%, that of five with 94%.
	leastRounds = 6
	// equalSlack is by what factor a ratio may differ from the paper's, or a flat line from 1, on another machine.
	equalSlack = 1.25
	// changeSlack is that of a change that is large in the paper.
	changeSlack = 2
	// closePair is the ratio below which two filters of the paper are compared by their ratio, and not only by which one is faster.
	closePair = 1.5

	forEqual  = "a quarter more or less, for another machine"
	forChange = "a factor of 2 on the same side of 1, for another machine"
	forOrder  = "the other one is the faster; absolute speeds are another machine's"
)

// speedRatio divides two speeds round by round.
func speedRatio(of, by []float64) (e claims.Estimate, rounds int) {
	ratios := make([]float64, min(len(of), len(by)))
	for i := range ratios {
		ratios[i] = of[i] / by[i]
	}
	e = claims.Estimate{Value: stat.Median(ratios), Format: "%.3g", Note: fmt.Sprintf("median of %d rounds", len(ratios))}
	e.Low, e.High = stat.MedianInterval(ratios)
	return e, len(ratios)
}

// A rule holds a claim against a ratio.
type rule func(claims.Claim, claims.Estimate) claims.Verdict

// flat: the ratio is 1.
func flat(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Flat(e, equalSlack, forEqual) }

// behind: the ratio is below 1.
func behind(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Below(e, 1, forOrder) }

// changes: the ratio is a large one of the paper's.
func changes(theirs float64) rule {
	return func(c claims.Claim, e claims.Estimate) claims.Verdict {
		return c.Ratio(e, theirs, changeSlack, forChange)
	}
}

// as: the ratio is the paper's, by a factor.
func as(theirs, factor float64) rule {
	return func(c claims.Claim, e claims.Estimate) claims.Verdict {
		reason := forEqual
		if factor != equalSlack {
			reason = fmt.Sprintf("a factor of %.2f on either side of the paper's", factor)
		}
		return c.Within(e, theirs/factor, theirs*factor, reason)
	}
}

// timed applies a rule to the ratio of two speeds, unless the profile has no times or there are too few rounds. What it says
// never fails the command: the machine decides it too.
func timed(c claims.Claim, p lab.Profile, of, by []float64, judge rule) claims.Verdict {
	c.Machine = true
	e, rounds := speedRatio(of, by)
	switch {
	case p == lab.Tiny:
		return c.NotMeasured(claims.SmallTables)
	case rounds == 0:
		return c.NotMeasured("The filter is missing.")
	case rounds < leastRounds:
		return c.NotMeasured(fmt.Sprintf("An interval of 95%% takes %d rounds, and these are %d.", leastRounds, rounds))
	}
	return judge(c, e)
}

// noneDenied counts the stored keys that filters of one's own deny. Of the others a denial ends the run with an error.
func noneDenied(d *lab.Data, asked, found string) []claims.Verdict {
	lost, all := 0, 0
	for _, f := range d.Setup.Own.Filters {
		for _, g := range d.Select(f.Name) {
			lost, all = lost+max(0, g.Sum(asked)-g.Sum(found)), all+g.Sum(asked)
		}
	}
	if all == 0 {
		return nil
	}
	return []claims.Verdict{claims.NoneLost(lost, all)}
}

// A speedJudge compares the speeds of one panel with the paper's.
type speedJudge struct {
	d      *lab.Data
	source string // of the claims: "figure 6 (a)"
	what   string // is measured: "lookups of absent keys"
	axis   speedAxis
	pick   func(series string) []lab.Group
	points func(series string) []claims.PaperPoint
}

// claim is one of the paper's about the panel.
func (j speedJudge) claim(id, says string, theirs float64) claims.Claim {
	return claims.Claim{ID: id, Says: says, Paper: fmt.Sprintf("%.3g", theirs), Source: j.source}
}

// at is the groups that stand nearest to x: one, or none.
func (j speedJudge) at(series string, x float64) []lab.Group {
	var nearest []lab.Group
	for _, g := range j.pick(series) {
		if nearest == nil || abs(j.axis.x(g)-x) < abs(j.axis.x(nearest[0])-x) {
			nearest = []lab.Group{g}
		}
	}
	return nearest
}

func abs(x float64) float64 { return max(x, -x) }

// speeds are those of the rounds of some groups, of which the counts are added; none of no groups.
func (j speedJudge) speeds(groups []lab.Group) []float64 {
	if len(groups) == 0 {
		return nil
	}
	return j.axis.speeds(joined(groups))
}

// joined is groups of one series as one: their counts are added, trial by trial.
func joined(groups []lab.Group) lab.Group {
	out := lab.Group{Series: groups[0].Series, Rows: slices.Clone(groups[0].Rows)}
	for i := range out.Rows {
		out.Rows[i].Counts = slices.Clone(out.Rows[i].Counts)
		for _, g := range groups[1:] {
			for c, n := range g.Rows[i].Counts {
				out.Rows[i].Counts[c] += n
			}
		}
	}
	return out
}

// ratio holds a claim against the ratio of two groups of points.
func (j speedJudge) ratio(c claims.Claim, of, by []lab.Group, judge rule) claims.Verdict {
	return timed(c, j.d.Setup.Profile, j.speeds(of), j.speeds(by), judge)
}

// flat compares the fullest third of a line with its emptiest.
func (j speedJudge) flat(series string) claims.Verdict {
	groups := j.pick(series)
	slices.SortStableFunc(groups, func(a, b lab.Group) int { return cmp.Compare(j.axis.x(a), j.axis.x(b)) })
	third := (len(groups) + 2) / 3
	first, last := groups[:third], groups[len(groups)-third:]
	c := j.claim(series+", "+j.what+", flat", series+": "+j.what+" are as fast in a full filter as in an empty one (fullest third over emptiest)",
		j.theirs(series, last)/j.theirs(series, first))
	return j.ratio(c, last, first, flat)
}

// theirs is the paper's mean speed where some groups stand.
func (j speedJudge) theirs(series string, groups []lab.Group) float64 {
	sum := 0.0
	for _, g := range groups {
		sum += paperAt(j.points(series), j.axis.x(g))
	}
	return sum / float64(len(groups))
}

// along compares the speed at one place of a line with that at another, by a rule that is made of the paper's ratio.
func (j speedJudge) along(series string, of, by float64, judge func(theirs float64) rule) claims.Verdict {
	points := j.points(series)
	theirs := paperAt(points, of) / paperAt(points, by)
	c := j.claim(fmt.Sprintf("%s, %s, %g%%", series, j.what, of), fmt.Sprintf("%s: speed of %s at %g%% over that at %g%%", series, j.what, of, by), theirs)
	return j.ratio(c, j.at(series, of), j.at(series, by), judge(theirs))
}

// ahead says of two filters at one place which is the faster, and if the paper's are close to each other, by how much.
func (j speedJudge) ahead(series, other string, x float64) claims.Verdict {
	theirs := paperAt(j.points(series), x) / paperAt(j.points(other), x)
	id := fmt.Sprintf("%s, %s and %s at %g%%", j.what, series, other, x)
	if theirs < closePair {
		c := j.claim(id, fmt.Sprintf("%s at %g%%: %s is ahead of %s by about as much as in the paper (speed of %s over that of %s)", j.what, x, series, other, series, other), theirs)
		return j.ratio(c, j.at(series, x), j.at(other, x), func(c claims.Claim, e claims.Estimate) claims.Verdict {
			return c.Ratio(e, theirs, equalSlack, forEqual)
		})
	}
	c := j.claim(id, fmt.Sprintf("%s at %g%%: %s is faster than %s (speed of %s over that of %s)", j.what, x, series, other, other, series), 1/theirs)
	return j.ratio(c, j.at(other, x), j.at(series, x), behind)
}

// neighbours compares each filter of the paper's order at one place with the next one.
func (j speedJudge) neighbours(x float64) []claims.Verdict {
	all := slices.DeleteFunc(j.d.Series(), func(name string) bool { return len(j.points(name)) == 0 })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(paperAt(j.points(b), x), paperAt(j.points(a), x)) })
	var out []claims.Verdict
	for i := 1; i < len(all); i++ {
		out = append(out, j.ahead(all[i-1], all[i], x))
	}
	return out
}

// everywhere says that one filter is faster than another at each point of the paper's line.
func (j speedJudge) everywhere(series, other string) claims.Verdict {
	c := claims.Claim{ID: series + " over " + other, Says: fmt.Sprintf("%s is faster than %s at every fraction: by how much of the speed of %s", series, other, other),
		Source: j.source, Machine: true}
	var steps []claims.Step
	for _, at := range j.points(other) {
		c.Paper += fmt.Sprintf("%s%g%%: %.2f", map[bool]string{true: "; "}[c.Paper != ""], at.X, paperAt(j.points(series), at.X)/at.Y-1)
		of, by := j.speeds(j.at(series, at.X)), j.speeds(j.at(other, at.X))
		if v := timed(c, j.d.Setup.Profile, of, by, flat); v.Status == claims.NotMeasured {
			return v
		}
		e, _ := speedRatio(of, by)
		steps = append(steps, claims.Step{Name: fmt.Sprintf("%g%%", at.X), Of: claims.Estimate{Value: e.Value - 1, Low: e.Low - 1, High: e.High - 1, Format: "%.2f"}})
	}
	return c.Order(steps, "absolute speeds are another machine's")
}

// batches says what batches gain, at the place where all queries are negative: nothing of the paper.
func (j speedJudge) batches(size int) []claims.Verdict {
	var out []claims.Verdict
	for _, name := range []string{"CF", "BF"} {
		c := claims.Claim{ID: name + ", batches", Says: fmt.Sprintf("%s: lookups in batches of %d are faster than single ones, no query positive (single over batches)", name, size), Paper: "-"}
		many := slices.DeleteFunc(withBatch(j.d, name, size), func(g lab.Group) bool { return j.axis.x(g) != 0 })
		out = append(out, j.ratio(c, j.at(name, 0), many, behind))
	}
	return out
}
