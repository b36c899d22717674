package experiments

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
)

func TestShuffle_VisitsEachOnce(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 7, 64, 997, 1000, 1618, 2 * 3 * 5 * 7 * 11} {
		seen := make([]bool, n)
		for s, i := newShuffle(n), uint64(0); i < n; i++ {
			at := s.next()
			if at >= n || seen[at] {
				t.Fatalf("n = %d: visit %d is to %d again, or beyond", n, i, at)
			}
			seen[at] = true
		}
	}
}

func TestPaperAt_LineBetweenPoints(t *testing.T) {
	up := []PaperPoint{{X: 0, Y: 10}, {X: 50, Y: 20}, {X: 50, Y: 21}, {X: 100, Y: 1}}
	down := slices.Clone(up)
	slices.Reverse(down)
	for x, want := range map[float64]float64{-5: 10, 0: 10, 25: 15, 75: 11, 100: 1, 120: 1} {
		if got := paperAt(up, x); got != want {
			t.Errorf("at %g: %g, want %g", x, got, want)
		}
		if got := paperAt(down, x); got != want {
			t.Errorf("at %g, points in reverse: %g, want %g", x, got, want)
		}
	}
	if got := paperAt(nil, 3); got != 1 {
		t.Errorf("without points %g, want 1", got)
	}
}

