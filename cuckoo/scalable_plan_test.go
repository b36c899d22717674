package cuckoo

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/limits"
)

// TestPlanScalable_Law pins the numbers of docs/SCALABLE.md: an unknown size costs log2 of the number of
// sub-filters, in bits.
func TestPlanScalable_Law(t *testing.T) {
	for _, c := range []struct {
		config ScalableConfig
		width  uint
		n      int
		rate   float64
	}{
		{ScalableConfig{}, 16, 24, 0.002926},
		{ScalableConfig{GrowthFactor: 4}, 16, 12, 0.001464},
		{ScalableConfig{Capacity: 1 << 20}, 16, 14, 0.001708},
	} {
		got, err := PlanScalable(c.config, c.width)
		if err != nil || got.MaxSubFilters != c.n || math.Abs(got.FalsePositiveRate-c.rate) > 1e-6 {
			t.Errorf("%v: %d sub-filters, rate %.6f, want %d and %.6f: %v", c.config, got.MaxSubFilters, got.FalsePositiveRate, c.n, c.rate, err)
		}
	}
}

func TestScalableWidth_IsTheNarrowest(t *testing.T) {
	for _, c := range []ScalableConfig{
		{FalsePositiveRate: 0.5}, {FalsePositiveRate: 0.01}, {FalsePositiveRate: 0.001}, {FalsePositiveRate: 0.001, MaxSubFilters: 10},
		{FalsePositiveRate: 1e-6, GrowthFactor: 4}, {FalsePositiveRate: 0.001, Layout: SemiSorted},
	} {
		width, err := ScalableWidth(c)
		if err != nil {
			t.Fatal(err)
		}
		every := c
		every.FalsePositiveRate = 0
		resolved, err := PlanScalable(every, width)
		if err != nil || resolved.FalsePositiveRate > c.FalsePositiveRate {
			t.Errorf("%v: %d bits keep %.3g: %v", c, width, resolved.FalsePositiveRate, err)
		}
		if resolved, err = PlanScalable(every, width-1); err == nil && resolved.FalsePositiveRate <= c.FalsePositiveRate {
			t.Errorf("%v: %d bits keep %.3g too", c, width-1, resolved.FalsePositiveRate)
		}
	}
	for _, rate := range []float64{0, 1, -1, math.NaN(), 1e-12} {
		if _, err := ScalableWidth(ScalableConfig{FalsePositiveRate: rate}); !errors.Is(err, ErrConfig) {
			t.Errorf("rate %g: %v", rate, err)
		}
	}
}

// TestScalableWidth_GoesOnToWider: narrow fingerprints can need a larger table than wider ones, or more buckets than there
// are.
func TestScalableWidth_GoesOnToWider(t *testing.T) {
	for _, c := range []ScalableConfig{
		{Capacity: 10_000_000, FalsePositiveRate: 0.001, MaxBytes: 64 << 20},
		{Capacity: 400_000, FalsePositiveRate: 0.001, BucketSize: 2},
	} {
		width, err := ScalableWidth(c)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		resolved, first, err := c.resolve(width)
		size, _ := first.size(width, uint64(first.Buckets))
		if err != nil || size > limits.MaxBytes(resolved.MaxBytes) {
			t.Errorf("%v: %d bits take %d bytes: %v", c, width, size, err)
		}
	}
	c := ScalableConfig{Capacity: 10_000_000, FalsePositiveRate: 0.001, MaxBytes: 32 << 20}
	_, err := ScalableWidth(c)
	if want := "17 bits need least for a Capacity of 10000000, which is 35651592 bytes, MaxBytes is 33554432"; !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v: %v, want %q", c, err, want)
	}
	if math.MaxInt > math.MaxInt32 {
		c = ScalableConfig{Capacity: math.MaxInt, FalsePositiveRate: 0.001}
		if _, err := ScalableWidth(c); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
