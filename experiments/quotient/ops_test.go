package quotient

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

// step makes one operation with a fingerprint, on the filter and on the oracle.
func step(t testing.TB, f *Filter, m model, op int, fp, h uint64) {
	t.Helper()
	before := f.Len()
	switch op {
	case 0:
		err := f.InsertHash(h)
		if full := before == int(f.limit); full != errors.Is(err, errs.Full) || !full && err != nil {
			t.Fatalf("%v: Insert at %d of %d: %v", f, before, int(f.limit), err)
		}
		if err == nil {
			m.add(fp, 1)
		}
	case 1:
		if ok := f.DeleteHash(h); ok != (m[fp] > 0) {
			t.Fatalf("%v: Delete of %#x: %t, want %t", f, fp, ok, m[fp] > 0)
		} else if ok {
			m.add(fp, -1)
		}
	}
	ask(t, f, m, fp, h)
}

func FuzzOps(f *testing.F) {
	f.Add(uint8(3), uint8(2), []byte{0, 31, 0, 31, 0, 30, 0, 0, 2, 31, 1, 7})
	f.Add(uint8(1), uint8(1), []byte{0, 3, 0, 3, 2, 3, 0, 0, 2, 3})
	f.Add(uint8(5), uint8(58), []byte{0, 250, 0, 251, 0, 255, 0, 255, 2, 250, 0, 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for q := range uint8(6) {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(q, q*11, data)
	}
	f.Fuzz(func(t *testing.T, q, r uint8, ops []byte) {
		c := Config{QuotientBits: int(q)%6 + 1, MaxLoad: 1}
		c.RemainderBits = int(r)%min(maxRemainderBits, digestBits-c.QuotientBits) + 1
		filter, m := mustNew(t, c), model{}
		rng := rand.New(rand.NewPCG(uint64(q), uint64(r)))
		width := c.QuotientBits + c.RemainderBits
		for ; len(ops) >= 2; ops = ops[2:] {
			// Few values of each half, the extreme ones among them, so that they meet.
			quotient := uint64(ops[1]) >> 3 & (1<<c.QuotientBits - 1)
			remainder := -(uint64(ops[1]) & 7) & (1<<c.RemainderBits - 1)
			fp := (quotient<<c.RemainderBits | remainder) & (^uint64(0) >> (64 - width))
			step(t, filter, m, int(ops[0])%2, fp, digest(filter, fp, rng))
			agree(t, filter, m)
		}
	})
}

// TestSmallWorlds_Exhaustive visits every multiset of fingerprints up to a size and makes every operation on it. Since
// a multiset has one table, every sequence of operations in these worlds is a path through what is checked here.
func TestSmallWorlds_Exhaustive(t *testing.T) {
	for _, world := range []struct{ q, r, values, size int }{
		{1, 1, 2, 2}, {1, 2, 4, 2}, {2, 1, 2, 4}, {2, 2, 4, 4},
		{3, 1, 1, 8}, // eight slots with one value: every way to fill them
		{3, 1, 2, 5}, {3, 2, 4, 3},
	} {
		t.Run(fmt.Sprintf("q=%d/r=%d/values=%d/size=%d", world.q, world.r, world.values, world.size), func(t *testing.T) {
			if testing.Short() && world.q > 1 {
				world.size--
			}
			var all []uint64
			for quotient := range 1 << world.q {
				for v := range world.values {
					all = append(all, uint64(quotient<<world.r|v))
				}
			}
			c := Config{QuotientBits: world.q, RemainderBits: world.r, MaxLoad: 1}
			rng := rand.New(rand.NewPCG(1, 1))
			multisets(all, world.size, nil, func(fps []uint64) {
				f := of(t, c, fps)
				for _, fp := range all {
					everyOp(t, f, fps, fp, digest(f, fp, rng))
				}
			})
		})
	}
}

// multisets visits every multiset of up to size of the values, in ascending order.
func multisets(values []uint64, size int, have []uint64, visit func([]uint64)) {
	visit(have)
	if size == 0 {
		return
	}
	for i := range values {
		multisets(values[i:], size-1, append(have, values[i]), visit)
	}
}

// everyOp asks for a fingerprint, inserts it and deletes it again, and deletes it once more and puts it
// back, so that f ends as it began.
func everyOp(t *testing.T, f *Filter, fps []uint64, fp, h uint64) {
	t.Helper()
	at, present := slices.BinarySearch(fps, fp)
	if f.ContainsHash(h) != present {
		t.Fatalf("%x: Contains(%#x) is not %t", fps, fp, present)
	}
	is := func(what string, want []uint64) {
		for i, x := range layout(want, f.quotientBits(), f.remainderBits()) {
			if got := f.slots.get(uint64(i)); got != x {
				t.Fatalf("%x, %s %#x: slot %d is %#x, want %#x", fps, what, fp, i, got, x)
			}
		}
	}
	err := f.InsertHash(h)
	if (err == nil) != (len(fps) < f.Slots()) {
		t.Fatalf("%x: Insert(%#x): %v", fps, fp, err)
	}
	if err == nil {
		is("inserted", slices.Insert(slices.Clone(fps), at, fp))
		if !f.DeleteHash(h) {
			t.Fatalf("%x: %#x is not found after its insert", fps, fp)
		}
		is("inserted and deleted", fps)
	}
	if f.DeleteHash(h) != present {
		t.Fatalf("%x: Delete(%#x) is not %t", fps, fp, present)
	}
	if present {
		is("deleted", slices.Delete(slices.Clone(fps), at, at+1))
		if err := f.InsertHash(h); err != nil {
			t.Fatal(err)
		}
		is("deleted and inserted", fps)
	}
}

// TestLayout_OfThePackageDoc holds the table that the package doc draws.
func TestLayout_OfThePackageDoc(t *testing.T) {
	f := mustNew(t, Config{QuotientBits: 3, RemainderBits: 4, MaxLoad: 0.9})
	for _, fp := range []uint64{0x24, 0x17, 0x61, 0x20, 0x13, 0x24} {
		if err := f.InsertHash(fp << 57); err != nil {
			t.Fatal(err)
		}
	}
	slot := func(remainder, metadata uint64) uint64 { return remainder<<metadataBits | metadata }
	want := []uint64{
		0, slot(3, occupied), slot(7, occupied|continuation|shifted), slot(0, shifted),
		slot(4, continuation|shifted), slot(4, continuation|shifted), slot(1, occupied), 0,
	}
	if got := table(f); !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}

// TestOps_EveryLoad fills tables of many windows key by key, empties them in another order, and asks for keys on the
// way.
func TestOps_EveryLoad(t *testing.T) {
	for _, r := range []int{1, 2, 9, 13, 30, 56} {
		f, m := mustNew(t, Config{QuotientBits: 8, RemainderBits: r, MaxLoad: 1}), model{}
		rng := rand.New(rand.NewPCG(3, uint64(r)))
		var stored []uint64
		for range f.Slots() + 1 { // the last one is refused
			fp := rng.Uint64() >> (56 - r)
			stored = append(stored, fp)
			step(t, f, m, 0, fp, digest(f, fp, rng))
			agree(t, f, m)
			for fp := uint64(0); r <= 2 && fp < 1<<(8+r); fp++ { // all there are
				ask(t, f, m, fp, digest(f, fp, rng))
			}
		}
		rng.Shuffle(len(stored), func(i, j int) { stored[i], stored[j] = stored[j], stored[i] })
		for _, fp := range stored {
			step(t, f, m, 1, fp, digest(f, fp, rng))
			agree(t, f, m)
		}
	}
}

func TestContainsHashes_ShortDstPanics(t *testing.T) {
	f := mustNew(t, Config{QuotientBits: 3, RemainderBits: 4, MaxLoad: 1})
	defer func() {
		if recover() == nil {
			t.Error("a short dst is taken")
		}
	}()
	f.ContainsHashes(make([]uint64, 2), make([]bool, 1, 2))
}
