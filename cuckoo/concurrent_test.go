package cuckoo

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/packed"
)

// shared is what tests use of a Concurrent of any width.
type shared interface {
	InsertHash(h uint64) error
	InsertUniqueHash(h uint64) (bool, error)
	ContainsHash(h uint64) bool
	DeleteHash(h uint64) bool
	CountHash(h uint64) int
	Len() int
	Slots() int
	SizeBytes() int
	Capacity() int
	LoadFactor() float64
	FalsePositiveRate() float64
	Stats() Stats
	String() string
	Config() Config
	Reset()

	filter() verbs
}

func (f *Concurrent[F]) filter() verbs { return f.Filter() }

// bothOf makes a Concurrent and a Filter of the layout Words.
func bothOf[F fingerprint.Width](c Config) (shared, verbs, error) {
	f, err := NewConcurrent[F](c)
	if err != nil {
		return nil, nil, err
	}
	g, err := New[F](f.Config())
	return f, g, err
}

// sharedWidths makes both for every number of lanes, at widths with and without bits to spare, as types and as Any.
var sharedWidths = map[string]func(Config) (shared, verbs, error){
	"8": bothOf[fingerprint.Bits8], "9": bothOf[fingerprint.Bits9], "10": bothOf[fingerprint.Bits10], "11": bothOf[fingerprint.Bits11],
	"12": bothOf[fingerprint.Bits12], "13": bothOf[fingerprint.Bits13], "16": bothOf[fingerprint.Bits16], "17": bothOf[fingerprint.Bits17],
	"21": bothOf[fingerprint.Bits21], "22": bothOf[fingerprint.Bits22], "32": bothOf[fingerprint.Bits32],
}

// TestConcurrent_DoesWhatFilterDoes runs the same operations on a Concurrent and on a Filter of the layout Words, which the
// tests of filters hold to the exact model. Answers, errors, Len, refusals and what the tables hold are equal. In which of
// its slots a fingerprint is may differ.
func TestConcurrent_DoesWhatFilterDoes(t *testing.T) {
	for width := packed.MinWordWidth; width <= fingerprint.MaxWidth; width++ {
		make := sharedWidths[fmt.Sprint(width)]
		c := Config{}
		if make == nil {
			make, c.FingerprintBits = bothOf[fingerprint.Any], width
		}
		for _, c.Buckets = range []int{1, 2, 7, 64} {
			for _, c.Placement = range []Placement{Additive, XOR} {
				if c.Buckets == 7 && c.Placement == XOR {
					continue
				}
				f, g, err := make(c)
				if err != nil {
					t.Fatalf("%d bits, %v: %v", width, c, err)
				}
				compare(t, f, g, rand.New(rand.NewPCG(uint64(width), uint64(c.Buckets))))
			}
		}
	}
}

// compare runs operations on both.
func compare(t *testing.T, f shared, g verbs, r *rand.Rand) {
	t.Helper()
	var keys []uint64
	for step := range 3 * f.Slots() {
		h := r.Uint64()
		if len(keys) > 0 && r.IntN(4) == 0 {
			h = keys[r.IntN(len(keys))]
		}
		same := true
		switch r.IntN(6) {
		case 0:
			same = f.DeleteHash(h) == g.DeleteHash(h)
		case 1:
			added, err := f.InsertUniqueHash(h)
			wanted, fails := g.InsertUniqueHash(h)
			same = added == wanted && errors.Is(err, ErrFull) == errors.Is(fails, ErrFull)
		default:
			err, fails := f.InsertHash(h), g.InsertHash(h)
			same = errors.Is(err, ErrFull) == errors.Is(fails, ErrFull) && (err == nil) == (fails == nil)
			keys = append(keys, h)
		}
		same = same && f.ContainsHash(h) == g.ContainsHash(h) && f.CountHash(h) == g.CountHash(h)
		if !same || f.Len() != g.Len() {
			t.Fatalf("%v: step %d is other than of %v", f, step, g)
		}
	}
	copied := f.filter()
	differ := slices.ContainsFunc(keys, func(h uint64) bool { return copied.CountHash(h) != g.CountHash(h) })
	if differ || f.LoadFactor() != g.LoadFactor() || f.FalsePositiveRate() != g.FalsePositiveRate() {
		t.Fatalf("%#v\nand the filter\n%#v", copied, g)
	}
	if a, b := f.Stats(), g.Stats(); a.Refusals != b.Refusals || a.Kicks == 0 != (a.LongestPath == 0) {
		t.Errorf("%v: Stats %+v and %+v", f, a, b)
	}
	if !strings.HasPrefix(f.String(), "cuckoo.Concurrent{") {
		t.Error(f)
	}
	f.Reset()
	g.Reset()
	if f.Len() != 0 || f.Stats() != (Stats{}) || !f.filter().equal(g) {
		t.Errorf("%v after Reset", f)
	}
}

