package versus

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/must"
)

// Kept rows have every check and step of each filter at the default options, and are of a version and a commit of
// modules that this one does not require, as others are measured, but for one whose seed is the clock.
func TestKept_RowsAreWhole(t *testing.T) {
	version := regexp.MustCompile(`^v\d+\.\d+\.\d+\S* [0-9a-f]{40}$`)
	required, o := Versions(), Options{}.resolve()
	capacities := map[string][]int{}
	var modules []string
	for _, r := range must.Get(Kept())(t) {
		s := r.Kept
		committed := must.Get(time.Parse(time.DateOnly, s.Committed))(t)
		measured := must.Get(time.Parse(time.DateOnly, s.Measured))(t)
		if !version.MatchString(s.Version+" "+s.Commit) || measured.Before(committed) || required[s.Module] != "" && r.Filter != "age-partitioned" ||
			s.Seed != o.Kit.Seed || s.Refusals != o.Kit.Refusals {
			t.Errorf("%+v; go.mod requires %q", s, required[s.Module])
		}
		capacities[r.label()] = append(capacities[r.label()], r.Capacity)
		modules = append(modules, strings.Split(r.label(), " ")[0])
		var checks []string
		for _, f := range r.Findings {
			checks = append(checks, f.Check)
			if f.Evidence == "" || f.Status == "" {
				t.Errorf("%s: %v", r.label(), f)
			}
		}
		if !slices.Equal(checks, filtertest.Checks()) || len(r.Filling) != fillingEnd*fillingSteps {
			t.Errorf("%s: checks %q, %d points", r.label(), checks, len(r.Filling))
		}
		for i, p := range r.Filling {
			if p[offered] != (i+1)*r.Capacity/fillingSteps || p[accepted] > p[offered] || p[lost] > p[accepted] {
				t.Errorf("%s: point %d is %d", r.label(), i, p)
			}
		}
	}
	for filter, of := range capacities {
		if !slices.Equal(of, o.Capacities) {
			t.Errorf("%s has capacities %d, want %d", filter, of, o.Capacities)
		}
	}
	want := []string{"greatroar", "decred", "irfansharif", "linvon", "mtchavez", "panmari"}
	if !slices.Equal(slices.Compact(modules), want) {
		t.Errorf("kept modules %q, want %q", modules, want)
	}
}

// A filling that was cut short stays so, with its reason. A source that lacks something is refused.
func TestKeep_KeepsAFillingThatFailed(t *testing.T) {
	broken := filtertest.Adapter{Name: "broken", New: func(int) (*filtertest.Filter, error) {
		return nil, errors.New("no memory")
	}}
	s := Source{Module: "example.com/m", Version: "v1.0.0", Commit: strings.Repeat("a", 40), Committed: "2026-01-02",
		Measured: "2026-01-02", Go: "go1.26"}
	subjects, o := []Subject{{s.Module, broken, ""}}, Options{Capacities: []int{100}, Kit: small()}
	var b bytes.Buffer
	must.Do(t, Keep(&b, s, subjects, o))
	back := must.Get(readKept(b.Bytes()))(t)
	failed := filtertest.Report{Findings: back[0].Findings}.Failed()
	if len(back) != 1 || !strings.Contains(back[0].FillingError, "no memory") || len(failed) != len(filtertest.Checks()) {
		t.Errorf("%v", back)
	}
	s.Commit = ""
	if err := Keep(&b, s, subjects, o); err == nil || !strings.Contains(err.Error(), "every field") {
		t.Errorf("no commit: %v", err)
	}
}

// Kept rows come after those of other modules that were measured, and before ours.
func TestMerge_ByCapacityThenModule(t *testing.T) {
	row := func(module string, capacity int) Result { return Result{Module: module, Capacity: capacity} }
	measured := []Result{row("peer", 1), row(OursModule, 1), row("peer", 2), row(OursModule, 2)}
	var got []string
	for _, r := range Merge(measured, []Result{row("kept", 1), row("kept", 2)}) {
		got = append(got, r.Module)
	}
	if want := []string{"peer", "kept", OursModule, "peer", "kept", OursModule}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}
