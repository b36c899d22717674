package parquet_test

import (
	"errors"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/parquet"
)

// TestSize_OfTheHeaderAlone holds the size that a header tells to the bytes that are written.
func TestSize_OfTheHeaderAlone(t *testing.T) {
	for _, bits := range []int{256, 1 << 16, 1 << 20} {
		f, err := bloom.NewSplitBlock(bloom.Config{Slots: bits})
		if err != nil {
			t.Fatal(err)
		}
		data, err := parquet.Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		head := len(data) - f.SizeBytes()
		if n, err := parquet.Size(data[:head]); err != nil || n != uint64(len(data)) {
			t.Errorf("%d bits: %d bytes, %v, want %d", bits, n, err, len(data))
		}
		if _, err := parquet.Size(data[:head-1]); !errors.Is(err, bloom.ErrTooShort) {
			t.Errorf("half a header: %v", err)
		}
	}
	if _, err := parquet.Size(make([]byte, 99)); !errors.Is(err, bloom.ErrCorrupt) {
		t.Errorf("zeros: %v", err)
	}
}
