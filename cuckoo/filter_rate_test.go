package cuckoo

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestConfig_WidthFollowsFromTheRate makes filters of type Any for rates and sizes. Each keeps its rate, and a filter of one bit
// less, where it would be smaller, does not.
func TestConfig_WidthFollowsFromTheRate(t *testing.T) {
	for _, rate := range []float64{.4, .1, .03, .01, .001, 1e-5, 1e-8} {
		for _, c := range []Config{
			{Capacity: 1}, {Capacity: 1000}, {Capacity: 1000, BucketSize: 8}, {Buckets: 500}, {Capacity: 300, Placement: XOR},
			{Capacity: 1000, Layout: SemiSorted}, {Capacity: 1000, Layout: PairedSlots}, {Capacity: 1000, Layout: Words},
		} {
			c.FalsePositiveRate = rate
			f, err := New[fingerprint.Any](c)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			keys := c.Capacity
			if keys == 0 {
				keys = f.Capacity()
			}
			got := f.Config()
			if got.FalsePositiveRate != 0 || got.FingerprintBits < minPlanned || got.PredictRate(keys) > rate {
				t.Errorf("%v: made %v, which has %v", c, got, got.PredictRate(keys))
			}
			less := c
			less.FalsePositiveRate, less.FingerprintBits = 0, got.FingerprintBits-1
			if less.FingerprintBits < minPlanned || less.Layout == Words && less.FingerprintBits < 8 {
				continue
			}
			smaller, size, err := Plan(less)
			if err != nil || size < f.SizeBytes() && smaller.PredictRate(keys) <= rate {
				t.Errorf("%v: made %v, and %v would do: %v", c, got, smaller, err)
			}
		}
	}
	f, err := NewConcurrent[fingerprint.Any](Config{Capacity: 1000, FalsePositiveRate: .2})
	if err != nil || f.Config().FingerprintBits != 8 {
		t.Errorf("a Concurrent at 20%%: %v, %v", f, err)
	}
}

// TestConfig_RateIsChecked has rates that a width keeps or not, and such as are none.
func TestConfig_RateIsChecked(t *testing.T) {
	made := func(c Config) error { return newError(c) } // of Bits12
	for _, rate := range []float64{0, .5, .002, math.Nextafter(1, 0)} {
		if err := made(Config{Capacity: 1000, FalsePositiveRate: rate}); err != nil {
			t.Errorf("12 bits at %v: %v", rate, err)
		}
	}
	full := Config{Capacity: 1000, FalsePositiveRate: .001}
	text := "FalsePositiveRate is 0.001, and with 12 bits it is 0.0017"
	if err := made(full); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want %q", err, text)
	}
	full.FingerprintBits = 12
	for _, err := range []error{planError(full), concurrentError(full)} {
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "with 12 bits it is 0.00") {
			t.Errorf("planned: %v", err)
		}
	}
	for _, rate := range []float64{math.NaN(), 1, -.1, 2, math.Inf(1), math.Inf(-1)} {
		for _, err := range []error{
			made(Config{Capacity: 10, FalsePositiveRate: rate}), planError(Config{Capacity: 10, FalsePositiveRate: rate}),
			Config{Capacity: 10, FalsePositiveRate: rate}.Validate(),
		} {
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "want a number between 0 and 1") {
				t.Errorf("rate %v: %v", rate, err)
			}
		}
	}
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e-10} {
		err := planError(Config{Capacity: 1000, FalsePositiveRate: rate})
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "up to 32 bits reach is 1.7e-09") {
			t.Errorf("rate %v: %v", rate, err)
		}
	}
	err := planError(Config{Capacity: 1000, FalsePositiveRate: .001, MaxBytes: 1000})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "13 bits and ") {
		t.Errorf("beyond MaxBytes: %v", err)
	}
	if err := planError(Config{Buckets: 1}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "FingerprintBits and FalsePositiveRate are both 0") {
		t.Errorf("neither a rate nor a width: %v", err)
	}
}

func planError(c Config) error {
	_, _, err := Plan(c)
	return err
}

func concurrentError(c Config) error {
	_, _, err := PlanConcurrent(c)
	return err
}

// TestConfig_RateIsText reads the rate back from text and from JSON.
func TestConfig_RateIsText(t *testing.T) {
	c := Config{Capacity: 1000, FalsePositiveRate: 1e-9}
	var read, fromJSON Config
	if err := read.UnmarshalText([]byte(c.String())); err != nil || c.String() != "capacity=1000/fpr=0.000000001" || read.FalsePositiveRate != 1e-9 {
		t.Errorf("%v: %v, %v", c, read, err)
	}
	b, err := json.Marshal(c)
	if err := errors.Join(err, json.Unmarshal(b, &fromJSON)); err != nil || fromJSON.String() != c.String() {
		t.Errorf("%s: %v, %v", b, fromJSON, err)
	}
}
