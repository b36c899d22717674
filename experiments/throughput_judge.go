package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// A speedJudge compares the speeds of one figure with the paper's. What it says about times never fails the
// command: the machine decides them too.
type speedJudge struct {
	d    *Data
	axis speedAxis
	pick func(series string) []Group
}

const (
	// flatSlack is by how much more than in the paper a line may vary that is called flat: on a machine of
	// 2010 a lookup cost a miss of the cache, and what else differs was hidden behind it.
	flatSlack = 1.25
	// changeSlack is by what factor the change of a speed along a line may differ from the paper's.
	changeSlack = 2
)

// timed is the verdict on a claim about times.
func timed(ok bool, v report.Verdict, why string) Verdict {
	v.Status = report.Holds
	if !ok {
		v.Status, v.Why = report.Differs, why
	}
	return Verdict{Verdict: v}
}

// tooSmall says why a profile judges no times, or nothing.
func (j speedJudge) tooSmall() string {
	if j.d.Setup.Profile == Tiny {
		return smallTables
	}
	return ""
}

// why is the reason for which the shape of a series differs.
func (j speedJudge) why(series string) string {
	if series == "blk-BF" {
		return "This module looks at all nine bits of a block at once, where the processor has instructions for it: an absent key is not found out sooner in an emptier filter."
	}
	q := throughputSizes[j.d.Setup.Profile].q
	if q < paperSlots {
		return fmt.Sprintf("Another machine, and tables of 2^%d slots, not 2^%d: these fit into its caches, where branches and instructions decide and reads of memory do not.", q, paperSlots)
	}
	return "Another machine: its caches, its memory and its branch predictor are not those of 2010."
}

// at is the group of a series that stands nearest to x, nil if there is none.
func (j speedJudge) at(series string, x float64) *Group {
	var nearest *Group
	for _, g := range j.pick(series) {
		if nearest == nil || abs(j.axis.x(g)-x) < abs(j.axis.x(*nearest)-x) {
			nearest = &g
		}
	}
	return nearest
}

func abs(x float64) float64 { return max(x, -x) }

// A speedRatio is that of two speeds, over the rounds: within a round they were measured shortly after each other.
type speedRatio struct{ median, lo, hi float64 }

func (r speedRatio) interval() string { return fmt.Sprintf("%.2f to %.2f", r.lo, r.hi) }

// over divides the speeds of two groups round by round. It is false if one has none.
func (j speedJudge) over(a, b *Group) (speedRatio, bool) {
	if a == nil || b == nil {
		return speedRatio{}, false
	}
	of, by := j.axis.speeds(*a), j.axis.speeds(*b)
	ratios := make([]float64, min(len(of), len(by)))
	for i := range ratios {
		ratios[i] = of[i] / by[i]
	}
	lo, hi := stat.MedianInterval(ratios)
	return speedRatio{stat.Median(ratios), lo, hi}, len(ratios) > 0
}

// above completes the verdict on a ratio that should exceed 1.
func (r speedRatio) above(v report.Verdict, ok bool, why string) Verdict {
	if !ok || r.lo <= 1 && r.hi >= 1 {
		return Verdict{Verdict: undecided(v, "The interval of the ratio contains 1, or a filter is missing.")}
	}
	return timed(r.lo > 1, v, why)
}

// rounds says how a ratio was made.
func rounds(g *Group) string { return fmt.Sprintf("median of %d rounds", len(g.Rows)) }

// flatPieces is in how many pieces at most a line is cut to tell whether it is flat: the fastest and the
// slowest of twenty points would show the scatter of the times rather than the line.
const flatPieces = 5

