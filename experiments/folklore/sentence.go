package folklore

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/stat"
)

// A text is a sentence in English and in Chinese.
type text struct{ en, zh string }

// A sentence is what is said, with the parts that test it.
type sentence struct {
	id   string
	says text
	why  text // one line
	when text // the condition, of a sentence that is true under one
	part []part
}

// A part measures one number of a sentence.
type part struct {
	id   string
	of   text      // what the number is of: "8 bits, b = 4, load .95"
	x    lab.Value // where it is on the axis of a chart
	unit unit
	said *span // the numbers for which the sentence is true of this part; nil if the part does not bear on it
	must rule  // the zero rule is of parts that are drawn only
	runs int   // 0: as the profile says; 1 where chance has no part
	cost float64
	run  trial
}

// A trial is one measurement: a count, and what it is a share or a multiple of.
type trial func(ctx context.Context, seed uint64, z size) (count, of int, err error)

// size is what a profile measures.
type size struct {
	slots  int // of most tables
	large  int // of tables in which the size matters
	probes int // absent keys
	runs   int
	churn  int // deletes of keys that were inserted
}

var sizes = map[lab.Profile]size{
	lab.Tiny:  {1 << 10, 1 << 11, 1 << 12, 2, 1 << 12},
	lab.Quick: {1 << 14, 1 << 17, 1 << 18, 4, 1_000_000},
	lab.Paper: {1 << 16, 1 << 20, 1 << 20, 16, 100_000_000},
}

// A span is a closed range of numbers.
type span struct{ low, high float64 }

func (s span) has(x float64) bool { return s.low <= x && x <= s.high }

// Spans of what sentences say.
var (
	none    = &span{0, 0}
	some    = &span{math.SmallestNonzeroFloat64, math.Inf(1)}
	atMost  = func(x float64) *span { return &span{0, x} }
	atLeast = func(x float64) *span { return &span{x, math.Inf(1)} }
	between = func(low, high float64) *span { return &span{low, high} }
)

// A rule says what a number must be. Every tolerance follows from the number of trials, except where chance has no part.
type rule struct {
	kind      ruleKind
	low, high float64 // exact and near: low is the number
	slack     float64 // near: the relative error of the formula
	from      string  // where the number or the bounds come from; not of seen
}

type ruleKind int

const (
	unruled ruleKind = iota
	exactly
	nearby
	inside
	again
)

// exact is the rule of a number that chance has no part in.
func exact(x float64, from string) rule { return rule{kind: exactly, low: x, high: x, from: from} }

// near is the rule of a number that a formula gives, up to a relative error of its own and the chance of so many events.
func near(x, slack float64, from string) rule {
	return rule{kind: nearby, low: x, high: x, slack: slack, from: from}
}

// seen is the rule of a number that no formula gives: what other seeds gave in the runs of [references].
func seen() rule { return rule{kind: again} }

// within is the rule of a number that lies between two bounds with its interval.
func within(low, high float64, from string) rule {
	return rule{kind: inside, low: low, high: high, from: from}
}

// A unit says how a number is written, and which chance it has.
type unit int

const (
	share    unit = iota // of independent trials: "2.94%"
	load                 // of slots, the median of runs: ".974"
	multiple             // of events that were counted: "4.89"
	figure               // that follows from arithmetic: "8.34"
	ratio                // of two counts of events: "1.62"
)

// pooled is the number of all trials of a group. Its interval is that of the runs, as events of one table depend on each other; that of the
// events where there is one run, or where none happened.
func (u unit) pooled(g lab.Group) claims.Estimate {
	count, of := g.Sum("count"), g.Sum("of")
	e := claims.Exactly(lab.Quotient(count, of))
	e.Format = "%.4f"
	runs := g.Ratios("count", "of")
	switch {
	case u == figure:
	case u == load:
		e.Value = stat.Median(runs)
		e.Low, e.High = stat.MedianInterval(runs)
	case u == share && (count == 0 || count == of || len(runs) == 1):
		e.Low, e.High = stat.Rate{Events: count, N: of}.Interval()
	default:
		low, high := stat.SampleOf(runs).Interval()
		half := (high - low) / 2
		e.Low, e.High = max(0, e.Value-half), e.Value+half
	}
	return e
}

// allowed is how far the number of a group may be from a formula: some standard errors of so many events, and the error of the formula.
func (r rule) allowed(u unit, g lab.Group) float64 {
	n, x := float64(g.Sum("of")), r.low
	chance := 0.0
	switch u {
	case share:
		chance = math.Sqrt(x * (1 - x) / n)
	case multiple:
		chance = math.Sqrt(x / n)
	case ratio: // n counts events too
		chance = x * math.Sqrt(1/(x*n)+1/n)
	}
	return stat.Deviations*chance + r.slack*x
}

// verdict judges the group of a part.
func (p part) verdict(s sentence, g lab.Group, profile lab.Profile) claims.Verdict {
	c := claims.Claim{ID: s.id + ", " + p.id, Says: fmt.Sprintf("%q: %s", s.says.en, p.of.en), Paper: "-"}
	e := p.unit.pooled(g)
	switch p.must.kind {
	case exactly:
		return c.Equal(e, p.must.low, 0, p.must.from)
	case nearby:
		about := fmt.Sprintf("about %.4g: %s", p.must.low, p.must.from)
		if p.unit != figure {
			about = fmt.Sprintf("%d standard errors of %d trials %s", stat.Deviations, g.Sum("of"), about)
		}
		return c.Equal(e, p.must.low, p.must.allowed(p.unit, g), about)
	case again:
		r := references[referenced{s.id, p.id, profile}]
		about := fmt.Sprintf("%d standard errors of %d runs and of %d earlier ones with other seeds, which gave %.4g and differ by %.2g", stat.Deviations, len(g.Rows), r.runs, r.number, r.deviation)
		return c.Equal(e, r.number, r.allowed(p.unit, len(g.Rows)), about)
	}
	return c.Within(e, p.must.low, p.must.high, p.must.from)
}

// An outcome is what became of a sentence.
type outcome int

const (
	unknown outcome = iota
	isFalse
	isTrue
	conditional
)

// outcome follows from the parts that bear on the sentence.
func (s sentence) outcome(d *lab.Data) outcome {
	yes, no := 0, 0
	for _, p := range s.part {
		g, ok := groupOf(d, s, p)
		if p.said == nil || !ok {
			continue
		}
		switch p.bears(p.unit.pooled(g)) {
		case isTrue:
			yes++
		case isFalse:
			no++
		}
	}
	switch {
	case yes+no == 0:
		return unknown
	case no == 0:
		return isTrue
	case yes == 0:
		return isFalse
	}
	return conditional
}

// bears tells whether the sentence is true of the part, or unknown if the interval reaches over an end of what it says.
func (p part) bears(e claims.Estimate) outcome {
	if p.must.kind == exactly {
		e.Low, e.High = e.Value, e.Value
	}
	in := p.said.has(e.Value)
	switch {
	case in != p.said.has(e.Low) || in != p.said.has(e.High):
		return unknown
	case in:
		return isTrue
	}
	return isFalse
}

// groupOf returns what a part measured.
func groupOf(d *lab.Data, s sentence, p part) (lab.Group, bool) {
	for _, g := range d.Select(s.id) {
		if g.Rows[0].Value("part").String() == p.id && g.Rows[0].Value("x") == p.x {
			return g, true
		}
	}
	return lab.Group{}, false
}
