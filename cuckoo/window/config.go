package window

import (
	"cmp"
	"math"
	"math/bits"
	"sort"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/packed"
)

// maxGenerations is the most generations of a window: more save nothing.
const maxGenerations = 14

// Config says what filter to make. Set PerWindow, Capacity, Buckets or Keys. Every other field may be zero, which is
// its default.
type Config struct {
	_ struct{}

	// PerWindow is the number of distinct keys that a constant stream touches in each window. Capacity is then
	// PerWindow(1+1/Generations). The default is Keys.
	PerWindow int
	// Capacity is the number of distinct keys that the filter promises to hold at once, with the probabilities that
	// cuckoo.Filter.Capacity states for fingerprints of the same width: those that are touched in Generations+1
	// successive generations. Set it in place of PerWindow where a generation can have more keys than others.
	Capacity int
	// Buckets is the number of buckets, if you size the table yourself: any number up to 2^32.
	Buckets int
	// FingerprintBits is the width of the fingerprints of a Filter[fingerprint.Any]: 1 to 32 bits. For every other type
	// of Filter leave it 0, or set it to the width that the type has.
	FingerprintBits int
	// BucketSize is b, the number of slots of a bucket: 1, 2, 4 (default) or 8.
	BucketSize int
	// Generations is g, the parts of a window: 1 to 14. More of them forget sooner after the window, and need fewer
	// slots and wider ones. The default is 14, or 6 for fingerprints of 9, 11 or 13 bits in buckets of 4, where that
	// makes buckets whole bytes, which are faster.
	Generations int
	// Window is the time for which a key is remembered after a touch: at least a millisecond. [Filter.AdvanceTo] needs
	// it.
	Window time.Duration
	// Keys is the number of other keys that must have been touched before a key can be forgotten. A generation then
	// ends by itself when Keys/Generations distinct keys, rounded up, were touched in it. A key that is touched again
	// in the next generation counts again there. Such a filter of the default size is as good as never full. It
	// excludes Window.
	Keys int
	// ForgetEarly has a full filter forget its oldest generation instead of refusing a key, where [Filter.Len] is at
	// least [Filter.Capacity]. In a smaller one only keys that somebody has chosen find no room, and they do not empty
	// the filter.
	ForgetEarly bool
	// Hash makes digests from keys. The default is hashing.XXH3(0). With hashing.DigestsOnly the filter takes only
	// digests, and the verbs that take keys panic.
	Hash hashing.Hasher
	// MaxBytes bounds the bytes of the table: New of a larger one returns ErrTooLarge and allocates nothing. The
	// default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// pkg is what the errors of this package begin with.
const pkg = config.Package("window")

// filter returns the configuration of the plain filter whose buckets and promises the filter has, without a limit on
// its size.
func (c Config) filter() cuckoo.Config {
	return cuckoo.Config{
		Capacity: c.Capacity, Buckets: c.Buckets, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize,
		Hash: c.Hash, MaxBytes: math.MaxInt,
	}
}

// withDefaults returns c with Generations, and with Capacity in place of PerWindow and for Keys.
func (c Config) withDefaults() Config {
	if c.Generations == 0 {
		c.Generations = maxGenerations
		if f := c.FingerprintBits; f%2 != 0 && f >= 9 && f <= 13 && (c.BucketSize == 0 || c.BucketSize == 4) {
			c.Generations = 6
		}
	}
	if n := cmp.Or(c.PerWindow, c.Keys); n > 0 && c.Capacity == 0 && c.Buckets == 0 {
		c.Capacity = min(c.share(n), math.MaxInt/(c.Generations+1)) * (c.Generations + 1)
	}
	c.PerWindow = 0
	return c
}

// share returns how many of the keys of a window a generation has, rounded up.
func (c *Config) share(keys int) int {
	if keys == 0 {
		return 0
	}
	return (keys-1)/c.Generations + 1
}

// step returns the time that a generation takes.
func (c *Config) step() time.Duration {
	g := time.Duration(c.Generations)
	return c.Window/g + min(1, c.Window%g)
}

// ageBits returns the width of an age, of which there are Generations+2.
func (c *Config) ageBits() uint { return uint(bits.Len(uint(c.Generations + 1))) }

// lane returns the width of a lane.
func (c *Config) lane() uint { return uint(c.FingerprintBits) + c.ageBits() }

// Validate returns an error for everything that is wrong with c, or nil. Each problem has a line of its own that names
// the field, and all are [ErrConfig]. It does not know the width of the fingerprints, unless FingerprintBits says it.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	problems.Check(c.fields())
	if problems.None() {
		problems.Add(c.withDefaults().filter().Validate())
	}
	if c.PerWindow != 0 && (c.Capacity != 0 || c.Buckets != 0) {
		problems.Wrong("PerWindow %d, Capacity %d and Buckets %d are set, want one of them",
			c.PerWindow, c.Capacity, c.Buckets)
	}
	if c.Window != 0 && c.Keys != 0 {
		problems.Wrong("Window %v and Keys %d are both set, want at most one of them", c.Window, c.Keys)
	}
	return problems.Err()
}

