package bitsandblooms_test

import (
	"errors"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
)

// TestZero_LosesNoKey calls every verb of a filter that no constructor made: it is empty, and gets a small table with
// its first key.
func TestZero_LosesNoKey(t *testing.T) {
	var f, g bitsandblooms.Filter
	if f.ContainsString("a") || f.Len() != 0 || f.Slots()+f.Config().Hashes+f.SizeBytes() != 0 {
		t.Errorf("it holds something: %v", &f)
	}
	if got := f.ScanStats(); got != (bloom.Stats{}) {
		t.Errorf("%+v", got)
	}
	if err := f.Merge(&g); err != nil || !f.Equal(&g) || !f.Clone().Equal(&f) {
		t.Errorf("two of them are not alike, %v", err)
	}
	other, err := bitsandblooms.New(bitsandblooms.Config{Slots: 64, Hashes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Merge(&f); !errors.Is(err, bloom.ErrMismatch) {
		t.Errorf("Merge into another: %v", err)
	}
	if !f.InsertUniqueString("a") || !f.InsertUniqueString("b") || !f.ContainsString("a") || f.Len() != 2 ||
		f.Equal(&g) {
		t.Errorf("after an insert: %v", &f)
	}
	if f.Reset(); f.ContainsString("a") || f.Config() != (bitsandblooms.Config{Slots: 512, Hashes: 8}) {
		t.Errorf("after Reset: %v", &f)
	}
}
