package widths

import (
	"errors"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// A table of one slot holds one fingerprint; its predicted rate tells its width apart from others.
func TestNew_HasTheWidth(t *testing.T) {
	for width := uint(1); width <= fingerprint.MaxWidth; width++ {
		c := cuckoo.Config{Buckets: 4, BucketSize: 2}
		f, err := New(width, c)
		if err != nil {
			t.Fatalf("width %d: %v", width, err)
		}
		h := hashing.Mix64(1)
		if err := f.InsertHash(h); err != nil || !f.ContainsHash(h) {
			t.Errorf("width %d: insert gives %v, contains %v", width, err, f.ContainsHash(h))
		}
		if got, want := f.FalsePositiveRate(), c.PredictRate(width, 1); got != want {
			t.Errorf("width %d: rate %v, want %v", width, got, want)
		}
	}
}

func TestNew_ErrorsLeaveNoFilter(t *testing.T) {
	for _, width := range []uint{0, 33} {
		if f, err := New(width, cuckoo.Config{Buckets: 1}); !errors.Is(err, cuckoo.ErrConfig) || f != nil {
			t.Errorf("New with width %d: %v, %v", width, f, err)
		}
	}
	if f, err := New(8, cuckoo.Config{}); !errors.Is(err, cuckoo.ErrConfig) || f != nil {
		t.Errorf("New of an empty config: %v, %v", f, err)
	}
}
