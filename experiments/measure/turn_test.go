package measure

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// A turn fills a filter, asks for what is in and what is not, one by one and in batches that do not divide a chunk, and
// deletes; the keys of each verb are those of the places that it says.
func TestTurn_GoesThroughTheVerbs(t *testing.T) {
	l := must.Get(cuckooFor(10_000)())(t)
	turn := NewTurn(t.Context(), l, hashing.Mix64)
	turn.Wakes = true
	empty := func() (*Loops, error) { l.Reset(); return l, nil }
	laps, _, err := turn.Fills(empty, 30_000, 4000, 10_000)
	if err != nil || laps[0].Keys != 3*4000 || laps[1].Keys != 3*6000 || turn.Stored != 10_000 {
		t.Errorf("filled %+v, %d stored, %v", laps, turn.Stored, err)
	}
	held := Probes{10_000, turn.From(0)}
	away := Probes{10_000, func(at int, keys []uint64) int { turn.From(1<<30+at)(0, keys); return 0 }}
	for _, batch := range []int{0, 1, 7, 256, 1 << 20} {
		l, err := turn.Ask(held, batch)
		if err != nil || l.Keys != 10_000 || l.Hits != 10_000 || l.Found != 10_000 || l.Time <= 0 {
			t.Errorf("batch %d: %+v, %v", batch, l, err)
		}
		if l, err := turn.Ask(away, batch); err != nil || l.Hits != 0 || l.Found > 300 {
			t.Errorf("batch %d: %+v of absent keys, %v", batch, l, err)
		}
	}
	if l := must.Get(turn.Delete(10_000, func(i int) uint64 { return uint64(9999 - i) }))(t); l.Found+turn.Stored != 10_000 {
		t.Errorf("deleted %+v", l)
	}
	if _, err := turn.Delete(1, nil); !errors.Is(err, ErrLost) {
		t.Errorf("a key that is gone: %v", err)
	}
}

// A fill stops at the refusal, whose key is not counted, and then for good; the error of what has a number of keys is
// kept.
func TestTurn_FillEndsAtARefusal(t *testing.T) {
	l := must.Get(cuckooFor(1000)())(t)
	turn := NewTurn(t.Context(), l, hashing.Mix64)
	lap, err := turn.Fill(1 << 20)
	stored := turn.Stored
	if !errors.Is(err, cuckoo.ErrFull) || Unfilled(err) != nil || !turn.Refused || lap.Keys != stored || stored/100 != 10 {
		t.Errorf("%+v, %d stored, %v", lap, turn.Stored, err)
	}
	if lap, err := turn.Fill(1 << 20); err != nil || lap.Keys != 0 {
		t.Errorf("after the refusal: %+v, %v", lap, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := NewTurn(ctx, l, nil).Ask(Probes{5, turn.From(0)}, 0); !errors.Is(err, enough) {
		t.Errorf("a context that is done: %v", err)
	}
}

// What is short is repeated; what fails or has no keys is not.
func TestLong_RepeatsWhatIsShort(t *testing.T) {
	calls := 0
	lap := func(keys int, err error) func() (Lap, error) {
		return func() (Lap, error) { calls++; return Lap{Time: 1, Keys: keys}, err }
	}
	if l, err := long(lap(1000, nil)); err != nil || l.Keys != 63_000 || calls != 63 {
		t.Errorf("%+v, %d calls, %v", l, calls, err)
	}
	for _, once := range []func() (Lap, error){lap(1<<15, nil), lap(0, nil), lap(5, errors.New("no"))} {
		calls = 0
		if _, err := long(once); calls != 1 {
			t.Errorf("%d calls, %v", calls, err)
		}
	}
}

// Strings are keys by their numbers, in every loop.
func TestFront_OfStrings(t *testing.T) {
	texts := Texts{All: []string{"a", "b", "c", "d"}, Hash: hashing.NewDigester(nil)}
	l := Front(must.Get(cuckooFor(1000)())(t).Filter.(nest.Filter), texts)
	must.Get(l.Insert([]uint64{0, 2}))(t)
	for _, ask := range []func([]uint64) int{l.Contains, l.Batches(3)} {
		if one, all := ask([]uint64{2}), ask([]uint64{0, 1, 2, 3}); one != 1 || all != 2 {
			t.Errorf("%d and %d are found", one, all)
		}
	}
	if n := l.Remove([]uint64{0, 2}); n != 2 || l.Contains([]uint64{0, 1, 2, 3}) != 0 {
		t.Errorf("%d deleted", n)
	}
	texts.Hashing()([]uint64{3})
}

// Every subject has one turn in a round, and each begins one.
func TestTurns_BeginWithAnotherEachRound(t *testing.T) {
	for round, want := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}} {
		if got := slices.Collect(Turns(round, 3)); !slices.Equal(got, want) {
			t.Errorf("round %d: %v, want %v", round, got, want)
		}
	}
}

// TestTurn_OfThreadLeavesOthersOut asks a filter whose thread gives the processor up: that is no time of its own where the
// system tells it.
func TestTurn_OfThreadLeavesOthersOut(t *testing.T) {
	l := &Loops{Contains: func(keys []uint64) int { time.Sleep(20 * time.Millisecond); return 0 }}
	for _, alone := range []bool{false, true} {
		turn := NewTurn(t.Context(), l, nil)
		turn.Alone = alone
		lap, err := turn.Ask(Probes{N: 1, Next: func(int, []uint64) int { return 0 }}, 0)
		if slept := lap.Time >= 20*time.Millisecond; err != nil || slept == (alone && runtime.GOOS == "linux") {
			t.Errorf("alone %v: %v, %v", alone, lap, err)
		}
	}
}

// A disturbance costs the chunk that it falls into and those behind, and is left out of all courses.
func TestCourse_LeavesDisturbancesOut(t *testing.T) {
	for c, took := range map[course][2][]time.Duration{
		steady:  {{90, 50, 20, 10, 11, 10, 9, 12}, {10, 10, 10, 10, 10, 10, 10, 10}},
		rising:  {{5, 90, 40, 8, 9, 20}, {5, 8, 8, 8, 9, 20}},
		falling: {{20, 90, 40, 9, 8, 5}, {20, 20, 20, 9, 8, 5}},
	} {
		if uneven := c.calm(took[0]); c == rising {
			slices.Reverse(took[0])
		} else if (uneven > 1) != (c == steady) {
			t.Errorf("%d: uneven by %g", c, uneven)
		}
		if !slices.Equal(took[0], took[1]) {
			t.Errorf("%d: %v, want %v", c, took[0], took[1])
		}
	}
}
