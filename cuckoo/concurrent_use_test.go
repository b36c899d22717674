package cuckoo

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

var soak = flag.Int64("soak", 1, "operations of TestConcurrent_LosesNothingInUse, in units of 100,000")

// A service is a filter in use: keys that stay, and what went wrong.
type service struct {
	f       *Concurrent[fingerprint.Bits16]
	stay    []uint64
	writers int
	own     int // keys of each writer
	steps   int // of each goroutine

	lost, wrong, refused atomic.Int64
	begun                atomic.Int64 // inserts and deletes of the writers
}

// TestConcurrent_LosesNothingInUse has writers that insert and delete keys of their own and ask for them, and readers of keys that stay, who
// take snapshots now and then, in a table that is nearly full.
func TestConcurrent_LosesNothingInUse(t *testing.T) {
	f, err := NewConcurrent[fingerprint.Bits16](Config{Buckets: 770})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{f: f, stay: randomDigests(2000, 11), writers: 4, own: 480, steps: int(*soak * 100_000 / 6)}
	if testing.Short() {
		s.steps /= 4
	}
	if _, err := f.InsertHashes(s.stay); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for w := range s.writers {
		group.Go(func() { s.write(uint64(w)) })
	}
	for range 2 {
		group.Go(s.read)
	}
	group.Wait()
	if s.lost.Load()+s.wrong.Load() != 0 || f.Len() != len(s.stay) || f.Filter().Len() != len(s.stay) {
		t.Errorf("%d lost, %d wrong, Len %d of %d", s.lost.Load(), s.wrong.Load(), f.Len(), len(s.stay))
	}
	t.Logf("%v: %d refused, %+v", f, s.refused.Load(), f.Stats())
}

// write inserts and deletes keys of a writer's own, and deletes all of them at the end.
func (s *service) write(writer uint64) {
	r := rand.New(rand.NewPCG(writer, 3))
	keys, have := randomDigests(s.own, 100+writer), make([]int, s.own)
	for range s.steps {
		k := r.IntN(s.own)
		if have[k] > 0 {
			if s.f.CountHash(keys[k]) < have[k] || !s.f.ContainsHash(keys[k]) {
				s.lost.Add(1)
			}
			s.remove(keys[k])
			have[k]--
			continue
		}
		added, err := true, error(nil)
		s.begun.Add(1)
		if r.IntN(4) == 0 {
			added, err = s.f.InsertUniqueHash(keys[k])
		} else {
			err = s.f.InsertHash(keys[k])
		}
		switch {
		case err != nil:
			s.refused.Add(1)
		case added:
			have[k]++
		}
	}
	for k, n := range have {
		for range n {
			s.remove(keys[k])
		}
	}
}

// remove deletes a key that is there.
func (s *service) remove(h uint64) {
	s.begun.Add(1)
	if !s.f.DeleteHash(h) {
		s.wrong.Add(1)
	}
}

// read asks for the keys that stay, in the filter and in snapshots of it.
func (s *service) read() {
	found := make([]bool, 64)
	for step := 0; step < s.steps; step += 64 {
		at := step % (len(s.stay) - 64)
		s.f.ContainsHashes(s.stay[at:at+64], found)
		if slices.Contains(found, false) {
			s.lost.Add(1)
		}
		if step%4096 == 0 {
			s.snapshot()
		}
		runtime.Gosched()
	}
}

// snapshot reads the filter from a file that it writes while others change it.
func (s *service) snapshot() {
	// Len may miss an insert or a kick, or count it twice: while the scheduler stops it, there are many of both.
	before, kicks, n := s.begun.Load(), s.f.Stats().Kicks, s.f.Len()
	during := int(s.begun.Load()-before+int64(s.f.Stats().Kicks-kicks)) + s.writers
	if n < len(s.stay)-during || n > len(s.stay)+s.writers*s.own+during {
		s.wrong.Add(1)
	}
	b, err := s.f.MarshalBinary()
	if err != nil {
		s.wrong.Add(1)
		return
	}
	f, err := DecodeConcurrent[fingerprint.Bits16](b)
	if err != nil {
		s.wrong.Add(1)
		return
	}
	found := make([]bool, len(s.stay))
	if f.ContainsHashes(s.stay, found); slices.Contains(found, false) {
		s.lost.Add(1)
	}
}

// TestConcurrent_ManyFillToCapacity has several goroutines fill tables to the promised number of keys.
func TestConcurrent_ManyFillToCapacity(t *testing.T) {
	f, err := NewConcurrent[fingerprint.Bits12](Config{Capacity: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	keys := randomDigests(f.Capacity(), 21)
	for round := range 3 {
		f.Reset()
		var group sync.WaitGroup
		var refused atomic.Int64
		for g := range 8 {
			group.Go(func() {
				for k := g; k < len(keys); k += 8 {
					if f.InsertHash(keys[k]) != nil {
						refused.Add(1)
					}
				}
			})
		}
		group.Wait()
		found := make([]bool, len(keys))
		if f.ContainsHashes(keys, found); slices.Contains(found, false) || refused.Load() != 0 || f.Len() != len(keys) {
			t.Errorf("round %d: %d of %d refused: %v", round, refused.Load(), len(keys), f)
		}
	}
}