// TestConcurrent_BadConfigsAreNamed has fields that mean nothing here, each with one error that names it.
func TestConcurrent_BadConfigsAreNamed(t *testing.T) {
	for _, c := range []struct {
		bits int
		Config
		want string
	}{
		{12, Config{Buckets: 5, Layout: SemiSorted}, "Layout is semisorted, want words"},
		{12, Config{Buckets: 5, Layout: PairedSlots}, "Layout is paired, want words"},
		{12, Config{Buckets: 5, BucketSize: 4}, "BucketSize is 4, want 5: so many fingerprints of 12 bits"},
		{12, Config{Buckets: 5, BucketSize: 9}, "BucketSize is 9"},
		{12, Config{Buckets: 5, Kick: RandomWalk}, "Kick is random-walk, want breadth-first"},
		{12, Config{Buckets: 5, Seed: 7}, "Seed is 7, want 0"},
		{12, Config{}, "Capacity and Buckets are both 0"},
		{7, Config{Buckets: 5}, "Layout words is for fingerprints of at least 8 bits, these have 7"},
		{0, Config{Buckets: 5}, "FingerprintBits and FalsePositiveRate are both 0"},
		{33, Config{Buckets: 5}, "FingerprintBits is 33"},
	} {
		c.FingerprintBits = c.bits
		_, err := NewConcurrent[fingerprint.Any](c.Config)
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.Config, err, c.want)
		}
	}
	if _, err := NewConcurrent[fingerprint.Bits12](Config{Capacity: 1 << 20, MaxBytes: 1 << 20}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a table beyond MaxBytes: %v", err)
	}
	if _, _, err := PlanConcurrent(Config{Capacity: 9, FingerprintBits: 33}); !errors.Is(err, ErrConfig) {
		t.Errorf("a plan for 33 bits: %v", err)
	}
	if _, _, err := PlanConcurrent(Config{Capacity: 9, FingerprintBits: 12, Seed: 1}); !errors.Is(err, ErrConfig) {
		t.Errorf("a plan with a seed: %v", err)
	}
	c, size, err := PlanConcurrent(Config{Capacity: 1_000_000, FingerprintBits: 12})
	f, made := NewConcurrent[fingerprint.Bits12](Config{Capacity: 1_000_000})
	if err != nil || made != nil || f.SizeBytes() != size || f.Config().Buckets != c.Buckets || f.Capacity() < 1_000_000 {
		t.Errorf("planned %v and %d bytes, made %v: %v, %v", c, size, f, err, made)
	}
}

