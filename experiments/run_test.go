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
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/hashing"
)

func TestRun_WorkersAndCompanyDoNotMatter(t *testing.T) {
	alone, err := Default().Only("fig3")
	if err != nil {
		t.Fatal(err)
	}
	findings, err := alone.Run(t.Context(), Options{Profile: Tiny, Seed: 1, Workers: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := findings[0].Data.Table(), tinyOf(t, "fig3").Data.Table(); !reflect.DeepEqual(got, want) {
		t.Error("figure 3 alone on 5 workers counts differently from all figures on 2")
	}
	other, err := alone.Run(t.Context(), Options{Profile: Tiny, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(other[0].Data.Table(), tinyOf(t, "fig3").Data.Table()) {
		t.Error("another seed counts the same")
	}
}

// fake is an experiment whose trials do what a test wants.
type fake struct {
	name   string
	series []string
	run    func(ctx context.Context, seed uint64) ([]int, error)
	judge  []Verdict
}

func (f fake) About() About {
	return About{Name: f.name, Title: f.name, Params: []string{"p"}, Counts: []string{"n"}}
}

func (f fake) Plan(Setup) ([]Job, error) {
	var jobs []Job
	for _, s := range f.series {
		jobs = append(jobs, Job{Series: s, Params: []int{1}, Trials: 50, Cost: 1, Run: f.run})
	}
	return jobs, nil
}

func (f fake) Draw(*Data) []*chart.Figure { return nil }

func (f fake) Judge(*Data) []Verdict { return f.judge }

func TestRun_ProgressRunsToTheEnd(t *testing.T) {
	g := Registry{Experiments: []Experiment{fake{name: "x", series: []string{"a", "b"}, run: func(context.Context, uint64) ([]int, error) {
		return []int{1}, nil
	}}}}
	var seen []Progress
	if _, err := g.Run(t.Context(), Options{Profile: Tiny, Workers: 3, Report: func(p Progress) { seen = append(seen, p) }}); err != nil {
		t.Fatal(err)
	}
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
		e    Experiment
		is   error
		want string
	}{
		{"trial", fake{name: "x", series: []string{"a"}, run: fails}, boom, "experiments: x, a, trial"},
		{"counts", fake{name: "x", series: []string{"a"}, run: wrong}, ErrRegistry, "2 counts for 1 names"},
		{"twice", fake{name: "x", series: []string{"a", "a"}, run: fails}, ErrRegistry, `two jobs of series "a"`},
		{"no run", fake{name: "x", series: []string{"a"}}, ErrRegistry, `job "a"`},
	} {
		_, err := Registry{Experiments: []Experiment{c.e}}.Run(t.Context(), Options{Profile: Tiny, Workers: 2})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Default().Run(t.Context(), Options{Profile: "huge"}); !errors.Is(err, ErrProfile) {
		t.Errorf("unknown profile: %v", err)
	}
}

func TestRun_CancelStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := Registry{Experiments: []Experiment{fake{name: "x", series: []string{"a"}, run: func(ctx context.Context, _ uint64) ([]int, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}}}
	if _, err := g.Run(ctx, Options{Profile: Tiny}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: %v", err)
	}
	if _, err := Default().Run(ctx, Options{Profile: Quick}); !errors.Is(err, context.Canceled) {
		t.Errorf("run with a cancelled context: %v", err)
	}
}

func TestRegistry_Only(t *testing.T) {
	g, err := Default().Only("fig4", "fig2")
	if err != nil || !slices.Equal(g.Names(), []string{"fig2", "fig4"}) {
		t.Errorf("Only keeps %v, %v", g.Names(), err)
	}
	for _, names := range [][]string{nil, {"fig9"}, {"fig2", ""}} {
		if _, err := Default().Only(names...); !errors.Is(err, ErrExperiment) || !strings.Contains(err.Error(), "fig2, fig3, fig4") {
			t.Errorf("Only(%q): %v", names, err)
		}
	}
}

func TestRegistry_CheckNamesEachProblem(t *testing.T) {
	g := Registry{Experiments: []Experiment{nil, fake{name: "x"}, fake{name: "x"}}, Parts: Parts{
		Filters:  []Filter{{Name: "f"}, {Name: "g", Settings: []Setting{{OneIn: 1}}}, {Name: "\u03b1", Settings: []Setting{{}}}},
		Families: []hashing.Hasher{nil, hashing.XXH64(0), hashing.XXH64(0)},
		Policies: []Policy{{Name: "p"}, {Kick: cuckoo.RandomWalk}},
	}}
	err := g.Check()
	if !errors.Is(err, ErrRegistry) {
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
	for _, p := range []Profile{Tiny, Quick, Paper} {
		e, err := Default().Estimate(Options{Profile: p, Workers: 2, Memory: 1 << 40})
		if p == Paper && err != nil && math.MaxInt == math.MaxInt32 {
			return
		}
		if err != nil || e.Trials < 100 || e.Kept != 0 || e.Time.Seconds() <= 4*last {
			t.Errorf("%s: %+v, %v", p, e, err)
		}
		last = e.Time.Seconds()
	}
}
