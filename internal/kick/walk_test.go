package kick

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// full returns an engine whose table takes no more keys, with a user's policy in place of the one
// that filled it.
func full(t *testing.T, user func(*Walk)) *Engine {
	t.Helper()
	e := newEngine(User, Additive, 12, 2, 16, 20)
	fill(t, e, 7, 50)
	e.User = user
	return e
}

// refused inserts into a full table and holds the table to be unchanged.
func refused(t *testing.T, e *Engine, fp uint64) {
	t.Helper()
	before := bytes.Clone(e.Table.Data())
	if got := e.Insert(3, e.Scheme.Alternate(3, fp), 0, fp); got != NoPath {
		t.Fatalf("insert into a full table: outcome %d", got)
	}
	if !bytes.Equal(before, e.Table.Data()) {
		t.Fatal("a refused insert changed the table")
	}
}

// TestWalk_MisuseIsHarmless lets a policy try what it must not do.
func TestWalk_MisuseIsHarmless(t *testing.T) {
	var kept *Walk
	e := full(t, func(w *Walk) {
		kept = w
		i, j := w.Homes()
		other := uint64(0)
		for other == i || other == j {
			other++
		}
		for name, ok := range map[string]bool{
			"a foreign bucket": w.Swap(other, 0), "bucket m": w.Swap(w.Buckets(), 0),
			"slot b": w.Swap(i, w.Lanes()), "slot -1": w.Swap(i, -1), "bucket ^0": w.Swap(^uint64(0), 0),
		} {
			if ok {
				t.Errorf("Swap took %s", name)
			}
		}
		if w.Slot(w.Buckets(), 0) != 0 || w.Slot(0, -1) != 0 || w.Slot(0, w.Lanes()) != 0 {
			t.Error("Slot read outside the table")
		}
		if _, ok := w.Free(w.Buckets()); ok {
			t.Error("Free found a slot outside the table")
		}
		if w.Alternate(w.Buckets(), 1) != w.Buckets() {
			t.Error("Alternate made a bucket of one that does not exist")
		}
		if w.IntN(0) != 0 || w.IntN(-5) != 0 {
			t.Error("IntN of nothing is not 0")
		}
		swaps := 0
		for w.Swap(i, swaps%w.Lanes()) {
			swaps++
			i, _ = w.Homes()
		}
		if swaps != 20 || w.Left() != 0 {
			t.Errorf("%d kicks were allowed, %d are left, the limit is 20", swaps, w.Left())
		}
	})
	refused(t, e, 0x777)
	if kept.Swap(3, 0) {
		t.Error("a walk that has ended still swaps")
	}
	before := bytes.Clone(e.Table.Data())
	kept.Run(RandomWalk)
	kept.Run(BreadthFirst)
	kept.Run(RoundRobin)
	kept.Run(LookAhead)
	if !bytes.Equal(before, e.Table.Data()) {
		t.Error("a walk that has ended changed the table")
	}
}

// TestWalk_PanicIsUndone lets a policy panic halfway: its caller may recover and go on.
func TestWalk_PanicIsUndone(t *testing.T) {
	e := full(t, func(w *Walk) {
		i, _ := w.Homes()
		w.Swap(i, 1)
		panic("policy")
	})
	before := bytes.Clone(e.Table.Data())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		e.Insert(3, e.Scheme.Alternate(3, 0x777), 0, 0x777)
	}()
	if !bytes.Equal(before, e.Table.Data()) {
		t.Error("the kick before the panic was not taken back")
	}
}

// TestWalk_PoliciesCompose lets a policy kick once and leave the rest to a built-in one, with few
// kicks too: the rest then begins where a home may have a free slot and ends soon.
func TestWalk_PoliciesCompose(t *testing.T) {
	for name, rest := range map[string]Policy{
		"breadth-first": BreadthFirst, "random walk": RandomWalk, "round robin": RoundRobin,
		"look ahead": LookAhead,
	} {
		t.Run(name, func(t *testing.T) {
			kickThenRest := func(w *Walk) {
				_, j := w.Homes()
				w.Swap(j, w.IntN(w.Lanes()))
				w.Run(rest)
			}
			for seed := range uint64(60) {
				e := newEngine(User, Additive, 12, 2, 32, 2+int(seed%4))
				e.User = kickThenRest
				fill(t, e, seed, 20)
			}
			e := newEngine(User, XOR, 12, 4, 64, 60)
			e.User = kickThenRest
			if stored := fill(t, e, 11, 5); stored < 64*4*85/100 {
				t.Errorf("refused at %d of %d slots", stored, 64*4)
			}
		})
	}
}

// oneKick tells whether a resident of a full bucket could move to a free slot.
func oneKick(e *Engine, bucket uint64) bool {
	for lane := range e.Table.Lanes() {
		if _, ok := e.Table.Find(e.Scheme.Alternate(bucket, e.Table.Read(bucket, lane)), 0); ok {
			return true
		}
	}
	return false
}

// TestLookAhead_SeesEveryPathOfOneKick fills tables and holds an insert to take one kick whenever one
// is enough.
func TestLookAhead_SeesEveryPathOfOneKick(t *testing.T) {
	for _, lanes := range []uint{1, 2, 4, 8} {
		e := newEngine(LookAhead, Additive, 12, lanes, 2000, 500)
		r := rand.New(rand.NewPCG(uint64(lanes), 0x5eed))
		one, more := 0, 0
		for outcome := Stored; outcome == Stored; {
			h := r.Uint64()
			fp := fingerprint.Of(h, 12)
			i, j := e.Scheme.Pair(h, fp)
			full := e.Table.Count(i, 0)+e.Table.Count(j, 0) == 0
			enough := full && (oneKick(e, i) || oneKick(e, j))
			before := e.Stats.Kicks
			outcome = e.Insert(i, j, 0, fp)
			switch kicks := e.Stats.Kicks - before; {
			case enough && kicks != 1:
				t.Fatalf("b = %d: %d kicks where one is enough", lanes, kicks)
			case enough:
				one++
			case full:
				more++
			}
		}
		if one < 20 || more < 5 {
			t.Errorf("b = %d: %d inserts of one kick and %d of more: too few to tell", lanes, one, more)
		}
	}
}
