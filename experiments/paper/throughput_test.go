package paper

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/measure"
)

func TestPaperAt_LineBetweenPoints(t *testing.T) {
	up := []claims.PaperPoint{{X: 0, Y: 10}, {X: 50, Y: 20}, {X: 50, Y: 21}, {X: 100, Y: 1}}
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
	_, err := lab.Registry{Experiments: []lab.Experiment{stepped{counts: []int{1, 2}}}}.Run(t.Context(), lab.Options{Profile: lab.Tiny})
	if err == nil || !strings.Contains(err.Error(), "2 counts for 1 names in 3 steps") {
		t.Errorf("too few counts: %v", err)
	}
}

func run(t *testing.T, e lab.Experiment) lab.Finding {
	t.Helper()
	findings, err := lab.Registry{Experiments: []lab.Experiment{e}}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1})
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

func (stepped) About() lab.About {
	return lab.About{Name: "steps", Params: []string{"at"}, Counts: []string{"n"}}
}

func (s stepped) Plan(lab.Setup) ([]lab.Job, error) {
	return []lab.Job{{Series: "s", Params: lab.Ints(10), Steps: [][]lab.Value{lab.Ints(20), lab.Ints(30)}, Trials: 2, Cost: 1,
		Run: func(context.Context, uint64) ([]int, error) { return s.counts, nil }}}, nil
}

func (stepped) Draw(*lab.Data) []*chart.Figure { return nil }

func (stepped) Judge(*lab.Data) []claims.Verdict { return nil }

// nanoseconds is the time of n operations at a speed in millions a second.
func nanoseconds(n int, speed float64) int { return int(math.Round(1000 * float64(n) / speed)) }

// speedsOfPaper makes up what a trial of figures 5 to 8 counts on a machine that is the paper's: its times are
// the paper's, scatter of 1% between the rounds apart. Breadth-first is half as fast as the walk when empty and
// three times as fast when full; batches are twice as fast.
func speedsOfPaper(figure int) func(r lab.Row) []int {
	const n = 1 << 16 // times of all steps of a trial fit 31 bits
	return func(r lab.Row) []int {
		series, faster := r.Series, 1+0.01*float64(r.Trial%3)
		if slices.Contains(r.About.Params, "batch") && r.Param("batch") > 0 {
			faster *= 2
		}
		paper := func(panel string, x float64) int {
			return nanoseconds(n, faster*paperAt(claims.PaperPoints(figure, panel, series), x))
		}
		switch figure {
		case 5:
			share := catalogue.ShareOf(r.Param("step"))
			positives := int(n * share)
			return []int{n, n, positives, positives, paper("", 100*share)}
		case 6:
			at := lab.Quotient(r.Param("occupancy_permille"), 1000)
			return []int{1000, r.Param("occupancy_permille"), n, 0, n, paper("negative", at), paper("positive", at)}
		case 7:
			to := r.Param("to_permille")
			at := lab.Quotient(to-catalogue.OccupancyStep/2, 1000)
			if series == catalogue.BreadthFirstSeries {
				series = "CF"
				faster *= 0.5 + 2.5*at
			}
			return []int{20 * n, to * n / catalogue.OccupancyStep, n, paper("", at)}
		default:
			from := r.Param("from_permille")
			return []int{20 * n, from * n / catalogue.OccupancyStep, n, n, paper("", lab.Quotient(from-catalogue.OccupancyStep/2, 10))}
		}
	}
}

// throughputFigures are the four experiments.
var throughputFigures = map[int]lab.Experiment{5: LookupByShare{}, 6: LookupByOccupancy{}, 7: InsertByOccupancy{}, 8: DeleteByOccupancy{}}

// The paper's own points make every claim hold but the one that its figure contradicts.
func TestThroughput_PaperAgreesWithItself(t *testing.T) {
	for figure, e := range throughputFigures {
		for _, v := range e.Judge(labtest.Planned(t, e, lab.Quick, speedsOfPaper(figure))) {
			want := claims.Holds
			if strings.Contains(v.Says, "the text says 30% slower") {
				want = claims.Differs
			}
			if v.Status != want || v.Failed() {
				t.Errorf("figure %d: %s: %v (ours %s %s, paper %s, tolerance %s)", figure, v.Says, v.Status, v.Ours, v.Interval, v.Paper, v.Tolerance)
			}
			if v.Status != claims.Holds && v.Why == "" {
				t.Errorf("figure %d: %s: no reason", figure, v.Says)
			}
		}
	}
}

