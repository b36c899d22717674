package bloom_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// TestConfig_Errors has one impossible configuration a line, and what the error must say.
func TestConfig_Errors(t *testing.T) {
	for _, c := range []struct {
		config bloom.Config
		kind   error
		want   []string
	}{
		{bloom.Config{}, bloom.ErrConfig, []string{"Capacity is 0"}},
		{bloom.Config{Capacity: 5}, bloom.ErrConfig, []string{"Capacity is 5", "set Capacity and FalsePositiveRate"}},
		{bloom.Config{Capacity: -5, FalsePositiveRate: 1.5}, bloom.ErrConfig, []string{"Capacity is -5", "FalsePositiveRate is 1.5"}},
		{bloom.Config{Slots: 10, Hashes: 65, MaxBytes: -1}, bloom.ErrConfig, []string{"Hashes is 65", "MaxBytes is -1"}},
		{bloom.Config{Slots: -10, Hashes: 6}, bloom.ErrConfig, []string{"Slots is -10"}},
		{bloom.Config{Capacity: 5, FalsePositiveRate: .1, Slots: 50}, bloom.ErrConfig, []string{"Slots 50"}},
		{bloom.Config{Capacity: 5, FalsePositiveRate: math.NaN()}, bloom.ErrConfig, []string{"FalsePositiveRate is NaN"}},
		{bloom.Config{Capacity: 5, FalsePositiveRate: math.Inf(-1)}, bloom.ErrConfig, []string{"FalsePositiveRate is -Inf"}},
		{bloom.Config{Capacity: 1 << 30, FalsePositiveRate: 1e-12}, bloom.ErrConfig, []string{"collide"}},
		{bloom.Config{Capacity: 1000, FalsePositiveRate: .01, MaxBytes: 1000}, bloom.ErrTooLarge, []string{"Capacity 1000", "MaxBytes 1000"}},
		{bloom.Config{Capacity: math.MaxInt, FalsePositiveRate: .01}, bloom.ErrTooLarge, []string{"Capacity"}},
		{bloom.Config{Slots: math.MaxInt, Hashes: 3, MaxBytes: 1 << 20}, bloom.ErrTooLarge, []string{"Slots is"}},
		{bloom.Config{Capacity: 3, Slots: 8001, MaxBytes: 1000}, bloom.ErrTooLarge, []string{"Slots is 8"}},
	} {
		_, err := bloom.New(c.config)
		_, blockedErr := bloom.NewBlocked(c.config)
		for _, err := range []error{err, blockedErr} {
			if !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), "bloom: ") {
				t.Errorf("%v: %v, want %v", c.config, err, c.kind)
				continue
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v: %v, want %q in it", c.config, err, part)
				}
			}
		}
		if err := c.config.Validate(); (err == nil) != (c.kind == bloom.ErrTooLarge) {
			t.Errorf("%v: Validate says %v", c.config, err)
		}
	}
}

// TestNewBlocked_TooManyBlocks asks for more than 2^32 blocks, whatever MaxBytes allows.
func TestNewBlocked_TooManyBlocks(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("the number of bits is no int")
	}
	c := bloom.Config{Slots: math.MaxInt >> 21, Hashes: 1, MaxBytes: math.MaxInt} // 2^33 blocks
	if _, err := bloom.NewBlocked(c); !errors.Is(err, bloom.ErrTooLarge) {
		t.Errorf("%v: %v, want ErrTooLarge", c, err)
	}
}

func TestConfig_Resolves(t *testing.T) {
	for _, c := range []struct {
		config                bloom.Config
		bits, hashes          int
		blockBits, blockHashs int
	}{
		{bloom.Config{Slots: 1, Hashes: 1}, 1, 1, 512, 1},
		{bloom.Config{Slots: 513, Hashes: 64}, 513, 64, 1024, 64},
		{bloom.Config{Capacity: 1000, Slots: 10_240}, 10_240, 7, 10_240, 7},
		{bloom.Config{Capacity: 1000, FalsePositiveRate: .01}, 9595, 7, 10_240, 5},
		{bloom.Config{Capacity: 1, FalsePositiveRate: .999}, 2, 1, 512, 1},
	} {
		f, err := bloom.New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		g, err := bloom.NewBlocked(c.config)
		if err != nil {
			t.Fatal(err)
		}
		fc, gc := f.Config(), g.Config()
		if fc.Slots != c.bits || fc.Hashes != c.hashes || gc.Slots != c.blockBits || gc.Hashes != c.blockHashs {
			t.Errorf("%v: resolved to %v and %v", c.config, fc, gc)
		}
		if fc.Capacity != 0 || fc.FalsePositiveRate != 0 || fc.Hash == nil {
			t.Errorf("%v: resolved to %v", c.config, fc)
		}
		f2, err := bloom.New(fc)
		if err != nil || !f2.Equal(f) || f2.Config().String() != fc.String() {
			t.Errorf("%v made again from %v: %v, %v", f, fc, f2, err)
		}
		g2, err := bloom.NewBlocked(gc)
		if err != nil || !g2.Equal(g) || g2.Config().String() != gc.String() {
			t.Errorf("%v made again from %v: %v, %v", g, gc, g2, err)
		}
	}
}

