package fuse

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// TestConfig_ProblemsAreNamed: whatever is wrong is ErrConfig or ErrTooLarge, and says the field.
func TestConfig_ProblemsAreNamed(t *testing.T) {
	anyOf := func(c Config) error { _, err := Build[fingerprint.Any](c, digests(0, 1000)); return err }
	eight := func(c Config) error { _, err := Build[fingerprint.Bits8](c, digests(0, 1000)); return err }
	plan := func(c Config) error { _, _, err := Plan(c, math.MaxInt); return err }
	for _, x := range []struct {
		build func(Config) error
		c     Config
		want  error
		text  string
	}{
		{anyOf, Config{}, ErrConfig, "FingerprintBits and FalsePositiveRate are both 0"},
		{anyOf, Config{FingerprintBits: 33}, ErrConfig, "FingerprintBits is 33, want 1 to 32"},
		{anyOf, Config{FalsePositiveRate: 1e-10}, ErrConfig,
			"FalsePositiveRate is 1e-10, which takes 34 bits, want at most 32"},
		{anyOf, Config{FalsePositiveRate: 1}, ErrConfig, "FalsePositiveRate is 1, want a number between 0 and 1"},
		{anyOf, Config{FalsePositiveRate: math.NaN()}, ErrConfig, "FalsePositiveRate is NaN"},
		{anyOf, Config{FingerprintBits: 7, FalsePositiveRate: 0.004}, ErrConfig, "takes 8 bits, want at most 7"},
		{eight, Config{FingerprintBits: 9}, ErrConfig, "FingerprintBits is 9, and the fingerprints have 8 bits"},
		{eight, Config{FalsePositiveRate: 0.001}, ErrConfig, "takes 10 bits, want at most 8"},
		{eight, Config{Segments: 5}, ErrConfig, "Segments is 5, want 3 or 4"},
		{eight, Config{MaxBytes: -1}, ErrConfig, "MaxBytes is -1"},
		{eight, Config{MaxBytes: 1000}, ErrTooLarge, "MaxBytes is 1000"},
		{plan, Config{FingerprintBits: 8, MaxBytes: math.MaxInt}, ErrTooLarge, "slots of 8 bits"},
	} {
		if err := x.build(x.c); !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.text) ||
			!strings.HasPrefix(err.Error(), "fuse: ") {
			t.Errorf("%v: %v, want %q", x.c, err, x.text)
		}
	}
	if _, _, err := Plan(Config{FingerprintBits: 8}, -1); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if _, err := BuildKeys[fingerprint.Any](Config{}, slices.Values([]string{"a"})); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}

// TestConfig_RateGivesWidth: Any takes the fewest bits that keep a rate.
func TestConfig_RateGivesWidth(t *testing.T) {
	for rate, want := range map[float64]int{0.9: 1, 0.5: 1, 0.01: 7, 1.0 / 256: 8, 0.0039: 9, 0.001: 10,
		1.0 / (1 << 32): 32} {
		f := must[fingerprint.Any](t, Config{FalsePositiveRate: rate}, digests(0, 10))
		if c := f.Config(); c.FingerprintBits != want || f.FalsePositiveRate() > rate || c.FalsePositiveRate != 0 ||
			c.Segments != 4 {
			t.Errorf("rate %v: %v", rate, f)
		}
	}
}

// TestConfig_TextRoundTrip: the text of a configuration reads back, and a wrong one names its key.
func TestConfig_TextRoundTrip(t *testing.T) {
	c := Config{FingerprintBits: 8, FalsePositiveRate: 0.01, Segments: 3, Hash: hashing.XXH64(7), MaxBytes: 99}
	text, err := c.MarshalText()
	var d Config
	if err != nil || string(text) != "f=8/fpr=0.01/segments=3/hash=xxh64:7/maxbytes=99" ||
		d.UnmarshalText(text) != nil || d != c {
		t.Errorf("%s: %v, %v", text, d, err)
	}
	if err := d.UnmarshalText([]byte("f=9/b=4")); !errors.Is(err, ErrConfig) ||
		!strings.Contains(err.Error(), "b=4") || d != c {
		t.Error(err, d)
	}
}

