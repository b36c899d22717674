package measure

import (
	"errors"
	"testing"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// A forgetting holder denies every key.
type forgetting struct{ Front }

func (forgetting) Ask(KeySet) int { return 0 }

// Every operation asked for is timed once a round, a filter that is full is left out, and one that loses keys is an error.
func TestContest_TimesLeavesOutAndFindsLosses(t *testing.T) {
	var keys []uint64
	for i := range uint64(4000) {
		keys = append(keys, hashing.Mix64(i))
	}
	contest := func() *Contest {
		return &Contest{
			Keys: KeySet{Digests: keys[:1000]}, Hits: KeySet{Digests: keys[:1000]}, Misses: KeySet{Digests: keys[1000:]},
			Lookups: 500, Rounds: 3, Builds: 2, Singles: true, Small: true, Deletes: true, Longest: true,
		}
	}
	entrant := func(capacity int) *Entrant {
		return &Entrant{Name: "cuckoo", Make: func() (Holder, error) {
			f, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Capacity: capacity, FalsePositiveRate: 0.01})
			return Front{Filter: f}, err
		}}
	}
	fits, full := entrant(1000), entrant(100)
	turns := 0
	timed := contest()
	timed.Report = func(done, total int) {
		if turns++; done != turns || total != 3 {
			t.Errorf("turn %d: %d of %d", turns, done, total)
		}
	}
	if err := timed.Run(t.Context(), []*Entrant{full, fits}); err != nil {
		t.Fatal(err)
	}
	if fits.LongestInsert <= 0 || fits.LongestInsert > time.Second {
		t.Errorf("longest insert: %v", fits.LongestInsert)
	}
	for i, times := range []Rounds{
		fits.Build, fits.Fill, fits.LastTenth, fits.Absent, fits.Present, fits.AbsentBatch, fits.PresentBatch, fits.AbsentSmall, fits.PresentSmall, fits.Delete,
	} {
		want := 3
		if i < 3 {
			want = 2
		}
		if len(times) != want || times.Interval().Median <= 0 {
			t.Errorf("operation %d: %v, want %d times", i, times, want)
		}
	}
	if fits.Held.Ask(KeySet{Digests: keys[:1000]}) != 1000 || len(full.Build) != 0 || full.Held != nil {
		t.Errorf("after the contest %v holds, %v", fits.Held, full)
	}
	bad := &Entrant{Name: "bad", Make: func() (Holder, error) {
		h, err := entrant(1000).Make()
		return forgetting{h.(Front)}, err
	}}
	if err := contest().Run(t.Context(), []*Entrant{bad}); !errors.Is(err, ErrLost) {
		t.Errorf("lost keys: %v", err)
	}
}