// resolve returns c with every default filled in and Buckets in place of Capacity, for the width of a type, which is 0
// for fingerprint.Any, and the size of the table in bytes, which it checks.
func (c Config) resolve(ofType uint) (Config, int, error) {
	problems := config.Problems{Package: pkg}
	problems.Width(&c.FingerprintBits, ofType, nil)
	problems.Add(c.Validate())
	if err := problems.Err(); err != nil {
		return c, 0, err
	}
	c = c.withDefaults()
	f, _, err := cuckoo.Plan(c.filter())
	if err != nil {
		return c, 0, pkg.Wrap(err)
	}
	c.Capacity, c.Buckets, c.BucketSize, c.Hash = 0, f.Buckets, f.BucketSize, f.Hash
	size, ok := packed.Plain.Size(c.lane(), uint(c.BucketSize), uint64(c.Buckets))
	if limit := config.MaxBytes(c.MaxBytes); !ok || size > limit {
		return c, 0, pkg.Errorf(ErrTooLarge, "%d buckets of %d slots of %d bits, MaxBytes is %d",
			c.Buckets, c.BucketSize, c.lane(), limit)
	}
	return c, size, nil
}

// Plan returns the configuration that [New] would make of c, and the size of the table in bytes. It needs
// FingerprintBits, as a Filter[fingerprint.Any] does. It allocates no table: set MaxBytes to plan tables beyond its
// default. The errors are those of New.
func Plan(c Config) (resolved Config, sizeBytes int, err error) {
	if resolved, sizeBytes, err = c.resolve(0); err != nil {
		return Config{}, 0, err
	}
	return resolved, sizeBytes, nil
}

// PredictRate returns the false-positive rate of a filter of a resolved configuration that holds so many keys.
func (c Config) PredictRate(keys int) float64 { return c.filter().PredictRate(keys) }

// promise returns the largest Capacity for which New makes no more buckets than a resolved configuration has.
func (c *Config) promise() int {
	f := c.filter()
	f.Buckets = 0
	return sort.Search(c.Buckets*c.BucketSize, func(less int) bool {
		f.Capacity = less + 1
		planned, _, err := cuckoo.Plan(f)
		return err != nil || planned.Buckets > c.Buckets
	})
}

// sameTable returns an [ErrMismatch] unless lanes mean the same under two resolved configurations.
func (c Config) sameTable(d Config) error {
	return pkg.DifferIn(c.fields(), d.fields(), "ForgetEarly", "MaxBytes")
}

// String returns the fields that are set as key=value pairs joined by slashes, such as
// capacity=1000000/window=10m0s/g=14. [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names, as that of cuckoo.Config does and with the same errors.
func (c *Config) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*Config).fields)
}

// fields returns the table of c.
func (c *Config) fields() []config.Field {
	return []config.Field{
		config.Int("PerWindow", "perwindow", &c.PerWindow, 1, math.MaxInt),
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Int("Buckets", "buckets", &c.Buckets, 1, fingerprint.MaxBuckets),
		config.Int("FingerprintBits", "f", &c.FingerprintBits, 1, fingerprint.MaxWidth),
		config.OneOf("BucketSize", "b", &c.BucketSize, 1, 2, 4, 8),
		config.Int("Generations", "generations", &c.Generations, 1, maxGenerations),
		config.Period("Window", "window", &c.Window, time.Millisecond),
		config.Int("Keys", "keys", &c.Keys, 1, math.MaxInt),
		config.Plain("ForgetEarly", "forgetearly", &c.ForgetEarly),
		config.Hash(&c.Hash),
		config.Limit(&c.MaxBytes),
	}
}
