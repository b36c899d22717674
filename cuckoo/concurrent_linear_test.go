//go:build race || invariants

package cuckoo

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// What many goroutines do to a Concurrent is recorded and given to a checker of linearizability, a class at a time: a class is a
// number, how many of its fingerprints are stored. The tables are so small that inserts kick all the time, and goroutines give up
// the processor at the places where another one coming in between matters.

var (
	histories = flag.Int("histories", 10_000, "how many histories TestConcurrent_IsLinearizable checks")
	firstSeed = flag.Uint64("firstseed", 1, "the seed of its first history")
)

// A verb of a history.
type verb uint8

const (
	askVerb verb = iota
	countVerb
	insertVerb
	uniqueVerb
	deleteVerb
)

var verbNames = [...]string{"Contains", "Count", "Insert", "InsertUnique", "Delete"}

// call is an operation, and outcomeOf what it returned.
type call struct {
	verb  verb
	class class
}

type answer struct {
	ok   bool
	full bool
	n    int
}

// classModel is what a class does.
var classModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		at := map[class]int{}
		for _, o := range history {
			c := o.Input.(call).class
			if _, ok := at[c]; !ok {
				at[c] = len(parts)
				parts = append(parts, nil)
			}
			parts[at[c]] = append(parts[at[c]], o)
		}
		return parts
	},
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		n, a := state.(int), output.(answer)
		if a.full {
			return true, n // a refusal changes nothing
		}
		switch input.(call).verb {
		case askVerb:
			return a.ok == (n > 0), n
		case countVerb:
			return a.n == n, n
		case insertVerb:
			return true, n + 1
		case uniqueVerb:
			return a.ok == (n == 0), max(n, 1)
		default:
			return a.ok == (n > 0), max(n-1, 0)
		}
	},
}

// A scene is a small filter with some keys for a history.
type scene struct {
	f     *Concurrent[fingerprint.Any]
	hurry bool
	keys  []uint64
	clock atomic.Int64
	mu    sync.Mutex
	ops   []porcupine.Operation
}

// newScene makes a scene of the given randomness.
func newScene(r *rand.Rand, hurry bool) *scene {
	width := []int{32, 24, 18, 16}[r.IntN(4)]
	f, err := NewConcurrent[fingerprint.Any](Config{
		Buckets: 2 + r.IntN(5), FingerprintBits: width, MaxKicks: 1 + r.IntN(8), Hash: nil,
	})
	if err != nil {
		panic(err)
	}
	if hurry {
		f.shared.Hurry()
	}
	if r.IntN(8) == 0 {
		f.shared.Cramp()
	}
	w := &scene{f: f, hurry: hurry}
	for range 2 + r.IntN(f.Slots()) {
		h := r.Uint64()
		w.keys = append(w.keys, h, w.twin(h))
	}
	// Filled nearly, so that inserts kick, and most of all what is asked for later.
	for _, n := range r.Perm(len(w.keys))[:r.IntN(len(w.keys)+1)] {
		w.do(0, insertVerb, w.keys[n])
	}
	for range r.IntN(f.Slots() + 1) {
		w.do(0, insertVerb, w.keys[0]^r.Uint64()<<32)
	}
	return w
}

// twin returns a digest of the same class whose primary bucket is the alternate one.
func (w *scene) twin(h uint64) uint64 {
	_, j, _ := w.f.place(h)
	return (j<<32/uint64(w.f.config.Buckets)+1)<<32 | h&(1<<32-1)
}

// do runs one operation and records it.
func (w *scene) do(client int, v verb, h uint64) {
	i, j, fp := w.f.place(h)
	var a answer
	start := w.clock.Add(1)
	switch v {
	case askVerb:
		if h&1 == 0 {
			a.ok = w.f.ContainsHash(h)
		} else {
			var all [fewDigests]bool
			w.f.ContainsHashes(slices.Repeat([]uint64{h}, len(all)), all[:])
			a.ok = all[0] // the others are lookups too, of which the history says nothing
		}
	case countVerb:
		a.n = w.f.CountHash(h)
	case insertVerb:
		a.full = w.f.InsertHash(h) != nil
	case uniqueVerb:
		var err error
		a.ok, err = w.f.InsertUniqueHash(h)
		a.full = err != nil
	case deleteVerb:
		a.ok = w.f.DeleteHash(h)
	}
	end := w.clock.Add(1)
	w.mu.Lock()
	w.ops = append(w.ops, porcupine.Operation{
		ClientId: client, Input: call{v, class{min(i, j), max(i, j), fp}}, Output: a, Call: start, Return: end,
	})
	w.mu.Unlock()
}

