package paper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

func TestPaperAt_LineBetweenPoints(t *testing.T) {
	up := []claims.PaperPoint{{X: 0, Y: 10}, {X: 50, Y: 20}, {X: 50, Y: 21}, {X: 100, Y: 1}}
	down := slices.Clone(up)
	slices.Reverse(down)
	for x, want := range map[float64]float64{-5: 10, 0: 10, 25: 15, 75: 11, 100: 1, 120: 1} {
		if got, back := paperAt(up, x), paperAt(down, x); got != want || back != want {
			t.Errorf("at %g: %g, and %g in reverse, want %g", x, got, back, want)
		}
	}
	if got := paperAt(nil, 3); got != 1 {
		t.Errorf("without points %g, want 1", got)
	}
}

// nanoseconds is the time of n operations at a speed in millions a second.
func nanoseconds(n int, speed float64) int { return int(math.Round(1000 * float64(n) / speed)) }

// speedsOfPaper makes up what a trial of figures 5 to 8 counts on a machine that is the paper's: its times are
// the paper's, scatter of 1% between the rounds apart. Breadth-first is half as fast as the walk when empty and
// three times as fast when full; batches are twice as fast.
func speedsOfPaper(figure int) func(r lab.Row) []int {
	const n = 1 << 16 // times of all steps of a trial fit 31 bits
	return func(r lab.Row) []int {
		series, faster := r.Series, 1+0.01*float64(r.Trial%3)
		if slices.Contains(strings.Fields(r.Experiment.Params), "batch") && r.Param("batch") > 0 {
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
			return []int{20 * n, to * n / catalogue.OccupancyStep, n, 0, paper("", at), 1000}
		default:
			from := r.Param("from_permille")
			return []int{20 * n, from * n / catalogue.OccupancyStep, n, n,
				paper("", lab.Quotient(from-catalogue.OccupancyStep/2, 10))}
		}
	}
}

// throughputFigures are the four experiments.
var throughputFigures = map[int]*lab.Experiment{5: All()[7], 6: All()[8], 7: All()[9], 8: All()[10]}

// judged are the verdicts on made-up data, by their claims' names.
func judged(t *testing.T, e *lab.Experiment, counts func(r lab.Row) []int) map[string]claims.Verdict {
	t.Helper()
	out := map[string]claims.Verdict{}
	for _, v := range e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, counts)) {
		if _, twice := out[v.ID]; twice || v.ID == "" {
			t.Fatalf("%s: claim %q is there twice, or has no name", e.Name, v.ID)
		}
		out[v.ID] = v
	}
	return out
}

// The paper's own points make every claim hold, and so does our own policy where it is faster.
func TestThroughput_PaperAgreesWithItself(t *testing.T) {
	for figure, e := range throughputFigures {
		for _, v := range judged(t, e, speedsOfPaper(figure)) {
			if v.Status != claims.Holds && v.ID != "dl-CBF and BF, text" {
				t.Errorf("figure %d: %+v", figure, v)
			}
		}
	}
}

// slowed multiplies the times of a series in the rows that a function chooses, in the first rounds.
func slowed(good func(lab.Row) []int, rounds int, series string, times float64,
	when func(r lab.Row) bool) func(lab.Row) []int {
	return func(r lab.Row) []int {
		counts := good(r)
		for c, name := range strings.Fields(r.Experiment.Trial.Counts) {
			if r.Series == series && r.Trial < rounds && when(r) && strings.HasSuffix(name, "ns") {
				counts[c] = max(1, int(times*float64(counts[c])))
			}
		}
		return counts
	}
}

// place is where a row stands, from 0 to 1.
func place(r lab.Row) float64 {
	if slices.Contains(strings.Fields(r.Experiment.Params), "step") {
		return catalogue.ShareOf(r.Param("step"))
	}
	return float64(r.Params[1].Int()) / 1000
}

