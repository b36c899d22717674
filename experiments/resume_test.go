package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/must"
)

// stepped is a block whose trials count their seed, in two steps.
func stepped(p, trials int) lab.Block {
	return lab.Block{Series: "steps", Trials: lab.Times(trials, trials, trials), Trial: &lab.Trial{
		Steps: []lab.Axis{lab.Over("p", lab.Ints(p, p+1))},
		Needs: func(lab.Cell) (float64, int64) { return float64(p), 0 },
		Run: func(_ context.Context, _ lab.Cell, seed uint64) ([]int, error) {
			return []int{int(seed >> 34), int(seed & 0xffff)}, nil
		},
	}}
}

// resumable is an experiment with steps, one that is timed, and figure 3.
func resumable(t *testing.T) lab.Registry {
	t.Helper()
	fig3 := must.Get(Default().Only("fig3"))(t)
	all := []*lab.Experiment{fake("x", stepped(5, 4)), timed("timed", stepped(1, 4), stepped(3, 4))}
	return lab.Registry{Experiments: append(all, fig3.Experiments...)}
}

// csvs are the tables of all findings.
func csvs(t *testing.T, findings []lab.Finding) string {
	t.Helper()
	var out bytes.Buffer
	for _, f := range findings {
		table := f.Data.Table()
		data := must.Get(table.CSV())(t)
		out.Write(data)
	}
	return out.String()
}

// openKept opens a store and closes it when the test ends, if it is not closed by then.
func openKept(t *testing.T, dir string, o lab.Options) *lab.Journal {
	t.Helper()
	j := must.Get(lab.OpenJournal(dir, o))(t)
	t.Cleanup(func() { j.Close() })
	return j
}

// A run that is interrupted after every k trials ends with the bytes of one that is not.
func TestResume_InterruptedEveryKthTrial(t *testing.T) {
	g := resumable(t)
	o := lab.Options{Profile: lab.Tiny, Seed: 3, Workers: 2}
	whole := must.Get(g.Run(t.Context(), o))(t)
	want := csvs(t, whole)
	for _, k := range []int{1, 2, 3, 7, 30} {
		dir := filepath.Join(t.TempDir(), "j")
		var got []lab.Finding
		sittings := 0
		for ; got == nil; sittings++ {
			ctx, cancel := context.WithCancel(t.Context())
			o.Store = openKept(t, dir, o)
			before := o.Store.Len()
			e, err := g.Estimate(o)
			if err != nil || e.Kept != before {
				t.Fatalf("%d trials are kept, the estimate says %+v, %v", before, e, err)
			}
			o.Report = func(p lab.Progress) {
				if p.Done >= before+k && p.Done < p.Total {
					cancel()
				}
			}
			got, err = g.Run(ctx, o)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if o.Store.Len() < before+1 {
				t.Fatalf("a sitting kept nothing: %d trials, %d before", o.Store.Len(), before)
			}
			must.Do(t, o.Store.Close())
			cancel()
		}
		if csvs(t, got) != want || sittings < 2 {
			t.Errorf("every %d trials: after %d sittings the tables differ from those of one", k, sittings)
		}
	}
}

