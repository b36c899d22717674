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
		if got, want := f.FalsePositiveRate(), cuckoo.PredictRate(width, 2, 4, 1); got != want {
			t.Errorf("width %d: rate %v, want %v", width, got, want)
		}
		g, err := Build(width, c, []uint64{h})
		if err != nil || g.Len() != 1 || g.SizeBytes() != f.SizeBytes() {
			t.Errorf("width %d: Build gives Len %d, %v", width, g.Len(), err)
		}
	}
}

func TestNew_ErrorsLeaveNoFilter(t *testing.T) {
	for _, width := range []uint{0, 33} {
		if f, err := New(width, cuckoo.Config{Buckets: 1}); !errors.Is(err, cuckoo.ErrConfig) || f != nil {
			t.Errorf("New with width %d: %v, %v", width, f, err)
		}
		if f, err := Build(width, cuckoo.Config{Buckets: 1}, nil); !errors.Is(err, cuckoo.ErrConfig) || f != nil {
			t.Errorf("Build with width %d: %v, %v", width, f, err)
		}
	}
	if f, err := New(8, cuckoo.Config{}); !errors.Is(err, cuckoo.ErrConfig) || f != nil {
		t.Errorf("New of an empty config: %v, %v", f, err)
	}
	full := make([]uint64, 9) // the same digest nine times, of which at most 4 fit
	if f, err := Build(8, cuckoo.Config{Buckets: 2, BucketSize: 2}, full); !errors.Is(err, cuckoo.ErrFull) || f != nil {
		t.Errorf("Build of too many copies: %v, %v", f, err)
	}
}
