package counting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
)

func mustDLeft(t testing.TB, c counting.DLeftConfig) *counting.DLeft {
	t.Helper()
	f, err := counting.NewDLeft(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fillDLeft inserts the digests, for which there must be room.
func fillDLeft(t testing.TB, f *counting.DLeft, hs []uint64) {
	t.Helper()
	if n, err := f.InsertHashes(hs); err != nil || n != len(hs) {
		t.Fatalf("%v: %d of %d digests inserted: %v", f, n, len(hs), err)
	}
}

// dleftShapes has lanes that take one word load a bucket and lanes that take more.
var dleftShapes = []counting.DLeftConfig{
	{RemainderBits: 4, CounterBits: 1}, {RemainderBits: 10}, {RemainderBits: 13, CounterBits: 3},
	{RemainderBits: 16, CounterBits: 16}, {RemainderBits: 32, CounterBits: 5},
}

// sized returns the shape with that many buckets.
func sized(c counting.DLeftConfig, buckets int) counting.DLeftConfig {
	c.Slots = 16 * buckets
	return c
}

// TestDLeft_SaturatedKeyStays adds a key 20 times and removes it 15 times, as the test of Filter does.
func TestDLeft_SaturatedKeyStays(t *testing.T) {
	for _, width := range []int{1, 2, 4, 5, 16} {
		f := mustDLeft(t, counting.DLeftConfig{Capacity: 1000, FalsePositiveRate: .01, CounterBits: width})
		for range 20 {
			if err := f.InsertString("key"); err != nil {
				t.Fatal(err)
			}
		}
		top := 1 << width
		if got := f.CountString("key"); got != min(20, top) {
			t.Errorf("%d bits: Count after 20 inserts is %d", width, got)
		}
		for range 15 {
			if !f.DeleteString("key") {
				t.Fatalf("%d bits: Delete says absent", width)
			}
		}
		want := 5
		if top <= 20 {
			want = top
		}
		if got := f.CountString("key"); got != want || f.Len() != 5 || f.ScanStats().Used != 1 {
			t.Errorf("%d bits: Count after 15 deletes is %d, want %d; %+v", width, got, want, f.ScanStats())
		}
		for range 10 {
			f.DeleteString("key")
		}
		if s := f.ScanStats(); s.Inserted != 0 || (s.Saturated == 1) != (top <= 20) || f.ContainsString("key") != (top <= 20) {
			t.Errorf("%d bits: deleted more often than inserted: %+v", width, s)
		}
		if f.Reset(); f.ContainsString("key") || f.ScanStats() != (counting.Stats{Slots: f.Slots()}) {
			t.Errorf("%d bits: after Reset %+v", width, f.ScanStats())
		}
	}
}

// TestDLeft_NoFalseNegatives keeps a set of keys changing at the load of Capacity, and deletes present
// keys only.
func TestDLeft_NoFalseNegatives(t *testing.T) {
	const seed = 21
	for i, shape := range dleftShapes {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		f := mustDLeft(t, sized(shape, 50))
		var present []uint64
		for step := range 20_000 {
			if len(present) == 0 || len(present) < f.Capacity() && r.IntN(3) > 0 {
				h := r.Uint64()
				if err := f.InsertHash(h); err != nil {
					continue
				}
				present = append(present, h)
			} else {
				i := r.IntN(len(present))
				if !f.DeleteHash(present[i]) {
					t.Fatalf("seed %d, %v, step %d: present key cannot be deleted", seed, f, step)
				}
				present[i] = present[len(present)-1]
				present = present[:len(present)-1]
			}
			if len(present) > 0 && !f.ContainsHash(present[r.IntN(len(present))]) {
				t.Fatalf("seed %d, %v, step %d: present key is lost", seed, f, step)
			}
		}
		for _, h := range present {
			if !f.ContainsHash(h) {
				t.Fatalf("seed %d, %v: present key is lost", seed, f)
			}
		}
		if f.Len() != len(present) {
			t.Errorf("seed %d, %v: Len is not %d", seed, f, len(present))
		}
	}
}

// TestDLeft_DeleteInvertsInsert deletes all keys in another order and is left with an empty table.
func TestDLeft_DeleteInvertsInsert(t *testing.T) {
	for _, c := range dleftShapes {
		for _, m := range []int{1, 2, 3, 100, 1000} {
			f := mustDLeft(t, sized(c, m))
			empty := f.Clone()
			hs := digests(0, f.Capacity())
			for i, h := range hs {
				// Equal true fingerprints may saturate a counter of one bit, and then stay.
				if added, err := f.InsertUniqueHash(h); err != nil || !added {
					hs[i] = hs[0]
				}
			}
			for _, i := range rand.New(rand.NewPCG(4, uint64(m))).Perm(len(hs)) {
				f.DeleteHash(hs[i])
			}
			if !f.Equal(empty) || f.Len() != 0 || f.LoadFactor() != 0 || f.FalsePositiveRate() != 0 {
				t.Errorf("%v, load factor %v: not empty after deleting all", f, f.LoadFactor())
			}
		}
	}
}

// TestDLeft_FullLeavesUnchanged inserts until a key is refused: the filter then is as it was, takes
// more of what it holds, and takes the key after a delete.
func TestDLeft_FullLeavesUnchanged(t *testing.T) {
	for _, c := range dleftShapes {
		f := mustDLeft(t, sized(c, 33))
		r, stored := rand.New(rand.NewPCG(8, 8)), []uint64(nil)
		var h uint64
		for {
			h = r.Uint64()
			before := f.Clone()
			err := f.InsertHash(h)
			if err == nil {
				stored = append(stored, h)
				continue
			}
			if !errors.Is(err, counting.ErrFull) || !strings.HasPrefix(err.Error(), "counting: ") {
				t.Fatalf("%v: %v", f, err)
			}
			if !f.Equal(before) || f.Len() != before.Len() {
				t.Errorf("%v: a refused insert changed the filter", f)
			}
			break
		}
		before := f.Clone()
		if added, err := f.InsertUniqueHash(h); added || !errors.Is(err, counting.ErrFull) || !f.Equal(before) {
			t.Errorf("%v: InsertUnique of a refused key: %t, %v", f, added, err)
		}
		if n, err := f.InsertHashes([]uint64{stored[0], h, stored[1]}); n != 1 || !errors.Is(err, counting.ErrFull) {
			t.Errorf("%v: InsertHashes added %d: %v", f, n, err)
		}
		f.DeleteHashes(stored)
		if err := f.InsertHash(h); err != nil {
			t.Errorf("%v: no room after deletes: %v", f, err)
		}
	}
}

func TestDLeft_AbsentDeleteChangesNothing(t *testing.T) {
	f := mustDLeft(t, counting.DLeftConfig{Capacity: 1000, RemainderBits: 32})
	fillDLeft(t, f, digests(0, 1000))
	before := f.Clone()
	if n := f.DeleteHashes(digests(1<<32, 500)); n != 0 || !f.Equal(before) || f.Len() != 1000 {
		t.Errorf("deleted %d absent keys, %+v", n, f.ScanStats())
	}
}

func TestDLeft_MergeIsSum(t *testing.T) {
	for _, c := range dleftShapes {
		f, g, sum := mustDLeft(t, sized(c, 77)), mustDLeft(t, sized(c, 77)), mustDLeft(t, sized(c, 77))
		a, b := digests(0, 500), digests(300, 500)
		for _, part := range []struct {
			f  *counting.DLeft
			hs []uint64
		}{{f, a}, {g, b}, {sum, a}, {sum, b}} {
			fillDLeft(t, part.f, part.hs)
		}
		before := g.Clone()
		if err := f.Merge(g); err != nil || !g.Equal(before) || f.Len() != 1000 || f.LoadFactor() != sum.LoadFactor() {
			t.Fatalf("%v and %v: %v", f, sum, err)
		}
		for _, h := range digests(0, 2000) {
			if f.CountHash(h) != sum.CountHash(h) {
				t.Fatalf("%v: Count is %d after Merge, %d after inserts", f, f.CountHash(h), sum.CountHash(h))
			}
		}
		twice := f.Clone()
		if err := twice.Merge(twice); err != nil || twice.Len() != 2000 || twice.LoadFactor() != f.LoadFactor() {
			t.Errorf("%v: merged with itself: %v, %v", f, twice, err)
		}
	}
}

func TestDLeft_MergeRefusedLeavesUnchanged(t *testing.T) {
	c := counting.DLeftConfig{Slots: 320, RemainderBits: 12, CounterBits: 3}
	f, g := mustDLeft(t, c), mustDLeft(t, c)
	fillDLeft(t, f, digests(0, 200))
	fillDLeft(t, g, digests(200, 200))
	before := f.Clone()
	if err := f.Merge(g); !errors.Is(err, counting.ErrFull) || !f.Equal(before) || f.Len() != 200 {
		t.Errorf("merge of more than fits: %v, %v", f, err)
	}
	for field, wrong := range map[string]counting.DLeftConfig{
		"Slots":         {Slots: 321, RemainderBits: 12, CounterBits: 3},
		"RemainderBits": {Slots: 320, RemainderBits: 13, CounterBits: 3},
		"CounterBits":   {Slots: 320, RemainderBits: 12, CounterBits: 4},
		"Hash":          {Slots: 320, RemainderBits: 12, CounterBits: 3, Hash: hashing.XXH64(1)},
	} {
		other := mustDLeft(t, wrong)
		fillDLeft(t, other, digests(0, 3))
		err := f.Merge(other)
		if !errors.Is(err, counting.ErrMismatch) || !strings.Contains(err.Error(), "counting: ") || !strings.Contains(err.Error(), field+" is ") {
			t.Errorf("%s differs: %v", field, err)
		}
		if !f.Equal(before) || f.Len() != 200 || f.Equal(other) {
			t.Errorf("%s differs: merge changed the filter", field)
		}
	}
}

func TestDLeft_KeyFormsAgree(t *testing.T) {
	for _, hash := range []hashing.Hasher{nil, hashing.XXH64(9), hashing.Metro64(1)} {
		f := mustDLeft(t, counting.DLeftConfig{Capacity: 100, RemainderBits: 32, CounterBits: 3, Hash: hash})
		digester := hashing.NewDigester(hash)
		for i := range 50 {
			s := fmt.Sprint("key ", i)
			h := digester.Sum64String(s)
			if err := errors.Join(f.Insert([]byte(s)), f.InsertString(s), f.InsertHash(h)); err != nil {
				t.Fatal(err)
			}
			a, _ := f.InsertUnique([]byte(s))
			b, _ := f.InsertUniqueString(s)
			if c, _ := f.InsertUniqueHash(h); a || b || c || f.Count([]byte(s)) != 3 || f.CountString(s) != 3 || f.CountHash(h) != 3 {
				t.Fatalf("%q inserted although it is there, or counts %d", s, f.CountHash(h))
			}
			if !f.Contains([]byte(s)) || !f.ContainsString(s) || !f.ContainsHash(h) {
				t.Fatalf("%q is lost", s)
			}
			if !f.Delete([]byte(s)) || !f.DeleteString(s) || !f.DeleteHash(h) || f.Delete([]byte(s)) {
				t.Fatalf("%q cannot be deleted three times, or can four times", s)
			}
			a, _ = f.InsertUnique([]byte(s))
			f.DeleteString(s)
			if b, _ = f.InsertUniqueString(s); !a || !b || !f.DeleteHash(h) {
				t.Fatalf("%q: InsertUnique refused a key that is absent", s)
			}
		}
		if f.Len() != 0 || f.LoadFactor() != 0 {
			t.Errorf("%+v", f.ScanStats())
		}
	}
}

func TestDLeftAllocs_Zero(t *testing.T) {
	for _, hash := range []hashing.Hasher{nil, hashing.XXH64(3), hashing.SipHash([16]byte{1})} {
		f := mustDLeft(t, counting.DLeftConfig{Capacity: 30, FalsePositiveRate: .01, Hash: hash})
		text, n := "some key", byte(0)
		hs, dst, many := make([]uint64, 50), make([]bool, 50), digests(0, 100)
		allocs := testing.AllocsPerRun(100, func() {
			n++
			key := [9]byte{n, 2, 3}
			f.Insert(key[:])
			f.InsertUnique(key[1:])
			f.Contains(key[2:])
			f.Count(key[3:])
			f.Delete(key[:])
			f.Insert([]byte(text))
			f.InsertString(text)
			f.InsertUniqueString(text)
			f.ContainsString(text)
			f.CountString(text)
			f.DeleteString(text)
			f.InsertHashes(hs)
			f.ContainsHashes(hs, dst)
			f.DeleteHashes(hs)
			f.InsertHashes(many) // more than fit
			f.Reset()
		})
		if allocs != 0 {
			t.Errorf("%v: %v allocations", f, allocs)
		}
	}
}
