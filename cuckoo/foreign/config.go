package foreign

import (
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/packed"
)

// pkg is what errors begin with.
const pkg = config.Package("foreign")

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = pkg.Errorf(errs.Full, "no cuckoo path to a free slot")
	errCopies = pkg.Errorf(errs.Full, "every slot of the key's buckets holds its fingerprint already")
	errUnmade = pkg.Errorf(errs.Config, "the zero Filter takes no keys, make one with New or Decode")
	errLost   = pkg.Errorf(errs.Full, "the key was stored and, as Lossy asks, another one lost")
)

// Config says what filter to make, or how to take a dump.
type Config struct {
	_ struct{}

	// Format is the module whose tables the filter has. There is no default.
	Format Format
	// Capacity gives the table the size that the module gives it for that capacity. It promises nothing: a
	// filter can be full before it holds so many keys, and it can be half empty when it does, because the
	// number of buckets is rounded up to a power of two. Buckets is the number of buckets itself, a power of
	// two. New takes one of the two; Decode takes none, or the Buckets that the dump must have.
	Capacity, Buckets int
	// Hash makes digests from keys. The default is hashing.Metro64(1337), which both modules use
	// unless a program changes it for the whole process, as seiflotfy's SetDefaultHasher does. The dump
	// does not say. Alternate buckets come from MetroHash64 in any case.
	Hash hashing.Hasher
	// Choices makes inserts that find both buckets full walk like the module: up to 500 kicks of victims that Choices
	// chooses. It returns a number from 0 to n-1, as rand.Intn does: first with n = 2, 0 to begin in the primary
	// bucket, then with n = 4, the slot of each victim. Any other number counts as 0. Choices must not use the filter,
	// which is in the middle of an insert. Clones share it. The default, nil, is the breadth-first search.
	Choices func(n int) int
	// Lossy makes an insert that fails after its 500 kicks fail as it does in the module: the key is stored,
	// and the fingerprint kicked last is lost. Such a filter has false negatives. Use Lossy only to compare
	// with the module byte by byte. It needs Choices.
	Lossy bool
	// MaxBytes is the largest table, in bytes, that may be allocated; beyond it the error is
	// cuckoo.ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate reports everything that is wrong with c for New, each problem on a line of its own, or
// nil. All of it is cuckoo.ErrConfig.
func (c Config) Validate() error {
	problems := c.problems()
	if (c.Capacity == 0) == (c.Buckets == 0) {
		problems.Wrong("Capacity is %d and Buckets %d, want one of them set", c.Capacity, c.Buckets)
	}
	return problems.Err()
}

// problems returns what is wrong with c whether or not it says a size.
func (c Config) problems() config.Problems {
	problems := config.Problems{Package: pkg}
	if c.Format < Seiflotfy || c.Format > Panmari {
		problems.Wrong("Format is %d, want Seiflotfy or Panmari", uint8(c.Format))
	}
	problems.Check([]config.Field{config.Int("Capacity", "", &c.Capacity, 0, math.MaxInt), config.Limit(&c.MaxBytes)})
	if c.Buckets < 0 || c.Buckets&(c.Buckets-1) != 0 {
		problems.Wrong("Buckets is %d, want a power of two", c.Buckets)
	}
	if c.Lossy && c.Choices == nil {
		problems.Wrong("Lossy without Choices: the breadth-first search moves nothing when it fails")
	}
	return problems
}

// sameTable returns cuckoo.ErrMismatch, with the field, unless tables of the two configurations mean the same keys.
func (c Config) sameTable(d Config) error {
	switch {
	case c.Format != d.Format:
		return pkg.Differ("Format", c.Format, d.Format)
	case c.Buckets != d.Buckets:
		return pkg.Differ("Buckets", c.Buckets, d.Buckets)
	case c.Buckets == 0: // of zero filters, which have no hash either
		return nil
	case c.Hash.Recipe() != d.Hash.Recipe():
		return pkg.Differ("Hash", c.Hash.Recipe(), d.Hash.Recipe())
	}
	return nil
}

// fits returns cuckoo.ErrTooLarge for a table of more bytes than allowed.
func (c Config) fits(buckets uint64) error {
	limit := config.MaxBytes(c.MaxBytes)
	size, ok := packed.Plain.Size(c.Format.width(), slots, buckets)
	if !ok || size-packed.Padding > limit || buckets > maxBuckets || buckets*slots > math.MaxInt {
		return pkg.Errorf(errs.TooLarge, "%d buckets of %d slots of %d bits, MaxBytes is %d",
			buckets, slots, c.Format.width(), limit)
	}
	return nil
}