// TestConcurrent_OfAFilterAndBack takes the keys of filters of every layout, and gives them back.
func TestConcurrent_OfAFilterAndBack(t *testing.T) {
	for _, c := range []struct {
		width int
		Config
		fits bool
	}{
		{12, Config{Buckets: 30}, true}, {16, Config{Buckets: 30}, true}, {8, Config{Buckets: 30, BucketSize: 8}, true},
		{12, Config{Buckets: 32, Placement: XOR, Kick: RandomWalk, Seed: 3, MaxKicks: 7}, true}, {12, Config{Buckets: 30, Layout: SemiSorted}, true},
		{12, Config{Buckets: 30, Layout: PairedSlots}, true}, {32, Config{Buckets: 30, BucketSize: 2}, true}, {20, Config{Buckets: 30, Layout: Words}, true},
		{12, Config{Buckets: 30, BucketSize: 8}, false}, {17, Config{Buckets: 30}, false}, {7, Config{Buckets: 30}, false},
		{12, Config{Buckets: 30, MaxBytes: 239}, false},
	} {
		c.FingerprintBits = c.width
		f, err := New[fingerprint.Any](c.Config)
		if err != nil {
			t.Fatal(err)
		}
		keys := randomDigests(f.Slots()/2, 1)
		if n, err := f.InsertHashes(keys); err != nil {
			t.Fatalf("%v: %d, %v", f, n, err)
		}
		g, err := f.Concurrent()
		if !c.fits {
			if !errors.Is(err, ErrConfig) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("%v: %v", f, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", f, err)
			continue
		}
		back := g.Filter()
		if g.Len() != f.Len() || back.Len() != f.Len() || g.Config().Hash != f.Config().Hash {
			t.Errorf("%v became %v and %v", f, g, back)
		}
		for _, h := range keys {
			if !g.ContainsHash(h) || !back.ContainsHash(h) {
				t.Fatalf("%v: key %#x is lost", f, h)
			}
		}
		for _, h := range keys[:len(keys)/3] { // which leaves holes among the lanes
			g.DeleteHash(h)
		}
		again, err := g.Filter().Concurrent()
		if err != nil || !again.Equal(g) || !g.Clone().Equal(g) {
			t.Errorf("%v there and back is %v, %v", g, again, err)
		}
	}
	if g, err := new(Filter[fingerprint.Bits12]).Concurrent(); err != nil || g.Len() != 0 {
		t.Errorf("of the zero filter: %v, %v", g, err)
	}
}

// TestConcurrent_FilesReadBack reads the file of a Concurrent in every way.
func TestConcurrent_FilesReadBack(t *testing.T) {
	f, err := NewConcurrent[fingerprint.Bits12](Config{Capacity: 1000, Hash: hashing.SipHash([16]byte{1}), MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 900 {
		if err := f.InsertString(fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.MarshalBinary()
	var streamed bytes.Buffer
	if n, err := f.WriteTo(&streamed); err != nil || n != int64(len(b)) || !bytes.Equal(streamed.Bytes(), b) {
		t.Errorf("WriteTo: %d of %d bytes, %v", n, len(b), err)
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewConcurrent[fingerprint.Bits12](Config{Buckets: 1, Hash: f.Config().Hash, MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := g.ReadFrom(&streamed); err != nil || n != int64(len(b)) || !g.Equal(f) || g.Config().MaxBytes != 1<<20 {
		t.Errorf("ReadFrom: %d, %v, %v", n, err, g)
	}
	h, err := DecodeConcurrent[fingerprint.Bits12](b, f.Config().Hash)
	if err != nil || !h.Equal(f) || h.Len() != 900 {
		t.Errorf("DecodeConcurrent: %v, %v", h, err)
	}
	v, err := OpenView[fingerprint.Bits12](b, f.Config().Hash)
	if err != nil || !v.ContainsString("899") || v.Len() != 900 || v.VerifyChecksum() != nil {
		t.Errorf("OpenView: %v, %v", v, err)
	}
	// A bit above the lanes is damage that a checksum may have been made for.
	table := packed.Words.New(12, 5, 3)
	table.Put(8, 1<<60)
	if _, err := table.Check(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "byte 15") {
		t.Errorf("a spare bit: %v", err)
	}
	wide, err := mustNew(t, 12, Config{Buckets: 3, BucketSize: 8, Hash: f.Config().Hash}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{b[:len(b)-1], wide} {
		want := g.Clone()
		if err := g.UnmarshalBinary(bad); !errors.Is(err, ErrTooShort) && !errors.Is(err, ErrMismatch) || !g.Equal(want) {
			t.Errorf("a bad file: %v, %v", err, g)
		}
	}
	if _, err := DecodeConcurrent[fingerprint.Bits12](b); !errors.Is(err, ErrMismatch) {
		t.Errorf("without the key: %v", err)
	}
}

// TestConcurrent_ZeroTakesNothing asks the zero Concurrent everything.
func TestConcurrent_ZeroTakesNothing(t *testing.T) {
	f := new(Concurrent[fingerprint.Bits12])
	added, err := f.InsertUniqueHash(1)
	if f.ContainsHash(1) || f.DeleteHash(1) || f.CountHash(1) != 0 || f.Len() != 0 || f.SizeBytes() != 0 || added ||
		!errors.Is(err, ErrConfig) || !errors.Is(f.InsertHash(1), ErrConfig) || f.Stats() != (Stats{}) || f.FalsePositiveRate() != 0 {
		t.Errorf("%v: %t, %v", f, added, err)
	}
	f.Reset()
	if _, err := f.MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Errorf("its file: %v", err)
	}
	if err := f.Merge(new(Concurrent[fingerprint.Bits12])); err != nil || !f.Equal(f.Clone()) {
		t.Errorf("merged with itself: %v", err)
	}
}

// TestConcurrent_MergeIsWholeOrTakenBack merges filters that fit together and such that do not.
func TestConcurrent_MergeIsWholeOrTakenBack(t *testing.T) {
	f, _ := NewConcurrent[fingerprint.Bits16](Config{Buckets: 32})
	g := f.Clone()
	keys := randomDigests(100, 5)
	if n, err := f.InsertHashes(keys[:50]); n != 50 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := g.InsertHashes(keys[50:]); n != 50 || err != nil {
		t.Fatal(n, err)
	}
	if err := f.Merge(g); err != nil || f.Len() != 100 {
		t.Fatalf("%v: %v", f, err)
	}
	found := make([]bool, 100)
	if f.ContainsHashes(keys, found); slices.Contains(found, false) {
		t.Error("a key was lost by merging")
	}
	before := countsOf(f, keys)
	if err := f.Merge(g); !errors.Is(err, ErrFull) || f.Len() != 100 || !slices.Equal(before, countsOf(f, keys)) {
		t.Errorf("150 keys in 128 slots: %v, %v", err, f)
	}
	other, _ := NewConcurrent[fingerprint.Bits16](Config{Buckets: 64})
	if err := f.Merge(other); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "Buckets") {
		t.Errorf("other buckets: %v", err)
	}
	if n := f.DeleteHashes(keys); n != 100 || f.Len() != 0 {
		t.Errorf("deleted %d, left %d", n, f.Len())
	}
	added := make([]bool, 100)
	if n, err := f.InsertUniqueHashes(keys, added); n != 100 || err != nil || f.Len()+slices.Index(append(added, false), false) < 190 {
		t.Errorf("unique: %d, %v, Len %d", n, err, f.Len())
	}
	if n, err := f.InsertUniqueHashes(randomDigests(100, 6), added); n == 100 || !errors.Is(err, ErrFull) || added[n] || slices.Contains(added[n:], true) {
		t.Errorf("beyond the table: %d, %v", n, err)
	}
	if n, err := f.InsertHashes(randomDigests(100, 7)); n == 100 || !errors.Is(err, ErrFull) {
		t.Errorf("beyond the table: %d, %v", n, err)
	}
}

// countsOf returns what Count says of each key.
func countsOf(f *Concurrent[fingerprint.Bits16], keys []uint64) (counts []int) {
	for _, h := range keys {
		counts = append(counts, f.CountHash(h))
	}
	return counts
}

// TestConcurrent_KeysAreTheirDigests holds the forms of each verb to each other.
func TestConcurrent_KeysAreTheirDigests(t *testing.T) {
	f, _ := NewConcurrent[fingerprint.Bits12](Config{Capacity: 100})
	key := []byte("ant")
	h := f.Config().Hash.Sum64(key)
	if f.Insert(key) != nil || f.InsertString("ant") != nil || f.Count(key) != 2 || f.CountString("ant") != 2 || f.CountHash(h) != 2 ||
		!f.Contains(key) || !f.ContainsString("ant") || !f.Delete(key) || !f.DeleteString("ant") || f.DeleteHash(h) {
		t.Error(f)
	}
	a, err := f.InsertUnique(key)
	b, fails := f.InsertUniqueString("ant")
	if !a || b || err != nil || fails != nil {
		t.Error(a, b, err, fails)
	}
}

// TestConcurrent_AllocatesNothing holds the verbs to no allocation, kicks included. The race detector makes a
// sync.Pool drop a quarter of what is put into it, so the searches are allocated anew there.
func TestConcurrent_AllocatesNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the pool of searches drops some of them under the race detector")
	}
	f, _ := NewConcurrent[fingerprint.Bits12](Config{Buckets: 100})
	keys := randomDigests(f.Slots(), 2)
	_, _ = f.InsertHashes(keys)
	key, dst := []byte("a key of a reader"), make([]bool, len(keys))
	for name, run := range map[string]func(){
		"kicks":    func() { _ = f.InsertHash(keys[0]); f.DeleteHash(keys[0]) },
		"unique":   func() { _, _ = f.InsertUnique(key) },
		"contains": func() { f.Contains(key); f.ContainsHashes(keys, dst) },
		"count":    func() { f.Count(key); f.Delete(key); _ = f.Len(); _ = f.Stats() },
	} {
		if n := testing.AllocsPerRun(50, run); n > .1 { // a collection can empty the pool of searches
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
