package rivals

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/versus/native"
)

// background outlives the test, whose context ends before its cleanups.
func background(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

// Every filter takes a turn in a round, loses no key, and has about the rate of its kind; a second run finds all
// of it in the folder.
func TestRun_TakesEveryTurnOnce(t *testing.T) {
	o := Options{Laps: filepath.Join(t.TempDir(), "laps"), Sizes: []int{1 << 12}, Rounds: 1}
	l := must.Get(Run(background(t), o))(t)
	want := 0
	for _, c := range Contenders() {
		if c.takes(1<<12) && (l.Note == "" || c.Group != Native) {
			want++
		}
	}
	if len(l.Rows) != want {
		t.Errorf("%d laps, want %d", len(l.Rows), want)
	}
	for _, row := range l.Rows {
		if err := row.check(); err != nil || row.Lost > 0 || row.Refused > 0 {
			t.Errorf("%s: %v, %d lost, refused after %d", row.Name, err, row.Lost, row.Refused)
		}
		if rate := row.Rate.Value(); rate > 0.1 || rate == 0 && !strings.Contains(row.Name, "16") {
			t.Errorf("%s: rate %v", row.Name, rate)
		}
	}
	o.Progress = func(p lab.Progress) {
		if p.Experiment != "" {
			t.Errorf("another turn: %+v", p)
		}
	}
	if again, err := Run(background(t), o); err != nil || len(again.Rows) != len(l.Rows) {
		t.Errorf("again: %v", err)
	}
}

// A run that is interrupted leaves the rest to the next one, if that is of the same kind.
func TestRun_GoesOnWhereItEnded(t *testing.T) {
	o := Options{Laps: filepath.Join(t.TempDir(), "laps"), Sizes: []int{MinSlots}, Rounds: 2,
		Contenders: must.Get(Choose("nest cuckoo-xor", "nest bloom", "nest blocked-bloom"))(t)}
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := o
	interrupted.Progress = func(lab.Progress) { cancel() }
	if _, err := Run(ctx, interrupted); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	turns := 0
	rest := o
	rest.Progress = func(p lab.Progress) {
		if p.Experiment != "" {
			turns++
		}
	}
	if l, err := Run(t.Context(), rest); err != nil || len(l.Rows) != 3 || len(l.Laps.Rows) != 6 || turns == 0 || turns >= 6 {
		t.Errorf("%+v, %d turns, %v", l, turns, err)
	}
	other := o
	other.build = "another one" // of which the folder has nothing
	if l, err := Run(t.Context(), other); err != nil || len(l.Laps.Rows) != 6 || l.Laps.Rows[0][2] != other.build {
		t.Errorf("%+v, %v", l, err)
	}
	o.Seed = 2
	if _, err := Run(t.Context(), o); !errors.Is(err, lab.ErrOther) || !strings.Contains(err.Error(), "seed 1") {
		t.Errorf("another seed: %v", err)
	}
}

func TestRun_NamesWhatIsWrong(t *testing.T) {
	for want, o := range map[string]Options{
		"1000 slots":   {Sizes: []int{1000}},
		"512 slots":    {Sizes: []int{512}},
		"-1 rounds":    {Rounds: -1},
		"power of two": {Sizes: []int{1 << 29}},
	} {
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Choose("nest cuckoo-xor", "dodo"); err == nil || !strings.Contains(err.Error(), "dodo") {
		t.Errorf("%v", err)
	}
	if _, err := Run(t.Context(), Options{Laps: t.TempDir(), Sizes: []int{MinSlots}, Contenders: []Contender{fake(1<<20, 0)}}); err == nil {
		t.Error("a folder for the laps is no error")
	}
}

// fake makes a contender of a filter that takes so many keys and denies some of them.
func fake(takes, denies int) Contender {
	return Contender{Name: "fake", Group: Peer, New: func(int) (*measure.Loops, error) {
		held := map[uint64]bool{}
		remove := func(keys []uint64) int {
			return measure.Count(keys, func(key uint64) bool { yes := held[key]; delete(held, key); return yes })
		}
		return &measure.Loops{
			Insert: func(keys []uint64) (int, error) {
				return measure.Each(keys, func(key uint64) error {
					if len(held) == takes {
						return ErrRefused
					}
					held[key] = len(held) >= denies
					return nil
				})
			},
			Contains:  func(keys []uint64) int { return measure.Count(keys, func(key uint64) bool { return held[key] }) },
			SizeBytes: func() int { return 1 << 10 },
			Remove:    remove, RemoveBatches: func(int) func(keys []uint64) int { return remove },
		}, nil
	}}
}

// Lost keys are counted, and a filter that refuses one is not timed.
func TestRun_CountsLostAndRefusedKeys(t *testing.T) {
	for _, c := range []struct{ takes, denies, lost, refused int }{{1 << 20, 0, 0, 0}, {1 << 20, 7, 14, 0}, {500, 0, 0, 500}} {
		l, err := Run(t.Context(), Options{Contenders: []Contender{fake(c.takes, c.denies)}, Sizes: []int{MinSlots}, Rounds: 1})
		if err != nil || len(l.Rows) != 1 {
			t.Fatal(err)
		}
		row := l.Rows[0] // A key that was denied is denied again when it is deleted.
		if refused := c.refused > 0; row.Lost != c.lost || row.Refused != c.refused || (len(row.Times[add]) > 0) == refused ||
			(len(row.Times[removeBatch]) > 0) == refused {
			t.Errorf("%+v: %+v", c, row)
		}
	}
	broken := Options{Contenders: []Contender{fake(0, 0)}, Sizes: []int{MinSlots}, Rounds: 1}
	if _, err := Run(t.Context(), broken); !errors.Is(err, ErrRefused) {
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
	const slots, seed, n = 1 << 14, 0xfeedface, 20_000
	held := KeysOf(slots)
	must.Get(twin.Do("make cuckoo16 %d %d", slots, seed))(t)
	must.Get(twin.Do("insert 0 %d", held))(t)
	in := map[uint64]bool{}
	for i := range held {
		in[keyOf(seed, uint64(i))] = true
	}
	for round := range 3 {
		for _, share := range shares {
			ours := make([]uint64, n)
			hits := probes(seed, share, n, held, round).Next(0, ours)
			if found := measure.Count(ours, func(key uint64) bool { return in[key] }); found != hits {
				t.Errorf("%d%%: %d probes are keys, %d are said to be", share, found, hits)
			}
			if theirs, err := twin.Do("find %d %d %d %d", share, n, held, round); err != nil || theirs.Hits != hits || theirs.Found < hits {
				t.Errorf("%d%%: %d of our probes are keys, of the twin's %+v, %v", share, hits, theirs, err)
			}
		}
	}
}
