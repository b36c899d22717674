package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// paperCaches is what the paper leaves open about its machine.
const paperCaches = "The paper has two sizes of its processor's cache, 12 MB and 20 MB. Its filters are larger."

// throughputLimits is what must not be concluded from any of the four figures.
var throughputLimits = []string{
	"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. Its points are drawn as multiples.",
	"The quick profile's tables of 3 MiB fit into most caches, where reads of memory do not count.",
	paperCaches,
}

// throughputMethod is how all of them are measured.
const throughputMethod = " Keys are random 64-bit integers, made beforehand; one hash of each (hashing.Mix64; the " +
	"paper: CityHash-64) is counted. Filters take turns, on one goroutine and alone on the machine; lines are medians " +
	"over the rounds, bands their intervals. " + oneLife

// oneLife is what they share with Table 3, and how claims about times are judged.
const oneLife = "Within a round a filter is filled once for Table 3 and figures 5 to 8, and all is timed on that " +
	"way. A claim about times is judged by the ratio of two speeds, round by round: it holds if the whole 95% interval " +
	"lies within the tolerance, differs if all of it lies outside, and is undecided otherwise. A line is called flat by " +
	"one ratio, that of its fullest third to its emptiest."

// lookupMethod is how lookups are timed.
const lookupMethod = " one by one as in the paper, and with ContainsHashes in batches of 1024, right after a " +
	"millisecond of such batches that is not timed, in which some processors wake up." + throughputMethod

// million names the column of a speed where there is one.
const million = "million_per_second"

// speedOf is the derived column of a speed.
func speedOf(name, of, by string) lab.Column {
	return lab.Column{Name: name, Of: func(r lab.Row) float64 { return 1000 * r.Ratio(of, by) }}
}

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
func mid(stored, keys string) func(lab.Row) float64 {
	return func(r lab.Row) float64 { return lab.Quotient(2*r.Count(stored)-r.Count(keys), 2*r.Count("room")) }
}

// speeds are those of one panel of a figure, ours and the paper's, by a place that is a percentage.
type speeds struct {
	figure       int
	panel        string  // as the paper's points call it
	source, what string  // of the claims: "figure 6 (a)", "lookups of absent keys"
	of, by       string  // the counts whose quotient is a speed
	unit         float64 // of the paper's places; 100 where they are shares
	scaled       float64 // the place where the paper's cuckoo filter is put on ours
	x            func(lab.Row) float64
}

// place is where a group stands. The counts of its rows are added, which is the mean of shares of one room.
func (j speeds) place(g lab.Group) float64 {
	return 100 * j.x(lab.Row{Experiment: g.Rows[0].Experiment, Params: g.Rows[0].Params, Counts: added(g.Rows)})
}

// added are the sums of counts.
func added(rows []lab.Row) []int {
	sums := make([]int, len(rows[0].Counts))
	for _, r := range rows {
		for i, n := range r.Counts {
			sums[i] += n
		}
	}
	return sums
}

// joined is groups of one series as one: their counts are added, trial by trial.
func joined(groups []lab.Group) lab.Group {
	out := lab.Group{Series: groups[0].Series, Rows: slices.Clone(groups[0].Rows)}
	for i := range out.Rows {
		var rows []lab.Row
		for _, g := range groups {
			rows = append(rows, g.Rows[i])
		}
		out.Rows[i].Counts = added(rows)
	}
	return out
}

// groups are those of a series in which every round did something, of a form of lookups: "" is one by one.
func (j speeds) groups(d *lab.Data, series, form string) []lab.Group {
	return measure.Done(d.Where("series", series, "batch", form), j.of)
}

// at is the group that stands nearest to a place, or none.
func (j speeds) at(series string, x float64) query {
	return func(d *lab.Data) []lab.Group {
		groups := j.groups(d, series, "")
		if len(groups) == 0 {
			return nil
		}
		return []lab.Group{slices.MinFunc(groups, func(a, b lab.Group) int {
			return cmp.Compare(math.Abs(j.place(a)-x), math.Abs(j.place(b)-x))
		})}
	}
}

