package cuckoo

import (
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// ScalableConfig says what growing filter to make. Every field may be zero, which is its default: use
// ScalableConfig{} if you know nothing about the number of keys.
//
// There is no field for the placement and the layout. [Scalable] has a placement of its own, and a lookup compares
// tails of several lengths in all lanes of a bucket at once, which semi-sorted buckets do not allow.
type ScalableConfig struct {
	_ struct{}

	// Capacity is the number of keys that the first table takes, at a load of at most 93%. Its buckets are
	// rounded up to a power of two, 32 at least. The default, 0, is 1024. A larger Capacity saves doublings,
	// which makes the rate lower.
	Capacity int
	// FalsePositiveRate is the rate that the filter stays below, however full it is. A key that would
	// need a doubling beyond it is ErrFull. The default, 0, is the rate after as many doublings as there
	// can be; [PlanScalable] tells it.
	FalsePositiveRate float64
	// MaxDoublings bounds how often the table doubles, from 1 on. The default, 0, is as often as FalsePositiveRate,
	// the width of the fingerprints and 2^32 buckets permit.
	MaxDoublings int
	// MaxBytes bounds the bytes of the table. An insert that needs more is ErrFull and ErrTooLarge. While the filter
	// grows, the old table stands beside it, which is half as large and not counted. The default, 0, is 16 GiB,
	// and 1 GiB where int has 32 bits.
	MaxBytes int
	// FingerprintBits is as in Config, with 8 bits at least. The width of a Scalable[fingerprint.Any] without it is the
	// fewest bits that keep FalsePositiveRate for MaxDoublings, or for growth to 2^32 buckets.
	FingerprintBits int
	// BucketSize is b, the number of slots of a bucket: 4 (default) or 8. Smaller buckets are refused too early,
	// because there are only 64 remainders: 2*b keys of one bucket and one remainder fit.
	BucketSize int
	// Hash is as in Config.
	Hash hashing.Hasher
	// Kick is as in Config. Only with BreadthFirst, the default, the filter grows in steps.
	Kick KickPolicy
	// MaxKicks is as in Config.
	MaxKicks int
	// Seed is as in Config.
	Seed uint64
}

const (
	// defaultFirst is the capacity of the first table where none is said: 4 KiB at 16 bits, little enough for many
	// filters of a few keys.
	defaultFirst = 1024
	// firstLoad is the load, in percent, that the first table is made for. Tables double at 95% to 98%, small ones at
	// 90% or more.
	firstLoad = 93
	// minLog is the logarithm of the fewest buckets that a side can have. So few keys are left in the smallest
	// table that two of them rarely are in each other's way when it doubles.
	minLog = 4
	// minTailWidth is the fewest bits of a lane: a remainder, a bit of the tail, and the end.
	minTailWidth = remainderBits + 2
)

// shared returns what c says that the configuration of a Filter says too.
func (c ScalableConfig) shared() Config {
	return Config{
		Buckets: 1, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize, Hash: c.Hash, Kick: c.Kick,
		MaxKicks: c.MaxKicks, Seed: c.Seed, MaxBytes: c.MaxBytes,
	}
}

// Validate returns an error for everything that is wrong with c, or nil. Each problem has a line of its own that names
// the field, and all are [ErrConfig]. [PlanScalable] and [NewScalable] tell whether fingerprints are wide enough for
// FalsePositiveRate.
func (c ScalableConfig) Validate() error {
	problems := config.Problems{Package: pkg}
	problems.Check(c.fields())
	if b, ok := c.Kick.(builtin); ok && !b.known() {
		problems.Wrong("Kick is %d, which is no policy", uint8(b))
	}
	return problems.Err()
}

// width returns the bits of a fingerprint, of a configuration that says them.
func (c *ScalableConfig) width() uint { return uint(c.FingerprintBits) }

// begin returns the logarithm of the buckets of a side in the first table of a resolved configuration.
func (c *ScalableConfig) begin() uint { return logOf(uint64(c.Capacity), c.BucketSize) }

// portable rounds a rate up to 40 bits. Exponentials differ between machines in the last bits, and this one is
// stored in files, which do not.
func portable(rate float64) float64 {
	const dropped = 1<<12 - 1
	return math.Float64frombits((math.Float64bits(rate) | dropped) + 1)
}

// String returns the fields that are set as key=value pairs joined by slashes, as [Config.String] does.
func (c ScalableConfig) String() string { return config.Text(c.fields()) }

// MarshalText returns [ScalableConfig.String]. It has no error.
func (c ScalableConfig) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names, as [Config.UnmarshalText] does.
func (c *ScalableConfig) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*ScalableConfig).fields)
}

// fields returns the table of c.
func (c *ScalableConfig) fields() []config.Field {
	return []config.Field{
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Rate("FalsePositiveRate", "fpr", &c.FalsePositiveRate),
		config.Int("MaxDoublings", "maxdoublings", &c.MaxDoublings, 1, math.MaxInt),
		config.Int("FingerprintBits", "f", &c.FingerprintBits, minTailWidth, fingerprint.MaxWidth),
		config.OneOf("BucketSize", "b", &c.BucketSize, 4, 8),
		config.Hash(&c.Hash),
		config.Part("Kick", "kick", &c.Kick, policyNamed),
		config.Int("MaxKicks", "maxkicks", &c.MaxKicks, 1, maxKicksLimit),
		config.Plain("Seed", "seed", &c.Seed),
		config.Limit(&c.MaxBytes),
	}
}
