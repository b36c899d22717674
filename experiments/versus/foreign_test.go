package versus

import (
	"bytes"
	"errors"
	"fmt"
	mathrand "math/rand"
	"math/rand/v2"
	"testing"

	nestcuckoo "github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/seiflotfy/cuckoofilter"
)

// seedGlobal seeds the generator of the process, from which seiflotfy/cuckoofilter draws, and returns one of its own
// that draws the same. Under the module's version of Go, Seed does nothing unless the setting says so.
func seedGlobal(t *testing.T, seed int64) func(n int) int {
	t.Helper()
	t.Setenv("GODEBUG", "randseednop=0")
	mathrand.Seed(seed) //lint:ignore SA1019 the other module has no other source of choices
	choices := mathrand.New(mathrand.NewSource(seed)).Intn
	if a, b := mathrand.Intn(1<<30), choices(1<<30); a != b {
		t.Fatalf("seed %d: the generators draw %d and %d", seed, a, b)
	}
	return choices
}

// TestForeign_SeiflotfyBytesAfterEveryOperation gives the filter of seiflotfy/cuckoofilter and ours the
// same operations and the same random choices, far into its failed inserts, which lose keys in both, and
// compares dump, count and answers after each.
func TestForeign_SeiflotfyBytesAfterEveryOperation(t *testing.T) {
	const seed = 20261121
	for _, capacity := range []uint{1, 4, 8, 64, 1000} {
		t.Run(fmt.Sprint("capacity=", capacity), func(t *testing.T) {
			t.Logf("seed %d", seed)
			theirs := cuckoo.NewFilter(capacity)
			ours := must.Get(foreign.New(foreign.Config{
				Format: foreign.Seiflotfy, Capacity: int(capacity), Choices: seedGlobal(t, seed), Lossy: true}))(t)
			r := rand.New(rand.NewPCG(seed, uint64(capacity)))
			failed := 0
			for op := range 5000 {
				key := fmt.Append(nil, "key ", r.Uint64N(uint64(3*capacity+5)))
				switch r.IntN(8) {
				case 0:
					if got, want := ours.Delete(key), theirs.Delete(key); got != want {
						t.Fatalf("operation %d: Delete is %t, theirs %t", op, got, want)
					}
				case 1:
					got, err := ours.InsertUnique(key)
					if want := theirs.InsertUnique(key); got != want {
						t.Fatalf("operation %d: InsertUnique is %t, %v, theirs %t", op, got, err, want)
					}
				default:
					err := ours.Insert(key)
					if want := theirs.Insert(key); (err == nil) != want || err != nil && !errors.Is(err, nestcuckoo.ErrFull) {
						t.Fatalf("operation %d: Insert: %v, theirs %t", op, err, want)
					}
					if err != nil {
						failed++
					}
				}
				sameSeiflotfy(t, op, ours, theirs, key)
			}
			if failed < 50 {
				t.Errorf("%d failed inserts: the comparison shows little", failed)
			}
		})
	}
}

// sameSeiflotfy compares the two filters.
func sameSeiflotfy(t *testing.T, op int, ours *foreign.Filter, theirs *cuckoo.Filter, key []byte) {
	t.Helper()
	if !bytes.Equal(ours.Encode(), theirs.Encode()) {
		t.Fatalf("operation %d: the dumps differ", op)
	}
	if ours.Len() != int(theirs.Count()) || ours.Contains(key) != theirs.Lookup(key) {
		t.Fatalf("operation %d: Len %d, theirs %d; Contains %t, theirs %t", op,
			ours.Len(), theirs.Count(), ours.Contains(key), theirs.Lookup(key))
	}
}

// TestForeign_SeiflotfyTakesOver imports a filter of seiflotfy/cuckoofilter, goes on filling it by the
// breadth-first search, and hands it back, which must answer as ours does.
func TestForeign_SeiflotfyTakesOver(t *testing.T) {
	const keys = 60_000
	name := func(n int) []byte { return fmt.Append(nil, "key ", n) }
	theirs := cuckoo.NewFilter(1 << 16)
	for n := range keys / 2 {
		if !theirs.Insert(name(n)) {
			t.Fatalf("their filter refused key %d", n)
		}
	}
	ours, err := foreign.Decode(theirs.Encode(), foreign.Config{Format: foreign.Seiflotfy})
	if err != nil || ours.Len() != keys/2 {
		t.Fatalf("%v, %v", ours, err)
	}
	n := keys / 2
	for ours.Insert(name(n)) == nil {
		n++
	}
	if ours.LoadFactor() < .96 {
		t.Errorf("full at load %.4f", ours.LoadFactor())
	}
	back, err := cuckoo.Decode(ours.Encode())
	if err != nil || int(back.Count()) != n {
		t.Fatalf("their filter holds %d keys of %d, %v", back.Count(), n, err)
	}
	for i := range 2 * n {
		key := name(i)
		if i < n && !back.Lookup(key) {
			t.Fatalf("key %d of %d is lost", i, n)
		}
		if back.Lookup(key) != ours.Contains(key) {
			t.Fatalf("key %d: theirs %t, ours %t", i, back.Lookup(key), ours.Contains(key))
		}
	}
	for i := range n {
		if !back.Delete(name(i)) || !ours.Delete(name(i)) {
			t.Fatalf("key %d of %d cannot be deleted", i, n)
		}
	}
	if !bytes.Equal(back.Encode(), ours.Encode()) || ours.Len() != 0 {
		t.Errorf("after all deletes Len is %d", ours.Len())
	}
}