// oddHash is a user's family whose recipe needs escapes.
type oddHash struct{ hashing.Hasher }

func (oddHash) Recipe() string { return "odd:a/b=c d%2F" }

func TestConfig_TextRoundTrip(t *testing.T) {
	secret := hashing.SipHash([16]byte{9})
	for _, c := range []struct {
		config bloom.Config
		want   string
	}{
		{bloom.Config{}, ""},
		{bloom.Config{Capacity: 1_000_000, FalsePositiveRate: .01, Hash: hashing.XXH64(0)}, "capacity=1000000/fpr=0.01/hash=xxh64:0"},
		{bloom.Config{Capacity: 7, FalsePositiveRate: 1e-9}, "capacity=7/fpr=0.000000001"},
		{bloom.Config{Slots: 9, Hashes: 2, MaxBytes: 64}, "slots=9/hashes=2/maxbytes=64"},
		{bloom.Config{Slots: 9, Hashes: 2}, "slots=9/hashes=2"},
		{bloom.Config{Slots: -9, Hash: oddHash{secret}}, "slots=-9/hash=odd:a%2Fb%3Dc%20d%252F"},
		{bloom.Config{Hash: secret}, "hash=" + secret.Recipe()},
	} {
		if got := c.config.String(); got != c.want {
			t.Errorf("String is %q, want %q", got, c.want)
		}
		got := bloom.Config{Hash: c.config.Hash}
		if err := got.UnmarshalText([]byte(c.want)); err != nil || got != c.config {
			t.Errorf("%q is read as %v: %v", c.want, got, err)
		}
	}
}

func TestConfig_TextErrors(t *testing.T) {
	for s, part := range map[string]string{
		"capacity":              `"capacity" is not key=value`,
		"capacity=x":            "capacity=x",
		"capacity=1/capacity=1": "comes twice",
		"capacity=1/":           `"" is not key=value`,
		"size=1":                "unknown key, want one of capacity, fpr, slots, hashes, hash, maxbytes",
		"fpr=high":              "fpr=high",
		"hash=nohash:1":         "nohash",
		"hash=" + hashing.SipHash([16]byte{9}).Recipe(): "key",
		"slots=99999999999999999999":                    "out of range",
	} {
		var c bloom.Config
		err := c.UnmarshalText([]byte(s))
		if !errors.Is(err, bloom.ErrConfig) || !strings.HasPrefix(err.Error(), "bloom: ") || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want %q", s, err, part)
		}
		if c != (bloom.Config{}) {
			t.Errorf("%q left %v with its error", s, c)
		}
	}
}

func FuzzConfigText(f *testing.F) {
	f.Add("capacity=1000000/fpr=0.01/hash=xxh64:0")
	f.Add("slots=100/hashes=3/maxbytes=5")
	f.Fuzz(func(t *testing.T, s string) {
		var c, again bloom.Config
		if c.UnmarshalText([]byte(s)) != nil {
			return
		}
		if err := again.UnmarshalText([]byte(c.String())); err != nil || again.String() != c.String() {
			t.Fatalf("%q parses to %q, which parses to %v", s, c, again)
		}
	})
}

