package experiments

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

func TestRun_WorkersAndCompanyDoNotMatter(t *testing.T) {
	alone := must.Get(Default().Only("fig3"))(t)
	findings := must.Get(alone.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1, Workers: 5}))(t)
	if got, want := findings[0].Data.Table(), tinyOf(t, "fig3").Data.Table(); !reflect.DeepEqual(got, want) {
		t.Error("figure 3 alone on 5 workers counts differently from all figures on 2")
	}
	other := must.Get(alone.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 2}))(t)
	if reflect.DeepEqual(other[0].Data.Table(), tinyOf(t, "fig3").Data.Table()) {
		t.Error("another seed counts the same")
	}
}

// fake is an experiment of one parameter and one count.
func fake(name string, blocks ...lab.Block) *lab.Experiment {
	return &lab.Experiment{
		Name: name, Title: name, Params: "p", Grid: blocks, Trial: lab.Trial{Counts: "n"},
		PerKey: lab.Size{1e9, 1e9, 1e9}, // a second
	}
}

// timed is a fake whose count the machine decides.
func timed(name string, blocks ...lab.Block) *lab.Experiment {
	e := fake(name, blocks...)
	e.Timed = "n"
	return e
}

// cell is a block of one cell, whose trials do what a test wants.
func cell(series string, trials int, run func(ctx context.Context, seed uint64) ([]int, error)) lab.Block {
	t := &lab.Trial{Needs: func(lab.Cell) (float64, int64) { return 1, 0 }}
	if run != nil {
		t.Run = func(ctx context.Context, _ lab.Cell, seed uint64) ([]int, error) { return run(ctx, seed) }
	}
	return lab.Block{Series: series, Trials: lab.Times(trials, trials, trials), Axes: []lab.Axis{lab.Over("p", lab.Ints(1))}, Trial: t}
}

func one(context.Context, uint64) ([]int, error) { return []int{1}, nil }

func TestRun_ProgressRunsToTheEnd(t *testing.T) {
	g := lab.Registry{Experiments: []*lab.Experiment{fake("x", cell("a", 50, one), cell("b", 50, one))}}
	var seen []lab.Progress
	must.Get(g.Run(t.Context(), lab.Options{Profile: lab.Tiny, Workers: 3, Report: func(p lab.Progress) { seen = append(seen, p) }}))(t)
	if len(seen) != 100 {
		t.Fatalf("%d reports of 100 trials", len(seen))
	}
	for i, p := range seen {
		if p.Done != i+1 || p.Total != 100 || math.Abs(p.Share-float64(i+1)/100) > 1e-9 || p.Experiment != "x" {
			t.Fatalf("report %d is %+v", i, p)
		}
	}
}

func TestRun_ErrorsSayWhere(t *testing.T) {
	boom := errors.New("boom")
	wrong := func(context.Context, uint64) ([]int, error) { return []int{1, 2}, nil }
	fails := func(context.Context, uint64) ([]int, error) { return nil, boom }
	for _, c := range []struct {
		name string
		e    *lab.Experiment
		is   error
		want string
	}{
		{"trial", fake("x", cell("a", 5, fails)), boom, "experiments: x, a, trial"},
		{"counts", fake("x", cell("a", 5, wrong)), lab.ErrRegistry, "2 counts for 1 names"},
		{"twice", fake("x", cell("a", 5, fails), cell("a", 5, fails)), lab.ErrRegistry, `two cells of series "a"`},
		{"no run", fake("x", cell("a", 5, nil)), lab.ErrRegistry, `series "a" has 5 trials, or nothing to run`},
	} {
		_, err := lab.Registry{Experiments: []*lab.Experiment{c.e}}.Run(t.Context(), lab.Options{Profile: lab.Tiny, Workers: 2})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Default().Run(t.Context(), lab.Options{Profile: "huge"}); !errors.Is(err, lab.ErrProfile) {
		t.Errorf("unknown profile: %v", err)
	}
}

func TestRun_CancelStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := lab.Registry{Experiments: []*lab.Experiment{fake("x", cell("a", 50, func(ctx context.Context, _ uint64) ([]int, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}))}}
	if _, err := g.Run(ctx, lab.Options{Profile: lab.Tiny}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: %v", err)
	}
	if _, err := Default().Run(ctx, lab.Options{Profile: lab.Quick}); !errors.Is(err, context.Canceled) {
		t.Errorf("run with a cancelled context: %v", err)
	}
}

func TestRegistry_Only(t *testing.T) {
	g, err := Default().Only("fig4", "fig2")
	if err != nil || !slices.Equal(g.Names(), []string{"fig2", "fig4"}) {
		t.Errorf("Only keeps %v, %v", g.Names(), err)
	}
	for _, names := range [][]string{nil, {"fig9"}, {"fig2", ""}} {
		if _, err := Default().Only(names...); !errors.Is(err, lab.ErrExperiment) || !strings.Contains(err.Error(), "fig2, fig3, fig4") {
			t.Errorf("Only(%q): %v", names, err)
		}
	}
}

func TestRegistry_CheckNamesEachProblem(t *testing.T) {
	g := lab.Registry{Experiments: []*lab.Experiment{nil, fake("x"), fake("x")}, Parts: lab.Parts{
		Filters:  []lab.Filter{{Name: "f"}, {Name: "g", Settings: []lab.Setting{{OneIn: 1}}}, {Name: "\u03b1", Settings: []lab.Setting{{}}}},
		Families: []hashing.Hasher{nil, hashing.XXH64(0), hashing.XXH64(0)},
		Policies: []lab.Policy{{Name: "p"}, {Kick: cuckoo.RandomWalk}},
	}}
	err := g.Check()
	if !errors.Is(err, lab.ErrRegistry) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"experiment 0 is nil", `experiment "x" is there twice`, `filter "f" has no settings`, `filter "g", setting 0`, `"\u03b1"`,
		"hash family 0 is nil", `hash family "xxh64:0" is there twice`, `policy "p": Kick is nil`, `policy "": want printable ASCII`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	if err := Default().Check(); err != nil {
		t.Error(err)
	}
}

func TestEstimate_OrdersProfiles(t *testing.T) {
	last := 0.0
	for _, p := range []lab.Profile{lab.Tiny, lab.Quick, lab.Paper} {
		e, err := Default().Estimate(lab.Options{Profile: p, Workers: 2, Memory: 1 << 40})
		if p == lab.Paper && err != nil && math.MaxInt == math.MaxInt32 {
			return
		}
		if err != nil || e.Trials < 100 || e.Kept != 0 || e.Time.Seconds() <= 4*last {
			t.Errorf("%s: %+v, %v", p, e, err)
		}
		last = e.Time.Seconds()
	}
}
