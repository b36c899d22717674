package study

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// tiny are options that measure all of a study in a moment.
func tiny(name string) Options {
	return Options{Study: name, Sizes: []int{MinKeys()}, Rounds: 2, Turn: time.Millisecond, Seed: 1}
}

// TestRun_EveryStudyIsWhole runs each study for a moment and looks at what people get.
func TestRun_EveryStudyIsWhole(t *testing.T) {
	want := map[string][]string{
		"paired": {"plain, 12 bits, b = 4", "paired, 11 bits, b = 8", "semi-sorted", "longest insert", "last tenth", "delete", "bits per item"},
		"growth": {"grown in steps", "grown at once", "rate over that of no doubling", "bits per item after it", "256 at once"},
		"shared": {"Concurrent, 16 bits", "7 at once", "over RWMutex", "beside one that writes", "keys sorted", "batches sent", "sync.Map", "of one rate", "50% writes"},
	}
	for _, s := range Studies() {
		t.Run(s.Name, func(t *testing.T) {
			o := tiny(s.Name)
			var shares []float64
			o.Report = func(p lab.Progress) { shares = append(shares, p.Share) }
			if !s.one {
				o.Sizes = append(o.Sizes, 2*MinKeys()) // a second one, so that there is something to draw
			}
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if last := shares[len(shares)-1]; !slices.IsSorted(shares) || last < 0.999 || last > 1.001 {
				t.Errorf("shares %v", shares)
			}
			for _, s := range r.Series {
				if s.Rounds.Interval().Median <= 0 && s.What != "doublings" {
					t.Errorf("%+v", s)
				}
				if s.Base != nil && s.over().Median <= 0 {
					t.Errorf("%s of %s: no ratio", s.What, s.Subject)
				}
			}
			page := r.Report()
			if err := page.Check(); err != nil {
				t.Error(err)
			}
			if len(page.Bench) < 2*10*o.Rounds {
				t.Errorf("%d lines of benchmarks", len(page.Bench))
			}
			for _, section := range page.Sections {
				if f := section.Figure; f != nil {
					if f.Name = section.ID; f.Check() != nil {
						t.Errorf("%s: %v", section.ID, f.Check())
					}
				}
			}
			for _, w := range want[s.Name] {
				if !strings.Contains(r.Text(0), w) {
					t.Errorf("%q is not in\n%s", w, r.Text(0))
				}
			}
		})
	}
}

// TestRun_GrowthFollowsItsLaw: the rate that is measured over that of no doubling is 1 + g/2 in a full table and 1 + g in one that has just
// grown, within the noise of the rate.
func TestRun_GrowthFollowsItsLaw(t *testing.T) {
	r, err := Run(t.Context(), tiny(growth))
	if err != nil {
		t.Fatal(err)
	}
	at := func(what string) float64 {
		return r.at(alone, MinKeys(), "grown in steps", what).Rounds.Interval().Median
	}
	if g, over := at("doublings"), at("rate over that of no doubling, same load"); g < 2 || over < 0.9*(1+g/2) || over > 1.1*(1+g) {
		t.Errorf("%v doublings, %v times the rate", g, over)
	}
	if full, just := at("bits per item before the last doubling"), at("bits per item after it"); just < 1.9*full || just > 2.1*full {
		t.Errorf("%v bits before the last doubling, %v after it", full, just)
	}
}

