package foreign_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/hashing"
)

const testSeed = 20261121

var formats = []foreign.Format{foreign.Seiflotfy, foreign.Panmari}

func eachFormat(t *testing.T, test func(t *testing.T, format foreign.Format)) {
	for _, format := range formats {
		t.Run(format.String(), func(t *testing.T) { test(t, format) })
	}
}

func newFilter(t testing.TB, c foreign.Config) *foreign.Filter {
	t.Helper()
	f, err := foreign.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// key returns the bytes of a number.
func key(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// goldens are dumps that the other modules wrote of the keys "a", "hello" and "cuckoo", inserted in this
// order, under the capacity: seiflotfy/cuckoofilter at a2f2c23f1771, panmari/cuckoofilter version 1.
var goldens = map[foreign.Format]struct {
	capacity int
	dump     string
}{
	foreign.Seiflotfy: {16, "00000000d3000000ed00000084000000"},
	foreign.Panmari:   {8, "00000000000000000000000000000000000000000000000025d9bc4fbeba0000"},
}

func TestGolden_Dumps(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		golden := goldens[format]
		f := newFilter(t, foreign.Config{Format: format, Capacity: golden.capacity})
		for _, k := range []string{"a", "hello", "cuckoo"} {
			if err := f.InsertString(k); err != nil {
				t.Fatal(err)
			}
		}
		if got := hex.EncodeToString(f.Encode()); got != golden.dump {
			t.Errorf("dump\n%s, want\n%s", got, golden.dump)
		}
		data, _ := hex.DecodeString(golden.dump)
		g, err := foreign.Decode(data, foreign.Config{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if !g.Equal(f) || g.Len() != 3 || !g.ContainsString("hello") || g.ContainsString("absent") {
			t.Errorf("decoded %v, inserted %v", g, f)
		}
	})
}

// TestNew_SizesAsTheModules compares with the sizes of the two modules' NewFilter.
func TestNew_SizesAsTheModules(t *testing.T) {
	for _, c := range []struct {
		format            foreign.Format
		capacity, buckets int
	}{
		{foreign.Seiflotfy, 1, 1}, {foreign.Seiflotfy, 4, 1}, {foreign.Seiflotfy, 5, 2}, {foreign.Seiflotfy, 16, 4},
		{foreign.Seiflotfy, 17, 8}, {foreign.Seiflotfy, 1_000_000, 1 << 18},
		{foreign.Panmari, 1, 1}, {foreign.Panmari, 3, 1}, {foreign.Panmari, 4, 2}, {foreign.Panmari, 8, 4},
		{foreign.Panmari, 9, 4}, {foreign.Panmari, 1_000_000, 1 << 18}, {foreign.Panmari, 1 << 20, 1 << 19},
		{foreign.Panmari, 1006632, 1 << 18}, {foreign.Panmari, 1006633, 1 << 19},
	} {
		f := newFilter(t, foreign.Config{Format: c.format, Capacity: c.capacity})
		if got := f.Config().Buckets; got != c.buckets {
			t.Errorf("%v of capacity %d has %d buckets, want %d", c.format, c.capacity, got, c.buckets)
		}
	}
}

// TestChoices_BytesAsTheModel runs inserts, copies of one key among them, and deletes far into the failures
// with equal choices here and in the model.
func TestChoices_BytesAsTheModel(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		sizes, ops := []int{1, 2, 4, 16, 64}, 1000
		if testing.Short() {
			sizes, ops = sizes[:4], 250
		}
		for _, buckets := range sizes {
			t.Run(fmt.Sprintf("buckets=%d", buckets), func(t *testing.T) {
				t.Logf("seed %d", testSeed)
				choose := func() func(int) int { return rand.New(rand.NewPCG(testSeed, 1)).IntN }
				f := newFilter(t, foreign.Config{Format: format, Buckets: buckets, Choices: choose(), Lossy: true})
				m := &model{format: format, table: make([]uint16, 4*buckets), choices: choose()}
				r := rand.New(rand.NewPCG(testSeed, uint64(buckets)))
				refused := 0
				for op := range ops {
					k := key(r.Uint64N(uint64(6 * buckets)))
					switch r.IntN(5) {
					case 0:
						if got, want := f.Delete(k), m.remove(k); got != want {
							t.Fatalf("operation %d: Delete is %t, want %t", op, got, want)
						}
					default:
						err := f.Insert(k)
						if want := m.insert(k); (err == nil) != want || err != nil && !errors.Is(err, cuckoo.ErrFull) {
							t.Fatalf("operation %d: Insert: %v, want success %t", op, err, want)
						}
						if err != nil {
							refused++
						}
					}
					if !bytes.Equal(f.Encode(), m.dump()) || f.Len() != m.count {
						t.Fatalf("operation %d: bytes or Len differ: %d and %d", op, f.Len(), m.count)
					}
					if got, want := f.Contains(k), m.contains(k); got != want {
						t.Fatalf("operation %d: Contains is %t, want %t", op, got, want)
					}
				}
				if refused < 20 {
					t.Errorf("%d inserts failed: the comparison shows little", refused)
				}
			})
		}
	})
}

