package quotient

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/conftext"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/limits"
)

// The errors of this package. They are shared by all filter packages, so errors.Is with any of
// their names works on an error from any package. Errors that carry one of them say what and where.
var (
	// ErrFull: the filter holds as many fingerprints as [Filter.Capacity] says, or would. It is as it
	// was before the call. [Filter.Resize] makes room.
	ErrFull = errs.Full
	// ErrConfig: the configuration cannot be built. The error names each field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: two filters cannot be combined, because they were configured differently.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the table would be larger than MaxBytes. Nothing was allocated.
	ErrTooLarge = errs.TooLarge
)

// The limits of [Config].
const (
	// DefaultMaxLoad is the load factor to which the cuckoo-filter paper fills the quotient filter
	// (its Table 3).
	DefaultMaxLoad = 0.9
	// MaxRemainderBits is the widest remainder: with its three bits, a slot is a word then.
	MaxRemainderBits = 61
	// DigestBits bounds QuotientBits+RemainderBits.
	DigestBits = 64
)

// Config says what filter to make. The size comes from one of Capacity and QuotientBits, the width
// of a slot from one of FalsePositiveRate and RemainderBits: to set both of a pair, or none, is
// [ErrConfig].
type Config struct {
	_ struct{}

	// Capacity is the number of keys that the filter promises to take. The table has the next
	// power of two of slots that holds them at MaxLoad.
	Capacity int
	// QuotientBits is the binary logarithm of the number of slots, 1 or more.
	QuotientBits int
	// FalsePositiveRate is the share of absent keys that the filter may report as present when it
	// is as full as it may be: with Capacity keys, or at MaxLoad. It is above 0 and below 1.
	// Remainders have a whole number of bits, so the rate can be as low as half of it.
	FalsePositiveRate float64
	// RemainderBits is the width of a remainder, 1 to MaxRemainderBits. Each bit halves the rate.
	RemainderBits int
	// MaxLoad is the load factor beyond which inserts are refused, above 0 and at most 1. The
	// default is DefaultMaxLoad. At 1 every slot can be used, and an insert into the last of
	// them costs a pass over the table.
	MaxLoad float64
	// Hash makes digests from keys. The default is hashing.XXH64(0). With hashing.DigestsOnly the
	// filter takes digests only, and its key verbs panic.
	Hash hashing.Hasher
	// MaxBytes is the largest table, in bytes, that may be allocated; beyond it New, Merge and
	// Resize return ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate reports everything that is wrong with c, each problem on a line of its own that names
// the field and its value, or nil. All of it is [ErrConfig]. A table beyond MaxBytes, and widths that
// add up to more than the bits of a digest, are reported by [New] only.
func (c Config) Validate() error {
	problems := limits.Problems{Package: "quotient"}
	wrong := problems.Wrong
	if c.Capacity < 0 {
		wrong("Capacity is %d, want at least 0", c.Capacity)
	}
	if q := c.QuotientBits; q < 0 || q >= DigestBits {
		wrong("QuotientBits is %d, want 1 to %d", q, DigestBits-1)
	}
	if (c.Capacity == 0) == (c.QuotientBits == 0) {
		wrong("Capacity is %d and QuotientBits %d, want one of them", c.Capacity, c.QuotientBits)
	}
	if p := c.FalsePositiveRate; p != 0 && !(p > 0 && p < 1) {
		wrong("FalsePositiveRate is %v, want a number between 0 and 1", p)
	}
	if r := c.RemainderBits; r < 0 || r > MaxRemainderBits {
		wrong("RemainderBits is %d, want 1 to %d", r, MaxRemainderBits)
	}
	if (c.FalsePositiveRate == 0) == (c.RemainderBits == 0) {
		wrong("FalsePositiveRate is %v and RemainderBits %d, want one of them", c.FalsePositiveRate, c.RemainderBits)
	}
	if a := c.MaxLoad; a != 0 && !(a > 0 && a <= 1) {
		wrong("MaxLoad is %v, want a number above 0 and at most 1, or 0 for %v", a, DefaultMaxLoad)
	}
	if c.MaxBytes < 0 {
		wrong("MaxBytes is %d, want at least 0", c.MaxBytes)
	}
	return problems.Err()
}

// Plan returns what [New] would make of c, without making it: [Filter.Config] and
// [Filter.SizeBytes] of that filter. The errors are those of New.
func Plan(c Config) (resolved Config, sizeBytes int, err error) {
	if err := c.Validate(); err != nil {
		return c, 0, err
	}
	if c.MaxLoad == 0 {
		c.MaxLoad = DefaultMaxLoad
	}
	keys := uint64(c.Capacity)
	if keys == 0 {
		keys = limitOf(c.QuotientBits, c.MaxLoad)
	} else {
		for c.QuotientBits = 1; c.QuotientBits < DigestBits-1 && limitOf(c.QuotientBits, c.MaxLoad) < keys; {
			c.QuotientBits++
		}
	}
	if c.RemainderBits == 0 {
		for c.RemainderBits = 1; c.RemainderBits <= MaxRemainderBits && predict(keys, c.QuotientBits+c.RemainderBits) > c.FalsePositiveRate; {
			c.RemainderBits++
		}
	}
	digester := hashing.NewDigester(c.Hash)
	c.Capacity, c.FalsePositiveRate, c.Hash = 0, 0, digester.Hasher()
	sizeBytes, err = c.size()
	return c, sizeBytes, err
}

// size returns the size of the table of a resolved configuration, or why it cannot be made.
func (c Config) size() (int, error) {
	if p := c.QuotientBits + c.RemainderBits; c.RemainderBits > MaxRemainderBits || p > DigestBits {
		return 0, fmt.Errorf("quotient: %w: QuotientBits is %d and RemainderBits %d, want at most %d bits of remainder and %d together",
			ErrConfig, c.QuotientBits, c.RemainderBits, MaxRemainderBits, DigestBits)
	}
	limit := c.MaxBytes
	if limit == 0 {
		limit = limits.DefaultMaxBytes
	}
	words, ok := slotWords(c.QuotientBits, c.RemainderBits+metadataBits)
	if !ok || words > uint64(limit)/8 || uint64(1)<<c.QuotientBits > math.MaxInt {
		return 0, fmt.Errorf("quotient: %w: 2^%d slots of %d+%d bits, MaxBytes is %d",
			ErrTooLarge, c.QuotientBits, c.RemainderBits, metadataBits, limit)
	}
	return int(words) * 8, nil
}

// limitOf returns the number of fingerprints that 2^q slots take, at least one.
func limitOf(q int, maxLoad float64) uint64 {
	// The product with a power of two is exact, so it is the same on every machine.
	return max(1, uint64(math.Ldexp(maxLoad, q)))
}

// predict returns the chance that one of n fingerprints of p bits is a given one.
func predict(n uint64, p int) float64 { return -math.Expm1(-math.Ldexp(float64(n), -p)) }

// match returns nil if filters of the two resolved configurations can be combined, and otherwise an
// [ErrMismatch] that names the first difference.
func (c Config) match(d Config) error {
	differ := limits.Package("quotient").Differ
	switch {
	case c.QuotientBits != d.QuotientBits:
		return differ("QuotientBits", c.QuotientBits, d.QuotientBits)
	case c.RemainderBits != d.RemainderBits:
		return differ("RemainderBits", c.RemainderBits, d.RemainderBits)
	}
	if a, b := c.Hash.Recipe(), d.Hash.Recipe(); a != b {
		return differ("Hash", a, b)
	}
	return nil
}

// String returns the fields that are set as key=value pairs joined by slashes, in the form that
// names of benchmarks use, such as
//
//	capacity=1000000/fpr=0.01/maxload=0.95
//
// The other keys are quotientbits, remainderbits, hash and maxbytes.
func (c Config) String() string {
	return conftext.Text([]conftext.Field{
		conftext.Int("capacity", &c.Capacity),
		conftext.Float("fpr", &c.FalsePositiveRate),
		conftext.Int("quotientbits", &c.QuotientBits),
		conftext.Int("remainderbits", &c.RemainderBits),
		conftext.Float("maxload", &c.MaxLoad),
		conftext.Hash("hash", &c.Hash, nil),
		conftext.Int("maxbytes", &c.MaxBytes),
	})
}
