package experiments

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
)

// calls remembers what joint trials were asked for.
type calls struct {
	mu   sync.Mutex
	list []string
}

// job is a job of a joint, which counts for each experiment the seed and the length of its name.
func (c *calls) job(series, joint string, trials int) lab.Job {
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
	return lab.Job{Series: series, Params: lab.IntValues(1), Trials: trials, Cost: 1, Joint: &lab.Joint{Name: joint, Cost: 10, Run: run}}
}

// jointly are two experiments with two joints, of which only the second has the other.
func (c *calls) jointly() (one, two lab.Old) {
	timed := func(a *lab.About) { a.Timed = []string{"n"} }
	one = probing{fake: fake{name: "one"}, about: timed, jobs: []lab.Job{c.job("a", "a", 2), c.job("b", "b", 2)}}
	two = probing{fake: fake{name: "second"}, about: timed, jobs: []lab.Job{c.job("a", "a", 3), c.job("other", "other", 2)}}
	return one, two
}

func TestJoint_ServesAllInRounds(t *testing.T) {
	var c calls
	one, two := c.jointly()
	findings, err := lab.Registry{Experiments: []lab.Old{one, two}}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := "a:one+second b:one other:second b:one other:second a:one+second a:second"
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
	both := lab.Registry{Experiments: []lab.Old{one, two}}
	o := lab.Options{Profile: lab.Tiny, Seed: 3}
	whole, err := both.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "j")
	for _, g := range []lab.Registry{{Experiments: []lab.Old{two}}, both} {
		c.list = nil
		o.Store = openKept(t, dir, o)
		findings, err := g.Run(t.Context(), o)
		if err := errors.Join(err, o.Store.Close()); err != nil {
			t.Fatal(err)
		}
		if len(findings) == 2 && csvs(t, findings) != csvs(t, whole) {
			t.Error("the tables of two sittings differ from those of one")
		}
	}
	if got, want := strings.Join(c.list, " "), "a:one b:one b:one a:one"; got != want {
		t.Errorf("calls %s, want %s", got, want)
	}
}

func TestJoint_CostIsCountedOnce(t *testing.T) {
	var c calls
	one, two := c.jointly()
	for _, e := range []struct {
		of   []lab.Old
		want float64 // seconds
	}{
		{[]lab.Old{one}, 4 * 11},
		{[]lab.Old{one, two}, 2*(1+1+10) + 11 + 2*11 + 2*11},
	} {
		got, err := lab.Registry{Experiments: e.of}.Estimate(lab.Options{Profile: lab.Tiny})
		if err != nil || math.Abs(got.Time.Seconds()-e.want) > 1e-6 {
			t.Errorf("%d experiments: %v, %v, want %g s", len(e.of), got.Time, err, e.want)
		}
	}
	findings, _, err := lab.Registry{Experiments: []lab.Old{one, two}}.Plan(lab.Options{Profile: lab.Tiny})
	if err != nil || findings[0].Data.Load.Seconds != 4*11 {
		t.Errorf("one by itself: %+v, %v, want 44 s", findings[0].Data.Load, err)
	}
}

func TestJoint_RefusesWhatIsWrong(t *testing.T) {
	var c calls
	short := c.job("short", "short", 1)
	short.Joint.Run = func(context.Context, uint64, []string) ([][]int, error) { return nil, nil }
	empty := c.job("empty", "empty", 1)
	empty.Joint.Run = nil
	for want, jobs := range map[string][]lab.Job{
		`two jobs have the joint "a"`: {c.job("a", "a", 1), c.job("b", "a", 1)},
		"or nothing to run":           {empty},
		"counts for 0 of 1":           {short},
	} {
		_, err := lab.Registry{Experiments: []lab.Old{probing{fake: fake{name: "x"}, jobs: jobs}}}.Run(t.Context(), lab.Options{Profile: lab.Tiny})
		if !errors.Is(err, lab.ErrRegistry) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
