package counting

import (
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/packed"
)

// The limits of [DLeftConfig].
const (
	MinRemainderBits    = 4  // the narrowest remainder
	MaxRemainderBits    = 32 // the widest remainder
	MaxDLeftCounterBits = 16 // the widest counter
	// defaultDLeftCounterBits is that of Bonomi et al. 2006, and counts to 4. Distinct keys hardly need it, as the
	// chance that any two of them share a counter is about the false-positive rate.
	defaultDLeftCounterBits = 2

	dleftTables     = 4                             // d, and so the number of buckets of a key
	dleftBucketSize = 4                             // b
	dleftSlots      = dleftTables * dleftBucketSize // of one bucket in each table
	maxDLeftBuckets = 1 << 32                       // of a table
	dleftMaxKeys    = maxDLeftBuckets * dleftSlots
)

// DLeftConfig says what [DLeft] to make. The size comes from one of three pairs of fields:
//
//   - Capacity and FalsePositiveRate: the smallest table for so many keys, with the fewest RemainderBits that do;
//   - Capacity and RemainderBits: that table with remainders of that width;
//   - Slots and RemainderBits: as they are.
//
// Any other choice of these four fields is [ErrConfig].
type DLeftConfig struct {
	_ struct{}

	// Capacity is the number of distinct keys that the filter promises to take: [DLeft.Capacity] says what that means,
	// and why to set it 15% higher than the keys present at once where keys come and go.
	Capacity int
	// Slots is the number of slots, of all four tables. NewDLeft rounds it up to a bucket of four in each table, a
	// multiple of 16. It need not be a power of two.
	Slots int
	// FalsePositiveRate is the share of absent keys that the filter may report as present when it holds Capacity keys:
	// above 0 and below 1. As a remainder has whole bits, the filter's rate can be half of it, and less above 0.4.
	FalsePositiveRate float64
	// RemainderBits is the width of a remainder, MinRemainderBits to MaxRemainderBits. Each bit halves the rate.
	RemainderBits int
	// CounterBits is the width of a counter, 1 to MaxDLeftCounterBits, 2 by default. It counts up to 2^CounterBits
	// keys.
	CounterBits int
	Hash        hashing.Hasher // as in [Config]
	MaxBytes    int            // as in [Config]
}

// Validate reports everything that is wrong with c, as that of bloom.Config does, or nil.
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
	return pkg.DifferIn(c.fields(), d.fields(), "MaxBytes")
}

// String returns the fields that are set, such as capacity=1000000/fpr=0.01/counterbits=4. The other keys are slots,
// remainderbits, hash and maxbytes. [DLeftConfig.UnmarshalText] reads it back.
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

// buckets returns the number of buckets of a table that Slots asks for.
func (c DLeftConfig) buckets() uint64 { return (uint64(c.Slots) + dleftSlots - 1) / dleftSlots }

// remainderBits returns the width that keeps the rate where Capacity keys are in m buckets, as if
// none of them shared a true fingerprint: they then use the share Capacity/(m*(2^bits-1)) of all.
func (c DLeftConfig) remainderBits(m uint64) int {
	bits := MinRemainderBits
	for bits <= 64 && float64(c.Capacity)/float64(m)/(math.Ldexp(1, bits)-1) > c.FalsePositiveRate {
		bits++
	}
	return bits
}

// PlanDLeft returns what [NewDLeft] would make of c, without making it: [DLeft.Config] and
// [DLeft.SizeBytes] of that filter. It takes less than a microsecond. The errors are those of NewDLeft.
func PlanDLeft(c DLeftConfig) (resolved DLeftConfig, sizeBytes int, err error) {
	if err := c.Validate(); err != nil {
		return c, 0, err
	}
	if c.CounterBits == 0 {
		c.CounterBits = defaultDLeftCounterBits
	}
	limit := config.MaxBytes(c.MaxBytes)
	m := c.buckets()
	if c.Capacity > 0 {
		if uint64(c.Capacity) > dleftMaxKeys {
			return c, 0, pkg.Errorf(ErrTooLarge, "Capacity is %d, want at most %d", c.Capacity, uint64(dleftMaxKeys))
		}
		m = dleftBuckets(uint64(c.Capacity))
	}
	if c.RemainderBits == 0 {
		c.RemainderBits = c.remainderBits(m)
	}
	remainders, ok1 := packed.Plain.Size(uint(c.RemainderBits), dleftBucketSize, dleftTables*m)
	extras, ok2 := packed.Plain.Size(uint(c.CounterBits), dleftBucketSize, dleftTables*m)
	// The sum of two ints fits into 64 bits without a sign. Where int has 32 bits, slots of a few
	// bits outgrow it before the bytes do.
	if !ok1 || !ok2 || uint64(remainders)+uint64(extras) > uint64(limit) || m*dleftSlots > math.MaxInt {
		return c, 0, pkg.Errorf(ErrTooLarge, "%d slots of %d+%d bits, MaxBytes is %d",
			m*dleftSlots, c.RemainderBits, c.CounterBits, limit)
	}
	digester := hashing.NewDigester(c.Hash)
	c.Capacity, c.Slots, c.FalsePositiveRate, c.Hash = 0, int(m*dleftSlots), 0, digester.Hasher()
	return c, remainders + extras, nil
}

// PredictDLeftRate returns the false-positive rate to expect of a [DLeft] of that many slots, rounded up to a
// multiple of 16, and remainders of that many bits after n distinct keys, all of which found room: the chance
// that one of them has a given true fingerprint, 1-(1-1/c)^n with c = slots/16*(2^remainderBits-1).
// It is 0 where slots, remainderBits or n is below 1.
func PredictDLeftRate(slots, remainderBits, n int) float64 {
	if slots < 1 || remainderBits < 1 || n < 1 {
		return 0
	}
	c := float64(DLeftConfig{Slots: slots}.buckets()) * (math.Ldexp(1, remainderBits) - 1)
	return -math.Expm1(float64(n) * math.Log1p(-1/c))
}