// points are the paper's of a filter.
func (j speeds) points(series string) []claims.PaperPoint {
	points := slices.Clone(claims.PaperPoints(j.figure, j.panel, series))
	for i := range points {
		points[i].X *= j.unit
	}
	return points
}

// paper is the paper's speed at a place.
func (j speeds) paper(series string, x float64) float64 { return paperAt(j.points(series), x) }

// paperAt returns the height of a line of points at x, between two of them on the straight line that leaves out
// collinear ones; beyond its ends that of the nearest one. The points may run in either direction.
func paperAt(points []claims.PaperPoint, x float64) float64 {
	if len(points) == 0 {
		return 1
	}
	for i := 1; i < len(points); i++ {
		last, p := points[i-1], points[i]
		if p.X != last.X && (last.X-x)*(p.X-x) <= 0 {
			return last.Y + (p.Y-last.Y)*(x-last.X)/(p.X-last.X)
		}
	}
	return slices.MinFunc(points, func(a, b claims.PaperPoint) int {
		return cmp.Compare(math.Abs(a.X-x),
			math.Abs(b.X-x))
	}).Y
}

// likePaper tells whether the tables are of the paper's size: only then its points are drawn.
func likePaper(d *lab.Data) bool { return d.Setup.Profile == lab.Paper }

// pointText is what captions say about points of which each stands for two steps, and about the paper's.
func pointText(d *lab.Data, paper string) string {
	if likePaper(d) {
		return " The paper's points are multiplied by one number, which puts its cuckoo filter on ours " + paper + "."
	}
	return " A point stands for two steps. The paper's points are not drawn: its tables are larger than a cache, these " +
		"are not."
}

// point is a group as a point of a chart: the median, and its interval.
func (j speeds) point(g lab.Group) chart.Point {
	all := speedsOf(g, j.of, j.by)
	lo, hi := claims.MedianInterval(all)
	return chart.Point{X: j.place(g), Y: claims.Median(all), Lo: lo, Hi: hi}
}

// line is that of a filter. Of small tables a point stands for two steps, since one takes less than a millisecond
// there.
func (j speeds) line(d *lab.Data, k catalogue.Entry, form string) chart.Series {
	s, steps := chart.Series{Label: k.Label, Style: k.Style(), Kind: chart.LineMarks}, 2
	if likePaper(d) || j.figure == 5 {
		steps = 1
	}
	for some := range slices.Chunk(j.groups(d, k.Name, form), steps) {
		s.Points = append(s.Points, j.point(joined(some)))
	}
	return s
}

// scale is the number that puts the paper's cuckoo filter on ours.
func (j speeds) scale(d *lab.Data) float64 {
	var ours []claims.PaperPoint
	for _, g := range j.groups(d, "CF", "") {
		p := j.point(g)
		ours = append(ours, claims.PaperPoint{X: p.X, Y: p.Y})
	}
	return paperAt(ours, j.scaled) / j.paper("CF", j.scaled)
}

// drawn is the paper's line of a filter, as marks: at its points, or, where they stand close together here and are left
// out as collinear there, at the first, the last and every tenth percent between. It is nil for tables of other sizes.
func (j speeds) drawn(d *lab.Data, series, label string, style chart.Style, scale float64) []chart.Series {
	points := j.points(series)
	if len(points) == 0 || !likePaper(d) {
		return nil
	}
	first, last := points[0].X, points[len(points)-1].X
	marks := []float64{first}
	for _, p := range points[1 : len(points)-1] {
		if j.figure == 5 {
			marks = append(marks, p.X)
		}
	}
	for x := 10.; x < 100 && j.figure != 5; x += 10 {
		if x > first+5 && x < last-5 {
			marks = append(marks, x)
		}
	}
	marks = append(marks, last)
	return []chart.Series{{Label: label, Kind: chart.Hollow, Style: style, Points: lab.Points(marks,
		func(x float64) chart.Point {
			return chart.Point{X: x, Y: paperAt(points, x) * scale}
		})}}
}

// speedTop is where a y axis of some panels ends: above their points, and above the bands unless these are so wide that
// the points would be flat beneath them.
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

