package rediscf

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/config"
)

// The server's ranges and defaults (CF.RESERVE).
const (
	DefaultCapacity      = 1024 // of a filter that was not reserved
	defaultBucketSize    = 2
	defaultMaxIterations = 20
	defaultExpansion     = 1

	MaxCapacity      = 1 << 30 // the smallest capacity is two buckets
	MaxBucketSize    = 255
	MaxMaxIterations = 1<<16 - 1
	MaxExpansion     = 1 << 15
	// maxFilters is the number of sub-filters from which every inserting command is refused. One command
	// that inserts many keys is asked once, when it begins, so it can grow a filter past this number.
	maxFilters = 32
)

// NoGrowth as Config.Expansion makes a filter that is full rather than grow: the server's EXPANSION 0.
const NoGrowth = -1

// Config has the parameters of CF.RESERVE. Zero fields are the server's defaults.
type Config struct {
	_ struct{}

	// Capacity is how many slots the first sub-filter has, before rounding: its buckets are Capacity/BucketSize,
	// rounded down, and then up to a power of two. It is from 2*BucketSize to 2^30; the default is 1024. How many keys
	// fit before the filter grows depends on BucketSize and MaxIterations: about .58 of the slots with the defaults,
	// .85 with 4 slots, .96 with 4 slots and 500 iterations.
	Capacity int
	// BucketSize is the number of slots of a bucket, 1 to 255. The default is 2.
	BucketSize int
	// MaxIterations is how many kicks one add makes before the filter grows, 1 to 65535. The default is 20.
	// The memory to undo them, 16 bytes each, is allocated once.
	MaxIterations int
	// Expansion is how many times as many buckets each sub-filter has as the one before, 1 to 32768
	// or NoGrowth. It is rounded up to a power of two. The default is 1.
	Expansion int
	// Limits bound memory and work.
	Limits Limits
}

// Limits bound what a filter may become by growth, and what a dump may ask for. Beyond them the error is [ErrTooLarge].
//
// An add examines two buckets of each sub-filter, twice with AddNX, and MaxIterations more. So Filters and
// Iterations together bound its work, and Filters that of a lookup.
type Limits struct {
	_ struct{}

	// Bytes is the memory of all sub-filters: their tables and, for each after the first, 576 bytes,
	// which is more than one takes besides its table. The default is 1 GiB.
	Bytes int
	// Filters is the number of sub-filters. The default, 65535, is the most that a dump can describe. It is
	// apart from the server's own [maxFilters].
	Filters int
	// Iterations is the largest MaxIterations that a filter, reserved or loaded, may have. The default is 65535.
	Iterations int
}

const (
	defaultBytes = 1 << 30
	mostFilters  = 1<<16 - 1
	// perFilter is what Limits.Bytes counts for a sub-filter besides its table: no less than struct and padding.
	perFilter = 576
)

// Validate reports everything that is out of the server's range, each with that range, or nil. All of it
// is [ErrConfig]. What [Limits] forbid is reported by [New] and [Filter.Reserve].
func (c Config) Validate() error {
	p := config.Problems{Package: pkg}
	slots := min(max(cmp.Or(c.BucketSize, defaultBucketSize), 1), MaxBucketSize)
	if c.Expansion == NoGrowth {
		c.Expansion = 0
	}
	p.Check([]config.Field{
		config.Int("BucketSize", "", &c.BucketSize, 1, MaxBucketSize),
		config.Int("Capacity", "", &c.Capacity, 2*slots, MaxCapacity),
		config.Int("MaxIterations", "", &c.MaxIterations, 1, MaxMaxIterations),
		config.Int("Expansion", "", &c.Expansion, 1, MaxExpansion),
	})
	p.Add(c.Limits.validate())
	return p.Err()
}

// withDefaults returns c with every zero field set to what it stands for.
func (c Config) withDefaults() Config {
	c.Capacity, c.BucketSize = cmp.Or(c.Capacity, DefaultCapacity), cmp.Or(c.BucketSize, defaultBucketSize)
	c.MaxIterations = cmp.Or(c.MaxIterations, defaultMaxIterations)
	c.Expansion = cmp.Or(c.Expansion, defaultExpansion)
	return c
}

// header returns the header of an empty filter of c, which is valid.
func (c Config) header() header {
	c = c.withDefaults()
	h := header{
		buckets: powerOfTwo(uint64(c.Capacity / c.BucketSize)), filters: 1,
		bucketSize: uint16(c.BucketSize), maxIterations: uint16(c.MaxIterations),
	}
	if c.Expansion != NoGrowth {
		h.expansion = uint16(powerOfTwo(uint64(c.Expansion)))
	}
	return h
}

// powerOfTwo returns the least power of two that is at least n, 1 for n = 0.
func powerOfTwo(n uint64) uint64 {
	if n == 0 {
		return 1
	}
	return 1 << bits.Len64(n-1)
}

// validate reports limits that are none.
func (l Limits) validate() error {
	p := config.Problems{Package: pkg}
	p.Check([]config.Field{
		config.Int("Limits.Bytes", "", &l.Bytes, 0, math.MaxInt),
		config.Int("Limits.Filters", "", &l.Filters, 0, math.MaxInt),
		config.Int("Limits.Iterations", "", &l.Iterations, 0, math.MaxInt),
	})
	return p.Err()
}

// withDefaults returns l with every zero field set to what it stands for.
func (l Limits) withDefaults() Limits {
	l.Bytes, l.Iterations = cmp.Or(l.Bytes, defaultBytes), cmp.Or(l.Iterations, MaxMaxIterations)
	l.Filters = min(cmp.Or(l.Filters, mostFilters), mostFilters)
	return l
}
