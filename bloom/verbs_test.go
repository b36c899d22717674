package bloom_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// every is what the kinds have in common, F being the kind itself.
type every[F any] interface {
	*bloom.Filter | *bloom.Blocked | *bloom.SplitBlock
	measured
	Insert(key []byte)
	InsertString(key string)
	InsertUnique(key []byte) bool
	InsertUniqueString(key string) bool
	InsertUniqueHash(h uint64) bool
	Contains(key []byte) bool
	ContainsString(key string) bool
	Len() int
	SizeBytes() int
	Reset()
	Clone() F
	Equal(F) bool
	Merge(F) error
	String() string
	GoString() string
}

// onEvery runs a test of every kind.
func onEvery(t *testing.T, classic, blocked, split func(t *testing.T)) {
	t.Run("bloom", classic)
	t.Run("blocked", blocked)
	t.Run("splitblock", split)
}

func must[F any](t *testing.T, make func(bloom.Config) (F, error), c bloom.Config) F {
	t.Helper()
	f, err := make(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFilter_KeyFormsAgree(t *testing.T) {
	onEvery(t, func(t *testing.T) { keyFormsAgree(t, bloom.New) }, func(t *testing.T) { keyFormsAgree(t, bloom.NewBlocked) },
		func(t *testing.T) { keyFormsAgree(t, bloom.NewSplitBlock) })
}

func keyFormsAgree[F every[F]](t *testing.T, make func(bloom.Config) (F, error)) {
	for _, h := range []hashing.Hasher{nil, hashing.XXH64(9), hashing.Metro64(1), hashing.FNV1a(0)} {
		c := bloom.Config{Capacity: 1000, FalsePositiveRate: 1e-6, Hash: h}
		f, g, u := must(t, make, c), must(t, make, c), must(t, make, c)
		digester := hashing.NewDigester(f.Config().Hash)
		for i := range 100 {
			s := strings.Repeat("x", i)
			digest := digester.Sum64String(s)
			if f.Contains([]byte(s)) || f.ContainsString(s) || f.ContainsHash(digest) {
				t.Fatalf("%q is there before it was inserted", s)
			}
			f.Insert([]byte(s))
			g.InsertString(s)
			fresh := []func() bool{
				func() bool { return u.InsertUnique([]byte(s)) },
				func() bool { return u.InsertUniqueString(s) },
				func() bool { return u.InsertUniqueHash(digest) },
			}
			for j := range fresh {
				if got := fresh[(i+j)%3](); got != (j == 0) {
					t.Fatalf("%q: InsertUnique call %d returned %t", s, j, got)
				}
			}
			if !f.Contains([]byte(s)) || !g.ContainsString(s) || !u.ContainsHash(digest) {
				t.Fatalf("%q is lost", s)
			}
		}
		if !f.Equal(g) || !f.Equal(u) || f.Len() != 100 || u.Len() != 100 {
			t.Errorf("%v: tables differ, or Len is %d, %d", c, f.Len(), u.Len())
		}
	}
	f := must(t, make, bloom.Config{Slots: 512, Hashes: 8})
	f.Insert(nil)
	if !f.Contains([]byte{}) || !f.ContainsString("") {
		t.Error("nil and empty key differ")
	}
}

func TestFilter_BatchesAgree(t *testing.T) {
	onEvery(t, func(t *testing.T) { batchesAgree(t, bloom.New) }, func(t *testing.T) { batchesAgree(t, bloom.NewBlocked) },
		func(t *testing.T) { batchesAgree(t, bloom.NewSplitBlock) })
}

func batchesAgree[F every[F]](t *testing.T, make func(bloom.Config) (F, error)) {
	for _, n := range []int{0, 1, 31, 32, 33, 64, 100} {
		c := bloom.Config{Capacity: 50, FalsePositiveRate: .2}
		f, g := must(t, make, c), must(t, make, c)
		hs := digests(0, n)
		f.InsertHashes(hs)
		for _, h := range hs {
			g.InsertHash(h)
		}
		if !f.Equal(g) || f.Len() != n {
			t.Errorf("n=%d: InsertHashes made another table, or Len %d", n, f.Len())
		}
		asked := append(digests(1000, n), hs...)
		dst := make2(len(asked) + 3)
		f.ContainsHashes(asked, dst)
		for i, h := range asked {
			if dst[i] != f.ContainsHash(h) {
				t.Errorf("n=%d: digest %d: batch says %t", n, i, dst[i])
			}
		}
		if !dst[len(asked)] {
			t.Errorf("n=%d: wrote beyond len(hs)", n)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a dst that is too short did not panic")
		}
	}()
	must(t, make, bloom.Config{Slots: 10, Hashes: 8}).ContainsHashes(digests(0, 3), make2(9)[:2]) // spare capacity does not count
}

// make2 returns n times true, so that an answer that was not written shows.
func make2(n int) []bool {
	dst := make([]bool, n)
	for i := range dst {
		dst[i] = true
	}
	return dst
}

func TestMerge_IsUnion(t *testing.T) {
	onEvery(t, func(t *testing.T) { mergeIsUnion(t, bloom.New) }, func(t *testing.T) { mergeIsUnion(t, bloom.NewBlocked) },
		func(t *testing.T) { mergeIsUnion(t, bloom.NewSplitBlock) })
}

func mergeIsUnion[F every[F]](t *testing.T, make func(bloom.Config) (F, error)) {
	c := bloom.Config{Capacity: 1000, FalsePositiveRate: .01}
	f, g, union := must(t, make, c), must(t, make, c), must(t, make, c)
	f.InsertHashes(digests(0, 600))
	g.InsertHashes(digests(400, 600))
	union.InsertHashes(digests(0, 1000))
	before := g.Clone()
	if err := f.Merge(g); err != nil {
		t.Fatal(err)
	}
	if !f.Equal(union) || f.Len() != 1200 {
		t.Errorf("the merge is not the union, or Len is %d", f.Len())
	}
	if !g.Equal(before) {
		t.Error("Merge changed its argument")
	}
	f.InsertUniqueHash(digests(0, 1)[0]) // refused, which Reset forgets
	f.Reset()
	if f.Len() != 0 || f.ScanStats() != (bloom.Stats{Slots: f.Slots()}) || !f.Equal(must(t, make, f.Config())) {
		t.Error("Reset left something")
	}
	if g.Clone().InsertHash(1); !g.Equal(before) {
		t.Error("a clone shares the table")
	}
	whole := f.Config()
	for _, wrong := range []bloom.Config{
		{Slots: whole.Slots + 1, Hashes: whole.Hashes},
		{Slots: whole.Slots, Hashes: whole.Hashes + 1},
		{Slots: whole.Slots, Hashes: whole.Hashes, Hash: hashing.XXH64(1)},
	} {
		if _, split := any(f).(*bloom.SplitBlock); split && wrong.Hashes != whole.Hashes {
			continue // it has 8 always
		}
		other := must(t, make, wrong)
		other.InsertHash(5)
		err := f.Merge(other)
		if !errors.Is(err, bloom.ErrMismatch) || !strings.HasPrefix(err.Error(), "bloom: ") || f.ScanStats().LoadFactor != 0 || f.Len() != 0 {
			t.Errorf("merge with %v: %v, Len %d", wrong, err, f.Len())
		}
		if f.Equal(other) {
			t.Errorf("equal to %v", wrong)
		}
	}
}

func TestStats_Agree(t *testing.T) {
	onEvery(t, func(t *testing.T) { statsAgree(t, bloom.New) }, func(t *testing.T) { statsAgree(t, bloom.NewBlocked) },
		func(t *testing.T) { statsAgree(t, bloom.NewSplitBlock) })
}

func statsAgree[F every[F]](t *testing.T, make func(bloom.Config) (F, error)) {
	f := must(t, make, bloom.Config{Slots: 5120, Hashes: 8})
	f.InsertHashes(digests(0, 300))
	s := f.ScanStats()
	if s.Inserted != f.Len() || s.Slots != 5120 || s.Slots != f.Slots() || f.SizeBytes() != 640 || f.Config().Hashes != 8 ||
		float64(s.Used)/5120 != s.LoadFactor || f.ScanStats() != s {
		t.Errorf("%+v does not agree with the methods of %v", s, f)
	}
	want := "slots=5120/hashes=8/hash=" + f.Config().Hash.Recipe() + ", len 300, 640 bytes}"
	if got := f.String(); !strings.HasSuffix(got, want) || fmt.Sprintf("%#v", f) != got {
		t.Errorf("String is %q, want ...%q", got, want)
	}
}

// TestFilter_DigestsOnly takes digests and panics on keys, which is a plain programming error.
func TestFilter_DigestsOnly(t *testing.T) {
	c := bloom.Config{Capacity: 100, FalsePositiveRate: .01, Hash: hashing.DigestsOnly}
	f := must(t, bloom.New, c)
	f.InsertHash(7)
	var parsed bloom.Config
	if err := parsed.UnmarshalText([]byte(f.Config().String())); err != nil || !f.ContainsHash(7) || parsed.Hash != hashing.DigestsOnly {
		t.Errorf("%v: config parses to %v, %v", f, parsed, err)
	}
	defer func() {
		if recover() == nil || f.Len() != 1 {
			t.Errorf("a key did not panic, or changed Len to %d", f.Len())
		}
	}()
	f.InsertString("key")
}
