package counting_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
)

// TestConfig_Errors has one impossible configuration a line, and what the error must say.
func TestConfig_Errors(t *testing.T) {
	for _, c := range []struct {
		config counting.Config
		kind   error
		want   []string
	}{
		{counting.Config{}, counting.ErrConfig, []string{"Capacity is 0", "or Slots and Hashes"}},
		{counting.Config{Slots: -1, Hashes: 2, CounterBits: 3}, counting.ErrConfig, []string{"Slots is -1", "CounterBits is 3"}},
		{counting.Config{Slots: 10, Hashes: 2, CounterBits: 32}, counting.ErrConfig, []string{"CounterBits is 32"}},
		{counting.Config{Slots: 10, Hashes: 2, CounterBits: 1}, counting.ErrConfig, []string{"CounterBits is 1,"}},
		{counting.Config{Capacity: 5, FalsePositiveRate: 1}, counting.ErrConfig, []string{"FalsePositiveRate is 1,"}},
		{counting.Config{Slots: 16_001, Hashes: 2, MaxBytes: 8000}, counting.ErrTooLarge, []string{"Slots is 16001"}},
		{counting.Config{Slots: 4001, Hashes: 2, CounterBits: 16, MaxBytes: 8000}, counting.ErrTooLarge, []string{"Slots is 4001"}},
		{counting.Config{Capacity: math.MaxInt, FalsePositiveRate: .01}, counting.ErrTooLarge, []string{"Capacity"}},
		{counting.Config{Capacity: math.MaxInt / 8, FalsePositiveRate: .01, CounterBits: 16}, counting.ErrTooLarge, []string{"Capacity"}},
	} {
		_, err := counting.New(c.config)
		if !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), "counting: ") {
			t.Errorf("%v: %v, want %v", c.config, err, c.kind)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v: %v, want %q in it", c.config, err, part)
			}
		}
		if err := c.config.Validate(); (err == nil) != (c.kind == counting.ErrTooLarge) {
			t.Errorf("%v: Validate says %v", c.config, err)
		}
	}
	if f := must(t, counting.Config{Slots: 16_000, Hashes: 2, MaxBytes: 8000}); f.SizeBytes() != 8000 {
		t.Errorf("%v is not of MaxBytes", f)
	}
}

func TestConfig_Resolves(t *testing.T) {
	for _, c := range []struct {
		config counting.Config
		want   string
	}{
		{counting.Config{Slots: 1, Hashes: 1, CounterBits: 2}, "slots=1/hashes=1/counterbits=2/hash=xxh3:0"},
		{counting.Config{Capacity: 1000, FalsePositiveRate: .01}, "slots=9595/hashes=7/counterbits=4/hash=xxh3:0"},
		{counting.Config{Capacity: 1000, Slots: 9000, CounterBits: 16, Hash: hashing.FNV1a(2)}, "slots=9000/hashes=6/counterbits=16/hash=fnv1a:2"},
	} {
		f := must(t, c.config)
		resolved := f.Config()
		if resolved.String() != c.want {
			t.Errorf("%v: resolved to %v, want %v", c.config, resolved, c.want)
		}
		g := must(t, resolved)
		if !g.Equal(f) || g.Config().String() != resolved.String() {
			t.Errorf("%v made again from %v: %v", f, resolved, g)
		}
	}
}

func TestConfig_TextRoundTrip(t *testing.T) {
	secret := hashing.SipHash([16]byte{9})
	for _, c := range []struct {
		config counting.Config
		want   string
	}{
		{counting.Config{Capacity: 1_000_000, FalsePositiveRate: .01, CounterBits: 4}, "capacity=1000000/fpr=0.01/counterbits=4"},
		{counting.Config{Slots: 9, Hashes: 2, Hash: secret, MaxBytes: 64}, "slots=9/hashes=2/hash=" + secret.Recipe() + "/maxbytes=64"},
		{counting.Config{Slots: 9, Hashes: 2}, "slots=9/hashes=2"},
	} {
		if got := c.config.String(); got != c.want {
			t.Errorf("String is %q, want %q", got, c.want)
		}
		got := counting.Config{Hash: c.config.Hash}
		if err := got.UnmarshalText([]byte(c.want)); err != nil || got != c.config {
			t.Errorf("%q is read as %v: %v", c.want, got, err)
		}
	}
	err := new(counting.Config).UnmarshalText([]byte("bits=3"))
	if !errors.Is(err, counting.ErrConfig) || !strings.Contains(err.Error(), "counting: ") || !strings.Contains(err.Error(), "counterbits") {
		t.Errorf("unknown key: %v", err)
	}
}

func TestFilter_String(t *testing.T) {
	f := must(t, counting.Config{Slots: 100, Hashes: 3})
	f.InsertString("key")
	want := "counting.Filter{slots=100/hashes=3/counterbits=4/hash=xxh3:0, len 1, 56 bytes}"
	if got := f.String(); got != want || fmt.Sprintf("%#v", f) != want {
		t.Errorf("String is %q, want %q", got, want)
	}
}

// TestPlan_IsWhatNewMakes holds a plan to the filter, and both as JSON to each other.
func TestPlan_IsWhatNewMakes(t *testing.T) {
	for _, c := range []counting.Config{
		{Capacity: 1000, FalsePositiveRate: .01}, {Capacity: 77, Slots: 1000, CounterBits: 16, MaxBytes: 1 << 20},
		{Slots: 513, Hashes: 8, CounterBits: 2}, {Capacity: 100}, {Capacity: 1 << 30, FalsePositiveRate: .01, MaxBytes: 1 << 20},
	} {
		resolved, size, err := counting.Plan(c)
		f, want := counting.New(c)
		if err != nil || want != nil {
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("%v: %v, want %v", c, err, want)
			}
			continue
		}
		if f.Config() != resolved || f.SizeBytes() != size {
			t.Errorf("%v: planned %v of %d bytes, made %v of %d", c, resolved, size, f.Config(), f.SizeBytes())
		}
		var read counting.Config
		if b, err := json.Marshal(resolved); err != nil || json.Unmarshal(b, &read) != nil || read != resolved {
			t.Errorf("%v is in JSON %s, read as %v, %v", resolved, b, read, err)
		}
	}
}