// Each of the paper's six filters, and what one sweep of it counts.
func TestSweep_CountsAddUp(t *testing.T) {
	const q, seed = 9, 7
	for _, k := range fig7Kinds() {
		w, err := k.sweep(q, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range k.windows() {
			before, spent := w.stored, w.spent
			if err := w.fillPermille(t.Context(), to); err != nil || w.stored > before && w.spent <= spent {
				t.Fatalf("%s: %d inserts in %v, %v", k.name, w.stored-before, w.spent-spent, err)
			}
		}
		if w.stored < w.room*6/10 || w.stored > w.room*k.fullest()/1000 {
			t.Errorf("%s, seed %d: %d stored, room for %d", k.name, seed, w.stored, w.room)
		}
		for _, form := range lookupForms {
			l, err := w.searcher(1).look(t.Context(), 1000, 0.25, form)
			// 250 of 1000 within 5 standard deviations of 13.7: outside once in 1.7 million.
			if err != nil || l.lookups != 1000 || l.positives < 180 || l.positives > 320 || l.found < l.positives {
				t.Errorf("%s, seed %d: %+v, %v", k.name, seed, l, err)
			}
		}
	}
}

func TestSweep_DenialsAreErrors(t *testing.T) {
	w, err := cuckooKind().sweep(9, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.fill(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	w.contains = func([]uint64) int { return 0 }
	if _, err := w.searcher(1).look(t.Context(), 10, 1, 0); err == nil || !strings.Contains(err.Error(), "10 of 10") {
		t.Errorf("a filter that denies its keys: %v", err)
	}
}

// A trial with steps makes a row for each of them, under one seed.
func TestRun_StepsAreGroups(t *testing.T) {
	e := stepped{counts: []int{1, 2, 3}}
	d := run(t, e).Data
	if len(d.Groups) != 3 {
		t.Fatalf("%d groups, want 3", len(d.Groups))
	}
	for i, g := range d.Groups {
		if g.Param("at") != 10*(i+1) || g.Rows[1].Count("n") != i+1 || g.Rows[1].Seed != d.Groups[0].Rows[1].Seed {
			t.Errorf("group %d: %+v", i, g)
		}
	}
	_, err := Registry{Experiments: []Experiment{stepped{counts: []int{1, 2}}}}.Run(t.Context(), Options{Profile: Tiny})
	if err == nil || !strings.Contains(err.Error(), "2 counts for 1 names in 3 steps") {
		t.Errorf("too few counts: %v", err)
	}
}

func run(t *testing.T, e Experiment) Finding {
	t.Helper()
	findings, err := Registry{Experiments: []Experiment{e}}.Run(t.Context(), Options{Profile: Tiny, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return findings[0]
}

// stepped is an experiment of one job of three steps.
type stepped struct {
	LookupByShare
	counts []int
}

func (stepped) About() About {
	return About{Name: "steps", Params: []string{"at"}, Counts: []string{"n"}}
}

func (s stepped) Plan(Setup) ([]Job, error) {
	return []Job{{Series: "s", Params: []int{10}, Steps: [][]int{{20}, {30}}, Trials: 2, Cost: 1,
		Run: func(context.Context, uint64) ([]int, error) { return s.counts, nil }}}, nil
}

func (stepped) Draw(*Data) []*chart.Figure { return nil }
func (stepped) Judge(*Data) []Verdict      { return nil }

// nanoseconds is the time of n operations at a speed in millions a second.
func nanoseconds(n int, speed float64) int { return int(math.Round(1000 * float64(n) / speed)) }

// speedsOfPaper makes up what a trial of figures 5 to 8 counts on a machine that is the paper's: its times are
// the paper's, scatter of 1% between the rounds apart. Breadth-first is half as fast as the walk when empty and
// three times as fast when full; batches are twice as fast.
func speedsOfPaper(figure int) func(r Row) []int {
	const n = 1 << 16 // times of all steps of a trial fit 31 bits
	return func(r Row) []int {
		series, faster := r.Series, 1+0.01*float64(r.Trial%3)
		if slices.Contains(r.about.Params, "batch") && r.Param("batch") > 0 {
			faster *= 2
		}
		paper := func(panel string, x float64) int {
			return nanoseconds(n, faster*paperAt(PaperPoints(figure, panel, series), x))
		}
		switch figure {
		case 5:
			share := fig5Share(r.Param("step"))
			positives := int(n * share)
			return []int{n, n, positives, positives, paper("", 100*share)}
		case 6:
			at := quotient(r.Param("occupancy_permille"), 1000)
			return []int{1000, r.Param("occupancy_permille"), n, 0, n, paper("negative", at), paper("positive", at)}
		case 7:
			to := r.Param("to_permille")
			at := quotient(to-occupancyStep/2, 1000)
			if series == breadthFirstSeries {
				series = "CF"
				faster *= 0.5 + 2.5*at
			}
			return []int{20 * n, to * n / occupancyStep, n, paper("", at)}
		default:
			from := r.Param("from_permille")
			return []int{20 * n, from * n / occupancyStep, n, n, paper("", quotient(from-occupancyStep/2, 10))}
		}
	}
}

// throughputFigures are the four experiments.
var throughputFigures = map[int]Experiment{5: LookupByShare{}, 6: LookupByOccupancy{}, 7: InsertByOccupancy{}, 8: DeleteByOccupancy{}}

// The paper's own points make every claim hold but the one that its figure contradicts.
func TestThroughput_PaperAgreesWithItself(t *testing.T) {
	for figure, e := range throughputFigures {
		for _, v := range e.Judge(planned(t, e, Quick, speedsOfPaper(figure))) {
			want := report.Holds
			if strings.Contains(v.Claim, "the text says 30% slower") {
				want = report.Differs
			}
			if v.Status != want || v.Failed() {
				t.Errorf("figure %d: %s: %v (ours %s %s, paper %s, tolerance %s)", figure, v.Claim, v.Status, v.Ours, v.Interval, v.Paper, v.Tolerance)
			}
			if v.Status != report.Holds && v.Why == "" {
				t.Errorf("figure %d: %s: no reason", figure, v.Claim)
			}
		}
	}
}

// With a filter changed in some places, the verdicts that say so differ; none of them fails the command unless a
// key is lost.
func TestThroughput_EachVerdictCanDiffer(t *testing.T) {
	timesBy := func(series string, times float64, when func(r Row) bool, columns ...int) func(Row, []int) {
		return func(r Row, counts []int) {
			if r.Series == series && when(r) {
				for _, c := range columns {
					counts[c] = int(times * float64(counts[c]))
				}
			}
		}
	}
	always := func(Row) bool { return true }
	for name, c := range map[string]struct {
		figure int
		damage func(r Row, counts []int)
		claims []string // parts of the claims that must not hold
		fails  bool
	}{
		"cuckoo slow on positives": {5, timesBy("CF", 9, func(r Row) bool { return r.Param("step") == fig5Steps }, 4),
			[]string{"CF: lookups are", "CF over BF", "CF over blk-BF", "Order"}, false},
		"Bloom slow on negatives": {5, timesBy("BF", 9, func(r Row) bool { return r.Param("step") == 1 }, 4), []string{"BF: speed at 100%"}, false},
		"quotient fast":           {5, timesBy("QF", 0.025, always, 4), []string{"CF over QF", "Order"}, false},
		"batches slow":            {5, timesBy("CF", 4, func(r Row) bool { return r.Param("batch") > 0 }, 4), []string{"CF: lookups in batches"}, false},
		"a key is denied":         {5, func(r Row, c []int) { c[3]-- }, []string{"No key"}, true},
		"full cuckoo slow": {6, timesBy("CF", 9, func(r Row) bool { return r.Param("occupancy_permille") > 900 }, 5, 6),
			[]string{"CF, absent keys", "CF, stored keys", "CF over BF"}, false},
		"full Bloom fast":       {6, timesBy("BF", 0.2, func(r Row) bool { return r.Param("occupancy_permille") > 900 }, 5), []string{"BF, absent keys"}, false},
		"a stored key is lost":  {6, func(r Row, c []int) { c[4]-- }, []string{"No key"}, true},
		"cuckoo inserts flat":   {7, func(r Row, c []int) { c[3] = madeFlat(r, "CF", c) }, []string{"CF: speed near empty", "breadth-first over", "BF over CF"}, false},
		"Bloom inserts not":     {7, timesBy("BF", 2, func(r Row) bool { return r.Param("to_permille") > 500 }, 3), []string{"BF: inserts are"}, false},
		"cuckoo inserts slow":   {7, timesBy("CF", 9, always, 3), []string{"CF over BF"}, false},
		"a delete fails":        {8, func(r Row, c []int) { c[3]-- }, []string{"Every key"}, true},
		"cuckoo deletes slower": {8, timesBy("CF", 3, func(r Row) bool { return r.Param("from_permille") < 600 }, 4), []string{"CF: deletes", "CF over dl-CBF", "Order"}, false},
	} {
		e, good := throughputFigures[c.figure], speedsOfPaper(c.figure)
		vs := e.Judge(planned(t, e, Quick, func(r Row) []int {
			counts := good(r)
			c.damage(r, counts)
			return counts
		}))
		if got := len(failing(vs)) > 0; got != c.fails {
			t.Errorf("%s: verdicts %v fail", name, failing(vs))
		}
		for _, part := range c.claims {
			i := slices.IndexFunc(vs, func(v Verdict) bool { return strings.Contains(v.Claim, part) })
			if i < 0 || vs[i].Status != report.Differs || vs[i].Why == "" {
				t.Errorf("%s: a claim with %q does not differ: %+v", name, part, vs)
			}
		}
	}
}

// madeFlat gives every insert of a series the same time: 20 million a second.
func madeFlat(r Row, series string, counts []int) int {
	if r.Series == series {
		return counts[2] * 50
	}
	return counts[3]
}

func TestThroughput_TinyJudgesNoTimes(t *testing.T) {
	for _, f := range tiny(t) {
		if len(f.Data.About.Timed) == 0 || !strings.HasPrefix(f.Data.About.Name, "fig") {
			continue
		}
		for _, v := range f.Verdicts {
			if v.Failed() || !v.Deterministic && v.Status != report.NotMeasured {
				t.Errorf("%s: %+v", f.Data.About.Name, v)
			}
		}
	}
}
