package versus

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/filtertest"
)

// keptFile returns the file of kept rows of that name.
func keptFile(t *testing.T, name string) []byte {
	t.Helper()
	data := must(keptFiles.ReadFile(path.Join("kept", name)))(t)
	return data
}

// Every file is as WriteKept writes it, holds the default capacities of each filter, and is of a module
// that this one does not require: others are measured.
func TestKept_FilesAreWhatWriteKeptWrites(t *testing.T) {
	files := must(keptFiles.ReadDir("kept"))(t)
	var modules []string
	for _, file := range files {
		data := keptFile(t, file.Name())
		results, err := ReadKept(data)
		if err != nil {
			t.Errorf("%s: %v", file.Name(), err)
			continue
		}
		var again bytes.Buffer
		if err := WriteKept(&again, *results[0].Kept, results); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%s: written again it differs, %v", file.Name(), err)
		}
		rows := map[string][]int{}
		for _, r := range results {
			rows[r.Adapter.Name] = append(rows[r.Adapter.Name], r.Capacity)
		}
		for filter, capacities := range rows {
			if !slices.Equal(capacities, DefaultCapacities) {
				t.Errorf("%s: %s has capacities %d, want %d", file.Name(), filter, capacities, DefaultCapacities)
			}
		}
		modules = append(modules, results[0].Module)
	}
	required := Versions()
	for _, m := range modules {
		if required[m] != "" {
			t.Errorf("%s is required in go.mod, and its rows are kept", m)
		}
	}
	slices.Sort(modules)
	want := []string{"github.com/greatroar/blobloom", "github.com/irfansharif/cfilter", "github.com/linvon/cuckoo-filter",
		"github.com/mtchavez/cuckoo", "github.com/panmari/cuckoofilter"}
	if !slices.Equal(modules, want) {
		t.Errorf("kept modules %q, want %q", modules, want)
	}
}

func TestReadKept_RefusesWhatNoRunWrites(t *testing.T) {
	good := string(keptFile(t, "panmari.json"))
	for name, c := range map[string]struct{ old, new, want string }{
		"no JSON":         {`{"source"`, `{source`, "invalid character"},
		"bytes follow":    {"\n]}\n", "\n]} {}", "invalid character"},
		"unknown field":   {`"remark":`, `"note":`, "not as they are written"},
		"no path":         {`"module":"github.com/panmari/cuckoofilter"`, `"module":"cuckoofilter"`, "want its path"},
		"no version":      {`"version":"v1.`, `"version":"1.`, "want one that go.mod takes"},
		"short commit":    {`"commit":"d7`, `"commit":"`, "want 40 hexadecimal digits"},
		"no day":          {`"measured":"20`, `"measured":"`, "want two days"},
		"measured before": {`"measured":"2026`, `"measured":"1026`, "want two days"},
		"no options":      {`"refusals":2000`, `"refusals":0`, "want all three"},
		"no name":         {`"filter":"cuckoo"`, `"filter":""`, "want a name"},
		"no such rate":    {`"target_rate":0.`, `"target_rate":2.`, "a rate from 0 to 1"},
		"no such check":   {`"check":"filling"`, `"check":"feeling"`, `finding 1 is "feeling"`},
		"no such status":  {`"status":"passed"`, `"status":"past"`, `status "past"`},
		"a check less":    {`{"check":"clone","status":"skipped","evidence":"the filter has no Clone"},`, ``, "19 findings, want 20"},
		"no status":       {`{"check":"clone","status":"skipped",`, `{"check":"clone",`, "not as they are written"},
		"other steps":     {`"filling":[[937,`, `"filling":[[938,`, "point 0 of the filling"},
		"a point less":    {`"filling":[[937,937,0],`, `"filling":[`, "79 points, want 80"},
		"more lost":       {`"filling":[[937,937,0]`, `"filling":[[937,937,938]`, "938 lost"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Errorf("%s: the file lacks %q", name, c.old)
		}
		if _, err := ReadKept([]byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestWriteKept_RefusesResultsOfOthers(t *testing.T) {
	results := must(ReadKept(keptFile(t, "panmari.json")))(t)
	source := *results[0].Kept
	for name, c := range map[string]struct {
		spoil func(s *Source, r []Result) []Result
		want  string
	}{
		"none":           {func(_ *Source, r []Result) []Result { return nil }, "no results"},
		"another module": {func(s *Source, r []Result) []Result { r[1].Module = "example.com/other"; return r }, "result 1 is of example.com/other"},
		"another seed":   {func(s *Source, r []Result) []Result { r[1].Report.Options.Seed = 7; return r }, "seed 7"},
		"no commit":      {func(s *Source, r []Result) []Result { s.Commit = ""; return r }, "want 40 hexadecimal digits"},
	} {
		s := source
		rows := c.spoil(&s, slices.Clone(results))
		var b bytes.Buffer
		if err := WriteKept(&b, s, rows); err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written, want %q", name, err, b.Len(), c.want)
		}
	}
}

// A filling that was cut short stays so, with its reason.
func TestWriteKept_KeepsAFillingThatPanicked(t *testing.T) {
	broken := filtertest.Adapter{Name: "broken", New: func(int) (*filtertest.Filter, error) {
		return nil, errors.New("no memory")
	}}
	s := Source{Module: "example.com/m", Version: "v1.0.0", Commit: strings.Repeat("a", 40), Committed: "2026-01-02", Measured: "2026-01-02", Go: "go1.26"}
	o := Options{Capacities: []int{100}, Kit: small()}
	results := Run([]Subject{{Module: s.Module, Adapter: broken}}, o, func(Subject, int) {})
	var b bytes.Buffer
	check(t, WriteKept(&b, s, results))
	back, err := ReadKept(b.Bytes())
	if err != nil || len(back) != 1 || back[0].FillingError == nil || !strings.Contains(back[0].FillingError.Error(), "no memory") {
		t.Errorf("%v, %v", back, err)
	}
	if len(back[0].Report.Failed()) != len(results[0].Report.Failed()) {
		t.Errorf("%d failed checks, want %d", len(back[0].Report.Failed()), len(results[0].Report.Failed()))
	}
}

func TestKept_ReturnsRowsOfTheOptions(t *testing.T) {
	same := filtertest.Options{Refusals: 2000}
	for name, c := range map[string]struct {
		o    Options
		want int
	}{
		"defaults":       {Options{Kit: same}, 16},
		"one capacity":   {Options{Capacities: []int{60_000, 1000}, Kit: same}, 8},
		"other capacity": {Options{Capacities: []int{1000}, Kit: same}, 0},
		"other seed":     {Options{Seed: 2, Kit: same}, 0},
		"other refusals": {Options{Kit: filtertest.Options{Refusals: 100}}, 0},
	} {
		if rows, err := Kept(c.o); err != nil || len(rows) != c.want {
			t.Errorf("%s: %d rows, %v, want %d", name, len(rows), err, c.want)
		}
	}
}

// Kept rows come after those of other modules that were measured, and before ours.
func TestMerge_ByCapacityThenModule(t *testing.T) {
	row := func(module string, capacity int) Result {
		return Result{Subject: Subject{Module: module}, Capacity: capacity}
	}
	measured := []Result{row("peer", 1), row(oursModule, 1), row("peer", 2), row(oursModule, 2)}
	var got []string
	for _, r := range Merge(measured, []Result{row("kept", 1), row("kept", 2)}) {
		got = append(got, r.Module)
	}
	if want := []string{"peer", "kept", oursModule, "peer", "kept", oursModule}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}
