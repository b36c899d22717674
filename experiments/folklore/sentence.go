package folklore

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// A sentence is what is said, with the parts that test it, one of which is on the page. Its words are in texts.txt, in
// each language: the sentence by its id, "id, why", "id, when" if it is true under a condition, and what a part's
// number is of by "id, part".
type sentence struct {
	id, shown string
	part      []part
}

// A part measures one number of a sentence.
type part struct {
	id   string
	x    lab.Value // where it is on the axis of a chart
	unit unit
	said span // the numbers for which the sentence is true of this part; nil if the part does not bear on it
	run  trial
	must rule // the zero rule is of parts that are drawn only
	runs int  // 0: as the profile says, or 1 of a figure
	cost int  // 0: 1; how many times longer a trial takes than most do
}

// A span is a closed range of numbers.
type span func(x float64) bool

func between(low, high float64) span { return func(x float64) bool { return low <= x && x <= high } }
func atMost(x float64) span          { return between(0, x) }
func atLeast(x float64) span         { return between(x, math.Inf(1)) }

// Spans of what sentences say.
var (
	none = atMost(0)
	some = atLeast(math.SmallestNonzeroFloat64)
)

// A rule says what a number must be. Tolerances follow from the number of trials, except where chance has no part.
type rule struct {
	kind      ruleKind
	low, high float64 // exact and near: both are the number
	slack     float64 // near: the relative error of the formula
	from      string  // where the number or the bounds come from
}

type ruleKind int

const (
	unruled ruleKind = iota
	exactly
	nearby
	inside
	again
)

// Rules: exact is of a number that chance has no part in; near of one that a formula gives, up to an error of its own
// and the chance of so many events; within of one that lies between bounds with its interval; and seen of one that no
// formula gives: what other seeds gave in the runs of [references].
func exact(x float64, from string) rule          { return rule{exactly, x, x, 0, from} }
func near(x, slack float64, from string) rule    { return rule{nearby, x, x, slack, from} }
func within(low, high float64, from string) rule { return rule{inside, low, high, 0, from} }

var seen = rule{kind: again}

// A unit says how a number is written, and which chance it has.
type unit int

const (
	share    unit = iota // of independent trials: "2.94%"
	load                 // of slots, the median of runs: ".974"
	multiple             // of events that were counted: "4.89"
	figure               // that follows from arithmetic, of one run: "8.34"
	ratio                // of two counts of events: "1.62"
)

// pooled is the number of all trials of a group. Its interval is that of the runs, as events of one table depend on
// each other; that of the events where there is one run, or where none happened.
func (u unit) pooled(g lab.Group) claims.Estimate {
	count, of, runs := g.Sum("count"), g.Sum("of"), len(g.Rows)
	e := lab.Ratio(1, "count", "of")(g)
	switch {
	case u == figure:
	case u == load:
		e = lab.Median("number")(g)
	case u == share && (count == 0 || count == of || runs == 1):
		e = lab.Pooled("count", "of")(g)
	default:
		low, high := lab.Sample("number", g).Interval()
		half := (high - low) / 2
		e.Low, e.High = max(0, e.Value-half), e.Value+half
	}
	return e.As("%.4f", "")
}

// allowed is how far the number of a group may be from a formula: some standard errors of so many events, and the error
// of the formula.
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
	return claims.Deviations*chance + r.slack*x
}

// sentenceOf and partOf are what a cell measures.
func sentenceOf(c lab.Cell) *sentence { return c.Of("sentence").(*sentence) }
func partOf(c lab.Cell) *part         { return c.Of("part").(*part) }

// verdict judges the group of a part.
func verdict(g lab.Group) claims.Verdict {
	s, p := sentenceOf(g.Cell), partOf(g.Cell)
	id := s.id + ", " + p.id
	c := claims.Ours(id, fmt.Sprintf("%q: %s", english.in(s.id), english.in(id)))
	e := p.unit.pooled(g)
	switch p.must.kind {
	case exactly:
		return c.Equal(e, p.must.low, 0, p.must.from)
	case nearby:
		about := fmt.Sprintf("about %.4g: %s", p.must.low, p.must.from)
		if p.unit != figure {
			about = fmt.Sprintf("%d standard errors of %d trials %s", claims.Deviations, g.Sum("of"), about)
		}
		return c.Equal(e, p.must.low, p.must.allowed(p.unit, g), about)
	case again:
		r := references()[[3]string{s.id, p.id, string(g.Cell.Setup.Profile)}]
		about := fmt.Sprintf("%d standard errors of %d runs and of %d earlier ones with other seeds, which gave %.4g and "+
			"differ by %.2g", claims.Deviations, len(g.Rows), r.runs, r.number, r.deviation)
		return c.Equal(e, r.number, r.allowed(p.unit, len(g.Rows)), about)
	}
	return c.Within(e, p.must.low, p.must.high, p.must.from)
}

// An outcome is what became of a sentence.
type outcome string

const (
	unknown     outcome = "not measured"
	isFalse     outcome = "false"
	isTrue      outcome = "true"
	conditional outcome = "true under a condition"
)

// outcome follows from the parts that bear on the sentence, but for those whose interval reaches over an end of what it
// says.
func (s *sentence) outcome(d *lab.Data) outcome {
	of := unknown
	for _, g := range d.Where("sentence", s.id) {
		p := partOf(g.Cell)
		if p.said == nil {
			continue
		}
		e := p.unit.pooled(g)
		in := p.said(e.Value)
		is := map[bool]outcome{true: isTrue, false: isFalse}[in]
		switch {
		case p.must.kind != exactly && (p.said(e.Low) != in || p.said(e.High) != in):
		case of == unknown:
			of = is
		case of != is:
			of = conditional
		}
	}
	return of
}

// A reference is what a part gave in earlier runs: its number, and the standard deviation of that of one run.
type reference struct {
	runs              int
	number, deviation float64
}

//go:embed references.csv
var referencesCSV string

// references are what TestReferences_OfEveryPart measures with -update, by sentence, part and profile. It panics if
// they cannot be read.
var references = sync.OnceValue(func() map[[3]string]reference {
	all := map[[3]string]reference{}
	t, err := report.ReadTable("references.csv", strings.NewReader(referencesCSV))
	for _, row := range t.Rows {
		var r reference
		if err == nil {
			_, err = fmt.Sscan(strings.Join(row[3:], " "), &r.runs, &r.number, &r.deviation)
		}
		all[[3]string(row)] = r
	}
	if err != nil {
		panic(err)
	}
	return all
})

// allowed is how far the number of so many runs may be from the reference. A median has pi/2 times the variance.
func (r reference) allowed(u unit, runs int) float64 {
	chance := r.deviation * math.Sqrt(1/float64(runs)+1/float64(r.runs))
	if u == load {
		chance *= math.Sqrt(math.Pi / 2)
	}
	return claims.Deviations*chance + 1e-5*r.number // and the rounding of the table
}