func TestResume_RefusesOtherPlans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	o := lab.Options{Profile: lab.Tiny, Seed: 3}
	one := func(edit func(*lab.Experiment), blocks ...lab.Block) (kept int, err error) {
		x := fake("x", blocks...)
		edit(x)
		o.Store = openKept(t, dir, o)
		defer o.Store.Close()
		g := lab.Registry{Experiments: []*lab.Experiment{x}}
		e, err := g.Estimate(o)
		if err == nil {
			_, err = g.Run(t.Context(), o)
		}
		return e.Kept, err
	}
	for i, c := range []struct {
		blocks []lab.Block
		kept   int
	}{{[]lab.Block{stepped(1, 4)}, 0}, {[]lab.Block{stepped(1, 2)}, 2}, {[]lab.Block{stepped(1, 6)}, 4}, {[]lab.Block{stepped(1, 4), stepped(3, 4)}, 4}} {
		if kept, err := one(func(*lab.Experiment) {}, c.blocks...); err != nil || kept != c.kept {
			t.Errorf("run %d: %v, took %d trials, want %d", i, err, kept, c.kept)
		}
	}
	_, revision := one(func(e *lab.Experiment) { e.Revision++ }, stepped(1, 4))
	_, counts := one(func(e *lab.Experiment) { e.Trial.Counts = "m" }, stepped(1, 4))
	for name, err := range map[string]error{"revision": revision, "counts": counts} {
		if !errors.Is(err, lab.ErrOther) || !strings.Contains(err.Error(), "columns of x") {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// What is whole in itself may still not be of this plan.
func TestResume_RefusesStrangeTrials(t *testing.T) {
	o := lab.Options{Profile: lab.Tiny, Seed: 3}
	run := func(path string, block lab.Block) error {
		o.Store = openKept(t, path, o)
		_, err := lab.Registry{Experiments: []*lab.Experiment{fake("x", block)}}.Run(t.Context(), o)
		return errors.Join(err, o.Store.Close())
	}
	path := filepath.Join(t.TempDir(), "j")
	twice := stepped(1, 2)
	twice.Trials = lab.Times(1, 1, 1)
	must.Do(t, run(path, twice))
	whole := must.Get(os.ReadFile(path))(t)
	last := whole[bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1:]
	must.Do(t, os.WriteFile(path, slices.Concat(whole, last), 0o644))
	if err := run(path, twice); err == nil || !strings.Contains(err.Error(), "x, line 4: corrupt line: the trial is there already") {
		t.Error(err)
	}
}

func TestRun_TooLittleMemory(t *testing.T) {
	ran := false
	large := cell("large", 1, func(context.Context, uint64) ([]int, error) {
		ran = true
		return []int{1}, nil
	})
	large.Axes[0].Of = lab.Ints(7)
	large.Trial.Needs = func(lab.Cell) (float64, int64) { return 0, 5 << 30 }
	g := lab.Registry{Experiments: []*lab.Experiment{fake("x", stepped(1, 4), large)}}
	_, err := g.Run(t.Context(), lab.Options{Profile: lab.Tiny, Memory: 4 << 30})
	if !errors.Is(err, lab.ErrMemory) || ran {
		t.Fatalf("%v; the trial ran: %v", err, ran)
	}
	for _, want := range []string{"x, large", "p = 7", "5.0 GiB", "4.0 GiB"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: no %q", err, want)
		}
	}
	if _, err := g.Estimate(lab.Options{Profile: lab.Tiny, Memory: 4 << 30}); !errors.Is(err, lab.ErrMemory) {
		t.Errorf("the estimate: %v", err)
	}
	if e, err := g.Estimate(lab.Options{Profile: lab.Tiny, Memory: 6 << 30}); err != nil || e.Bytes != 5<<30 {
		t.Errorf("the estimate with enough: %+v, %v", e, err)
	}
	if lab.AvailableMemory() <= 0 {
		t.Error("nothing is available")
	}
}

// overlaps counts trials that are under way together.
type overlaps struct {
	shared, timed, bytes atomic.Int64
	mu                   sync.Mutex
	wrong                []string
	order                []string
	most                 int64
}

func (v *overlaps) cell(series string, trials int, bytes int64, exclusive bool) lab.Block {
	b := cell(series, trials, func(context.Context, uint64) ([]int, error) {
		counter := &v.shared
		if exclusive {
			counter = &v.timed
		}
		held := v.bytes.Add(bytes)
		n, others := counter.Add(1), v.shared.Load()
		v.mu.Lock()
		v.most = max(v.most, held)
		v.order = append(v.order, series)
		if exclusive && (n > 1 || others > 0) || !exclusive && v.timed.Load() > 0 {
			v.wrong = append(v.wrong, fmt.Sprintf("%s beside others: %d timed, %d shared", series, n, others))
		}
		v.mu.Unlock()
		counter.Add(-1)
		v.bytes.Add(-bytes)
		return []int{1}, nil
	})
	b.Trial.Needs = func(lab.Cell) (float64, int64) { return 1, bytes }
	return b
}

func TestRun_TimedTrialsAreAloneAndInRounds(t *testing.T) {
	var v overlaps
	one := timed("one", v.cell("a", 3, 0, true), v.cell("b", 3, 0, true))
	two := timed("two", v.cell("c", 2, 0, true), v.cell("d", 2, 0, true))
	untimed := fake("untimed", v.cell("untimed", 50, 0, false))
	must.Get((lab.Registry{Experiments: []*lab.Experiment{one, untimed, two}}).Run(t.Context(), lab.Options{Profile: lab.Tiny, Workers: 4}))(t)
	if len(v.wrong) > 0 {
		t.Error(v.wrong)
	}
	if got := strings.Join(v.order[50:], ""); got != "abbaabcddc" {
		t.Errorf("the timed trials ran in the order %s, want abbaabcddc", got)
	}
}

func TestRun_MemoryBoundsWhatRunsTogether(t *testing.T) {
	var v overlaps
	g := lab.Registry{Experiments: []*lab.Experiment{fake("x", v.cell("small", 200, 1, false), v.cell("half", 100, 5, false), v.cell("most", 100, 9, false))}}
	must.Get(g.Run(t.Context(), lab.Options{Profile: lab.Tiny, Workers: 8, Memory: 10}))(t)
	if v.most > 10 || len(v.order) != 400 {
		t.Errorf("%d trials, %d bytes at once, want 400 and at most 10", len(v.order), v.most)
	}
}

func TestEstimate_HugeStatesItsMemory(t *testing.T) {
	lab.PaperNeeds64(t)
	g := must.Get(Default().Only("fig2"))(t)
	plain, err1 := g.Estimate(lab.Options{Profile: lab.Paper, Memory: 64 << 30})
	ten, err2 := g.Estimate(lab.Options{Profile: lab.Paper, Memory: 64 << 30, Runs: 10})
	huge, err3 := g.Estimate(lab.Options{Profile: lab.Paper, Memory: 64 << 30, Huge: true})
	must.Do(t, errors.Join(err1, err2, err3))
	// The largest tables are those of both panels, and the simulated ones of five widths at b = 4.
	if plain.Bytes > 2<<30 || ten.Trials != plain.Trials+7*(2*measure.WidestFill+5) || huge.Trials != plain.Trials+2*measure.WidestFill || huge.Bytes != 20<<30 {
		t.Errorf("plain %+v, ten runs %+v, huge %+v", plain, ten, huge)
	}
	if _, err := g.Estimate(lab.Options{Profile: lab.Paper, Memory: 16 << 30, Huge: true}); !errors.Is(err, lab.ErrMemory) || !strings.Contains(err.Error(), "m = 2^30") {
		t.Errorf("with 16 GiB: %v", err)
	}
}
