package bitsandblooms_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
)

func newFilter(t testing.TB, bits, hashes int) *bitsandblooms.Filter {
	t.Helper()
	f, err := bitsandblooms.New(bitsandblooms.Config{Slots: bits, Hashes: hashes})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func decode(t testing.TB, data []byte) *bitsandblooms.Filter {
	t.Helper()
	f, err := bitsandblooms.Decode(data, bitsandblooms.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// key returns the bytes of a number.
func key(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// golden is what bits-and-blooms/bloom v3.7.1 wrote of New(100, 3) with the keys "a", "hello" and "cuckoo".
const golden = "0000000000000064" + "0000000000000003" + "0000000000000064" + "0000240000002062" + "0000000400010000"

func TestGolden_Bytes(t *testing.T) {
	f := newFilter(t, 100, 3)
	for _, k := range []string{"a", "hello", "cuckoo"} {
		f.InsertString(k)
	}
	if got := hex.EncodeToString(f.Encode()); got != golden {
		t.Errorf("encoded\n%s, want\n%s", got, golden)
	}
	data, _ := hex.DecodeString(golden)
	g := decode(t, data)
	if !g.Equal(f) || g.Len() != 0 || g.Config() != f.Config() || !g.ContainsString("cuckoo") ||
		g.ContainsString("absent") {
		t.Errorf("decoded %v, inserted %v", g, f)
	}
	if got := hex.EncodeToString(g.Encode()); got != golden {
		t.Errorf("encoded again %s", got)
	}
}

func TestVerbs_BytesAndStringsAgree(t *testing.T) {
	for _, m := range []int{1, 63, 64, 65, 1000, 1024} {
		f, g := newFilter(t, m, 4), newFilter(t, m, 4)
		added := 0
		for n := range uint64(100) {
			if f.InsertUnique(key(n)) != g.InsertUniqueString(string(key(n))) {
				t.Fatalf("m=%d: InsertUnique of the two forms differ", m)
			}
			if added = f.Len(); !f.Contains(key(n)) || !g.ContainsString(string(key(n))) {
				t.Fatalf("m=%d: key %d is lost", m, n)
			}
			f.Insert(key(n))
			g.InsertString(string(key(n)))
			if !f.Equal(g) || f.Len() != added+1 {
				t.Fatalf("m=%d: filters of the two forms differ, or Len is %d", m, f.Len())
			}
		}
		f.Reset()
		if f.Len() != 0 || f.ScanStats().LoadFactor != 0 || f.Contains(key(1)) {
			t.Errorf("m=%d: after Reset %v", m, f)
		}
	}
}

func TestMerge_IsUnion(t *testing.T) {
	f, g, both := newFilter(t, 5000, 3), newFilter(t, 5000, 3), newFilter(t, 5000, 3)
	for n := range uint64(300) {
		if n < 200 {
			f.Insert(key(n))
		}
		if n >= 100 {
			g.Insert(key(n))
		}
		both.Insert(key(n))
	}
	before := f.Clone()
	if err := f.Merge(g); err != nil || !f.Equal(both) || f.Len() != 400 || before.Equal(f) {
		t.Errorf("union %v, %v", f, err)
	}
	for _, other := range []*bitsandblooms.Filter{newFilter(t, 5001, 3), newFilter(t, 5000, 4)} {
		if err := f.Merge(other); !errors.Is(err, bloom.ErrMismatch) || !f.Equal(both) {
			t.Errorf("merge with %v: %v", other, err)
		}
	}
}

// TestRates_WithinBound compares rate and count with their predictions, of 10,000 keys at 10 bits each. The
// bounds are 4.9 standard deviations, one false alarm in 10^6.
func TestRates_WithinBound(t *testing.T) {
	const keys, queries = 10_000, 200_000
	f := newFilter(t, 10*keys, 7)
	for n := range uint64(keys) {
		f.Insert(key(n))
	}
	positives, want := 0, f.ScanStats().FalsePositiveRate
	for n := range uint64(queries) {
		if f.Contains(key(n + 1<<40)) {
			positives++
		}
	}
	if got := float64(positives) / queries; math.Abs(got-want) > 4.9*math.Sqrt(want*(1-want)/queries) {
		t.Errorf("rate %.5f, predicted %.5f", got, want)
	}
}

func TestAllocs_Zero(t *testing.T) {
	f, n := newFilter(t, 1000, 5), byte(0)
	text := strings.Repeat("long", 100)
	if got := testing.AllocsPerRun(300, func() {
		n++
		k := [40]byte{n, 2, 3}
		f.Insert(k[:])
		f.InsertUnique(k[1:])
		f.Contains(k[:3])
		f.Contains([]byte(text))
		f.InsertString(text[n:])
		f.InsertUniqueString(text)
		f.ContainsString(text)
		_ = f.ScanStats()
		f.Reset()
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestNew_RefusesConfigurations(t *testing.T) {
	for _, c := range []struct {
		config bitsandblooms.Config
		want   error
	}{
		{bitsandblooms.Config{}, bloom.ErrConfig},
		{bitsandblooms.Config{Slots: 1}, bloom.ErrConfig},
		{bitsandblooms.Config{Slots: -1, Hashes: 1}, bloom.ErrConfig},
		{bitsandblooms.Config{Slots: 1, Hashes: bitsandblooms.MaxHashes + 1}, bloom.ErrConfig},
		{bitsandblooms.Config{Slots: 1, Hashes: 1, MaxBytes: -1}, bloom.ErrConfig},
		{bitsandblooms.Config{Slots: 801, Hashes: 1, MaxBytes: 100}, bloom.ErrTooLarge},
	} {
		if f, err := bitsandblooms.New(c.config); f != nil || !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.config, err, c.want)
		}
	}
}
