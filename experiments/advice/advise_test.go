package advice

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/must"
)

// synthetic is a ladder of real plans with made-up times: lookups of split-block filters take 4 ns, of cuckoo filters 6
// and a tenth more for each bit.
func synthetic(t *testing.T) (ladder []Cost) {
	t.Helper()
	for _, f := range families(Options{}, true) {
		if k := f.Spec.Kind; k != nest.SplitBlock && k != nest.Cuckoo && k != nest.Bloom {
			continue
		}
		for _, c := range f.rungs(1_000_000) {
			c.Absent, c.Insert = 4, 12
			switch f.Spec.Kind {
			case nest.Cuckoo:
				c.Absent, c.Insert = 6+0.1*float64(c.Rung), 40
			case nest.Bloom:
				c.Absent, c.Insert = 2*float64(c.Plan.Spec.Hashes), 20
			}
			c.Present, c.AbsentBatch, c.PresentBatch = c.Absent+1, c.Absent-1, c.Absent
			ladder = append(ladder, c)
		}
	}
	return ladder
}

func advice(t *testing.T, w Workload) *Advice {
	a := &Advice{Keys: 1_000_000, Measured: 1_000_000, Work: w, Source: "made-up times"}
	ladder := synthetic(t)
	a.judge(ladder, w.Best(ladder))
	return a
}

// The whole text for times that are known.
func TestAdvice_Golden(t *testing.T) {
	for name, w := range map[string]Workload{
		"dear.txt":  {MissCost: 80_000, Negative: 0.9},
		"cheap.txt": {MissCost: 50, Negative: 0.5, Batch: true},
		"free.txt":  {MissCost: 1, Negative: 1},
	} {
		golden(t, name, written(t, advice(t, w)))
	}
}

// Every kind is measured, on integers and on the keys of a file, with what was asked for.
func TestAdvise_Measures(t *testing.T) {
	set := numbered(t, "keys", 0, 3000)
	for _, o := range []Options{
		{Keys: 2000, Bits: 12, Work: Workload{MissCost: 1000, Negative: 1}},
		{Set: set, FPR: 0.01, Work: Workload{MissCost: 1000, Negative: 0.5, MustDelete: true}},
	} {
		a := must.Get(Advise(t.Context(), o))(t)
		for _, r := range a.Rows {
			times := []float64{r.Absent, r.Present, r.AbsentBatch, r.PresentBatch, r.Insert}
			if slices.Min(times) <= 0 || (r.Delete > 0) != (o.Set != nil) {
				t.Errorf("%v: times %v, of a delete %v", r.Plan, times, r.Delete)
			}
			if o.Set != nil && (!r.Plan.Deletes || r.Plan.FPR > o.FPR) || o.Set == nil && r.Plan.BitsPerItem > 12.6 {
				t.Errorf("%v does not keep to %+v", r.Plan, o)
			}
		}
		if (a.HashNs > 0) != (o.Set != nil) || a.Code == "" || len(a.Reasons) < 3 {
			t.Errorf("%+v", a)
		}
	}
}

func TestAdvise_Bad(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "0 keys"},
		{Options{Keys: 10, FPR: 0.1, Bits: 8}, "are both set"},
		{Options{Keys: 10, Work: Workload{MissCost: -1}}, "the cost of a miss is -1 ns"},
		{Options{Keys: 10, Work: Workload{MissCost: math.NaN()}}, "the cost of a miss is NaN ns"},
		{Options{Keys: 10, Work: Workload{MissCost: math.Inf(1)}}, "the cost of a miss is +Inf ns"},
		{Options{Keys: 10, Work: Workload{Negative: -0.1}}, "the share of absent keys is -0.1"},
		{Options{Keys: 10, Work: Workload{Negative: 1.1}}, "the share of absent keys is 1.1"},
		{Options{Keys: 10, Work: Workload{Negative: math.NaN()}}, "the share of absent keys is NaN"},
		{Options{Keys: 1_000_000, FPR: 1e-30}, "FalsePositiveRate is 1e-30"},
		{Options{Keys: 100, Bits: 0.001}, "BitsPerItem is 0.001"},
	} {
		_, err := Advise(t.Context(), c.o)
		if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want one line with %q", c.o, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Advise(ctx, Options{Keys: 1000, Work: Workload{Negative: 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := MeasureMap(ctx, Options{Work: Workload{Negative: 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted map: %v", err)
	}
}

func TestDuration_Units(t *testing.T) {
	for x, want := range map[float64]string{0: "0 ns", 0.5: "0.5 ns", 6.06: "6.06 ns", 999.6: "1 us", 80e3: "80 us",
		1.25e6: "1.25 ms", 1e7: "10 ms", 3e9: "3 s"} {
		if got := Duration(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
