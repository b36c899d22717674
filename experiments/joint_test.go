package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// calls remembers what joint trials were asked for.
type calls struct {
	mu   sync.Mutex
	list []string
}

// job is a job of a joint, which counts for each experiment the seed and the length of its name.
func (c *calls) job(series, joint string, trials int) Job {
	run := func(_ context.Context, seed uint64, experiments []string) ([][]int, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, joint+":"+strings.Join(experiments, "+"))
		var out [][]int
		for _, name := range experiments {
			out = append(out, []int{int(seed>>33) + len(name)})
		}
		return out, nil
	}
	return Job{Series: series, Params: []int{1}, Trials: trials, Cost: 1, Joint: &Joint{Name: joint, Cost: 10, Run: run}}
}

// jointly are two experiments with two joints, of which only the second has the other.
func (c *calls) jointly() (one, two Experiment) {
	timed := func(a *About) { a.Timed = []string{"n"} }
	one = probing{fake: fake{name: "one"}, about: timed, jobs: []Job{c.job("a", "a", 2), c.job("b", "b", 2)}}
	two = probing{fake: fake{name: "second"}, about: timed, jobs: []Job{c.job("a", "a", 3), c.job("other", "other", 2)}}
	return one, two
}

func TestJoint_ServesAllInRounds(t *testing.T) {
	var c calls
	one, two := c.jointly()
	findings, err := Registry{Experiments: []Experiment{one, two}}.Run(t.Context(), Options{Profile: Tiny, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := "a:one+second b:one other:second a:one+second b:one other:second a:second"
	if got := strings.Join(c.list, " "); got != want {
		t.Errorf("calls %s, want %s", got, want)
	}
	for trial := range 2 {
		x, y := findings[0].Data.Groups[0].Rows[trial], findings[1].Data.Groups[0].Rows[trial]
		if x.Seed != y.Seed || x.Count("n")+len("second") != y.Count("n")+len("one") {
			t.Errorf("trial %d: %+v and %+v are of different trials", trial, x, y)
		}
	}
}

// What an earlier sitting has is not asked for again, and the tables are those of one sitting.
func TestJoint_ResumeAsksForTheRest(t *testing.T) {
	var c calls
	one, two := c.jointly()
	both := Registry{Experiments: []Experiment{one, two}}
	o := Options{Profile: Tiny, Seed: 3}
	whole, err := both.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "j")
	for _, g := range []Registry{{Experiments: []Experiment{two}}, both} {
		c.list = nil
		o.Journal = openKept(t, dir, o)
		findings, err := g.Run(t.Context(), o)
		if err := errors.Join(err, o.Journal.Close()); err != nil {
			t.Fatal(err)
		}
		if len(findings) == 2 && csvs(t, findings) != csvs(t, whole) {
			t.Error("the tables of two sittings differ from those of one")
		}
	}
	if got, want := strings.Join(c.list, " "), "a:one b:one a:one b:one"; got != want {
		t.Errorf("calls %s, want %s", got, want)
	}
}

func TestJoint_CostIsCountedOnce(t *testing.T) {
	var c calls
	one, two := c.jointly()
	for _, e := range []struct {
		of   []Experiment
		want float64 // seconds
	}{
		{[]Experiment{one}, 4 * 11},
		{[]Experiment{one, two}, 2*(1+1+10) + 11 + 2*11 + 2*11},
	} {
		got, err := Registry{Experiments: e.of}.Estimate(Options{Profile: Tiny})
		if err != nil || math.Abs(got.Time.Seconds()-e.want) > 1e-6 {
			t.Errorf("%d experiments: %v, %v, want %g s", len(e.of), got.Time, err, e.want)
		}
	}
	findings, _, err := Registry{Experiments: []Experiment{one, two}}.plan(Options{Profile: Tiny})
	if err != nil || findings[0].Data.load.seconds != 4*11 {
		t.Errorf("one by itself: %+v, %v, want 44 s", findings[0].Data.load, err)
	}
}

func TestJoint_RefusesWhatIsWrong(t *testing.T) {
	var c calls
	short := c.job("short", "short", 1)
	short.Joint.Run = func(context.Context, uint64, []string) ([][]int, error) { return nil, nil }
	empty := c.job("empty", "empty", 1)
	empty.Joint.Run = nil
	for want, jobs := range map[string][]Job{
		`two jobs have the joint "a"`: {c.job("a", "a", 1), c.job("b", "a", 1)},
		"or nothing to run":           {empty},
		"counts for 0 of 1":           {short},
	} {
		_, err := Registry{Experiments: []Experiment{probing{fake: fake{name: "x"}, jobs: jobs}}}.Run(t.Context(), Options{Profile: Tiny})
		if !errors.Is(err, ErrRegistry) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// smallLife is a life that takes a few milliseconds.
var smallLife = throughputSize{q: 9, rounds: 1, lookups: 64, probes: 1 << 10}

// untimed are the counts of an experiment without those that the machine decides.
func untimed(a About, counts []int) []int {
	out := slices.Clone(counts)
	for i := range out {
		if slices.Contains(a.Timed, a.Counts[i%len(a.Counts)]) {
			out[i] = 0
		}
	}
	return out
}

// What one experiment counts is the same whichever others a life serves.
func TestLife_CountsDoNotDependOnCompany(t *testing.T) {
	const seed = 11
	all := []Experiment{SpaceAndSpeed{}, LookupByShare{}, LookupByOccupancy{}, InsertByOccupancy{}, DeleteByOccupancy{}}
	for _, k := range fig7Kinds() {
		company := all
		if k.name == "BF" || k.name == "blk-BF" {
			company = all[:4]
		}
		var names []string
		for _, e := range company {
			names = append(names, e.About().Name)
		}
		together, err := smallLife.live(t.Context(), k, seed, names)
		if err != nil {
			t.Fatalf("%s, seed %d: %v", k.name, seed, err)
		}
		for i, e := range company {
			alone, err := smallLife.live(t.Context(), k, seed, names[i:i+1])
			if err != nil {
				t.Fatalf("%s, seed %d: %v", k.name, seed, err)
			}
			a := e.About()
			if got, want := untimed(a, together[i]), untimed(a, alone[0]); !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s, seed %d, %s: %v together, %v alone", k.name, seed, a.Name, got, want)
			}
		}
	}
}

// Table 3 and figures 5 and 8 are about a filter that is filled in one go: to 90% where it is the quotient filter, although
// that goes on to 95% for figures 6 and 7.
func TestLife_IsFullWhereAFillEnds(t *testing.T) {
	const seed = 13
	z := smallLife
	for _, k := range sixKinds() {
		f, err := k.open(z.q, seed)
		if err != nil {
			t.Fatal(err)
		}
		s := stream{next: seed}
		items, _, err := f.build(t.Context(), &s, k.items(z.q))
		if err != nil {
			t.Fatal(err)
		}
		step := stepKinds()[slices.IndexFunc(stepKinds(), func(other sixKind) bool { return other.name == k.name })]
		names := []string{"table3", "fig5", "fig7", "fig8"}
		if f.remove == nil {
			names = names[:3]
		}
		counts, err := z.live(t.Context(), step, seed, names)
		if err != nil {
			t.Fatal(err)
		}
		// The first two of Table 3, the first of figure 5, the second of figure 8.
		got, want := []int{counts[0][0], counts[0][1], counts[1][0]}, []int{items, f.sizeBytes, items}
		if f.remove != nil {
			got, want = append(got, counts[3][1]), append(want, items)
		}
		if !slices.Equal(got, want) || counts[0][2] != 0 {
			t.Errorf("%s, seed %d: %v, want %v; %d are lost", k.name, seed, got, want, counts[0][2])
		}
		if err := stepsAddUp(k, items, counts); err != nil {
			t.Errorf("%s, seed %d: %v", k.name, seed, err)
		}
	}
}

// stepsAddUp compares the steps of inserting with what fits into them, for a small filter may refuse a key beyond the last of
// them, and those of deleting with all items.
func stepsAddUp(k sixKind, items int, counts [][]int) error {
	sum := func(counts []int, width, column int) (n int) {
		for i := column; i < len(counts); i += width {
			n += counts[i]
		}
		return n
	}
	room := k.room(smallLife.q) * k.fullest() / 1000
	if k.items(smallLife.q) == 0 {
		room = min(room, items)
	}
	if inserts := sum(counts[2], 4, 2); inserts != room {
		return fmt.Errorf("%d inserts in steps, %d items, room for %d", inserts, items, room)
	}
	if len(counts) == 4 && sum(counts[3], 5, 2) != counts[3][1] {
		return fmt.Errorf("%d deletes in steps, %d items", sum(counts[3], 5, 2), counts[3][1])
	}
	return nil
}

// On several goroutines as many keys are found as on one.
func TestSix_RecallsOnAnyNumberOfGoroutines(t *testing.T) {
	f, _, items, absent := opened(t, cuckooKind())
	for _, n := range []int{0, 1, 5, items} {
		want := []int{0, 3 * n, -1}
		for _, workers := range []int{1, 2, 3, 7} {
			got, err := f.recall(t.Context(), stream{next: sixSeed}, n, absent, 3*n, workers)
			if err != nil {
				t.Fatal(err)
			}
			if want[2] < 0 {
				want[2] = got[2]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d keys on %d goroutines: %v, want %v", n, workers, got, want)
			}
		}
	}
}
