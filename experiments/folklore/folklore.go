// Package folklore puts sentences to the test that are said about cuckoo filters and Bloom filters: in articles, in
// interviews and in comments of source code.
//
// A sentence has parts, each of which measures one number: a count over another. A part may say for which numbers the
// sentence is true of it. The sentence is true if it is true of all its parts, false if it is true of none, and
// otherwise true under a condition. A part whose interval reaches over an end of those numbers decides nothing.
//
// A part also has a rule of package claims: what the number must be, by a formula, a count or earlier runs with other
// seeds (references.csv). So each verdict of a sentence stands on claims that can fail, and a number that is not what
// it must be ends the command with status 1.
//
// All returns two experiments. In "folklore" the seed decides everything. "insert-time" measures how long inserts take,
// so the machine decides. A test writes docs/FOLKLORE.md and docs/FOLKLORE.zh.md from the results of a run: the same
// rows in two languages. The words of sentences are in texts.txt, those around them in templates.
package folklore

import (
	"context"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// All returns the experiments of this package.
func All() []*lab.Experiment { return []*lab.Experiment{folklore(sentences()), insertTime()} }

// folklore tests sentences.
func folklore(said []sentence) *lab.Experiment {
	line := lab.Panel{
		X: chart.Axis{Label: "fingerprint bits", Whole: true}, Y: chart.Axis{Label: "load factor", Min: .5, Max: 1},
		At: lab.At("x"), Of: load.pooled, By: "part", Label: measure.Raised, Style: lab.Numbered, Kind: chart.LineMarks,
		Only: drawn("xor-fingerprint"),
	}
	cleared := line
	cleared.X = chart.Axis{Label: "keys stored / capacity", Format: chart.Percent, Min: 0, Max: 1}
	cleared.Y = chart.Axis{Label: "share of the other keys denied", Format: chart.Percent, Min: 0}
	cleared.At, cleared.Only = func(g lab.Group) float64 { return g.Cell.Float("x") * .01 }, drawn("clear-bits")
	return &lab.Experiment{
		Name:  "folklore",
		Title: "What is said about cuckoo filters",
		Claim: "Sentences from articles, interviews and comments of source code, about Bloom filters and cuckoo filters. " +
			"Some are false, some are true, and most are true under a condition that they do not name.",
		Method: "Each sentence has parts, and each part measures one number: a count over another. The sentence is true if " +
			"it is true of all parts that it is about, false if it is true of none, else true under a condition. Each number " +
			"is also compared with what it must be, by a formula or a count, within a tolerance that follows from the number " +
			"of trials; where there is neither, a test compares it with earlier runs.",
		Limits: []string{
			"The Java class is a model of ours: of how it hashes, which victim it kicks and what it drops. The Go packages " +
				"are run themselves, in docs/results/CONFORMANCE.md.",
			"The domain names are made up, of the shape of real ones. The Java class under 19 718 real ones, in a table of " +
				"2^14 slots: a rate of 1.3% at half load, and a load of .967.",
		},
		Params: "part x",
		Grid: lab.Grid{{Series: "{sentence}", Trials: runs, Axes: []lab.Axis{
			lab.Over("sentence", lab.ListOf(said, func(s sentence) lab.Value { return lab.Named(s.id, &s) })),
			lab.Over("part", func(c lab.Cell) []lab.Value {
				return lab.ListOf(sentenceOf(c).part, func(p part) lab.Value { return lab.Named(p.id, &p) })(c)
			}),
			lab.Over("x", lab.From(func(c lab.Cell) lab.Value { return partOf(c).x })),
		}}},
		Trial: lab.Trial{
			Counts: "count of",
			Needs: func(c lab.Cell) (keys float64, bytes int64) {
				large := sizes[c.Setup.Profile].large
				return float64(max(partOf(c).cost, 1) * large), int64(large) * 32
			},
			Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
				return partOf(c).run.run(ctx, seed, sizes[c.Setup.Profile])
			},
		},
		Columns: []lab.Column{{Name: "number", Of: lab.Div("count", "of")}},
		Plots: []lab.Plot{{
			Title: "Clearing bits in a Bloom filter: keys denied by load",
			Caption: "Share of the keys that a Bloom filter of 10 bits a key denies after the bits of some keys were cleared, " +
				"against the load: it rises with the load, to 5% where 1% of the keys were cleared and to 39% where 10% were.",
			Panels: []lab.Panel{cleared},
		}, {
			Name:  "folklore-xor",
			Title: "Load at the first refused key by the width of fingerprints, b = 4",
			Caption: "Load against the fingerprint's width. With i xor fp the load falls where the table has many more " +
				"buckets than there are fingerprints, the more the larger the table; with the fingerprint hashed first it is " +
				"near .96 from 6 bits on.",
			Panels: []lab.Panel{line},
		}},
		Claims: []lab.Rule{lab.Judged(verdicts)},
		Table:  overview,
	}
}

// runs is how often a part is measured.
func runs(c lab.Cell) int {
	switch p := partOf(c); {
	case p.runs > 0:
		return p.runs
	case p.unit == figure:
		return 1
	}
	return sizes[c.Setup.Profile].runs
}

// drawn chooses the parts of a sentence that are points of a chart.
func drawn(id string) func(lab.Group) bool {
	return func(g lab.Group) bool { return g.Series == id && g.Cell.Has("x") }
}

// judged are the groups of parts that have a rule.
func judged(d *lab.Data) (out []lab.Group) {
	for _, g := range d.Where() {
		if partOf(g.Cell).must.kind != unruled {
			out = append(out, g)
		}
	}
	return out
}

// verdicts judges those that a formula or a count decides. That the others are as in earlier runs is held by a test: it
// says something of this code, not of what is said.
func verdicts(d *lab.Data) (vs []claims.Verdict) {
	for _, g := range judged(d) {
		if partOf(g.Cell).must.kind != again {
			vs = append(vs, verdict(g))
		}
	}
	return vs
}

// overview has a row for each part, with what became of its sentence. Both go by their names, since sentences are too
// long for a table in print: the list of claims has them in words.
func overview(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"sentence", "part", "number", "low", "high", "verdict"}}
	for _, g := range judged(d) {
		s, p := sentenceOf(g.Cell), partOf(g.Cell)
		e := p.unit.pooled(g)
		t.Add(s.id, p.id, e.Value, e.Low, e.High, strings.TrimPrefix(string(s.outcome(d)), "true under a "))
	}
	return t
}
