package counting_test

import (
	"errors"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

// TestZeroFilter_LosesNoKey: a Filter that no constructor made is empty, and gets a small table with its first key; a
// DLeft says that it takes no keys.
func TestZeroFilter_LosesNoKey(t *testing.T) {
	for _, f := range []interface {
		ContainsHash(h uint64) bool
		CountHash(h uint64) int
		ScanStats() counting.Stats
		MarshalBinary() ([]byte, error)
		DeleteHash(h uint64) bool
	}{new(counting.Filter), new(counting.DLeft), new(counting.DLeft).Clone(), new(counting.Filter).Clone()} {
		if f.ContainsHash(7) || f.CountHash(7) != 0 || f.DeleteHash(7) || f.ScanStats() != (counting.Stats{}) {
			t.Errorf("%T is not empty: %+v", f, f.ScanStats())
		}
		if _, err := f.MarshalBinary(); !errors.Is(err, counting.ErrConfig) {
			t.Errorf("%T has a file: %v", f, err)
		}
	}
	var f counting.Filter
	for i := range uint64(10) {
		f.InsertHash(hashing.Mix64(i))
	}
	if !f.InsertUniqueHash(1<<60) || f.InsertUniqueHash(1<<60) || f.CountHash(1<<60) != 1 || f.Len() != 11 || f.SizeBytes() != 64 {
		t.Errorf("%v", &f)
	}
	for i := range uint64(10) {
		if !f.DeleteHash(hashing.Mix64(i)) {
			t.Errorf("key %d is lost", i)
		}
	}
	if g, err := counting.New(f.Config()); err != nil || !f.DeleteHash(1<<60) || !g.Equal(&f) || f.Config().CounterBits != 4 {
		t.Errorf("%v, %v", err, &f)
	}
	var d, e counting.DLeft
	if err := d.InsertHash(7); !errors.Is(err, counting.ErrConfig) || !d.Equal(&e) || d.Merge(&e) != nil {
		t.Errorf("DLeft: %v", err)
	}
}

// TestZeroValues_NeverPanic calls every method of every zero value, and looks for numbers that are none.
func TestZeroValues_NeverPanic(t *testing.T) {
	for _, wrong := range filetest.CallZero(nil, new(counting.Filter), new(counting.DLeft), new(counting.View), new(counting.Config), new(counting.DLeftConfig)) {
		t.Error(wrong)
	}
}