const (
	// leastRounds is how many rounds have an interval of 95%: the range of six holds the median with 97%, of five with
	// 94%.
	leastRounds = 6
	// equalSlack is by what factor a ratio may differ from the paper's, or a flat line from 1, on another machine.
	equalSlack = 1.25
	// dipSlack is that of the dip at half positive queries, which is an eighth deep in the paper.
	dipSlack = 1.1
	// closePair is the ratio below which two filters are compared by their ratio, and not only by which one is faster.
	closePair = 1.5

	forEqual = "a quarter more or less, for another machine"
	forOrder = "the other one is the faster; absolute speeds are another machine's"
)

// A query chooses groups.
type query = func(*lab.Data) []lab.Group

// flat: the ratio is 1.
func flat(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Flat(e, equalSlack, forEqual) }

// behind: the ratio is below 1.
func behind(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Below(e, 1, forOrder) }

// sameSide: the ratio is the paper's by a factor, on the same side of 1.
func sameSide(theirs, factor float64, reason string) rule {
	return func(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Ratio(e, theirs, factor, reason) }
}

// changes: the ratio is a large one of the paper's.
func changes(theirs float64) rule {
	return sameSide(theirs, 2, "a factor of 2 on the same side of 1, for another machine")
}

// equal: the ratio is the paper's.
func equal(theirs float64) rule { return within(theirs/equalSlack, theirs*equalSlack, forEqual) }

// dips: the ratio is the paper's of a dip.
func dips(theirs float64) rule {
	return within(theirs/dipSlack, theirs*dipSlack, fmt.Sprintf("a factor of %.2f on either side of the paper's",
		dipSlack))
}

// speedRatio divides two speeds round by round.
func speedRatio(of, by []float64) (e claims.Estimate, rounds int) {
	i := measure.Rounds(of).Over(by)
	rounds = min(len(of), len(by))
	return claims.Estimate{Value: i.Median, Low: i.Lo, High: i.Hi}.As("%.3g", "median of %d rounds", rounds), rounds
}

// timed applies a rule to the ratio of two speeds, unless the profile has no times or there are too few rounds. What it
// says never fails the command: the machine decides it too.
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

// rounds are the speeds of the rounds of some groups, of which the counts are added; none of no groups.
func (j speeds) rounds(groups []lab.Group) []float64 {
	if len(groups) == 0 {
		return nil
	}
	return speedsOf(joined(groups), j.of, j.by)
}

// ratio holds a claim against the ratio of two groups of points.
func (j speeds) ratio(c claims.Claim, of, by query, judge rule) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		return []claims.Verdict{timed(c, d.Setup.Profile, j.rounds(of(d)), j.rounds(by(d)), judge)}
	}
}

// claim is one of the paper's about the panel.
func (j speeds) claim(id, says string, theirs float64) claims.Claim {
	return claims.Claim{ID: id, Says: says, Paper: fmt.Sprintf("%.3g", theirs), Source: j.source}
}

// flat compares the fullest third of a line with its emptiest.
func (j speeds) flat(series string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		groups := j.groups(d, series, "")
		slices.SortStableFunc(groups, func(a, b lab.Group) int { return cmp.Compare(j.place(a), j.place(b)) })
		third := (len(groups) + 2) / 3
		first, last := groups[:third], groups[len(groups)-third:]
		theirs := func(groups []lab.Group) (mean float64) {
			for _, g := range groups {
				mean += j.paper(series, j.place(g))
			}
			return mean / float64(len(groups))
		}
		c := j.claim(series+", "+j.what+", flat", series+": "+j.what+
			" are as fast in a full filter as in an empty one (fullest third over emptiest)", theirs(last)/theirs(first))
		return []claims.Verdict{timed(c, d.Setup.Profile, j.rounds(last), j.rounds(first), flat)}
	}
}

// along compares the speed at one place of a line with that at another, by a rule that is made of the paper's ratio.
func (j speeds) along(series string, of, by float64, judge func(theirs float64) rule) lab.Rule {
	theirs := j.paper(series, of) / j.paper(series, by)
	c := j.claim(fmt.Sprintf("%s, %s, %g%%", series, j.what, of),
		fmt.Sprintf("%s: speed of %s at %g%% over that at %g%%", series, j.what, of, by), theirs)
	return j.ratio(c, j.at(series, of), j.at(series, by), judge(theirs))
}