// Every claim about times differs on some machine on which one filter is slower or faster in one place, and none of
// them fails the command.
func TestThroughput_EachVerdictCanDiffer(t *testing.T) {
	single := func(low, high float64) func(r lab.Row) bool {
		return func(r lab.Row) bool {
			i := slices.Index(strings.Fields(r.Experiment.Params), "batch")
			return place(r) >= low && place(r) <= high && (i < 0 || r.Params[i].Int() == 0)
		}
	}
	for figure, e := range throughputFigures {
		good := speedsOfPaper(figure)
		open := judged(t, e, good)
		for _, k := range catalogue.WithBreadthFirst() {
			for _, times := range []float64{0.02, 50} {
				for _, when := range []func(r lab.Row) bool{single(0, 0.34), single(0.4, 0.6), single(0.7, 1)} {
					for id, v := range judged(t, e, slowed(good, 100, k.Name, times, when)) {
						if v.Failed() {
							t.Errorf("figure %d: %s fails", figure, v.Says)
						}
						if v.Status == claims.Unexplained || v.Status == claims.Differs {
							delete(open, id)
						}
					}
				}
			}
		}
		for id, v := range open {
			if v.Machine {
				t.Errorf("figure %d: nothing makes %q differ", figure, id)
			}
		}
	}
}

// A deterministic claim fails the command.
func TestThroughput_LostKeysFail(t *testing.T) {
	good := speedsOfPaper(8)
	v := judged(t, DeleteByOccupancy(), func(r lab.Row) []int {
		counts := good(r)
		counts[3]--
		return counts
	})["all deleted"]
	if !v.Failed() {
		t.Errorf("%+v", v)
	}
	for figure, column := range map[int]int{5: 3, 6: 4} {
		good := speedsOfPaper(figure)
		lose := func(lost int) claims.Verdict {
			e, s := throughputFigures[figure], lab.Setup{Profile: lab.Quick, Own: oneFilter}
			return e.Judge(lab.MadeUp(t, e, s, func(r lab.Row) []int {
				counts := good(r)
				counts[column] -= lost
				return counts
			}))[0]
		}
		if lose(0).Failed() || lose(0).Ours == lose(1).Ours || !lose(1).Failed() {
			t.Errorf("figure %d: %+v", figure, lose(1))
		}
	}
}

