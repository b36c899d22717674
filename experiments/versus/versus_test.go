package versus

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/decred/dcrd/container/apbf"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/must"
)

// small are options that check everything at little cost. The capacity is a power of two, which the
// cuckoo filter of seiflotfy makes its number of slots.
func small(only ...string) filtertest.Options {
	return filtertest.Options{Capacity: 1024, Builds: 20, Queries: 1024, Refusals: 100, Only: only}
}

// subject returns the filter of that label.
func subject(t *testing.T, name string) Subject {
	t.Helper()
	all := peers()
	i := slices.IndexFunc(all, func(s Subject) bool { return strings.Contains(s.Module, name[:5]) && strings.HasSuffix(name, s.Name) })
	return all[i]
}

// Our filters, and those of ours that share tables with others.
func TestOurs_PassEveryCheck(t *testing.T) {
	adapters := []filtertest.Adapter{foreignAdapter(foreign.Seiflotfy), foreignAdapter(foreign.Panmari), bitsAdapter}
	for _, s := range Subjects()[len(peers()):] {
		adapters = append(adapters, s.Adapter)
	}
	for _, a := range adapters {
		filtertest.Test(t, a, small())
	}
	if len(adapters) != 3+4 {
		t.Errorf("%d filters of ours, want 7", len(adapters))
	}
}

// A refused insert of this filter evicts a key that was accepted. Kicks are random, so the bound is
// low: 100 refusals at 1024 slots evict 100 fingerprints, of which all but a few belonged to accepted
// keys; that none is missed has a probability far below 1e-9.
func TestSeiflotfy_LossAfterRefusalsIsFound(t *testing.T) {
	r := filtertest.Check(subject(t, "seiflotfy cuckoo").Adapter, small("filling", "overfilling", "refusal", "queries"))
	t.Log(r)
	lossy, _ := r.Finding("overfilling")
	if lossy.Status != filtertest.Failed || lossy.Measures["lost"] < 20 {
		t.Errorf("overfilling: %v", lossy)
	}
	refusal, _ := r.Finding("refusal")
	if refusal.Status != filtertest.Failed || refusal.Measures["kept-keys"] < refusal.Measures["refusals"]/2 {
		t.Errorf("refusal: %v", refusal)
	}
	for _, name := range []string{"filling", "queries"} {
		if f, _ := r.Finding(name); f.Status != filtertest.Passed {
			t.Errorf("%v", f)
		}
	}
}

// Counters at their limit are decremented: a key inserted 20 times is gone after 15 deletes.
func TestBoomCounting_SaturationIsFound(t *testing.T) {
	r := filtertest.Check(subject(t, "tylertreat counting").Adapter, small("delete", "saturation", "absent-delete"))
	for name, want := range map[string]filtertest.Status{
		"delete": filtertest.Passed, "saturation": filtertest.Failed, "absent-delete": filtertest.Passed,
	} {
		if f, _ := r.Finding(name); f.Status != want {
			t.Errorf("%v, want %v", f, want)
		}
	}
}

// Every adapter must be right about the verbs: within the capacity no filter here loses a key, and none panics.
func TestPeers_AdaptersFit(t *testing.T) {
	for _, s := range peers() {
		r := filtertest.Check(s.Adapter, small("filling", "keys", "aliasing", "delete", "queries"))
		for _, f := range r.Failed() {
			t.Errorf("%s: %v", s.Name, f)
		}
	}
}

func TestWrite_WritesPageAndChart(t *testing.T) {
	o := Options{Capacities: []int{200, 256}, Kit: small("capacity", "overfilling", "refusal", "rate", "delete")}
	results := Run(Subjects(), o, func(string, int) {})
	dir := filepath.Join(t.TempDir(), "new")
	must.Do(t, Write(dir, results))
	must.Get(os.Stat(filepath.Join(dir, "conformance.svg")))(t)
	page := must.Get(os.ReadFile(filepath.Join(dir, "CONFORMANCE.md")))(t)
	for _, text := range []string{SeiflotfyModule, "](conformance.svg)", "no rate is claimed"} {
		if !bytes.Contains(page, []byte(text)) {
			t.Errorf("the page lacks %q", text)
		}
	}
	must.Do(t, Figure(results).Check())
	if err := Write(filepath.Join(dir, "CONFORMANCE.md"), results); err == nil {
		t.Error("a file for a directory is no error")
	}
}

func TestRun_PanicsAreFindings(t *testing.T) {
	broken := Subject{Module: "example.com/who/what", Adapter: filtertest.Adapter{
		Name: "broken",
		New: func(int) (*filtertest.Filter, error) {
			return &filtertest.Filter{
				Insert:   func(key []byte) bool { return key[len(key)-1] > 0 },
				Contains: func([]byte) bool { panic("no") },
			}, nil
		},
	}}
	r := Run([]Subject{broken}, Options{Capacities: []int{100}, Kit: small()}, func(string, int) {})[0]
	if f, _ := (filtertest.Report{Findings: r.Findings}).Finding("filling"); f.Status != filtertest.Failed || !strings.Contains(f.Evidence, "panic: no") {
		t.Errorf("%v", f)
	}
	if !strings.Contains(r.FillingError, "panic after 0 points: no") {
		t.Errorf("filling: %v", r.FillingError)
	}
}

// The age-partitioned Bloom filter of dcrd passes every check whose outcome its seed, the clock, does not decide, but
// "overfilling": of four times as many keys as it is made for it has forgotten most, as it says.
func TestAgePartitioned_KeepsItsCapacity(t *testing.T) {
	opened := func(capacity int) (*filtertest.Filter, error) {
		f := apbf.NewFilter(uint32(capacity), askedRate)
		return &filtertest.Filter{
			Insert:   func(key []byte) bool { f.Add(key); return true },
			Contains: f.Contains, SizeBytes: f.Size, Reset: f.Reset,
		}, nil
	}
	a := filtertest.Adapter{Name: "apbf", New: opened, TargetRate: askedRate, Full: filtertest.Absorbs, Random: true}
	filtertest.Test(t, a, small("capacity", "filling", "refusal", "rate", "queries", "reset", "keys", "aliasing", "tiny",
		"allocations"))
}
