package parallel

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestRun_SmallIsWhole runs everything for a moment and looks at what people get.
func TestRun_SmallIsWhole(t *testing.T) {
	turns := 0
	r, err := Run(context.Background(), Options{Keys: 20_000, Rounds: 2, Turn: time.Millisecond, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Points {
		if len(r.Rounds[p]) != 2 || min(r.Rounds[p][0], r.Rounds[p][1]) <= 0 {
			t.Errorf("%+v: %v", p, r.Rounds[p])
		}
		turns++
	}
	if want := len(Subjects()) * (len(Goroutines()) + len(Writes()) - 1); turns > want+len(Subjects()) || turns < want {
		t.Errorf("%d points, want %d", turns, want)
	}
	report := r.Report()
	if err := report.Check(); err != nil {
		t.Error(err)
	}
	for _, s := range report.Sections {
		if s.Figure.Name = s.ID; s.Figure.Check() != nil {
			t.Errorf("%s: %v", s.ID, s.Figure.Check())
		}
	}
	for _, want := range []string{"cuckoo.Concurrent", "sync.Map", "goroutines", "50%"} {
		if !strings.Contains(r.Text(0), want) {
			t.Errorf("%q is not in\n%s", want, r.Text(0))
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ended, Options{Keys: 1000, Rounds: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// forgetful is a set that loses every key that is inserted.
type forgetful struct{}

func (forgetful) Insert(uint64) bool   { return true }
func (forgetful) Delete(uint64) bool   { return true }
func (forgetful) Contains(uint64) bool { return false }

// TestTurn_LostKeysAreErrors has a set that denies its keys.
func TestTurn_LostKeysAreErrors(t *testing.T) {
	_, err := turn(forgetful{}, Point{Goroutines: 2, Writes: .1}, Options{Turn: time.Millisecond}, make([]uint64, MinKeys), make([]uint64, 2*block), 1)
	if !errors.Is(err, ErrLost) {
		t.Error(err)
	}
}

// A recorder notes which keys are deleted.
type recorder struct {
	forgetful
	deleted map[uint64]bool
}

func (r *recorder) Delete(h uint64) bool {
	r.deleted[h] = true
	return true
}

// TestWorker_KeysAreItsOwn: no two goroutines of a turn delete one key, and they get to all of them.
func TestWorker_KeysAreItsOwn(t *testing.T) {
	keys := make([]uint64, MinKeys)
	for k := range keys {
		keys[k] = uint64(k)
	}
	for first := range 3 {
		r := &recorder{deleted: map[uint64]bool{}}
		w := worker{set: r, keys: keys, absent: make([]uint64, 2*block), first: first, step: 3, random: rand.New(rand.NewPCG(1, 1))}
		for range 2000 {
			w.work(.5)
		}
		for h := range r.deleted {
			if h%3 != uint64(first) {
				t.Errorf("worker %d of 3 deletes key %d", first, h)
			}
		}
		if len(r.deleted) < MinKeys/3-block {
			t.Errorf("worker %d of 3 has deleted %d keys", first, len(r.deleted))
		}
	}
}
