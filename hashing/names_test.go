package hashing

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

func TestNames_AreWhatNewAccepts(t *testing.T) {
	if !slices.IsSorted(Names()) {
		t.Errorf("%q are not sorted", Names())
	}
	for _, name := range Names() {
		if name == "siphash" { // which needs a key
			continue
		}
		h, err := New(name, 0)
		if err != nil || h.Name() != name {
			t.Errorf("New(%q, 0) = %v, %v", name, h, err)
		}
		if name == "maphash" { // which draws a secret
			continue
		}
		h, err = New(name, 5)
		if err != nil || h.Recipe() != name+":5" {
			t.Errorf("New(%q, 5) = %v, %v", name, h, err)
		}
	}
}

func TestNew_ErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name string
		seed uint64
		is   error
		says string
	}{
		{"md5", 0, ErrUnknown, "fnv1a, maphash, metro64, murmur64a, siphash, xxh3, xxh64)"},
		{"", 0, ErrUnknown, "xxh64"},
		{"XXH64", 0, ErrUnknown, "xxh64"},
		{"siphash", 0, errs.Config, "hashing/secret"},
		{"siphash", 1, errs.Config, "SipHash(key)"},
		{"maphash", 1, errs.Config, "draws its own seed"},
		{"digests", 0, errs.Config, "DigestsOnly"},
	} {
		h, err := New(c.name, c.seed)
		if h != nil || !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "hashing: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("New(%q, %d) = %v, %v", c.name, c.seed, h, err)
		}
	}
}

func TestRecipe_RoundTrips(t *testing.T) {
	for _, h := range []Hasher{
		XXH64(0), XXH64(1), XXH64(1<<64 - 1), Metro64(0), Metro64(1337), FNV1a(0), FNV1a(1 << 63),
		Murmur64A(0), Murmur64A(1<<64 - 1), XXH3(0), XXH3(1<<64 - 1), DigestsOnly,
	} {
		back, err := Parse(h.Recipe())
		if err != nil || back != h {
			t.Errorf("Parse(%q) = %v, %v", h.Recipe(), back, err)
		}
	}
}

func TestRecipe_TellsHashersApart(t *testing.T) {
	legal := regexp.MustCompile(`^[a-z0-9:.-]+$`)
	other := sipKey
	other[0] ^= 0x80
	hashers := append(builtins(), DigestsOnly, SipHash(other), SipHash([16]byte{}), MapHash(), MapHash(), XXH64(77), Metro64(77))
	seen := map[string]bool{}
	for _, h := range hashers {
		r := h.Recipe()
		if seen[r] || !legal.MatchString(r) || r != h.Recipe() {
			t.Errorf("recipe %q is not unique, not legal or not constant", r)
		}
		if name, _, _ := strings.Cut(r, ":"); name != h.Name() {
			t.Errorf("recipe %q of family %q", r, h.Name())
		}
		seen[r] = true
	}
	if one, two := SipHash(sipKey), SipHash(sipKey); one.Recipe() != two.Recipe() {
		t.Error("one key has two recipes")
	}
}

func TestParse_SaysWhyNot(t *testing.T) {
	for _, h := range []Hasher{SipHash(sipKey), MapHash()} {
		back, err := Parse(h.Recipe())
		if back != nil || !errors.Is(err, ErrNotRebuildable) || errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), h.Recipe()) {
			t.Errorf("Parse(%q) = %v, %v", h.Recipe(), back, err)
		}
	}
	for _, recipe := range []string{
		"", ":", "xxh64", "xxh64:", "xxh64:-1", "xxh64:+1", "xxh64:07", "xxh64:0x7", "xxh64:1_0", "xxh64:7 ", "xxh64:7:7",
		"xxh64:18446744073709551616", "XXH64:0", "md5:0", "wordsum:1", "digests:0", "maphash:0", "maphash:5", "siphash:0",
		"multiply-shift:7", "tabulation:0", "murmur64a:00", "xxh3:01",
		"siphash:key-", "siphash:key-0123", "siphash:key-0123456789ABCDEF", "maphash:process-", "siphash:process-0123456789abcdef",
		strings.Repeat("x", 1<<16),
	} {
		back, err := Parse(recipe)
		if back != nil || !errors.Is(err, ErrUnknown) || errors.Is(err, ErrNotRebuildable) {
			t.Errorf("Parse(%.40q) = %v, %v", recipe, back, err)
		}
	}
}