// TestPlan_RefusesWhatNewRefuses holds that no plan names a size that its constructor calls too large
// at any MaxBytes. Nothing is allocated.
func TestPlan_RefusesWhatNewRefuses(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the limits are beyond an int of 32 bits")
	}
	for _, kind := range []struct {
		name    string
		plan    planner
		limit   uint64 // bits
		refuses func(bloom.Config) error
	}{
		{"Filter", bloom.Plan, 8 << 56, func(c bloom.Config) error { _, err := bloom.New(c); return err }},
		{"Blocked", bloom.PlanBlocked, 512 << 32, func(c bloom.Config) error { _, err := bloom.NewBlocked(c); return err }},
		{"SplitBlock", bloom.PlanSplitBlock, 256 << 32, func(c bloom.Config) error { _, err := bloom.NewSplitBlock(c); return err }},
	} {
		most := 0
		for shift := 30; shift < 63; shift++ {
			for _, n := range []int{1 << shift, 3 << (shift - 1)} {
				bits, err := kind.plan.slots(n, .25)
				if err == nil {
					most = max(most, bits)
				} else if !errors.Is(err, bloom.ErrTooLarge) {
					t.Errorf("%s for %d keys: %v", kind.name, n, err)
				}
			}
		}
		if uint64(most) > kind.limit || uint64(most) < kind.limit/4 {
			t.Errorf("%s: the largest plan has %d bits, want at most %d and not far below", kind.name, most, kind.limit)
		}
		beyond := bloom.Config{Slots: int(kind.limit) + 1, Hashes: 8, MaxBytes: math.MaxInt}
		if err := kind.refuses(beyond); !errors.Is(err, bloom.ErrTooLarge) {
			t.Errorf("%s of %d bits: %v", kind.name, beyond.Slots, err)
		}
	}
}

// A planner is one of the Plan functions.
type planner func(bloom.Config) (bloom.Config, int, error)

// slots plans the smallest table for n keys at a rate, whatever its bytes.
func (p planner) slots(n int, rate float64) (int, error) {
	c, _, err := p(bloom.Config{Capacity: n, FalsePositiveRate: rate, MaxBytes: math.MaxInt})
	return c.Slots, err
}

// hashes plans the best number of hashes.
func (p planner) hashes(slots, n int) int {
	c, _, _ := p(bloom.Config{Capacity: n, Slots: slots, MaxBytes: math.MaxInt})
	return c.Hashes
}

func TestPlan_OfBadNumbers(t *testing.T) {
	for _, bad := range []struct {
		n    int
		rate float64
		kind error
	}{{0, .1, bloom.ErrConfig}, {-1, .1, bloom.ErrConfig}, {1, math.NaN(), bloom.ErrConfig}, {math.MaxInt, .01, bloom.ErrTooLarge}} {
		for _, plan := range []planner{bloom.Plan, bloom.PlanBlocked, bloom.PlanSplitBlock} {
			if _, err := plan.slots(bad.n, bad.rate); !errors.Is(err, bad.kind) {
				t.Errorf("a plan for %d keys at %v: %v", bad.n, bad.rate, err)
			}
		}
	}
	for _, r := range []float64{bloom.PredictRate(-1, -1, -1), bloom.PredictBlockedRate(-1, 100, -1)} {
		if r != 0 {
			t.Errorf("an empty filter has rate %v", r)
		}
	}
}

// TestPlan_IsWhatTheConstructorMakes holds a plan to the filter, and both as JSON to each other.
func TestPlan_IsWhatTheConstructorMakes(t *testing.T) {
	for _, c := range []bloom.Config{
		{Capacity: 1000, FalsePositiveRate: .01}, {Capacity: 77, Slots: 1000, MaxBytes: 1 << 20}, {Slots: 513, Hashes: 8, Hash: hashing.XXH64(3)},
		{Capacity: 100}, {Capacity: 1 << 30, FalsePositiveRate: .01, MaxBytes: 1 << 20},
	} {
		planAgrees(t, c, bloom.Plan, bloom.New)
		planAgrees(t, c, bloom.PlanBlocked, bloom.NewBlocked)
		planAgrees(t, c, bloom.PlanBlocked, bloom.NewConcurrent)
		planAgrees(t, c, bloom.PlanSplitBlock, bloom.NewSplitBlock)
	}
}

func planAgrees[F interface {
	Config() bloom.Config
	SizeBytes() int
}](t *testing.T, c bloom.Config, plan func(bloom.Config) (bloom.Config, int, error), make func(bloom.Config) (F, error)) {
	t.Helper()
	resolved, size, err := plan(c)
	f, want := make(c)
	if err != nil || want != nil {
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%v: %v, want %v", c, err, want)
		}
		return
	}
	if f.Config() != resolved || f.SizeBytes() != size {
		t.Errorf("%v: planned %v of %d bytes, made %v of %d", c, resolved, size, f.Config(), f.SizeBytes())
	}
	var read bloom.Config
	if b, err := json.Marshal(resolved); err != nil || json.Unmarshal(b, &read) != nil || read != resolved {
		t.Errorf("%v is in JSON %s, read as %v, %v", resolved, b, read, err)
	}
}
