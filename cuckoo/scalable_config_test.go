package cuckoo

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

func TestScalableConfig_ErrorsNameTheField(t *testing.T) {
	for want, c := range map[string]ScalableConfig{
		"FalsePositiveRate is 1,":    {FalsePositiveRate: 1},
		"FalsePositiveRate is -0.1":  {FalsePositiveRate: -0.1},
		"FalsePositiveRate is NaN":   {FalsePositiveRate: math.NaN()},
		"FalsePositiveRate is 0.001": {FalsePositiveRate: 0.001}, // for 12 bits
		"MaxDoublings is -1":         {MaxDoublings: -1},
		"Capacity is -1":             {Capacity: -1},
		"BucketSize is 3":            {BucketSize: 3},
		"BucketSize is 2, want 4":    {BucketSize: 2},
		"FingerprintBits is 7":       {FingerprintBits: 7},
		"MaxKicks is -1":             {MaxKicks: -1},
		"MaxBytes is -1":             {MaxBytes: -1},
	} {
		if _, err := NewScalable[fingerprint.Bits12](c); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, c := range map[string]ScalableConfig{"MaxBytes is 100": {MaxBytes: 100}, "Capacity 9223372036854775807": {Capacity: math.MaxInt}} {
		if _, err := NewScalable[fingerprint.Bits12](c); !errors.Is(err, ErrTooLarge) || math.MaxInt > 1<<31 && !strings.Contains(err.Error(), want) {
			t.Errorf("a first table beyond MaxBytes: %v", err)
		}
	}
	if _, err := NewScalable[fingerprint.Bits7](ScalableConfig{}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "7 bits, want 8 to 32") {
		t.Errorf("7 bits: %v", err)
	}
	if _, _, err := PlanScalable(ScalableConfig{FingerprintBits: 33}); !errors.Is(err, ErrConfig) {
		t.Errorf("33 bits: %v", err)
	}
}

// TestScalableConfig_ResolvedIsAFixedPoint resolves what was resolved.
func TestScalableConfig_ResolvedIsAFixedPoint(t *testing.T) {
	for width := minTailWidth; width <= fingerprint.MaxWidth; width++ {
		for _, c := range []ScalableConfig{{}, {Capacity: 1 << 20}, {MaxDoublings: 7, BucketSize: 8}, {FalsePositiveRate: 0.999999, Kick: RandomWalk}} {
			c.FingerprintBits = width
			once, _, err := PlanScalable(c)
			if err != nil {
				t.Fatalf("Bits%d, %v: %v", width, c, err)
			}
			twice, _, err := PlanScalable(once)
			if err != nil || twice.String() != once.String() {
				t.Errorf("Bits%d: %v became %v: %v", width, once, twice, err)
			}
			var read ScalableConfig
			if err := read.UnmarshalText([]byte(once.String())); err != nil || read.String() != once.String() {
				t.Errorf("%q reads as %v: %v", once, read, err)
			}
		}
	}
	if err := new(ScalableConfig).UnmarshalText([]byte("maxdoublings=x")); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if err := new(ScalableConfig).UnmarshalText([]byte("growth=2")); !errors.Is(err, ErrConfig) {
		t.Errorf("a key that there is not: %v", err)
	}
}

// TestPlanScalable_IsTheLaw compares the promise with the law, and the width with the first that keeps it.
func TestPlanScalable_IsTheLaw(t *testing.T) {
	for _, c := range []struct {
		width     int
		most      int
		rate, tol float64
	}{
		{16, 23, 12.5 * 8 / (1 << 15), 1e-4}, {14, 23, 12.5 * 8 / (1 << 13), 1e-4}, {13, 22, 12 * 8. / (1 << 12), 1e-4}, {12, 13, 7.5 * 8 / (1 << 11), 1e-3}, {8, 1, 1.5 * 8 / (1 << 7), 1e-2},
	} {
		plan, _, err := PlanScalable(ScalableConfig{FingerprintBits: c.width})
		if err != nil || plan.MaxDoublings != c.most || math.Abs(plan.FalsePositiveRate+math.Expm1(-c.rate)) > c.tol*c.rate {
			t.Errorf("%d bits: %v, %v, want %d doublings and a rate of %v", c.width, plan, err, c.most, c.rate)
		}
	}
	for _, rate := range []float64{0.3, 0.05, 0.01, 0.001, 1e-4, 1e-6} {
		for _, most := range []int{0, 1, 5, 10, 20} {
			for _, b := range []int{4, 8} {
				c := ScalableConfig{FalsePositiveRate: rate, MaxDoublings: most, BucketSize: b}
				wanted := most
				if most == 0 {
					wanted = 31 - int(logOf(1024, b))
				}
				plan, _, err := PlanScalable(c)
				if err != nil || plan.MaxDoublings != wanted || rateAfter(plan.width(), b, wanted) > rate {
					t.Errorf("%v is planned as %v: %v", c, plan, err)
				}
				c.FingerprintBits = plan.FingerprintBits - 1
				if less, _, err := PlanScalable(c); err == nil && less.MaxDoublings >= wanted {
					t.Errorf("%v is planned as %v, and %v would do", c, plan, less)
				}
			}
		}
	}
	for want, c := range map[error]ScalableConfig{
		ErrConfig: {FalsePositiveRate: 1e-12}, ErrTooLarge: {FalsePositiveRate: 0.001, Capacity: 1 << 20, MaxBytes: 1 << 20},
	} {
		if _, _, err := PlanScalable(c); !errors.Is(err, want) {
			t.Errorf("%v: %v, want %v", c, err, want)
		}
	}
	if _, _, err := PlanScalable(ScalableConfig{}); !errors.Is(err, ErrConfig) {
		t.Errorf("no rate: %v", err)
	}
}

// TestPlanScalable_SizeIsTheTable compares the size that is planned with that of a filter, and doubles both.
func TestPlanScalable_SizeIsTheTable(t *testing.T) {
	s := mustScalable[fingerprint.Bits13](t, ScalableConfig{})
	_, size, err := PlanScalable(s.Config())
	for g := range 5 {
		if got := (size-8)<<g + 8; err != nil || got != s.SizeBytes() {
			t.Errorf("after %d doublings %d bytes, planned %d: %v", g, s.SizeBytes(), got, err)
		}
		s.double()
		s.settle()
	}
}
