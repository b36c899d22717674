package bitsandblooms_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
)

// TestZero_IsEmptyAndInsertsPanic calls every verb of a filter that no constructor made.
func TestZero_IsEmptyAndInsertsPanic(t *testing.T) {
	var f, g bitsandblooms.Filter
	for name, insert := range map[string]func(){
		"Insert":       func() { f.InsertString("a") },
		"InsertUnique": func() { f.InsertUniqueString("a") },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "make one with a constructor") {
					t.Errorf("%s panics with %s", name, got)
				}
			}()
			insert()
		}()
	}
	if f.ContainsString("a") || f.Len() != 0 || f.Slots()+f.Config().Hashes+f.SizeBytes() != 0 {
		t.Errorf("it holds something: %v", &f)
	}
	if got := f.Stats(); got != (bitsandblooms.Stats{}) {
		t.Errorf("%+v", got)
	}
	if err := f.Merge(&g); err != nil || !f.Equal(&g) || !f.Clone().Equal(&f) {
		t.Errorf("two of them are not alike, %v", err)
	}
	other, err := bitsandblooms.New(bitsandblooms.Config{Bits: 64, Hashes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Merge(&f); !errors.Is(err, bloom.ErrMismatch) {
		t.Errorf("Merge into another: %v", err)
	}
	if f.Reset(); f.Config() != (bitsandblooms.Config{}) {
		t.Errorf("after Reset: %v", &f)
	}
}
