package hugepage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/hugepage"
)

func TestMode_NamesReadBack(t *testing.T) {
	for _, m := range []hugepage.Mode{hugepage.Auto, hugepage.On, hugepage.Off} {
		if got, err := hugepage.Parse[hugepage.Mode](m.String()); got != m || err != nil || !m.Valid() {
			t.Errorf("%v reads back as %v, %v", m, got, err)
		}
	}
	if m := hugepage.Off + 1; m.Valid() || m.String() != "HugePages(3)" {
		t.Errorf("%v is valid: %t", m, m.Valid())
	}
	for _, name := range []string{"", "AUTO", "always", "HugePages(3)"} {
		if _, err := hugepage.Parse[hugepage.Mode](name); err == nil || !strings.Contains(err.Error(), "want auto, on or off") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestAllocations_ZeroAndWhole holds in every mode and build: the advice changes no byte.
func TestAllocations_ZeroAndWhole(t *testing.T) {
	for _, m := range []hugepage.Mode{hugepage.Auto, hugepage.On, hugepage.Off} {
		for _, n := range []int{0, 1, 4097, hugepage.Size - 1, hugepage.Size, hugepage.Threshold + 5} {
			b, w := hugepage.Bytes(n, m), hugepage.Words(n/8, m)
			if len(b) != n || len(w) != n/8 {
				t.Fatalf("%d bytes, mode %v: %d bytes and %d words", n, m, len(b), len(w))
			}
			if slices.Max(append(b, 0)) != 0 || slices.Max(append(w, 0)) != 0 {
				t.Fatalf("%d bytes, mode %v: not all are zero", n, m)
			}
		}
	}
}
