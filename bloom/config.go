package bloom

import (
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
)

// MaxHashes is the largest number of hashes of a key, 64.
const MaxHashes = bloomcore.MaxHashes

// Config says what filter to make, for [New], [NewBlocked] and [NewSplitBlock] alike. The size comes
// from one of three pairs of fields:
//
//   - Capacity and FalsePositiveRate: the smallest table that keeps the rate, with the fewest Hashes that do;
//   - Capacity and Slots: the Hashes that make the rate smallest;
//   - Slots and Hashes: as they are.
//
// Any other choice of these four fields is [ErrConfig]. A [SplitBlock] always has 8 Hashes; the field may be 0 for it.
type Config struct {
	_ struct{}

	// Capacity is the number of distinct keys up to which the filter keeps its rate. More can be inserted; the rate
	// then rises, as [PredictRate], [PredictBlockedRate] and [PredictSplitBlockRate] tell.
	Capacity int
	// FalsePositiveRate is the predicted share of absent keys that the filter reports as present when it holds Capacity
	// keys: at least Capacity/2^64, at which 64-bit digests collide, and below 1.
	FalsePositiveRate float64
	// Slots is the number of bits of the table, m. A blocked filter rounds it up to whole blocks of 512 bits, a
	// split-block filter to blocks of 256. Where int has 32 bits, tables end at 2^31-1 bits.
	Slots  int
	Hashes int // bits that a key sets, 1 to MaxHashes
	// Hash makes digests from keys. The default is hashing.XXH3(0), and of a [SplitBlock] that of Parquet,
	// hashing.XXH64(0). With hashing.DigestsOnly the filter takes digests only: the verbs that take keys panic.
	Hash hashing.Hasher
	// MaxBytes is the largest table, in bytes, that may be allocated; beyond it the constructors
	// return ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate reports everything that is wrong with c, each problem on a line of its own that names the field and its
// value, or nil. All of it is [ErrConfig]. A table beyond MaxBytes is reported by the constructors only.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	c.sizing().Check(&problems)
	return problems.Err()
}

// String returns the fields that are set, such as capacity=1000000/fpr=0.01/hash=xxh3:0. The other keys are slots,
// hashes and maxbytes. [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names; the others keep their values. A hash with a secret, or one of
// your own, cannot be made from its recipe: set Hash first, and it stays if the text has its recipe. An error is
// [ErrConfig], names the key and leaves c as it was. c is not validated.
func (c *Config) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*Config).fields)
}

// fields returns the table of c.
func (c *Config) fields() []config.Field {
	return []config.Field{
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Rate("FalsePositiveRate", "fpr", &c.FalsePositiveRate),
		config.Int("Slots", "slots", &c.Slots, 1, math.MaxInt),
		config.Int("Hashes", "hashes", &c.Hashes, 1, MaxHashes),
		config.Hash(&c.Hash),
		config.Limit(&c.MaxBytes),
	}
}

func (c Config) sizing() bloomcore.Sizing {
	return bloomcore.Sizing{
		Package: pkg, Fields: c.fields(),
		Capacity: c.Capacity, Rate: c.FalsePositiveRate, Cells: c.Slots, Hashes: c.Hashes,
		CellBits: 1, Hash: c.Hash, MaxBytes: c.MaxBytes,
	}
}

// configOf returns the configuration that makes an empty table like t.
func configOf(t *bloomcore.Table) Config {
	return Config{Slots: int(t.Slots), Hashes: t.Hashes, Hash: t.Hash.Hasher(), MaxBytes: t.MaxBytes}
}