// TestInsert_FullLeavesUnchanged fills filters until they refuse, with both ways to make room.
func TestInsert_FullLeavesUnchanged(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		r := rand.New(rand.NewPCG(testSeed, 2))
		for name, choices := range map[string]func(int) int{
			"breadth-first": nil, "random": r.IntN, "constant": func(int) int { return 3 },
			"invalid": func(n int) int { return 2*n - 9 },
		} {
			f := newFilter(t, foreign.Config{Format: format, Buckets: 64, Choices: choices})
			inserted, refused := uint64(0), 0
			for n := uint64(0); refused < 20; n++ {
				before, length := f.Encode(), f.Len()
				err := f.InsertHash(hashing.Mix64(n))
				if err == nil {
					inserted++
					continue
				}
				refused++
				if !errors.Is(err, cuckoo.ErrFull) || !bytes.Equal(before, f.Encode()) || f.Len() != length {
					t.Fatalf("%s: refusal %v changed the filter", name, err)
				}
			}
			if f.Len() != int(inserted) || f.LoadFactor() < .5 {
				t.Errorf("%s: Len %d after %d inserts, load %.3f", name, f.Len(), inserted, f.LoadFactor())
			}
		}
	})
}

// TestInsert_CopiesAreCounted inserts one key until the copy too many.
func TestInsert_CopiesAreCounted(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		f := newFilter(t, foreign.Config{Format: format, Buckets: 1 << 10})
		n := 0
		for f.InsertString("again") == nil {
			n++
		}
		if got := f.CountString("again"); n != 4 && n != 8 || got != n {
			t.Fatalf("%d copies, Count is %d", n, got)
		}
		if ok, err := f.InsertUniqueString("again"); ok || err != nil {
			t.Errorf("InsertUnique of a key that is there: %t, %v", ok, err)
		}
		for ; n > 0; n-- {
			if !f.DeleteString("again") || f.CountString("again") != n-1 {
				t.Fatalf("a delete of %d copies left %d", n, f.CountString("again"))
			}
		}
		if f.Len() != 0 || f.Delete([]byte("again")) {
			t.Errorf("Len is %d after all deletes", f.Len())
		}
	})
}

// TestFPR_WithinBinomialBound measures the rate at a load of 0.9. The bound of 4.9 standard deviations,
// binomial and, for the content of the table, once more as much, fails by chance once in 10^6.
func TestFPR_WithinBinomialBound(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		queries, buckets := 2_000_000, 1<<14
		if testing.Short() {
			queries, buckets = 200_000, 1<<11
		}
		f := newFilter(t, foreign.Config{Format: format, Buckets: buckets})
		for n := uint64(0); f.LoadFactor() < .9; n++ {
			if err := f.InsertHash(hashing.Mix64(n)); err != nil {
				t.Fatal(err)
			}
		}
		positives, want := 0, f.FalsePositiveRate()
		for n := range uint64(queries) {
			if f.ContainsHash(hashing.Mix64(n + 1<<40)) {
				positives++
			}
		}
		got := float64(positives) / float64(queries)
		variance := want*(1-want)/float64(queries) + want/float64(f.Slots())
		if math.Abs(got-want) > 4.9*math.Sqrt(variance) {
			t.Errorf("rate %.6f, predicted %.6f, standard deviation %.6f", got, want, math.Sqrt(variance))
		}
	})
}

func TestClone_SharesNothing(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		zero := func(int) int { return 0 }
		f := newFilter(t, foreign.Config{Format: format, Buckets: 8, Choices: zero, Lossy: true})
		for n := range uint64(40) {
			f.Insert(key(n))
		}
		g := f.Clone()
		if !g.Equal(f) || g.Len() != f.Len() {
			t.Fatalf("clone %v of %v", g, f)
		}
		before := f.Encode()
		for n := range uint64(40) {
			g.Insert(key(n + 100))
		}
		if !bytes.Equal(before, f.Encode()) || g.Equal(f) {
			t.Error("inserts into the clone changed the filter, or not the clone")
		}
		g.Reset()
		if g.Len() != 0 || !g.Equal(newFilter(t, g.Config())) {
			t.Errorf("after Reset: %#v", g)
		}
	})
}

func TestAllocs_Zero(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		r := rand.New(rand.NewPCG(testSeed, 3))
		for _, c := range []foreign.Config{
			{Format: format, Buckets: 64},
			{Format: format, Buckets: 64, Choices: r.IntN},
			{Format: format, Buckets: 64, Choices: r.IntN, Lossy: true},
		} {
			f, n := newFilter(t, c), byte(0)
			text := string(make([]byte, 300))
			if got := testing.AllocsPerRun(400, func() {
				n++
				k := [9]byte{n, 2, 3}
				f.Insert(k[:])
				f.InsertUnique(k[1:])
				f.Contains(k[:3])
				f.Contains([]byte(text[:20]))
				f.Count(k[:4])
				f.Delete(k[2:])
				f.InsertString(text[:n])
				f.InsertUniqueString(text)
				f.ContainsString(text)
				f.CountString(text)
				f.DeleteString(text)
				f.InsertHash(uint64(n) << 40)
			}); got != 0 {
				t.Errorf("%v: %v allocations", f, got)
			}
			if f.Len() < 200 {
				t.Errorf("%v: the filter was never full", f)
			}
		}
	})
}
