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
	"github.com/nestfilter/nest/experiments/must"
)

// calls remembers what joint trials were asked for.
type calls struct {
	mu   sync.Mutex
	list []string
}

// cell is a block of one cell that shares its trials, which count for each experiment the seed and the length of its
// name.
func (c *calls) cell(key string, trials int) lab.Block {
	b := cell(key, trials, nil)
	b.Trial.Key = func(lab.Cell) string { return key }
	b.Trial.Shared = func(lab.Cell) float64 { return 10 }
	b.Trial.Many = func(_ context.Context, _ lab.Cell, seed uint64, of []string) (map[string][]int, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, key+":"+strings.Join(of, "+"))
		out := map[string][]int{}
		for _, name := range of {
			out[name] = []int{int(seed>>33) + len(name)}
		}
		return out, nil
	}
	return b
}

// jointly are two experiments that share trials, of which only the second has the other.
func (c *calls) jointly() (one, two *lab.Experiment) {
	return timed("one", c.cell("a", 2), c.cell("b", 2)), timed("second", c.cell("a", 3), c.cell("other", 2))
}

func TestJoint_ServesAllInRounds(t *testing.T) {
	var c calls
	one, two := c.jointly()
	findings := must.Get(lab.Registry{Experiments: []*lab.Experiment{one, two}}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 3}))(t)
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
	both := lab.Registry{Experiments: []*lab.Experiment{one, two}}
	o := lab.Options{Profile: lab.Tiny, Seed: 3}
	whole := must.Get(both.Run(t.Context(), o))(t)
	dir := filepath.Join(t.TempDir(), "j")
	for _, g := range []lab.Registry{{Experiments: []*lab.Experiment{two}}, both} {
		c.list = nil
		o.Store = openKept(t, dir, o)
		findings, err := g.Run(t.Context(), o)
		must.Do(t, errors.Join(err, o.Store.Close()))
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
		of   []*lab.Experiment
		want float64 // seconds
	}{
		{[]*lab.Experiment{one}, 4 * 11},
		{[]*lab.Experiment{one, two}, 2*(1+1+10) + 11 + 2*11 + 2*11},
	} {
		got, err := lab.Registry{Experiments: e.of}.Estimate(lab.Options{Profile: lab.Tiny})
		if err != nil || math.Abs(got.Time.Seconds()-e.want) > 1e-6 {
			t.Errorf("%d experiments: %v, %v, want %g s", len(e.of), got.Time, err, e.want)
		}
	}
}

func TestJoint_RefusesWhatIsWrong(t *testing.T) {
	var c calls
	short, empty := c.cell("short", 1), c.cell("empty", 1)
	short.Trial.Many = func(context.Context, lab.Cell, uint64, []string) (map[string][]int, error) { return nil, nil }
	empty.Trial.Many = nil
	for want, blocks := range map[string][]lab.Block{
		`two cells have the shared trial "a"`: {c.cell("a", 1), c.cell("a", 1)},
		"or nothing to run":                   {empty},
		"0 counts for 1 names":                {short},
	} {
		_, err := lab.Registry{Experiments: []*lab.Experiment{fake("x", blocks...)}}.Run(t.Context(), lab.Options{Profile: lab.Tiny})
		if !errors.Is(err, lab.ErrRegistry) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
