package counting

import (
	"cmp"
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
)

// DefaultCounterBits is the width of a counter where Config sets none. With the best number of hashes and distinct
// keys, a share of 1.6e-15 of the counters of 4 bits is saturated at capacity (a Poisson variable of mean ln(2) is
// 15 or more; Fan et al. 2000, section V-C, bound the share that reaches 16 by 1.4e-15).
const DefaultCounterBits = 4

// Config says what filter to make. The size comes from one of three pairs of fields:
//
//   - Capacity and FalsePositiveRate: the smallest table that keeps the rate, with the fewest Hashes that do;
//   - Capacity and Slots: the Hashes that make the rate smallest;
//   - Slots and Hashes: as they are.
//
// Any other choice of these four fields is [ErrConfig].
type Config struct {
	_ struct{}

	// Capacity is the number of distinct keys up to which the filter keeps its rate. Beyond it the rate rises, as
	// bloom.PredictRate tells, and counters saturate.
	Capacity int
	// FalsePositiveRate is the predicted share of absent keys that the filter reports as present when it holds Capacity
	// keys: at least Capacity/2^64, at which 64-bit digests collide, and below 1.
	FalsePositiveRate float64
	Slots             int            // counters of the table, m; where int has 32 bits, tables end at 2^31-1 counters
	Hashes            int            // counters of a key, 1 to 64
	CounterBits       int            // the width of a counter: 2, 4 (default), 8 or 16
	Hash              hashing.Hasher // as in bloom.Config, the default being hashing.XXH3(0)
	MaxBytes          int            // as in bloom.Config, the default being 16 GiB
}

// Validate reports everything that is wrong with c, as that of bloom.Config does, or nil.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	c.sizing().Check(&problems)
	return problems.Err()
}

// String returns the fields that are set, such as capacity=1000000/fpr=0.01/counterbits=4. The other keys are slots,
// hashes, hash and maxbytes. [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names, as that of bloom.Config does and with the same errors.
func (c *Config) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*Config).fields)
}

// fields returns the table of c.
func (c *Config) fields() []config.Field {
	return []config.Field{
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Rate("FalsePositiveRate", "fpr", &c.FalsePositiveRate),
		config.Int("Slots", "slots", &c.Slots, 1, math.MaxInt),
		config.Int("Hashes", "hashes", &c.Hashes, 1, bloomcore.MaxHashes),
		config.OneOf("CounterBits", "counterbits", &c.CounterBits, 2, 4, 8, 16),
		config.Hash(&c.Hash),
		config.Limit(&c.MaxBytes),
	}
}

func (c Config) sizing() bloomcore.Sizing {
	return bloomcore.Sizing{
		Package: pkg, Fields: c.fields(),
		Capacity: c.Capacity, Rate: c.FalsePositiveRate, Cells: c.Slots, Hashes: c.Hashes,
		CellBits: cmp.Or(c.CounterBits, DefaultCounterBits), Hash: c.Hash, MaxBytes: c.MaxBytes,
	}
}

// configOf returns the configuration that makes an empty table like t.
func configOf(t *bloomcore.Table) Config {
	return Config{
		Slots: int(t.Slots), Hashes: t.Hashes, CounterBits: int(t.CellBits),
		Hash: t.Hash.Hasher(), MaxBytes: t.MaxBytes,
	}
}