func TestRun_StopsWhenToldTo(t *testing.T) {
	for _, name := range Names() {
		ctx, cancel := context.WithCancel(t.Context())
		o := tiny(name)
		o.Report = func(lab.Progress) { cancel() }
		if r, err := Run(ctx, o); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// TestResolve_BadOptions: what cannot be run is an error that says what to give.
func TestResolve_BadOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
		is   error
	}{
		{Options{Study: "sieve"}, `"sieve" is unknown: want one of paired, growth, shared`, catalogue.ErrUnknown},
		{Options{Study: "paired", Sizes: []int{5}}, "n = 5 keys: paired wants", ErrOptions},
		{Options{Study: "growth", Sizes: []int{1 << 29}}, "n = 536870912 keys", ErrOptions},
		{Options{Study: "shared", Sizes: []int{1 << 20, 1 << 21}}, "2 numbers of keys: shared wants one", ErrOptions},
		{Options{Study: "shared", Rounds: -1}, "-1 rounds", ErrOptions},
		{Options{Study: "paired", Rounds: 1001}, "1001 rounds", ErrOptions},
		{Options{Study: "paired", Sizes: []int{}}, "0 numbers of keys", ErrOptions},
		{Options{Study: "growth", MemoryBytes: 1 << 20}, "MiB of memory", ErrOptions},
	} {
		_, err := Run(t.Context(), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	o, s, err := Options{Study: "growth"}.Resolve()
	if err != nil || !slices.Equal(o.Sizes, s.Sizes) || o.Rounds != DefaultRounds || o.Expected(s) < time.Second {
		t.Errorf("%+v, %v, %v", o, o.Expected(s), err)
	}
}

// TestContest_RefusalsAreErrors has a filter that is too small for what it promises.
func TestContest_RefusalsAreErrors(t *testing.T) {
	n := MinKeys()
	r := &runner{ctx: t.Context(), study: Studies()[0], Result: &Result{Options: tiny("paired")}}
	small := catalogue.Paired()[0]
	open := small.Open
	small.Open = func(s catalogue.Size) (*measure.Loops, error) { s.Keys = n / 2; return open(s) }
	if _, err := r.contest(n, []contender{{Entry: small}}, false, 1, func(*measure.Contest) {}); !errors.Is(err, errRefused) {
		t.Error(err)
	}
}

// forgetful is a set that loses every key.
func forgetful() *set {
	none := func([]uint64) int { return 0 }
	return same(func([]uint64) error { return nil }, verbs{ask: none, replace: none})
}

// TestTurn_LostKeysAreErrors has a set that denies its keys, one by one and in batches, and is only asked or only written.
func TestTurn_LostKeysAreErrors(t *testing.T) {
	for _, whole := range []bool{false, true} {
		for _, writes := range []float64{0, .1, 1} {
			_, err := turn(forgetful(), whole, Point{Goroutines: 2, Writes: writes}, time.Millisecond, make([]uint64, MinKeys()), make([]uint64, 2*block), 1)
			if !errors.Is(err, measure.ErrLost) {
				t.Errorf("whole %t, writes %v: %v", whole, writes, err)
			}
		}
	}
}

// TestWorker_KeysAreItsOwn: no two goroutines of a turn replace one key, they get to all of them, and the share of writes is right.
func TestWorker_KeysAreItsOwn(t *testing.T) {
	keys := make([]uint64, 16*block)
	for k := range keys {
		keys[k] = uint64(k)
	}
	for first := range 3 {
		replaced, writes, ops := map[uint64]bool{}, 0, 0
		all := verbs{ask: func(hs []uint64) int { return len(hs) }, replace: func(hs []uint64) int {
			for _, h := range hs {
				replaced[h] = true
			}
			writes += 2 * len(hs)
			return len(hs)
		}}
		w := worker{verbs: all, keys: keys, absent: make([]uint64, 2*block), first: first, step: 3, random: rand.New(rand.NewPCG(1, 1))}
		for range 2000 {
			ops += w.work(.3)
		}
		if share := float64(writes) / float64(ops); share < .29 || share > .31 || w.lost > 0 {
			t.Errorf("share of writes %v, %d lost", share, w.lost)
		}
		for h := range replaced {
			if h%3 != uint64(first) {
				t.Errorf("worker %d of 3 replaces key %d", first, h)
			}
		}
		if len(replaced) < len(keys)/3-block {
			t.Errorf("worker %d of 3 has replaced %d keys", first, len(replaced))
		}
	}
}

// TestHandover_IsATimeOrNone: what two processors take is some nanoseconds; a goroutine that waits for nobody gives up.
func TestHandover_IsATimeOrNone(t *testing.T) {
	if ns := handover(); ns < 1 || ns > 1e5 {
		t.Errorf("%v ns", ns)
	}
	if ns := alternate(new(atomic.Int64), 1, 10, 2); !math.IsNaN(ns) {
		t.Errorf("%v ns with nobody", ns)
	}
}

// TestSubjects_HoldTheirKeys: each set has the keys that it was filled with, for each of its goroutines, and replaces them; absent ones
// are found in few.
func TestSubjects_HoldTheirKeys(t *testing.T) {
	n := MinKeys()
	r := &runner{Result: &Result{Options: tiny("shared")}}
	keys, absent := r.digests(n, n)
	for _, s := range Subjects() {
		set, err := s.make(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := set.insert(keys); err != nil {
			t.Fatal(s.Name, err)
		}
		for g := range runtime.GOMAXPROCS(0) {
			own := keys
			if set.keys != nil {
				own = set.keys(g)
			}
			v, found, strange := set.client(g), 0, 0
			for part := range slices.Chunk(own, block) {
				found += v.replace(part) + v.ask(part)
			}
			for part := range slices.Chunk(absent, block) {
				strange += v.ask(part)
			}
			if found != 2*len(own) || strange > n/100 {
				t.Errorf("%s, goroutine %d: %d of %d, and %d of %d that are absent", s.Name, g, found, 2*len(own), strange, n)
			}
		}
		if set.end != nil {
			set.end()
		}
	}
}
