package folklore

import (
	"context"
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// All returns the experiments of this package.
func All() []lab.Old { return []lab.Old{folklore(), insertTime()} }

// folklore tests all sentences.
func folklore() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "folklore",
			Title: "What is said about cuckoo filters",
			Claim: "Sentences from articles, interviews and comments of source code, about Bloom filters and cuckoo filters. Some are false, some are true, and most are " +
				"true under a condition that they do not name.",
			Method: "Each sentence has parts, and each part measures one number: a count over another. The sentence is true if it is true of all parts " +
				"that it is about, false if it is true of none, else true under a condition. Each number is also compared with what it must be, by a formula, a count or " +
				"earlier runs with other seeds, within a tolerance that follows from the number of trials.",
			NotShown: []string{
				"The class and the package are models of ours: of how they hash, which victim they kick and what they drop.",
				"The domain names are made up, of the shape of real ones. The Java class under 19 718 real ones, in a table of 2^14 slots: a rate of 1.3% at half load, and a load of .967.",
			},
			Params:  []string{"part", "x"},
			Counts:  []string{"count", "of"},
			Derived: []lab.Derived{{Name: "number", Of: func(r lab.Row) float64 { return r.Ratio("count", "of") }}},
		},
		Trials:  trials,
		Figures: figures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(verdicts(d)) },
		Table:   overview,
	}
}

// trials are a job for each part.
func trials(s lab.Setup) ([]lab.Job, error) {
	z := sizes[s.Profile]
	var jobs []lab.Job
	for _, sentence := range sentences() {
		for _, p := range sentence.part {
			runs := p.runs
			if runs == 0 {
				runs = z.runs
			}
			jobs = append(jobs, lab.Job{
				Series: sentence.id,
				Params: []lab.Value{lab.Word(p.id), p.x},
				Trials: runs,
				Cost:   p.cost / 12 * float64(z.large) / float64(sizes[lab.Quick].large),
				Bytes:  int64(z.large) * 32,
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					count, of, err := p.run(ctx, seed, z)
					return []int{count, of}, err
				},
			})
		}
	}
	return jobs, nil
}

// verdicts judges each part that has a rule.
func verdicts(d *lab.Data) (vs []claims.Verdict) {
	for _, s := range sentences() {
		for _, p := range s.part {
			if g, ok := groupOf(d, s, p); ok && p.must.kind != unruled {
				vs = append(vs, p.verdict(s, g, d.Setup.Profile))
			}
		}
	}
	return vs
}

// overview has a row for each part, with what became of its sentence. Both go by their names, since the sentences are too long for a
// table in print: the list of claims has them in words.
func overview(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"sentence", "part", "number", "low", "high", "verdict"}}
	for _, s := range sentences() {
		for _, p := range s.part {
			if g, ok := groupOf(d, s, p); ok && p.must.kind != unruled {
				e := p.unit.pooled(g)
				t.Add(s.id, p.id, e.Value, e.Low, e.High, strings.TrimPrefix(outcomeNames[s.outcome(d)].en, "true under a "))
			}
		}
	}
	return t
}

// The names of lines in charts.
const hashedLine = "i xor hash(fp), 2^18 slots"

func plainLine(exponent int) string { return fmt.Sprintf("i xor fp, 2^%d slots", exponent) }

func clearedLine(permille int) string { return fmt.Sprintf("%d%% of the keys cleared", permille/10) }

// figures draw what depends on a parameter.
func figures(d *lab.Data) []*chart.Figure {
	return []*chart.Figure{{
		Name:  "folklore",
		Title: "Clearing bits in a Bloom filter: keys denied by load",
		Caption: "Share of the keys that a Bloom filter of 10 bits a key denies after the bits of some keys were cleared, against the load: it rises with the load, to 5% " +
			"where 1% of the keys were cleared and to 39% where 10% were.",
		Panels: []chart.Panel{{
			X:      chart.Axis{Label: "keys stored / capacity", Format: chart.Percent, Min: 0, Max: 1},
			Y:      chart.Axis{Label: "share of the other keys denied", Format: chart.Percent, Min: 0},
			Series: curves(d, "clear-bits", .01, clearedLine(10), clearedLine(100)),
		}},
	}, {
		Name:  "folklore-xor",
		Title: "Load at the first refused key by the width of fingerprints, b = 4",
		Caption: "Load against the fingerprint's width. With i xor fp the load falls where the table has many more buckets than there are fingerprints, the more the larger " +
			"the table; with the fingerprint hashed first it is near .96 from 6 bits on.",
		Panels: []chart.Panel{{
			X:      chart.Axis{Label: "fingerprint bits", Whole: true},
			Y:      chart.Axis{Label: "load factor", Min: .5, Max: 1},
			Series: curves(d, "xor-fingerprint", 1, plainLine(plainExponents[0]), plainLine(plainExponents[1]), plainLine(plainExponents[2]), hashedLine),
		}},
	}}
}

// curves are the lines of a sentence, x in units of the axis.
func curves(d *lab.Data, id string, unit float64, names ...string) (lines []chart.Series) {
	for i, name := range names {
		line := chart.Series{Label: measure.Raised(name), Style: chart.Numbered(i), Kind: chart.LineMarks}
		for _, g := range d.Select(id) {
			if r := g.Rows[0]; r.Value("part").String() == name {
				e := load.pooled(g)
				line.Points = append(line.Points, chart.Point{X: r.Value("x").Float() * unit, Y: e.Value, Lo: e.Low, Hi: e.High})
			}
		}
		lines = append(lines, line)
	}
	return lines
}
