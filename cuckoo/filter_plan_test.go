package cuckoo_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

func TestPlan_IsWhatNewMakes(t *testing.T) {
	for _, b := range []int{1, 2, 4, 8} {
		for _, p := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
			for _, n := range []int{1, 100, 12_345} {
				c := cuckoo.Config{Capacity: n, BucketSize: b, Placement: p}
				got, size, err := cuckoo.Plan(c, 11)
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				f, err := cuckoo.New[fingerprint.Bits11](c)
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				if got.String() != f.Config().String() || size != f.SizeBytes() {
					t.Errorf("%v: planned %v of %d bytes, made %v of %d", c, got, size, f.Config(), f.SizeBytes())
				}
			}
		}
	}
}

func TestPlan_NeedsNoMemory(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("the table is larger than an int")
	}
	n := math.MaxInt >> 30 // 8.6e9, written so that it compiles where int has 32 bits
	c, size, err := cuckoo.Plan(cuckoo.Config{Capacity: n, MaxBytes: math.MaxInt}, 32)
	if err != nil || size < 4*n || c.Buckets < n/4 {
		t.Errorf("plan of %d keys: %v, %d bytes, %v", n, c, size, err)
	}
}

// TestPlan_SlotsAreAnInt asks for tables of narrow fingerprints that hold more slots than bytes.
func TestPlan_SlotsAreAnInt(t *testing.T) {
	for _, buckets := range []int{1<<28 - 1, 1 << 28, 1 << 29} {
		c, _, err := cuckoo.Plan(cuckoo.Config{Buckets: buckets, BucketSize: 8}, 1)
		if uint64(buckets)*8 > math.MaxInt {
			if !errors.Is(err, cuckoo.ErrTooLarge) {
				t.Errorf("%d buckets of 8 slots: %v, %v, want ErrTooLarge", buckets, c, err)
			}
		} else if err != nil {
			t.Errorf("%d buckets of 8 slots: %v", buckets, err)
		}
	}
}

func TestPlan_Errors(t *testing.T) {
	for _, width := range []uint{0, 33} {
		if _, _, err := cuckoo.Plan(cuckoo.Config{Capacity: 1}, width); !errors.Is(err, cuckoo.ErrConfig) {
			t.Errorf("width %d: %v, want ErrConfig", width, err)
		}
	}
	if _, _, err := cuckoo.Plan(cuckoo.Config{}, 8); !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("empty config: %v, want ErrConfig", err)
	}
	if _, _, err := cuckoo.Plan(cuckoo.Config{Capacity: 1000, MaxBytes: 10}, 8); !errors.Is(err, cuckoo.ErrTooLarge) {
		t.Errorf("10 bytes: %v, want ErrTooLarge", err)
	}
}

func ExamplePlan() {
	c, size, err := cuckoo.Plan(cuckoo.Config{Buckets: 1 << 20, BucketSize: 4}, 12)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes, at 95%% load a rate of %.2g\n", size, cuckoo.PredictRate(12, c.BucketSize, c.Buckets, 3_984_588))
	// Output: 6291464 bytes, at 95% load a rate of 0.0019
}
