package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/stat"
)

// A speedJudge compares the speeds of one figure with the paper's. What it says about times never fails the
// command: the machine decides them too.
type speedJudge struct {
	d    *lab.Data
	axis speedAxis
	pick func(series string) []lab.Group
}

const (
	// flatSlack is by how much more than in the paper a line may vary that is called flat: on a machine of
	// 2010 a lookup cost a miss of the cache, and what else differs was hidden behind it.
	flatSlack = 1.25
	// changeSlack is by what factor the change of a speed along a line may differ from the paper's.
	changeSlack = 2
)

// tooSmall says why a profile judges no times, or nothing.
func (j speedJudge) tooSmall() string {
	if j.d.Setup.Profile == lab.Tiny {
		return claims.SmallTables
	}
	return ""
}

// at is the group of a series that stands nearest to x, nil if there is none.
func (j speedJudge) at(series string, x float64) *lab.Group {
	var nearest *lab.Group
	for _, g := range j.pick(series) {
		if nearest == nil || abs(j.axis.x(g)-x) < abs(j.axis.x(*nearest)-x) {
			nearest = &g
		}
	}
	return nearest
}

func abs(x float64) float64 { return max(x, -x) }

// over divides the speeds of two groups round by round. There are no rounds if a group is missing.
func (j speedJudge) over(a, b *lab.Group) speedRatio {
	if a == nil || b == nil {
		return speedRatio{}
	}
	return ratioOf(j.axis.speeds(*a), j.axis.speeds(*b))
}

// faster is what a ratio must be of which a claim says only that one filter is the faster.
var faster = span{1, math.Inf(1)}

// flatPieces is in how many pieces at most a line is cut to tell whether it is flat: the fastest and the
// slowest of twenty points would show the scatter of the times rather than the line.
const flatPieces = 5

// pieces joins neighbouring groups: their counts are added, trial by trial.
func pieces(groups []lab.Group) []lab.Group {
	size := max((len(groups)+flatPieces-1)/flatPieces, 1)
	var out []lab.Group
	for part := range slices.Chunk(groups, size) {
		joined := lab.Group{Series: part[0].Series, Rows: slices.Clone(part[0].Rows)}
		for i := range joined.Rows {
			joined.Rows[i].Counts = slices.Clone(joined.Rows[i].Counts)
			for _, g := range part[1:] {
				for c, n := range g.Rows[i].Counts {
					joined.Rows[i].Counts[c] += n
				}
			}
		}
		out = append(out, joined)
	}
	return out
}

// spread is the largest ratio of two pieces of a line, and which these are: the fastest and the slowest. Its interval
// reaches from the largest lower end of all pairs to the largest upper end, so that it is never below 1, the ratio of a
// piece to itself: a claim that holds does so for every pair, and one that differs does so for one of them.
func (j speedJudge) spread(groups []lab.Group) (r speedRatio, top, bottom lab.Group) {
	r.lo = 1
	for _, a := range groups {
		for _, b := range groups {
			pair := j.over(&a, &b)
			r.lo, r.hi, r.rounds = max(r.lo, pair.lo), max(r.hi, pair.hi), pair.rounds
			if pair.median > r.median {
				r.median, top, bottom = pair.median, a, b
			}
		}
	}
	return r, top, bottom
}

// flat compares how much a line varies between its pieces.
func (j speedJudge) flat(claim, series string, paper []claims.PaperPoint) claims.Verdict {
	fastest, slowest := paper[0].Y, paper[0].Y
	for _, p := range paper {
		fastest, slowest = max(fastest, p.Y), min(slowest, p.Y)
	}
	allowed := flatSlack * fastest / slowest
	v := claims.Draft{
		Claim:     claim,
		Paper:     fmt.Sprintf("%.2f", fastest/slowest),
		Tolerance: fmt.Sprintf("%.2f: the paper's and a quarter, for another machine", allowed),
	}
	if why := j.tooSmall(); why != "" {
		return unmeasured(v, why)
	}
	groups := pieces(j.pick(series))
	if len(groups) == 0 {
		return unmeasured(v, noFilter)
	}
	r, top, bottom := j.spread(groups)
	v.Ours = fmt.Sprintf("%.2f: around %.3g%% over around %.3g%%, the largest of any two of %d pieces, %s",
		r.median, j.axis.x(top), j.axis.x(bottom), len(groups), r.made())
	return span{0, allowed}.judge(v, r, cause{})
}