// pieces joins neighbouring groups: their counts are added, trial by trial.
func pieces(groups []Group) []Group {
	size := max((len(groups)+flatPieces-1)/flatPieces, 1)
	var out []Group
	for part := range slices.Chunk(groups, size) {
		joined := Group{Series: part[0].Series, Rows: slices.Clone(part[0].Rows)}
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

// flat compares how much a line varies between its pieces.
func (j speedJudge) flat(claim, series string, paper []PaperPoint) Verdict {
	fastest, slowest := paper[0].Y, paper[0].Y
	for _, p := range paper {
		fastest, slowest = max(fastest, p.Y), min(slowest, p.Y)
	}
	allowed := flatSlack * fastest / slowest
	v := report.Verdict{
		Claim:     claim,
		Paper:     fmt.Sprintf("%.2f", fastest/slowest),
		Tolerance: fmt.Sprintf("%.2f: the paper's and a quarter, for another machine", allowed),
	}
	groups := pieces(j.pick(series))
	if why := j.tooSmall(); why != "" {
		return Verdict{Verdict: undecided(v, why)}
	}
	bySpeed := func(a, b Group) int {
		return int(1000 * (stat.Median(j.axis.speeds(a)) - stat.Median(j.axis.speeds(b))))
	}
	top, bottom := slices.MaxFunc(groups, bySpeed), slices.MinFunc(groups, bySpeed)
	r, _ := j.over(&top, &bottom)
	v.Ours = fmt.Sprintf("%.2f: around %.3g%% over around %.3g%%, %s", r.median, j.axis.x(top), j.axis.x(bottom), rounds(&top))
	v.Interval = r.interval()
	return timed(r.median <= allowed, v, j.why(series))
}

// changes compares the speed at one place of a line with that at another.
func (j speedJudge) changes(claim, series string, paper []PaperPoint, from, to float64) Verdict {
	theirs := paperAt(paper, to) / paperAt(paper, from)
	least, most := theirs/changeSlack, theirs*changeSlack
	if theirs < 1 {
		most = min(most, 1)
	} else {
		least = max(least, 1)
	}
	v := report.Verdict{
		Claim:     claim,
		Paper:     stat.Digits(theirs, 3),
		Tolerance: fmt.Sprintf("%s to %s: a factor of %d on the same side of 1, for another machine", stat.Digits(least, 3), stat.Digits(most, 3), changeSlack),
	}
	if why := j.tooSmall(); why != "" {
		return Verdict{Verdict: undecided(v, why)}
	}
	g := j.at(series, to)
	r, ok := j.over(g, j.at(series, from))
	if !ok {
		return Verdict{Verdict: undecided(v, "The filter is missing.")}
	}
	v.Ours = fmt.Sprintf("%s, %s", stat.Digits(r.median, 3), rounds(g))
	v.Interval = fmt.Sprintf("%s to %s", stat.Digits(r.lo, 3), stat.Digits(r.hi, 3))
	return timed(r.median >= least && r.median <= most, v, j.why(series))
}

// ahead compares two filters at one place: which of both is faster.
func (j speedJudge) ahead(claim, series, behind string, x float64, paper func(series string) []PaperPoint) Verdict {
	v := report.Verdict{
		Claim:     claim,
		Paper:     fmt.Sprintf("%.2f", paperAt(paper(series), x)/paperAt(paper(behind), x)),
		Tolerance: "above 1: absolute speeds are another machine's",
	}
	if why := j.tooSmall(); why != "" {
		return Verdict{Verdict: undecided(v, why)}
	}
	a, b := j.at(series, x), j.at(behind, x)
	r, ok := j.over(a, b)
	if ok {
		v.Ours = fmt.Sprintf("%.2f, %s", r.median, rounds(a))
		v.Interval = r.interval()
	}
	return r.above(v, ok, j.why(series))
}

// order compares the order of the filters that were measured, by their medians at one place.
func (j speedJudge) order(claim string, x float64, paper func(series string) []PaperPoint) Verdict {
	type named struct {
		name  string
		speed float64
	}
	sorted := func(of []named) string {
		slices.SortFunc(of, func(a, b named) int { return int(1e6 * (b.speed - a.speed)) })
		names := make([]string, len(of))
		for i, n := range of {
			names[i] = n.name
		}
		return strings.Join(names, ", ")
	}
	var ours, theirs []named
	for _, name := range j.d.Series() {
		if g := j.at(name, x); g != nil && len(paper(name)) > 0 {
			ours = append(ours, named{name, stat.Median(j.axis.speeds(*g))})
			theirs = append(theirs, named{name, paperAt(paper(name), x)})
		}
	}
	v := report.Verdict{Claim: claim, Paper: sorted(theirs), Tolerance: "the same order"}
	if why := j.tooSmall(); why != "" {
		return Verdict{Verdict: undecided(v, why)}
	}
	v.Ours = sorted(ours)
	return timed(v.Ours == v.Paper, v, j.why(""))
}

// batches says what batches gain, at the place where all queries are negative: nothing of the paper.
func (j speedJudge) batches(size int) []Verdict {
	var out []Verdict
	for _, name := range []string{"CF", "BF"} {
		v := report.Verdict{
			Claim:     fmt.Sprintf("%s: lookups in batches of %d over single ones, no query positive", name, size),
			Paper:     "- (single only)",
			Tolerance: "above 1",
		}
		if why := j.tooSmall(); why != "" {
			out = append(out, Verdict{Verdict: undecided(v, why)})
			continue
		}
		single := j.at(name, 0)
		var many *Group
		for _, g := range withBatch(j.d, name, size) {
			if single != nil && j.axis.x(g) == j.axis.x(*single) {
				many = &g
			}
		}
		r, ok := j.over(many, single)
		v.Ours, v.Interval = fmt.Sprintf("%.2f", r.median), r.interval()
		out = append(out, r.above(v, ok, j.why(name)))
	}
	return out
}