// run has goroutines work on the scene and returns an error if what they saw is not linearizable, or the table is not what is left.
func (w *scene) run(r *rand.Rand) error {
	mix := [][]verb{
		{askVerb, askVerb, askVerb, insertVerb, deleteVerb}, {askVerb, countVerb, insertVerb, uniqueVerb, deleteVerb},
		{uniqueVerb, uniqueVerb, deleteVerb, insertVerb}, {countVerb, deleteVerb, insertVerb},
	}[r.IntN(4)]
	var group sync.WaitGroup
	begin := make(chan struct{})
	for client := range 2 + r.IntN(7) {
		mine := rand.New(rand.NewPCG(r.Uint64(), 1))
		steps := 1 + mine.IntN(8)
		group.Go(func() {
			<-begin
			for range steps {
				w.do(client+1, mix[mine.IntN(len(mix))], w.keys[mine.IntN(len(w.keys))])
			}
		})
	}
	close(begin)
	group.Wait()
	return w.check()
}

// check judges a history that has ended.
func (w *scene) check() error {
	left := map[class]int{}
	for _, o := range w.ops {
		in, out := o.Input.(call), o.Output.(answer)
		switch {
		case out.full:
		case in.verb == insertVerb, in.verb == uniqueVerb && out.ok:
			left[in.class]++
		case in.verb == deleteVerb && out.ok:
			left[in.class]--
		}
	}
	stored, sum := map[class]int{}, 0
	w.f.Filter().engine.Each(func(i, j, _, fp uint64) bool {
		stored[class{min(i, j), max(i, j), fp}]++
		sum++
		return true
	})
	for c, n := range left {
		if stored[c] != n {
			return fmt.Errorf("class %v is stored %d times, inserted less deleted is %d", c, stored[c], n)
		}
		delete(stored, c)
	}
	if len(stored) != 0 || w.f.Len() != sum {
		return fmt.Errorf("Len %d of %d stored, strangers %v", w.f.Len(), sum, stored)
	}
	if !porcupine.CheckOperations(classModel, w.ops) {
		return fmt.Errorf("not linearizable: %v\n%s", w.f, w.story())
	}
	return nil
}

// story lists the operations of the classes whose history is wrong.
func (w *scene) story() (text string) {
	for _, part := range classModel.Partition(w.ops) {
		if porcupine.CheckOperations(classModel, part) {
			continue
		}
		slices.SortFunc(part, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
		for _, o := range part {
			text += fmt.Sprintf("%4d-%-4d goroutine %d %-12s %v %+v\n", o.Call, o.Return, o.ClientId, verbNames[o.Input.(call).verb], o.Input.(call).class, o.Output)
		}
	}
	return text
}

// disturb makes goroutines give up the processor at the places of [kick.Hook] until the test ends.
func disturb(t *testing.T) {
	var state atomic.Uint64
	kick.Hook = func() {
		x := state.Add(0x9e3779b97f4a7c15)
		x ^= x >> 32
		x *= 0xd6e8feb86659fd93
		switch x >> 56 % 8 {
		case 0, 1:
			runtime.Gosched()
		case 2:
			for range x >> 40 % 8 {
				runtime.Gosched()
			}
		}
	}
	t.Cleanup(func() { kick.Hook = nil })
}

// oneHistory runs the history of a seed.
func oneHistory(seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	return newScene(r, seed%4 == 0).run(r)
}

// TestConcurrent_IsLinearizable checks histories of 2 to 8 goroutines.
func TestConcurrent_IsLinearizable(t *testing.T) {
	disturb(t)
	for n := range uint64(*histories) {
		if err := oneHistory(*firstSeed + n); err != nil {
			t.Fatalf("seed %d: %v", *firstSeed+n, err)
		}
	}
}

// TestConcurrent_DeleteLooksAgain stops a lookup between its words and a delete before it has the lock, and inserts and
// counts another copy there, in the bucket that the lookup has read and the delete has read as one without. The delete
// must see it then, and so the lookup.
func TestConcurrent_DeleteLooksAgain(t *testing.T) {
	f, err := NewConcurrent[fingerprint.Bits8](Config{Buckets: 8})
	if err != nil {
		t.Fatal(err)
	}
	h, g := uint64(1), uint64(1)
	i, j, fp := f.place(h)
	for a, b, c := f.place(g); a != j || b != i || c != fp; a, b, c = f.place(g) { // of the same class, from the other end
		g += 0x9e3779b97f4a7c15
	}
	if err := f.InsertHash(h); err != nil || i == j {
		t.Fatal(err, i, j)
	}
	pauses, counted, deleted := 0, 0, false
	kick.Hook = func() {
		if pauses++; pauses != 2 {
			return
		}
		kick.Hook = func() {
			kick.Hook = nil
			err, counted = f.InsertHash(g), f.CountHash(g)
		}
		deleted = f.DeleteHash(h)
	}
	defer func() { kick.Hook = nil }()
	if found := f.ContainsHash(g); err != nil || counted != 2 || !deleted || !found {
		t.Errorf("%v, %d copies, deleted %v, and one that stays is found: %v", err, counted, deleted, found)
	}
}