// changes compares the speed at one place of a line with that at another.
func (j speedJudge) changes(claim, series string, paper []claims.PaperPoint, from, to float64, c cause) claims.Verdict {
	theirs := paperAt(paper, to) / paperAt(paper, from)
	s := span{theirs / changeSlack, theirs * changeSlack}
	if theirs < 1 {
		s.most = min(s.most, 1)
	} else {
		s.least = max(s.least, 1)
	}
	v := claims.Draft{
		Claim:     claim,
		Paper:     stat.Digits(theirs, 3),
		Tolerance: fmt.Sprintf("%s to %s: a factor of %d on the same side of 1, for another machine", stat.Digits(s.least, 3), stat.Digits(s.most, 3), changeSlack),
	}
	if why := j.tooSmall(); why != "" {
		return unmeasured(v, why)
	}
	r := j.over(j.at(series, to), j.at(series, from))
	v.Ours = fmt.Sprintf("%s, %s", stat.Digits(r.median, 3), r.made())
	return s.judge(v, r, c)
}

// ahead compares two filters at one place: which of both is faster.
func (j speedJudge) ahead(claim, series, behind string, x float64, paper func(series string) []claims.PaperPoint) claims.Verdict {
	v := claims.Draft{
		Claim:     claim,
		Paper:     stat.Digits(paperAt(paper(series), x)/paperAt(paper(behind), x), 3),
		Tolerance: "above 1: absolute speeds are another machine's",
	}
	if why := j.tooSmall(); why != "" {
		return unmeasured(v, why)
	}
	r := j.over(j.at(series, x), j.at(behind, x))
	v.Ours = fmt.Sprintf("%s, %s", stat.Digits(r.median, 3), r.made())
	return faster.judge(v, r, cause{})
}

// A ranked is a filter with its speed at one place, and the paper's there.
type ranked struct {
	name         string
	ours, theirs float64
}

// ranks lists the filters that were measured and that the paper has.
func (j speedJudge) ranks(x float64, paper func(series string) []claims.PaperPoint) []ranked {
	var out []ranked
	for _, name := range j.d.Series() {
		if g := j.at(name, x); g != nil && len(paper(name)) > 0 {
			out = append(out, ranked{name, stat.Median(j.axis.speeds(*g)), paperAt(paper(name), x)})
		}
	}
	return out
}

// sorted returns the names of the filters by a speed, the fastest first.
func sorted(all []ranked, speed func(ranked) float64) []string {
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(speed(b), speed(a)) })
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.name
	}
	return names
}

// order holds each filter of the paper's order against the one behind it, at one place: another order than the paper's has
// such a pair the other way round.
func (j speedJudge) order(claim string, x float64, paper func(series string) []claims.PaperPoint) claims.Verdict {
	all := j.ranks(x, paper)
	theirs := sorted(all, func(r ranked) float64 { return r.theirs })
	v := claims.Draft{
		Claim:     claim,
		Paper:     strings.Join(theirs, ", "),
		Tolerance: "each filter of the paper's order over the next one: above 1",
	}
	if why := j.tooSmall(); why != "" {
		return unmeasured(v, why)
	}
	if len(all) < 2 {
		return unmeasured(v, noFilter)
	}
	v.Ours = strings.Join(sorted(all, func(r ranked) float64 { return r.ours }), ", ")
	var outcomes []claims.Status
	var rest []string // the pairs of which the claim is not shown to hold
	var r speedRatio
	for i := range theirs[1:] {
		r = j.over(j.at(theirs[i], x), j.at(theirs[i+1], x))
		outcomes = append(outcomes, faster.status(r))
		if outcomes[i] != claims.Holds {
			rest = append(rest, fmt.Sprintf("%s over %s %s", theirs[i], theirs[i+1], r.interval()))
		}
	}
	v.Interval = strings.Join(rest, ", ")
	return timed(v, sharedStatus(outcomes), r, cause{})
}

// batches says what batches gain, at the place where all queries are negative: nothing of the paper.
func (j speedJudge) batches(size int) []claims.Verdict {
	var out []claims.Verdict
	for _, name := range []string{"CF", "BF"} {
		v := claims.Draft{
			Claim:     fmt.Sprintf("%s: lookups in batches of %d over single ones, no query positive", name, size),
			Paper:     "- (single only)",
			Tolerance: "above 1",
		}
		if why := j.tooSmall(); why != "" {
			out = append(out, unmeasured(v, why))
			continue
		}
		single := j.at(name, 0)
		var many *lab.Group
		for _, g := range withBatch(j.d, name, size) {
			if single != nil && j.axis.x(g) == j.axis.x(*single) {
				many = &g
			}
		}
		r := j.over(many, single)
		v.Ours = fmt.Sprintf("%s, %s", stat.Digits(r.median, 3), r.made())
		out = append(out, faster.judge(v, r, cause{}))
	}
	return out
}
