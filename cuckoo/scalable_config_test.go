package cuckoo

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

func TestScalableConfig_ErrorsNameTheField(t *testing.T) {
	for want, c := range map[string]ScalableConfig{
		"GrowthFactor is 3":          {GrowthFactor: 3},
		"GrowthFactor is 1":          {GrowthFactor: 1},
		"FalsePositiveRate is 1,":    {FalsePositiveRate: 1},
		"FalsePositiveRate is -0.1":  {FalsePositiveRate: -0.1},
		"FalsePositiveRate is NaN":   {FalsePositiveRate: math.NaN()},
		"FalsePositiveRate is 0.001": {FalsePositiveRate: 0.001}, // for 12 bits
		"MaxSubFilters is -1":        {MaxSubFilters: -1},
		"Capacity is -1":             {Capacity: -1},
		"BucketSize is 3":            {BucketSize: 3},
		"MaxKicks is -1":             {MaxKicks: -1},
		"MaxBytes is -1":             {MaxBytes: -1},
		"HugePages is 3":             {HugePages: 3},
	} {
		if _, err := NewScalable[fingerprint.Bits12](c); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := NewScalable[fingerprint.Bits12](ScalableConfig{MaxBytes: 100}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a first sub-filter beyond MaxBytes: %v", err)
	}
	if _, err := NewScalable[fingerprint.Bits4](ScalableConfig{Layout: SemiSorted}); !errors.Is(err, ErrConfig) {
		t.Errorf("semi-sorted buckets of 4 bits: %v", err)
	}
	if _, err := PlanScalable(ScalableConfig{}, 33); !errors.Is(err, ErrConfig) {
		t.Errorf("33 bits: %v", err)
	}
}

// TestScalableConfig_ResolvedIsAFixedPoint resolves what was resolved.
func TestScalableConfig_ResolvedIsAFixedPoint(t *testing.T) {
	for width := uint(1); width <= fingerprint.MaxWidth; width++ {
		for _, c := range []ScalableConfig{{}, {GrowthFactor: 4, Capacity: 1 << 20}, {MaxSubFilters: 7, BucketSize: 8}, {FalsePositiveRate: 0.999999, Kick: RandomWalk}} {
			once, err := PlanScalable(c, width)
			if errors.Is(err, ErrConfig) && c.FalsePositiveRate > 0 && width < 4 {
				continue
			}
			if err != nil {
				t.Fatalf("Bits%d, %v: %v", width, c, err)
			}
			twice, err := PlanScalable(once, width)
			if err != nil || !twice.same(once) || twice.MaxBytes != once.MaxBytes {
				t.Errorf("Bits%d: %v became %v: %v", width, once, twice, err)
			}
			read, err := ParseScalableConfig(once.String())
			if err != nil || !read.same(once) {
				t.Errorf("%q reads as %v: %v", once, read, err)
			}
		}
	}
	if _, err := ParseScalableConfig("growth=x"); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}

func TestScalable_MismatchNamesTheField(t *testing.T) {
	s := mustScalable[fingerprint.Bits12](t, ScalableConfig{})
	for want, c := range map[string]ScalableConfig{
		"BucketSize": {BucketSize: 2}, "Layout": {Layout: SemiSorted}, "Hash": {Hash: hashing.XXH64(1)},
	} {
		g := mustScalable[fingerprint.Bits12](t, c)
		if err := s.Merge(g); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), want) || s.Equal(g) {
			t.Errorf("%s differs: %v", want, err)
		}
	}
}
