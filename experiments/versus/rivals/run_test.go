package rivals

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/versus/native"
)

// background outlives the test, whose context ends before its cleanups.
func background(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

// noCompiler takes the compiler away.
func noCompiler(t *testing.T) { t.Setenv("CXX", filepath.Join(t.TempDir(), "none")) }

// Every filter takes a turn in every round, loses no key, and has about the rate of its kind; a second run finds all of it in the file.
func TestRun_TakesEveryTurnOnce(t *testing.T) {
	o := Options{Laps: filepath.Join(t.TempDir(), "laps"), Sizes: []int{1 << 12}, Rounds: 2}
	l, complete, note, err := Run(background(t), o)
	if err != nil || !complete {
		t.Fatal(complete, err)
	}
	want := 0
	for _, c := range Contenders() {
		if c.takes(1<<12) && (note == "" || c.Group != Native) {
			want += 2
		}
	}
	if len(l.All) != want {
		t.Errorf("%d laps, want %d", len(l.All), want)
	}
	for _, lap := range l.All {
		if err := lap.check(); err != nil || lap.Lost > 0 || lap.Refused > 0 {
			t.Errorf("%s: %v, %d lost, refused after %d", lap.Filter, err, lap.Lost, lap.Refused)
		}
		if rate := float64(lap.False) / float64(lap.Asked); rate > 0.1 || lap.False == 0 && !strings.Contains(lap.Filter, "16") {
			t.Errorf("%s: rate %v", lap.Filter, rate)
		}
	}
	o.Progress = func(filter string, _, _ int) { t.Errorf("%s has another turn", filter) }
	if again, complete, _, err := Run(background(t), o); err != nil || !complete || len(again.All) != len(l.All) {
		t.Errorf("again: %v, %v", complete, err)
	}
}

func TestRun_WithoutACompilerLeavesTheTwinOut(t *testing.T) {
	noCompiler(t)
	contenders, err := Choose("nest cuckoo-xor", "native cuckoo12")
	if err != nil {
		t.Fatal(err)
	}
	l, complete, note, err := Run(background(t), Options{Contenders: contenders, Sizes: []int{MinSlots}, Rounds: 1})
	if err != nil || !complete || len(l.All) != 1 || !strings.Contains(note, "no C++ compiler") {
		t.Errorf("%d laps, %v, %q, %v", len(l.All), complete, note, err)
	}
	if l.Source.Compiler != "" {
		t.Errorf("compiler %q", l.Source.Compiler)
	}
}

// A run that ends early leaves the rest to the next one.
func TestRun_GoesOnWhereItEnded(t *testing.T) {
	contenders, err := Choose("nest cuckoo-xor", "nest bloom", "nest blocked-bloom")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Laps: filepath.Join(t.TempDir(), "laps"), Contenders: contenders, Sizes: []int{MinSlots}, Rounds: 2, For: time.Nanosecond}
	l, complete, _, err := Run(background(t), o)
	if err != nil || complete || len(l.All) > 1 {
		t.Fatalf("%d laps, %v, %v", len(l.All), complete, err)
	}
	o.For = 0
	if l, complete, _, err = Run(background(t), o); err != nil || !complete || len(l.All) != 6 {
		t.Errorf("%d laps, %v, %v", len(l.All), complete, err)
	}
	o.Seed = 2
	if _, _, _, err = Run(background(t), o); err == nil || !strings.Contains(err.Error(), "another run, with seed 1") {
		t.Errorf("another seed: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Laps = ""
	if _, _, _, err = Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestRun_NamesWhatIsWrongWithOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"1000 slots":   {Sizes: []int{1000}},
		"512 slots":    {Sizes: []int{512}},
		"-1 rounds":    {Rounds: -1},
		"power of two": {Sizes: []int{1 << 29}},
	} {
		if _, _, _, err := Run(t.Context(), o); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Choose("nest cuckoo-xor", "dodo"); err == nil || !strings.Contains(err.Error(), "dodo") {
		t.Errorf("%v", err)
	}
	if _, _, _, err := Run(t.Context(), Options{Laps: t.TempDir(), Sizes: []int{MinSlots}, Contenders: []Contender{}}); err == nil {
		t.Error("a directory for the laps is no error")
	}
}

// fake makes a contender of a filter that takes so many keys and denies some of them.
func fake(takes, denies int) Contender {
	return Contender{Name: "fake", Group: Peer, New: func(int) (*Verbs, error) {
		held := map[uint64]bool{}
		remove := func(keys []uint64) int {
			return Count(keys, func(key uint64) bool { yes := held[key]; delete(held, key); return yes })
		}
		return &Verbs{
			Insert: func(keys []uint64) (int, error) {
				return Each(keys, func(key uint64) error {
					if len(held) == takes {
						return Refusal(false)
					}
					held[key] = len(held) >= denies
					return nil
				})
			},
			Contains: func(keys []uint64) int { return Count(keys, func(key uint64) bool { return held[key] }) },
			Remove:   remove, RemoveBatch: remove,
		}, nil
	}}
}

// Lost keys are counted, and a filter that refuses one is not timed.
func TestRun_CountsLostAndRefusedKeys(t *testing.T) {
	for _, c := range []struct{ takes, denies, lost, refused int }{{1 << 20, 0, 0, 0}, {1 << 20, 7, 14, 0}, {500, 0, 0, 500}} {
		l, _, _, err := Run(t.Context(), Options{Contenders: []Contender{fake(c.takes, c.denies)}, Sizes: []int{MinSlots}, Rounds: 1})
		if err != nil || len(l.All) != 1 {
			t.Fatal(err)
		}
		// A key that was denied is denied again when it is deleted.
		if lap := l.All[0]; lap.Lost != c.lost || lap.Refused != c.refused || (lap.Add > 0) == (c.refused > 0) || (lap.RemoveBatch > 0) == (c.refused > 0) {
			t.Errorf("%+v: %+v", c, lap)
		}
	}
	broken := fake(0, 0)
	if _, _, _, err := Run(t.Context(), Options{Contenders: []Contender{broken}, Sizes: []int{MinSlots}, Rounds: 1}); !errors.Is(err, ErrRefused) {
		t.Errorf("a filter that takes nothing: %v", err)
	}
}

// The probes in Go are those of the twin: as many are keys in every mixture and round, and it finds all of them.
func TestProbes_AreThoseOfTheTwin(t *testing.T) {
	twin, err := native.Start(background(t))
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer twin.Close()
	const slots, seed = 1 << 14, 0xfeedface
	if _, err := twin.Make("cuckoo16", slots, seed); err != nil {
		t.Fatal(err)
	}
	held := KeysOf(slots)
	if _, err := twin.Insert(0, held); err != nil {
		t.Fatal(err)
	}
	in := map[uint64]bool{}
	for _, key := range appendKeys(nil, seed, 0, held) {
		in[key] = true
	}
	for round := range 3 {
		for _, share := range Shares {
			keys, hits := probes(seed, share, 20_000, held, round)
			if n := Count(keys, func(key uint64) bool { return in[key] }); n != hits {
				t.Errorf("%d%%: %d probes are keys, %d are said to be", share, n, hits)
			}
			if _, theirs, yes, err := twin.Find(share, 20_000, held, round); err != nil || theirs != hits || yes < hits {
				t.Errorf("%d%%: %d of the twin's probes are keys, %d of ours, %d found, %v", share, theirs, hits, yes, err)
			}
		}
	}
}

// A file of laps that is not one is an error with its line.
func TestReadLaps_RefusesWhatNoRunWrites(t *testing.T) {
	const head = `{"seed":1,"machine":"m","go":"go1.26","measured":"2026-11-23"}` + "\n"
	const lap = `{"filter":"a","slots":1024,"round":0,"keys":972,"bytes":1200,"add":10,"find":[1,2,3,4,5],"lost":0,"false":3,"asked":1000}` + "\n"
	if l, err := ReadLaps("x", []byte(head+lap)); err != nil || len(l.All) != 1 || l.All[0].Find[4] != 5 {
		t.Fatal(l, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":        {"", "x:1"},
		"no machine":   {strings.Replace(head, `"m"`, `""`, 1), "x:1: want the machine"},
		"no day":       {strings.Replace(head, "2026-11-23", "today", 1), "x:1: want the machine"},
		"cut short":    {head + lap[:40], "x:2: the line is cut short"},
		"no JSON":      {head + "lap\n", "x:2: invalid character"},
		"unknown":      {head + strings.Replace(lap, `"lost"`, `"last_seen"`, 1), `unknown field "last_seen"`},
		"two values":   {head + strings.Replace(lap, "}", "} 7", 1), "more than one value"},
		"twice":        {head + lap + lap, "x:3: a, 1024 slots, round 0 comes twice"},
		"no filter":    {head + strings.Replace(lap, `"a"`, `""`, 1), "no filter"},
		"odd slots":    {head + strings.Replace(lap, "1024", "1000", 1), "972 keys in 1000 slots"},
		"other keys":   {head + strings.Replace(lap, "972", "973", 1), "973 keys"},
		"round":        {head + strings.Replace(lap, `"round":0`, `"round":-1`, 1), "round -1"},
		"no time":      {head + strings.Replace(lap, "[1,", "[0,", 1), "want more than 0"},
		"no size":      {head + strings.Replace(lap, "1200", "0", 1), "0 bytes"},
		"more false":   {head + strings.Replace(lap, `"false":3`, `"false":1001`, 1), "1001 false of 1000"},
		"lost too few": {head + strings.Replace(lap, `"lost":0`, `"lost":-1`, 1), "-1 lost"},
	} {
		if _, err := ReadLaps("x", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "laps")
	if err := os.WriteFile(file, []byte(head+"x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Run(t.Context(), Options{Laps: file, Contenders: []Contender{fake(0, 0)}}); err == nil || !strings.Contains(err.Error(), "laps:2") {
		t.Errorf("%v", err)
	}
}
