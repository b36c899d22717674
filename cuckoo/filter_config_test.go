package cuckoo

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// TestConfig_BadFieldsAreNamed holds each impossible configuration to one error that names the
// field and its value.
func TestConfig_BadFieldsAreNamed(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "Capacity and Buckets are both 0"},
		{Config{Capacity: -5}, "Capacity is -5"},
		{Config{Buckets: -5}, "Buckets is -5"},
		{Config{Capacity: 3, Buckets: 5}, "Capacity 3 and Buckets 5 are both set"},
		{Config{Buckets: 5, FingerprintBits: -1}, "FingerprintBits is -1, want 1 to 32"},
		{Config{Buckets: 5, FingerprintBits: 33}, "FingerprintBits is 33, want 1 to 32"},
		{Config{Buckets: 5, BucketSize: 3}, "BucketSize is 3"},
		{Config{Buckets: 5, BucketSize: -1}, "BucketSize is -1"},
		{Config{Buckets: 5, Layout: layouts}, fmt.Sprintf("Layout is %d, want packed, semisorted", layouts)},
		{Config{Buckets: 5, BucketSize: 1, Layout: Words}, "BucketSize is 1, want 2 or 3 or 4 or 5 or 6 or 7 or 8 for layout words"},
		{Config{Buckets: 5, BucketSize: 8, Layout: SemiSorted}, "BucketSize is 8, want 4 for layout semisorted"},
		{Config{Buckets: 5, BucketSize: 1, Layout: PairedSlots}, "BucketSize is 1, want 4 or 8 for layout paired: two slots are all of a smaller bucket"},
		{Config{Buckets: 5, BucketSize: 2, Layout: PairedSlots}, "BucketSize is 2, want 4 or 8 for layout paired"},
		{Config{Buckets: 5, Placement: 77}, "Placement is 77"},
		{Config{Buckets: 5, Placement: XOR}, "Buckets is 5, want a power of two for placement xor"},
		{Config{Buckets: 6, Placement: PlainXOR}, "Buckets is 6, want a power of two for placement plainxor"},
		{Config{Buckets: 5, Kick: builtin(9)}, "Kick is 9"},
		{Config{Buckets: 5, MaxKicks: -1}, "MaxKicks is -1"},
		{Config{Buckets: 5, MaxKicks: 1 << 16}, "MaxKicks is 65536"},
		{Config{Buckets: 5, MaxBytes: -1}, "MaxBytes is -1"},
	} {
		for _, err := range []error{c.config.Validate(), newError(c.config)} {
			if !errors.Is(err, ErrConfig) || !strings.HasPrefix(err.Error(), "cuckoo: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %q", c.config, err, c.want)
			}
		}
	}
}

// TestConfig_SemiSortedNeedsFiveBits asks for widths on both sides of the limit.
func TestConfig_SemiSortedNeedsFiveBits(t *testing.T) {
	for width := uint(1); width < packed.MinSortedWidth; width++ {
		_, err := byWidth[width-1](Config{Buckets: 5, Layout: SemiSorted})
		if _, _, planErr := Plan(Config{Buckets: 5, Layout: SemiSorted, FingerprintBits: int(width)}); !errors.Is(err, ErrConfig) || planErr == nil || planErr.Error() != err.Error() {
			t.Errorf("width %d: %v, planned %v, want ErrConfig", width, err, planErr)
		}
	}
	if _, err := byWidth[4](Config{Buckets: 5, Layout: SemiSorted}); err != nil {
		t.Errorf("width 5: %v", err)
	}
}

func newError(c Config) error {
	_, err := New[fingerprint.Bits12](c)
	return err
}

func TestConfig_AllProblemsAreJoined(t *testing.T) {
	err := Config{BucketSize: 3, MaxKicks: -1, MaxBytes: -1, Placement: 9}.Validate()
	for _, want := range []string{"Capacity", "BucketSize", "MaxKicks", "MaxBytes", "Placement"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not in: %v", want, err)
		}
	}
}