// What is slow changes the verdicts on it, by what each claim is about.
func TestThroughput_DifferencesAreOfTheClaim(t *testing.T) {
	at := func(low, high float64) func(lab.Row) bool {
		return func(r lab.Row) bool { return place(r) >= low && place(r) <= high }
	}
	const holds, differs, unexplained, undecided = claims.Holds, claims.Differs, claims.Unexplained, claims.Undecided
	for name, c := range map[string]struct {
		figure int
		rounds int
		series string
		times  float64
		when   func(lab.Row) bool
		want   map[string]claims.Status
	}{
		"cuckoo slow on positives": {5, 9, "CF", 9, at(1, 1), map[string]claims.Status{
			"CF over BF": unexplained, "CF, flat": unexplained, "CF, lookups, 50%": holds, "BF over QF": holds}},
		"Bloom slow on negatives": {5, 9, "BF", 9, at(0, 0),
			map[string]claims.Status{"BF, lookups, 100%": unexplained, "CF over BF": holds}},
		"two rounds of nine disturbed": {5, 2, "CF", 4, at(0, 0), map[string]claims.Status{"CF, flat": undecided,
			"CF, lookups, 50%": undecided, "ss-CF, flat": holds}},
		"one round disturbed": {5, 1, "CF", 4, at(0, 0), map[string]claims.Status{"CF, flat": holds}},
		"full semi-sorted slow": {6, 9, "ss-CF", 3, at(0.6, 1),
			map[string]claims.Status{"ss-CF, lookups of absent keys, flat": unexplained,
				"CF, lookups of absent keys, flat": holds}},
		"one slow step is no slow third": {6, 9, "CF", 1.3, at(0.9, 0.95),
			map[string]claims.Status{"CF, lookups of absent keys, flat": holds}},
		"blocked, both slow when empty": {6, 9, "blk-BF", 2, at(0, 0.03),
			map[string]claims.Status{"blk-BF, lookups of absent keys, 97.5%": unexplained}},
		"full quotient filter fast": {6, 9, "QF", .05, at(.9, 1),
			map[string]claims.Status{"QF, lookups of absent keys, 92.5%": differs}},
		"empty quotient filter slow": {6, 9, "QF", 20, at(0, .03),
			map[string]claims.Status{"QF, lookups of absent keys, 92.5%": unexplained}},
		"Bloom inserts slow from the half": {7, 9, "BF", 2, at(0.5, 1),
			map[string]claims.Status{"BF, inserts, flat": unexplained, "inserts, CF and BF at 2.5%": holds}},
		"cuckoo deletes slow below 60%": {8, 9, "CF", 3, at(0, 0.6),
			map[string]claims.Status{"CF, deletes, flat": unexplained, "CF over dl-CBF": unexplained}},
		"d-left deletes as fast as cuckoo's": {8, 9, "dl-CBF", 0.8, at(0, 1),
			map[string]claims.Status{"CF over dl-CBF": unexplained, "QF over ss-CF": holds}},
	} {
		vs := judged(t, throughputFigures[c.figure], slowed(speedsOfPaper(c.figure), c.rounds, c.series, c.times, c.when))
		for id, want := range c.want {
			if v, ok := vs[id]; !ok || v.Status != want {
				t.Errorf("%s: %q: want %v: %+v", name, id, want, v)
			}
		}
	}
	// The cause of the blocked filter is shown where absent keys of a nearly empty one are found as fast as stored ones.
	good := speedsOfPaper(6)
	v := judged(t, LookupByOccupancy(), func(r lab.Row) []int {
		counts := good(r)
		if r.Series == "blk-BF" {
			counts[5] = counts[6]
		}
		return counts
	})["blk-BF, lookups of absent keys, 97.5%"]
	if v.Status != differs || !strings.Contains(v.Why, "without a branch") {
		t.Errorf("%+v", v)
	}
}

// Too few rounds have no interval, and the tiny profile has no times.
func TestTimed_NeedsRounds(t *testing.T) {
	ones := slices.Repeat([]float64{1}, 6)
	for name, c := range map[string]struct {
		p      lab.Profile
		of, by []float64
		want   claims.Status
	}{
		"six":     {lab.Quick, ones, ones, claims.Holds},
		"five":    {lab.Quick, ones[:5], ones, claims.NotMeasured},
		"none":    {lab.Quick, nil, ones, claims.NotMeasured},
		"tiny":    {lab.Tiny, ones, ones, claims.NotMeasured},
		"differs": {lab.Paper, slices.Repeat([]float64{2}, 6), ones, claims.Unexplained},
		"noise":   {lab.Paper, []float64{1, 1, 1, 1, 1, 2}, ones, claims.Undecided},
	} {
		if v := timed(claims.Claim{Says: "x"}, c.p, c.of, c.by, flat); v.Status != c.want || v.Failed() ||
			v.Status != claims.Holds && v.Why == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// oneFilter is a filter of one's own.
var oneFilter = lab.Parts{Filters: []lab.Filter{{Name: "mine", Settings: []lab.Setting{{Bits: 12, OneIn: 1 << 9,
	New: func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(12, cuckoo.Config{Buckets: n / 4}, seed)
	}}}}}}

// The verdicts on the paper's claims are those of a run without filters of one's own.
func TestOwn_LeavesTheVerdicts(t *testing.T) {
	for figure, e := range throughputFigures {
		alone := e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, speedsOfPaper(figure)))
		with := e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick, Own: oneFilter}, speedsOfPaper(figure)))
		if figure <= 6 {
			with = with[1:] // the keys that the filter denies
		}
		same := func(a, b claims.Verdict) bool {
			return a.Says == b.Says && a.Status == b.Status && (!a.Machine || a.Ours == b.Ours)
		}
		if !slices.EqualFunc(alone, with, same) {
			t.Errorf("figure %d: %+v, alone %+v", figure, with, alone)
		}
	}
}
