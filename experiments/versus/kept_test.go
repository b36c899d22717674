package versus

import (
	"bytes"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/filtertest"
)

// keptFile returns the file of kept rows of that name.
func keptFile(t *testing.T, name string) []byte {
	t.Helper()
	return must(keptFiles.ReadFile(path.Join("kept", name)))(t)
}

// Every file is as Keep writes it, with every check and step of each filter at the default capacities, of a version and
// a commit, and of a module that this one does not require: others are measured.
func TestKept_FilesAreWhatKeepWrites(t *testing.T) {
	version := regexp.MustCompile(`^v\d+\.\d+\.\d+\S* [0-9a-f]{40}$`)
	var modules []string
	required := Versions()
	for _, file := range must(keptFiles.ReadDir("kept"))(t) {
		results := must(readKept(keptFile(t, file.Name())))(t)
		s := results[0].Kept
		committed := must(time.Parse(time.DateOnly, s.Committed))(t)
		measured := must(time.Parse(time.DateOnly, s.Measured))(t)
		if !version.MatchString(s.Version+" "+s.Commit) || measured.Before(committed) || required[s.Module] != "" {
			t.Errorf("%s: %+v; go.mod requires %q", file.Name(), s, required[s.Module])
		}
		rows := map[string][]int{}
		for _, r := range results {
			rows[r.Filter] = append(rows[r.Filter], r.Capacity)
			var checks []string
			for _, f := range r.Findings {
				checks = append(checks, f.Check)
				if f.Evidence == "" || f.Status == "" {
					t.Errorf("%s, %s: %v", file.Name(), r.Filter, f)
				}
			}
			if !slices.Equal(checks, filtertest.Checks()) || len(r.Filling) != fillingEnd*fillingSteps {
				t.Errorf("%s, %s: checks %q, %d points", file.Name(), r.Filter, checks, len(r.Filling))
			}
			for i, p := range r.Filling {
				if p[offered] != (i+1)*r.Capacity/fillingSteps || p[accepted] > p[offered] || p[lost] > p[accepted] {
					t.Errorf("%s, %s: point %d is %d", file.Name(), r.Filter, i, p)
				}
			}
		}
		for filter, capacities := range rows {
			if !slices.Equal(capacities, DefaultCapacities) {
				t.Errorf("%s: %s has capacities %d, want %d", file.Name(), filter, capacities, DefaultCapacities)
			}
		}
		modules = append(modules, path.Base(path.Dir(s.Module)))
	}
	if want := []string{"greatroar", "irfansharif", "linvon", "mtchavez", "panmari"}; !slices.Equal(modules, want) {
		t.Errorf("kept modules %q, want %q", modules, want)
	}
}

func TestReadKept_RefusesWhatKeepDoesNotWrite(t *testing.T) {
	good := string(keptFile(t, "panmari.json"))
	for name, c := range map[string]struct{ old, new, want string }{
		"no JSON":       {`{"source"`, `{source`, "invalid character"},
		"bytes follow":  {"\n]}\n", "\n]} {}", "invalid character"},
		"unknown field": {`"remark":`, `"note":`, "not as they are written"},
		"no status":     {`{"check":"clone","status":"skipped",`, `{"check":"clone",`, "not as they are written"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if _, err := readKept([]byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) || bad == good {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
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
	check(t, Keep(&b, s, subjects, o))
	back := must(readKept(b.Bytes()))(t)
	failed := filtertest.Report{Findings: back[0].Findings}.Failed()
	if len(back) != 1 || !strings.Contains(back[0].FillingError, "no memory") || len(failed) != len(filtertest.Checks()) {
		t.Errorf("%v", back)
	}
	s.Commit = ""
	if err := Keep(&b, s, subjects, o); err == nil || !strings.Contains(err.Error(), "every field") {
		t.Errorf("no commit: %v", err)
	}
}

func TestKept_ReturnsRowsOfTheOptions(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		want int
	}{
		"defaults":       {Options{}, 16},
		"one capacity":   {Options{Capacities: []int{60_000, 1000}}, 8},
		"other capacity": {Options{Capacities: []int{1000}}, 0},
		"other seed":     {Options{Seed: 2}, 0},
		"other refusals": {Options{Kit: filtertest.Options{Refusals: 100}}, 0},
	} {
		if rows, err := Kept(c.o); err != nil || len(rows) != c.want {
			t.Errorf("%s: %d rows, %v, want %d", name, len(rows), err, c.want)
		}
	}
}

// Kept rows come after those of other modules that were measured, and before ours.
func TestMerge_ByCapacityThenModule(t *testing.T) {
	row := func(module string, capacity int) Result { return Result{Module: module, Capacity: capacity} }
	measured := []Result{row("peer", 1), row(oursModule, 1), row("peer", 2), row(oursModule, 2)}
	var got []string
	for _, r := range Merge(measured, []Result{row("kept", 1), row("kept", 2)}) {
		got = append(got, r.Module)
	}
	if want := []string{"peer", "kept", oursModule, "peer", "kept", oursModule}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}