// TestConfig_TooLargeAllocatesNothing asks for tables that no machine has.
func TestConfig_TooLargeAllocatesNothing(t *testing.T) {
	for _, c := range []Config{
		{Capacity: math.MaxInt}, {Capacity: math.MaxInt, BucketSize: 1}, {Capacity: math.MaxInt, Placement: XOR},
		{Capacity: math.MaxInt / 2, BucketSize: 8}, {Buckets: math.MaxInt32, BucketSize: 8, MaxBytes: 1 << 20},
		{Capacity: 1000, MaxBytes: 1000}, {Buckets: 167, MaxBytes: 1009},
	} {
		if err := newError(c); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v: %v, want ErrTooLarge", c, err)
		}
	}
	if err := newError(Config{Buckets: 167, MaxBytes: 926, Layout: SemiSorted}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("167 buckets of 5.5 bytes and 8 bytes of padding in 926 bytes: %v, want ErrTooLarge", err)
	}
	if err := newError(Config{Buckets: 167, MaxBytes: 1010}); err != nil {
		t.Errorf("167 buckets of 6 bytes and 8 bytes of padding in 1010 bytes: %v", err)
	}
}

// TestConfig_ResolvedMakesTheSameFilter takes the configuration of a filter for another.
func TestConfig_ResolvedMakesTheSameFilter(t *testing.T) {
	for _, c := range []Config{
		{Capacity: 1000}, {Capacity: 1000, Placement: XOR}, {Capacity: 77, BucketSize: 8, Kick: RandomWalk, Seed: 5},
		{Buckets: 9, Hash: hashing.DigestsOnly, Kick: careful{}, MaxKicks: 12},
	} {
		f := mustNew(t, 12, c)
		g, err := byWidth[11](f.Config())
		if err != nil {
			t.Fatal(err)
		}
		if !f.equal(g) || !reflect.DeepEqual(f.Config(), g.Config()) {
			t.Errorf("%v became %v", f, g)
		}
	}
	c := mustNew(t, 12, Config{Buckets: 9}).Config()
	want := Config{
		Buckets: 9, FingerprintBits: 12, BucketSize: 4, Hash: hashing.XXH3(0), Kick: BreadthFirst, MaxKicks: 700,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("defaults: %+v, want %+v", c, want)
	}
}

// awkward is a hasher whose recipe looks like other fields.
type awkward struct{ hashing.Hasher }

func (awkward) Recipe() string { return "my hash/b=2 100%" }

func TestConfig_StringIsReadBack(t *testing.T) {
	for _, c := range []Config{
		{}, {Capacity: 1000}, {Capacity: 1000, FingerprintBits: 7}, {Buckets: 64, BucketSize: 2, Placement: XOR}, {Capacity: 9, Layout: SemiSorted}, {Capacity: 9, BucketSize: 8, Layout: PairedSlots},
		{Capacity: 5, Hash: hashing.Metro64(1337), Placement: PlainXOR, Kick: RandomWalk, MaxKicks: 20, Seed: math.MaxUint64, MaxBytes: 1 << 20},
		{Buckets: 1 << 18, Placement: PlainXOR}, {Capacity: 5, Hash: awkward{}}, {Capacity: 5, Hash: hashing.SipHash([16]byte{1, 2, 3})}, {Capacity: 5, Kick: RoundRobin}, {Capacity: 5, Kick: LookAhead}, {Capacity: 5, Kick: lazy{}},
	} {
		got := Config{Hash: c.Hash, Kick: c.Kick}
		if err := got.UnmarshalText([]byte(c.String())); err != nil || got.String() != c.String() || !reflect.DeepEqual(got, c) {
			t.Errorf("%q was read as %q: %v", c, got, err)
		}
	}
	const want = "capacity=1000000/b=4/hash=xxh3:0/placement=xor/kick=breadth-first"
	c := Config{Capacity: 1_000_000, BucketSize: 4, Hash: hashing.XXH3(0), Placement: XOR, Kick: BreadthFirst}
	if c.String() != want {
		t.Errorf("%q, want %q", c, want)
	}
}