// With a filter changed in some places, the verdicts that say so differ; none of them fails the command unless a
// key is lost.
func TestThroughput_EachVerdictCanDiffer(t *testing.T) {
	timesBy := func(series string, times float64, when func(r lab.Row) bool, columns ...int) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Series == series && when(r) {
				for _, c := range columns {
					counts[c] = int(times * float64(counts[c]))
				}
			}
		}
	}
	always := func(lab.Row) bool { return true }
	for name, c := range map[string]struct {
		figure int
		damage func(r lab.Row, counts []int)
		claims []string // parts of the claims that must not hold
		fails  bool
	}{
		"cuckoo slow on positives": {5, timesBy("CF", 9, func(r lab.Row) bool { return r.Param("step") == catalogue.ShareSteps }, 4),
			[]string{"CF: lookups are", "CF over BF", "CF over blk-BF", "Order"}, false},
		"Bloom slow on negatives": {5, timesBy("BF", 9, func(r lab.Row) bool { return r.Param("step") == 1 }, 4), []string{"BF: speed at 100%"}, false},
		"quotient fast":           {5, timesBy("QF", 0.025, always, 4), []string{"CF over QF", "Order"}, false},
		"batches slow":            {5, timesBy("CF", 4, func(r lab.Row) bool { return r.Param("batch") > 0 }, 4), []string{"CF: lookups in batches"}, false},
		"a key is denied":         {5, func(r lab.Row, c []int) { c[3]-- }, []string{"No key"}, true},
		"full cuckoo slow": {6, timesBy("CF", 9, func(r lab.Row) bool { return r.Param("occupancy_permille") > 900 }, 5, 6),
			[]string{"CF, absent keys", "CF, stored keys", "CF over BF"}, false},
		"full Bloom fast":       {6, timesBy("BF", 0.2, func(r lab.Row) bool { return r.Param("occupancy_permille") > 900 }, 5), []string{"BF, absent keys"}, false},
		"a stored key is lost":  {6, func(r lab.Row, c []int) { c[4]-- }, []string{"No key"}, true},
		"cuckoo inserts flat":   {7, func(r lab.Row, c []int) { c[3] = madeFlat(r, "CF", c) }, []string{"CF: speed near empty", "breadth-first over", "BF over CF"}, false},
		"Bloom inserts not":     {7, timesBy("BF", 2, func(r lab.Row) bool { return r.Param("to_permille") > 500 }, 3), []string{"BF: inserts are"}, false},
		"cuckoo inserts slow":   {7, timesBy("CF", 9, always, 3), []string{"CF over BF"}, false},
		"a delete fails":        {8, func(r lab.Row, c []int) { c[3]-- }, []string{"Every key"}, true},
		"cuckoo deletes slower": {8, timesBy("CF", 3, func(r lab.Row) bool { return r.Param("from_permille") < 600 }, 4), []string{"CF: deletes", "CF over dl-CBF", "Order"}, false},
	} {
		e, good := throughputFigures[c.figure], speedsOfPaper(c.figure)
		vs := e.Judge(labtest.Planned(t, e, lab.Quick, func(r lab.Row) []int {
			counts := good(r)
			c.damage(r, counts)
			return counts
		}))
		if got := len(labtest.Failing(vs)) > 0; got != c.fails {
			t.Errorf("%s: verdicts %v fail", name, labtest.Failing(vs))
		}
		for _, part := range c.claims {
			i := slices.IndexFunc(vs, func(v claims.Verdict) bool { return strings.Contains(v.Says, part) })
			if i < 0 || vs[i].Status != claims.Differs && vs[i].Status != claims.Unexplained || vs[i].Why == "" {
				t.Errorf("%s: a claim with %q does not differ: %+v", name, part, vs)
			}
		}
	}
}

// madeFlat gives every insert of a series the same time: 20 million a second.
func madeFlat(r lab.Row, series string, counts []int) int {
	if r.Series == series {
		return counts[2] * 50
	}
	return counts[3]
}

// The verdicts on the paper's claims are those of a run without filters of one's own.
func TestOwn_LeavesTheVerdicts(t *testing.T) {
	own := lab.Parts{Filters: []lab.Filter{{Name: "mine", Settings: []lab.Setting{{Bits: 12, OneIn: 1 << 9, New: func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(12, cuckoo.Config{Buckets: n / 4}, seed)
	}}}}}}
	for figure, e := range throughputFigures {
		alone := e.Judge(labtest.Planned(t, e, lab.Quick, speedsOfPaper(figure)))
		with := e.Judge(labtest.PlannedWith(t, own, e, lab.Quick, speedsOfPaper(figure)))
		same := func(a, b claims.Verdict) bool {
			return a.Says == b.Says && a.Status == b.Status && (!a.Machine || a.Ours == b.Ours)
		}
		if !slices.EqualFunc(alone, with, same) {
			t.Errorf("figure %d: %+v, alone %+v", figure, with, alone)
		}
	}
}
