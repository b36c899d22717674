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
				c := cuckoo.Config{Capacity: n, FingerprintBits: 11, BucketSize: b, Placement: p}
				got, size, err := cuckoo.Plan(c)
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
	c, size, err := cuckoo.Plan(cuckoo.Config{Capacity: n, FingerprintBits: 32, MaxBytes: math.MaxInt})
	if err != nil || size < 4*n || c.Buckets < n/4 {
		t.Errorf("plan of %d keys: %v, %d bytes, %v", n, c, size, err)
	}
}

// TestPlan_SlotsAreAnInt asks for tables of narrow fingerprints that hold more slots than bytes.
func TestPlan_SlotsAreAnInt(t *testing.T) {
	for _, buckets := range []int{1<<28 - 1, 1 << 28, 1 << 29} {
		c, _, err := cuckoo.Plan(cuckoo.Config{Buckets: buckets, FingerprintBits: 1, BucketSize: 8})
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
	for _, width := range []int{0, -1, 33} {
		if _, _, err := cuckoo.Plan(cuckoo.Config{Capacity: 1, FingerprintBits: width}); !errors.Is(err, cuckoo.ErrConfig) {
			t.Errorf("width %d: %v, want ErrConfig", width, err)
		}
	}
	if _, _, err := cuckoo.Plan(cuckoo.Config{FingerprintBits: 8}); !errors.Is(err, cuckoo.ErrConfig) {
		t.Errorf("empty config: %v, want ErrConfig", err)
	}
	if _, _, err := cuckoo.Plan(cuckoo.Config{Capacity: 1000, FingerprintBits: 8, MaxBytes: 10}); !errors.Is(err, cuckoo.ErrTooLarge) {
		t.Errorf("10 bytes: %v, want ErrTooLarge", err)
	}
}

func ExamplePlan() {
	c, size, err := cuckoo.Plan(cuckoo.Config{Buckets: 1 << 20, FingerprintBits: 12})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes, at 95%% load a rate of %.2g\n", size, c.PredictRate(3_984_588))
	// Output: 6291464 bytes, at 95% load a rate of 0.0019
}

// nonsense are numbers of which some are good and most are not.
var nonsense = []int{
	math.MinInt, math.MinInt32, -64, -8, -1, 0, 1, 2, 4, 8, 31, 32, 33, 64, 1023, 1024, math.MaxInt32, math.MaxInt,
}

// TestPredictRate_OfNonsense asks for the rates of filters that there are not: what comes is a probability, and
// NaN for a layout or a width that there is not.
func TestPredictRate_OfNonsense(t *testing.T) {
	var layouts []cuckoo.Layout // those that there are, and two others
	for err := error(nil); err == nil; {
		l := cuckoo.Layout(len(layouts))
		layouts = append(layouts, l)
		_, err = l.MarshalText()
	}
	last := layouts[len(layouts)-2]
	layouts = append(layouts, 255)
	check := func(got float64, possible, empty bool, what ...any) {
		t.Helper()
		switch {
		case empty && got != 0, !empty && !possible && !math.IsNaN(got), !empty && possible && !(got >= 0 && got <= 1):
			t.Errorf("%v: %v", what, got)
		}
	}
	for _, w := range nonsense {
		wide := w >= 1 && w <= fingerprint.MaxWidth
		for _, b := range nonsense {
			for _, buckets := range nonsense {
				for _, n := range nonsense {
					empty := b < 1 || buckets < 1 || n < 1
					for _, layout := range layouts {
						c := cuckoo.Config{Buckets: buckets, FingerprintBits: w, BucketSize: b, Layout: layout}
						check(c.PredictRate(n), wide && layout <= last, empty, layout, w, b, buckets, n)
					}
				}
			}
		}
	}
}

// TestPlans_OfNonsense plans filters that there are not: the error is ErrConfig or ErrTooLarge, and no
// size is negative.
func TestPlans_OfNonsense(t *testing.T) {
	for _, x := range nonsense {
		for _, y := range nonsense {
			for _, c := range []cuckoo.Config{
				{Capacity: x, BucketSize: y}, {Buckets: x, BucketSize: y}, {Capacity: 9, FingerprintBits: y},
				{Capacity: x, Layout: cuckoo.Layout(y)}, {Capacity: x, Placement: cuckoo.Placement(y)},
				{Buckets: 1, BucketSize: 4, MaxKicks: x, MaxBytes: y},
			} {
				for _, c.FingerprintBits = range nonsense {
					_, size, err := cuckoo.Plan(c)
					checkPlan(t, size, err, "Plan", c)
					_, size, err = cuckoo.PlanConcurrent(c)
					checkPlan(t, size, err, "PlanConcurrent", c)
				}
			}
			for _, rate := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, .01, 1, 2} {
				for _, bits := range []int{0, x} {
					_, size, err := cuckoo.Plan(cuckoo.Config{Capacity: y, FalsePositiveRate: rate, FingerprintBits: bits})
					checkPlan(t, size, err, "Plan", y, rate, bits)
					c := cuckoo.ScalableConfig{Capacity: x, FalsePositiveRate: rate, FingerprintBits: bits, BucketSize: y, MaxDoublings: y}
					_, size, err = cuckoo.PlanScalable(c)
					checkPlan(t, size, err, "PlanScalable", c)
				}
			}
		}
	}
}

func checkPlan(t *testing.T, size int, err error, what ...any) {
	t.Helper()
	if size < 0 || err != nil && !errors.Is(err, cuckoo.ErrConfig) && !errors.Is(err, cuckoo.ErrTooLarge) {
		t.Errorf("%v: %v, %v", what, size, err)
	}
}
