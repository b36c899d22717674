package counting

import (
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// The limits of [DLeftConfig].
const (
	// MinRemainderBits and MaxRemainderBits bound the width of a remainder.
	MinRemainderBits = 4
	MaxRemainderBits = 32
	// MaxDLeftCounterBits is the widest counter of a DLeft.
	MaxDLeftCounterBits = 16
	// defaultDLeftCounterBits is the width of a counter where DLeftConfig sets none: that of
	// Bonomi et al. 2006. It counts to 4. Distinct keys hardly need it, as the chance
	// that any two of them share a counter is about the false-positive rate.
	defaultDLeftCounterBits = 2

	dleftTables     = 4                             // d, and so the number of buckets of a key
	dleftBucketSize = 4                             // b
	dleftSlots      = dleftTables * dleftBucketSize // of one bucket in each table
	maxDLeftBuckets = 1 << 32                       // of a table
	dleftMaxKeys    = maxDLeftBuckets * dleftSlots
)

// DLeftConfig says what [DLeft] to make. The size comes from one of three pairs of fields:
//
//   - Capacity and FalsePositiveRate: the smallest table for so many keys, with the fewest
//     RemainderBits that keep the rate;
//   - Capacity and RemainderBits: that table with remainders of that width;
//   - Slots and RemainderBits: as they are.
//
// Any other choice of these four fields is [ErrConfig].
type DLeftConfig struct {
	_ struct{}

	// Capacity is the number of distinct keys that the filter promises to take: an insert among
	// so many is refused for one in 10^6 sets of keys at most. Where keys come and go, set it 15%
	// higher than the keys present at once: [DLeft.Capacity] says why.
	Capacity int
	// Slots is the number of slots, of all four tables. NewDLeft rounds it up to a bucket of four in each table, a
	// multiple of 16. It need not be a power of two.
	Slots int
	// FalsePositiveRate is the share of absent keys that the filter may report as present when it
	// holds Capacity keys: above 0 and below 1. As a remainder has a whole number of bits, the
	// filter's rate can be as low as half of it, and lower above 0.4.
	FalsePositiveRate float64
	// RemainderBits is the width of a remainder, MinRemainderBits to MaxRemainderBits. Each bit
	// halves the rate.
	RemainderBits int
	// CounterBits is the width of a counter, 1 to MaxDLeftCounterBits, 2 by default. It counts
	// up to 2^CounterBits keys, since a used slot counts at least one.
	CounterBits int
	// Hash makes digests from keys. The default is hashing.XXH3(0). With hashing.DigestsOnly the
	// filter takes digests only: the verbs that take keys panic.
	Hash hashing.Hasher
	// MaxBytes is the largest filter, in bytes, that may be allocated; beyond it NewDLeft returns
	// ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate reports everything that is wrong with c, each problem on a line of its own that names
// the field and its value, or nil. All of it is [ErrConfig]. A filter beyond MaxBytes is reported by
// [NewDLeft] only.
func (c DLeftConfig) Validate() error {
	problems := config.Problems{Package: pkg}
	problems.Check(c.fields())
	if (c.Capacity == 0) == (c.Slots == 0) || (c.FalsePositiveRate == 0) == (c.RemainderBits == 0) ||
		c.Slots != 0 && c.FalsePositiveRate != 0 {
		problems.Wrong("Capacity is %d, FalsePositiveRate %v, Slots %d, RemainderBits %d: set Capacity and "+
			"FalsePositiveRate, or Capacity and RemainderBits, or Slots and RemainderBits, and no more",
			c.Capacity, c.FalsePositiveRate, c.Slots, c.RemainderBits)
	} else if problems.None() && c.FalsePositiveRate != 0 && uint64(c.Capacity) <= dleftMaxKeys {
		if r := c.remainderBits(dleftBuckets(uint64(c.Capacity))); r > MaxRemainderBits {
			problems.Wrong("FalsePositiveRate is %v, which takes remainders of %d bits, want at most %d",
				c.FalsePositiveRate, r, MaxRemainderBits)
		}
	}
	return problems.Err()
}

// match returns nil if filters of the two resolved configurations can be combined, and otherwise an
// [ErrMismatch] that names the first difference.
func (c DLeftConfig) match(d DLeftConfig) error {
	const p = config.Package(pkg)
	switch {
	case c.Slots != d.Slots:
		return p.Differ("Slots", c.Slots, d.Slots)
	case c.RemainderBits != d.RemainderBits:
		return p.Differ("RemainderBits", c.RemainderBits, d.RemainderBits)
	case c.CounterBits != d.CounterBits:
		return p.Differ("CounterBits", c.CounterBits, d.CounterBits)
	}
	h, k := hashing.NewDigester(c.Hash), hashing.NewDigester(d.Hash) // of a zero DLeft, too
	if a, b := h.Recipe(), k.Recipe(); a != b {
		return p.Differ("Hash", a, b)
	}
	return nil
}

// String returns the fields that are set as key=value pairs joined by slashes, in the form that
// names of benchmarks use, such as
//
//	capacity=1000000/fpr=0.01/counterbits=4
//
// The other keys are slots, remainderbits, hash and maxbytes. [DLeftConfig.UnmarshalText] reads it back.
func (c DLeftConfig) String() string { return config.Text(c.fields()) }

// MarshalText returns [DLeftConfig.String]. It has no error.
func (c DLeftConfig) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names, as that of bloom.Config does and with the same errors.
func (c *DLeftConfig) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*DLeftConfig).fields)
}

// fields returns the table of c.
func (c *DLeftConfig) fields() []config.Field {
	return []config.Field{
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Rate("FalsePositiveRate", "fpr", &c.FalsePositiveRate),
		config.Int("Slots", "slots", &c.Slots, 1, dleftMaxKeys),
		config.Int("RemainderBits", "remainderbits", &c.RemainderBits, MinRemainderBits, MaxRemainderBits),
		config.Int("CounterBits", "counterbits", &c.CounterBits, 1, MaxDLeftCounterBits),
		config.Hash(&c.Hash),
		config.Limit(&c.MaxBytes),
	}
}
