package counting_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
)

// TestDLeftConfig_Errors has one impossible configuration a line, and what the error must say.
func TestDLeftConfig_Errors(t *testing.T) {
	for _, c := range []struct {
		config counting.DLeftConfig
		kind   error
		want   []string
	}{
		{counting.DLeftConfig{}, counting.ErrConfig, []string{"Capacity is 0", "or Slots and RemainderBits"}},
		{counting.DLeftConfig{Capacity: 1}, counting.ErrConfig, []string{"Capacity is 1, FalsePositiveRate 0"}},
		{counting.DLeftConfig{Slots: 1, FalsePositiveRate: .1}, counting.ErrConfig, []string{"Slots 1, RemainderBits 0"}},
		{counting.DLeftConfig{Capacity: 1, Slots: 1, RemainderBits: 8}, counting.ErrConfig, []string{"Capacity is 1", "and no more"}},
		{counting.DLeftConfig{Capacity: 1, FalsePositiveRate: .1, RemainderBits: 8}, counting.ErrConfig, []string{"and no more"}},
		{counting.DLeftConfig{Capacity: -1, RemainderBits: 3, CounterBits: 17, MaxBytes: -1}, counting.ErrConfig,
			[]string{"Capacity is -1", "RemainderBits is 3", "CounterBits is 17", "MaxBytes is -1"}},
		{counting.DLeftConfig{Slots: -1, RemainderBits: 33, CounterBits: -1}, counting.ErrConfig,
			[]string{"Slots is -1", "RemainderBits is 33", "CounterBits is -1"}},
		{counting.DLeftConfig{Capacity: 5, FalsePositiveRate: 1}, counting.ErrConfig, []string{"FalsePositiveRate is 1,"}},
		{counting.DLeftConfig{Capacity: 5, FalsePositiveRate: math.NaN()}, counting.ErrConfig, []string{"FalsePositiveRate is NaN,"}},
		{counting.DLeftConfig{Capacity: 1000, FalsePositiveRate: 1e-9}, counting.ErrConfig, []string{"FalsePositiveRate is 1e-09", "34 bits"}},
		{counting.DLeftConfig{Capacity: 1000, FalsePositiveRate: 5e-324}, counting.ErrConfig, []string{"FalsePositiveRate is 5e-324"}},
		{counting.DLeftConfig{Slots: 16_000, RemainderBits: 10, MaxBytes: 24_015}, counting.ErrTooLarge, []string{"16000 slots", "10+2 bits", "24015"}},
		{counting.DLeftConfig{Capacity: math.MaxInt, FalsePositiveRate: .01}, counting.ErrTooLarge, []string{"counting: "}},
	} {
		_, err := counting.NewDLeft(c.config)
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
	if f := mustDLeft(t, counting.DLeftConfig{Slots: 16_000, RemainderBits: 10, MaxBytes: 24_016}); f.SizeBytes() != 24_016 {
		t.Errorf("%v is not of MaxBytes", f)
	}
}

func TestDLeftConfig_Resolves(t *testing.T) {
	for _, c := range []struct {
		config counting.DLeftConfig
		want   string
	}{
		{counting.DLeftConfig{Slots: 17, RemainderBits: 4}, "slots=32/remainderbits=4/counterbits=2/hash=xxh3:0"},
		{counting.DLeftConfig{Capacity: 16, RemainderBits: 4}, "slots=16/remainderbits=4/counterbits=2/hash=xxh3:0"},
		{counting.DLeftConfig{Capacity: 1_000_000, FalsePositiveRate: .01}, "slots=1368000/remainderbits=11/counterbits=2/hash=xxh3:0"},
		{counting.DLeftConfig{Capacity: 5, FalsePositiveRate: .9, CounterBits: 1, Hash: hashing.FNV1a(2)}, "slots=16/remainderbits=4/counterbits=1/hash=fnv1a:2"},
	} {
		f := mustDLeft(t, c.config)
		resolved := f.Config()
		if resolved.String() != c.want {
			t.Errorf("%v: resolved to %v, want %v", c.config, resolved, c.want)
		}
		if planned, size, err := counting.PlanDLeft(c.config); err != nil || planned != resolved || size != f.SizeBytes() {
			t.Errorf("%v: planned %v in %d bytes, %v; made %v", c.config, planned, size, err, f)
		}
		g := mustDLeft(t, resolved)
		if !g.Equal(f) || g.Config() != resolved || g.Capacity() < c.config.Capacity {
			t.Errorf("%v made again from %v: %v", f, resolved, g)
		}
	}
}

func TestDLeftConfig_TextRoundTrip(t *testing.T) {
	secret := hashing.SipHash([16]byte{9})
	for _, c := range []struct {
		config counting.DLeftConfig
		want   string
	}{
		{counting.DLeftConfig{Capacity: 1_000_000, FalsePositiveRate: .01, CounterBits: 4}, "capacity=1000000/fpr=0.01/counterbits=4"},
		{counting.DLeftConfig{Slots: 144, RemainderBits: 12, Hash: secret, MaxBytes: 640}, "slots=144/remainderbits=12/hash=" + secret.Recipe() + "/maxbytes=640"},
		{counting.DLeftConfig{Slots: 144, RemainderBits: 12}, "slots=144/remainderbits=12"},
	} {
		if got := c.config.String(); got != c.want {
			t.Errorf("String is %q, want %q", got, c.want)
		}
		got := counting.DLeftConfig{Hash: c.config.Hash}
		if err := got.UnmarshalText([]byte(c.want)); err != nil || got != c.config {
			t.Errorf("%q is read as %v: %v", c.want, got, err)
		}
	}
	err := new(counting.DLeftConfig).UnmarshalText([]byte("bits=3"))
	if !errors.Is(err, counting.ErrConfig) || !strings.Contains(err.Error(), "counting: ") || !strings.Contains(err.Error(), "remainderbits") {
		t.Errorf("unknown key: %v", err)
	}
}

func TestDLeft_String(t *testing.T) {
	f := mustDLeft(t, counting.DLeftConfig{Slots: 160, RemainderBits: 10})
	if err := f.InsertString("key"); err != nil {
		t.Fatal(err)
	}
	want := "counting.DLeft{slots=160/remainderbits=10/counterbits=2/hash=xxh3:0, len 1, 256 bytes}"
	if got := f.String(); got != want || fmt.Sprintf("%#v", f) != want {
		t.Errorf("String is %q, want %q", got, want)
	}
}