// TestConfig_OwnPolicyIsSetBefore: text holds the recipe of such a policy, and the error says what to do.
func TestConfig_OwnPolicyIsSetBefore(t *testing.T) {
	err := new(Config).UnmarshalText([]byte(Config{Capacity: 5, Kick: lazy{}}.String()))
	growing := new(ScalableConfig).UnmarshalText([]byte(ScalableConfig{Capacity: 5, Kick: lazy{}}.String()))
	for _, err := range []error{err, growing} {
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "kick=lazy: ") || !strings.Contains(err.Error(), "set Kick to one of your own before") {
			t.Error(err)
		}
	}
}

func TestConfig_BadTextIsNamed(t *testing.T) {
	for _, s := range []string{
		"capacity", "capacity=many", "capacity=99999999999999999999", "b=x", "buckets=1.5", "hash=nothing:1", "placement=left",
		"kick=my%20kick", "maxkicks=-", "seed=-1", "maxbytes=1GiB", "layout=sorted", "semisort=true", "size=3", "capacity=1//b=4", "b=4/b=4", "=", "hash=siphash:key-0011223344556677",
	} {
		var c Config
		err := c.UnmarshalText([]byte(s))
		if !errors.Is(err, ErrConfig) || c.String() != "" {
			t.Errorf("%q: %v, %v", s, c, err)
		}
	}
}

func TestPlacement_Text(t *testing.T) {
	for p := range Placement(placements) {
		text, err := p.MarshalText()
		var q Placement
		if err != nil || q.UnmarshalText(text) != nil || q != p || string(text) != p.String() {
			t.Errorf("placement %d: %q, %v, read as %v", uint8(p), text, err, q)
		}
	}
	bad := Placement(placements)
	if _, err := bad.MarshalText(); !errors.Is(err, ErrConfig) || bad.String() != "Placement(3)" {
		t.Errorf("%v: %v", bad, err)
	}
	q := XOR
	if err := q.UnmarshalText([]byte("left")); !errors.Is(err, ErrConfig) || q != XOR {
		t.Errorf("read as %v: %v", q, err)
	}
}

func TestLayout_Text(t *testing.T) {
	for l := range Layout(layouts) {
		text, err := l.MarshalText()
		var q Layout
		if err != nil || q.UnmarshalText(text) != nil || q != l || string(text) != l.String() {
			t.Errorf("layout %d: %q, %v, read as %v", uint8(l), text, err, q)
		}
	}
	bad := Layout(layouts)
	if _, err := bad.MarshalText(); !errors.Is(err, ErrConfig) || bad.String() != fmt.Sprintf("Layout(%d)", layouts) {
		t.Errorf("%v: %v", bad, err)
	}
	q := SemiSorted
	if err := q.UnmarshalText([]byte("sorted")); !errors.Is(err, ErrConfig) || q != SemiSorted {
		t.Errorf("read as %v: %v", q, err)
	}
	for _, text := range []string{"semisort=true", "layout=sorted"} {
		if err := new(Config).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "layout") {
			t.Errorf("%s: %v, want an error that names the key layout", text, err)
		}
	}
}

// TestLayout_NumbersAreThoseOfFiles holds the layouts to docs/FORMAT.md.
func TestLayout_NumbersAreThoseOfFiles(t *testing.T) {
	for number, l := range map[byte]Layout{0: Packed, 1: SemiSorted, 2: PairedSlots, 3: Words} {
		file, err := mustNew(t, 12, Config{Buckets: 16, Layout: l}).MarshalBinary()
		if err != nil || file[container.ParamsAt+layoutAt] != number {
			t.Errorf("%v: byte %d, %v, want %d", l, file[container.ParamsAt+layoutAt], err, number)
		}
	}
}

func FuzzConfigText(f *testing.F) {
	f.Add("capacity=1000000/b=4/hash=xxh3:0/placement=xor/kick=breadth-first/maxkicks=700/seed=1/maxbytes=10")
	f.Add("buckets=5//=/hash=%2F")
	f.Fuzz(func(t *testing.T, s string) {
		var c, again Config
		if c.UnmarshalText([]byte(s)) != nil {
			return
		}
		if err := again.UnmarshalText([]byte(c.String())); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%q was read as %v and then as %v, %v", s, c, again, err)
		}
	})
}