// TestBuildKeys_HashesAsLookupsDo: keys as bytes and as strings make one filter, under the default hash and another.
func TestBuildKeys_HashesAsLookupsDo(t *testing.T) {
	words := []string{"ant", "", "bee", strings.Repeat("long", 50), "bee"}
	var keys [][]byte
	for _, w := range words {
		keys = append(keys, []byte(w))
	}
	for _, h := range []hashing.Hasher{nil, hashing.SipHash([16]byte{1})} {
		f, err1 := BuildKeys[fingerprint.Bits20](Config{Hash: h}, slices.Values(words))
		g, err2 := BuildKeys[fingerprint.Bits20](Config{Hash: h}, slices.Values(keys))
		if err1 != nil || err2 != nil || !f.Equal(g) || f.Len() != 4 || f.Stats().Repeated != 1 ||
			f.ContainsString("cat") {
			t.Fatal(f, g, err1, err2)
		}
		for i, w := range words {
			if !f.ContainsString(w) || !g.Contains(keys[i]) {
				t.Errorf("%q is lost", w)
			}
		}
	}
}

// TestZeroFilter_IsEmpty: nothing of a filter that was not built panics, and a reset one is what Build makes of no
// keys.
func TestZeroFilter_IsEmpty(t *testing.T) {
	var zero Filter[fingerprint.Any]
	zero.Reset()
	some := must[fingerprint.Any](t, Config{FingerprintBits: 3}, digests(0, 100))
	none := must[fingerprint.Any](t, Config{FingerprintBits: 3}, nil)
	same := some.Clone()
	some.Reset()
	if !some.Equal(none) || same.Equal(some) || same.Len() != 100 {
		t.Error("Reset makes", some, "and Clone shares with it")
	}
	for _, f := range []*Filter[fingerprint.Any]{&zero, zero.Clone(), some} {
		dst := []bool{true, true, true}
		f.ContainsHashes(digests(0, 2), dst)
		if f.Len() != 0 || f.ContainsHash(0) || f.ContainsString("") || dst[0] || dst[1] || !dst[2] ||
			f.FalsePositiveRate() != 0 || f.LoadFactor() != 0 {
			t.Errorf("%v: %v", f, dst)
		}
	}
	if !zero.Equal(&zero) || zero.Equal(none) || zero.SizeBytes() != 0 || zero.Slots() != 0 ||
		!strings.HasPrefix(zero.GoString(), "fuse.Filter{") {
		t.Error(zero.String())
	}
}

// TestPlan_IsTheTableOfTheDoc holds what the package documentation says of slots for each key to plans.
func TestPlan_IsTheTableOfTheDoc(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	perKey := func(segments, keys int) float64 {
		slots, _, err := Plan(Config{FingerprintBits: 7, Segments: segments}, keys)
		if err != nil {
			t.Fatal(err)
		}
		return float64(slots) / float64(keys)
	}
	for segments, name := range map[int]string{4: "four", 3: "three"} {
		_, row, found := strings.Cut(string(doc), "//\t"+name)
		row, _, _ = strings.Cut(row, "\n")
		said := strings.Fields(row)
		if !found || len(said) != 8 {
			t.Fatalf("%s: %q", name, row)
		}
		for k, text := range said {
			_, decimals, _ := strings.Cut(text, ".")
			if is := fmt.Sprintf("%.*f", len(decimals), perKey(segments, int(math.Pow10(k+1)))); is != text {
				t.Errorf("%s segments, 10^%d keys: the doc says %s, a plan %s", name, k+1, text, is)
			}
		}
	}
	if is := fmt.Sprintf("%.1f bits a key with 7 bits a slot", 7*perKey(4, 100)); !strings.Contains(string(doc), is) {
		t.Errorf("the doc does not say that %s", is)
	}
}
