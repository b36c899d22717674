package filtertest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// small is a quick choice of options.
var small = Options{Capacity: 200, Queries: 1024, Builds: 10, Refusals: 20}

// TestCheck_StatusFollowsThePromise changes what the adapter of a correct or a mutated filter promises.
func TestCheck_StatusFollowsThePromise(t *testing.T) {
	early := func(b *bag, f *Filter) { b.capacity = b.capacity / 2 }
	endless := func(b *bag, f *Filter) { b.capacity = 1 << 30 }
	allocating := func(b *bag, f *Filter) {
		f.Contains = func(key []byte) bool { sink = make([]byte, 8); return b.contains(key) }
	}
	odd := func(b *bag, f *Filter) {
		salt++
		f.State = func() ([]byte, error) { salt++; return fmt.Append(nil, salt), nil }
	}
	for _, c := range []struct {
		name, check string
		mutate      func(b *bag, f *Filter)
		promise     func(a *Adapter)
		want        Status
	}{
		{"early refusal", "capacity", early, func(a *Adapter) {}, Failed},
		{"early refusal of a target", "capacity", early, func(a *Adapter) { a.CapacityIsTarget = true }, Noted},
		{"early refusal of a tiny target", "tiny", early, func(a *Adapter) { a.CapacityIsTarget = true }, Noted},
		{"no refusal where one must be", "refusal", endless, func(a *Adapter) {}, Failed},
		{"no refusal where one may be", "refusal", endless, func(a *Adapter) { a.Full = MayRefuse }, Skipped},
		{"no refusal where none may be", "refusal", endless, func(a *Adapter) { a.Full = Absorbs }, Passed},
		{"refusal where none may be", "refusal", nil, func(a *Adapter) { a.Full = Absorbs }, Failed},
		{"allocation", "allocations", allocating, func(a *Adapter) {}, Failed},
		{"allocation without promise", "allocations", allocating, func(a *Adapter) { a.AllocFree = false }, Noted},
		{"random state", "determinism", odd, func(a *Adapter) {}, Failed},
		{"random state as said", "determinism", odd, func(a *Adapter) { a.Random = true }, Noted},
		{"no state", "determinism", func(b *bag, f *Filter) {
			f.State = func() ([]byte, error) { return nil, errors.New("gone") }
		}, func(a *Adapter) {}, Failed},
		{"a rate above the claim", "rate", nil, func(a *Adapter) { a.TargetRate = 1e-6 }, Failed},
		{"no rate promised", "rate", func(b *bag, f *Filter) { f.Rate = nil }, func(a *Adapter) { a.TargetRate = 0 }, Noted},
		{"no number", "rate", func(b *bag, f *Filter) { f.Rate = math.NaN }, func(a *Adapter) {}, Failed},
		{"copies in a set", "duplicates", nil, func(a *Adapter) { a.Set = true }, Skipped},
		{"no strings", "strings", func(b *bag, f *Filter) { f.Strings = nil }, func(a *Adapter) {}, Skipped},
		{"no digests", "batches", func(b *bag, f *Filter) { f.Hashes = nil }, func(a *Adapter) {}, Skipped},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := bagAdapter(c.mutate)
			c.promise(&a)
			o := small
			o.Only = []string{c.check}
			if f := Check(a, o).Findings[0]; f.Status != c.want {
				t.Errorf("%v, want %v", f, c.want)
			}
		})
	}
}

// TestCheck_ReportsBrokenAdapters holds that an adapter that makes no filter fails every check.
func TestCheck_ReportsBrokenAdapters(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(int) (*Filter, error)
	}{
		{"no New", "the adapter has no New", nil},
		{"an error", "out of luck", func(int) (*Filter, error) { return nil, errors.New("out of luck") }},
		{"nothing", "returned nil and no error", func(int) (*Filter, error) { return nil, nil }},
		{"no verbs", "has no Insert or no Contains", func(int) (*Filter, error) { return &Filter{}, nil }},
		{"a panic", "panic: out of luck (in filtertest.TestCheck_ReportsBrokenAdapters", func(int) (*Filter,
			error) {
			panic("out of luck")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range Check(Adapter{Name: c.name, New: c.make}, small).Findings {
				if f.Status != Failed || !strings.Contains(f.Evidence, c.want) {
					t.Errorf("%v, want failed with %q", f, c.want)
				}
			}
		})
	}
}

// TestCheck_MakesTheChecksAskedFor looks at names and order.
func TestCheck_MakesTheChecksAskedFor(t *testing.T) {
	o := small
	o.Only = []string{"rate", "capacity", "typo"}
	r := Check(bagAdapter(nil), o)
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Check)
	}
	if want := []string{"capacity", "rate", "typo"}; !slices.Equal(names, want) {
		t.Errorf("checks %v, want %v", names, want)
	}
	if f, ok := r.Finding("typo"); !ok || f.Status != Failed {
		t.Errorf("an unknown check: %v", f)
	}
	if _, ok := r.Finding("delete"); ok {
		t.Error("a check is reported that was not asked for")
	}
	if f, _ := r.Finding("capacity"); !measured(f, "first-refusal", 225) || !measured(f, "load-at-first-refusal", 1) {
		t.Errorf("capacity: measures %v", f.Measures)
	}
	if _, ok := r.Findings[0].Measures["typo"]; ok {
		t.Error("a measure is reported that does not exist")
	}
}

func measured(f Finding, name string, want float64) bool {
	got, ok := f.Measures[name]
	return ok && got == want
}

// TestCheck_IsReproducible compares two reports, byte for byte.
func TestCheck_IsReproducible(t *testing.T) {
	if a, b := Check(bagAdapter(nil), small).String(), Check(bagAdapter(nil), small).String(); a != b {
		t.Errorf("two reports differ:\n%s\n%s", a, b)
	}
}

// TestTest_RunsEveryCheck runs the correct filter through Test itself.
func TestTest_RunsEveryCheck(t *testing.T) {
	Test(t, bagAdapter(nil), small)
}
