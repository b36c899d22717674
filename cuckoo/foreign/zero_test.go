package foreign_test

import (
	"errors"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/foreign"
)

// TestZero_IsEmptyAndTakesNoKeys calls every verb of a filter that no constructor made.
func TestZero_IsEmptyAndTakesNoKeys(t *testing.T) {
	var f, g foreign.Filter
	if err := f.InsertString("a"); !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("Insert: %v", err)
	}
	if ok, err := f.InsertUnique([]byte("a")); ok || !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("InsertUnique: %t, %v", ok, err)
	}
	hs, dst := digests(100, 1), []bool{99: true}
	if n, err := f.InsertHashes(hs); n != 0 || !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("InsertHashes: %d, %v", n, err)
	}
	if f.ContainsHashes(hs, dst); dst[0] || dst[99] || f.ContainsString("a") || f.DeleteHashes(hs) != 0 ||
		f.DeleteString("a") || f.CountString("a") != 0 {
		t.Error("it holds a key")
	}
	if err := f.Merge(&g); err != nil || !f.Equal(&g) || !f.Clone().Equal(&f) {
		t.Errorf("two of them are not alike, %v", err)
	}
	if err := newFilter(t, foreign.Config{Format: foreign.Panmari, Buckets: 4}).Merge(&f); !errors.Is(err,
		cuckoo.ErrMismatch) {
		t.Errorf("Merge into another: %v", err)
	}
	if f.Reset(); f.Len()+f.Slots()+f.SizeBytes()+len(f.Encode()) != 0 || f.LoadFactor() != 0 ||
		f.FalsePositiveRate() != 0 || f.Config().Buckets != 0 {
		t.Errorf("it has something: %v", &f)
	}
}
