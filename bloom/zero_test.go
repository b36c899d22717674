package bloom_test

import (
	"errors"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/internal/filetest"
)

// zeroFilter is what a filter that no constructor made is asked.
type zeroFilter interface {
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	InsertUniqueHash(h uint64) bool
	InsertHashes(hs []uint64)
	MarshalBinary() ([]byte, error)
	ScanStats() bloom.Stats
	Len() int
	SizeBytes() int
	Reset()
}

// TestZeroFilter_LosesNoKey: a filter that no constructor made is empty, and gets a small table with its first key.
func TestZeroFilter_LosesNoKey(t *testing.T) {
	for _, f := range []zeroFilter{new(bloom.Filter), new(bloom.Blocked), new(bloom.SplitBlock)} {
		if _, err := f.MarshalBinary(); !errors.Is(err, bloom.ErrConfig) || f.ContainsHash(7) || f.ScanStats() != (bloom.Stats{}) {
			t.Errorf("%T is not empty: %+v, %v", f, f.ScanStats(), err)
		}
		if f.InsertHashes(digests(1, 9)); !f.InsertUniqueHash(1<<60) || f.InsertUniqueHash(1<<60) {
			t.Errorf("%T: a key is not new once", f)
		}
		hs, dst := append(digests(1, 9), digests(1<<40, 9)...), make([]bool, 18)
		f.ContainsHashes(hs, dst)
		for i, h := range hs {
			if f.ContainsHash(h) != dst[i] || !dst[i] && i < 9 {
				t.Errorf("%T: key %d is %t", f, i, dst[i])
			}
		}
		if s := f.ScanStats(); s.Inserted != 10 || s.Slots != 512 || s.Used < 64 || f.SizeBytes() != 64 {
			t.Errorf("%T: %+v", f, s)
		}
		if _, err := f.MarshalBinary(); err != nil {
			t.Errorf("%T: %v", f, err)
		}
	}
}

// TestZeroConcurrent_LosesNoKey: a Concurrent that no constructor made has every key once one was inserted, as no table
// can be made for goroutines that use it already.
func TestZeroConcurrent_LosesNoKey(t *testing.T) {
	var f, g bloom.Concurrent
	if f.ContainsHash(7) || !f.InsertUniqueHash(7) || f.InsertUniqueHash(8) {
		t.Error("of two keys not the first is new")
	}
	f.InsertHashes([]uint64{9, 10})
	dst := make([]bool, 2)
	f.ContainsHashes([]uint64{7, 11}, dst)
	if want := (bloom.Stats{Inserted: 3, FalsePositiveRate: 1}); !dst[0] || !dst[1] || f.Len() != 3 || f.ScanStats() != want {
		t.Errorf("%v, %+v", dst, f.ScanStats())
	}
	if f.Equal(&g) || !f.Clone().Equal(&f) || !f.Blocked().Concurrent().Equal(&f) {
		t.Error("a zero filter with a key equals one without")
	}
	if err := g.Merge(&f); err != nil || !g.Equal(&f) || g.Len() != 3 {
		t.Errorf("merged: %v, %v", err, &g)
	}
	if single := f.Blocked(); !single.ContainsHash(12) || single.InsertUniqueHash(12) || !single.ContainsHash(13) || single.Len() != 3 {
		t.Errorf("its copy loses keys: %v", single)
	}
	made, _ := bloom.NewConcurrent(bloom.Config{Slots: 512, Hashes: 3})
	if err := errors.Join(made.Merge(&g), g.Merge(made)); !errors.Is(err, bloom.ErrMismatch) || made.Len() != 0 || g.Len() != 3 {
		t.Errorf("merged with a filter that was made: %v", err)
	}
	if f.Reset(); f.ContainsHash(7) || f.Len() != 0 {
		t.Error("a key after Reset")
	}
}

// TestZeroValues_NeverPanic calls every method of every zero value, and looks for numbers that are none.
func TestZeroValues_NeverPanic(t *testing.T) {
	for _, wrong := range filetest.CallZero(nil, new(bloom.Filter), new(bloom.Blocked), new(bloom.SplitBlock), new(bloom.Concurrent), new(bloom.View), new(bloom.Config)) {
		t.Error(wrong)
	}
}