// ahead says of two filters at one place which is the faster, and if the paper's are close to each other, by how much.
func (j speeds) ahead(series, other string, x float64) lab.Rule {
	theirs := j.paper(series, x) / j.paper(other, x)
	c := j.claim(fmt.Sprintf("%s, %s and %s at %g%%", j.what, series, other, x),
		fmt.Sprintf("%s at %g%%: %s is faster than %s (speed of %s over that of %s)", j.what, x, series, other, other,
			series), 1/theirs)
	if theirs >= closePair {
		return j.ratio(c, j.at(other, x), j.at(series, x), behind)
	}
	c = j.claim(c.ID, fmt.Sprintf("%s at %g%%: %s is ahead of %s by about as much as in the paper (speed of %s over "+
		"that of %s)",
		j.what, x, series, other, series, other), theirs)
	return j.ratio(c, j.at(series, x), j.at(other, x), sameSide(theirs, equalSlack, forEqual))
}

// neighbours compares each filter of the paper's order at one place with the next one.
func (j speeds) neighbours(x float64) lab.Rule {
	return func(d *lab.Data) (out []claims.Verdict) {
		all := slices.DeleteFunc(d.Series(), func(name string) bool { return len(j.points(name)) == 0 })
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(j.paper(b, x), j.paper(a, x)) })
		for i := 1; i < len(all); i++ {
			out = append(out, j.ahead(all[i-1], all[i], x)(d)...)
		}
		return out
	}
}

// everywhere says that one filter is faster than another at each point of the paper's line.
func (j speeds) everywhere(series, other, source, quote string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		says := fmt.Sprintf("%s is faster than %s at every fraction: by how much of the speed of %s", series, other, other)
		c := claims.Claim{ID: series + " over " + other, Says: says, Source: source, Quote: quote, Machine: true}
		var steps []claims.Step
		for _, at := range j.points(other) {
			c.Paper += fmt.Sprintf("%s%g%%: %.2f", map[bool]string{true: "; "}[c.Paper != ""], at.X,
				j.paper(series, at.X)/at.Y-1)
			of, by := j.rounds(j.at(series, at.X)(d)), j.rounds(j.at(other, at.X)(d))
			if v := timed(c, d.Setup.Profile, of, by, flat); v.Status == claims.NotMeasured {
				return []claims.Verdict{v}
			}
			e, _ := speedRatio(of, by)
			more := claims.Estimate{Value: e.Value - 1, Low: e.Low - 1, High: e.High - 1, Format: "%.2f"}
			steps = append(steps, claims.Step{Name: fmt.Sprintf("%g%%", at.X), Of: more})
		}
		return []claims.Verdict{c.Order(steps, "absolute speeds are another machine's")}
	}
}

// batches says what batches gain where no query is positive: nothing of the paper.
func (j speeds) batches(series string) lab.Rule {
	c := claims.Ours(series+", batches", fmt.Sprintf("%s: lookups in batches of %d are faster than single ones, no "+
		"query positive (single over batches)", series, measure.Batch))
	return j.ratio(c, j.at(series, 0), func(d *lab.Data) []lab.Group {
		return slices.DeleteFunc(j.groups(d, series, fmt.Sprint(measure.Batch)),
			func(g lab.Group) bool { return j.place(g) != 0 })
	}, behind)
}

// noneDenied counts the stored keys that filters of one's own deny. Of the others a denial ends the run with an error.
func noneDenied(asked, found string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		lost, all := 0, 0
		for _, g := range d.Where() {
			if g.Cell.Own() {
				lost, all = lost+max(0, g.Sum(asked)-g.Sum(found)), all+g.Sum(asked)
			}
		}
		if all == 0 {
			return nil
		}
		return []claims.Verdict{claims.NoneLost(lost, all)}
	}
}

// shownBy completes the verdict of a rule by a cause.
func shownBy(of lab.Rule, cause func(*lab.Data) (bool, string)) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		v := of(d)[0]
		return []claims.Verdict{v.Shown(cause(d))}
	}
}
