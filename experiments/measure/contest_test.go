package measure

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// cuckooFor opens the loops of a cuckoo filter for so many keys.
func cuckooFor(capacity int) func() (*Loops, error) {
	return func() (*Loops, error) {
		f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Capacity: capacity, FalsePositiveRate: 0.01})
		return Front(f, Texts{}), err
	}
}

// Every step asked for is timed once a round, a filter that is full is left out, and one that loses keys is an error.
func TestContest_TimesLeavesOutAndFindsLosses(t *testing.T) {
	keys := make([]uint64, 4000)
	for i := range keys {
		keys[i] = hashing.Mix64(uint64(i))
	}
	contest := Contest{
		Keys: 1000, Key: hashing.Mix64, Hits: keys[:1000], Misses: keys[1000:],
		Lookups: 500, Rounds: 3, Builds: 2, Singles: true, Deletes: true,
	}
	fits, full := &Entrant{Name: "cuckoo", Open: cuckooFor(1000)}, &Entrant{Name: "full", Open: cuckooFor(100)}
	if err := contest.Run(t.Context(), []*Entrant{full, fits}); err != nil {
		t.Fatal(err)
	}
	for step, want := range map[string]int{
		StepBuild: 2, StepAbsent: 3, StepPresent: 3, StepAbsentBatch: 3, StepPresentBatch: 3, StepDelete: 3,
	} {
		if times := fits.Times[step]; len(times) != want || times.Interval().Median <= 0 {
			t.Errorf("%s: %v, want %d times", step, times, want)
		}
	}
	if fits.Held.Contains(keys[:1000]) != 1000 || len(fits.Times) != 6 || len(full.Times) != 0 || full.Held != nil {
		t.Errorf("after the contest %v holds, %v", fits.Held, full)
	}
	forgetting := func() (*Loops, error) {
		l, err := cuckooFor(1000)()
		l.Contains = func([]uint64) int { return 0 }
		return l, err
	}
	err := contest.Run(t.Context(), []*Entrant{{Name: "bad", Open: forgetting}})
	if !errors.Is(err, ErrLost) || !strings.HasSuffix(err.Error(), "500 of 500") {
		t.Errorf("lost keys: %v", err)
	}
}
