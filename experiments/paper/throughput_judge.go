package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/stat"
)

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
