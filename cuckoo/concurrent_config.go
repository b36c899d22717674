package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/kick"
)

// resolveConcurrent is resolve for a [Concurrent].
func (c Config) resolveConcurrent(width uint) (Config, error) {
	problems := config.Problems{Package: pkg}
	if c.Layout != Packed && c.Layout != Words {
		problems.Wrong("Layout is %v, want words, which is the layout of a Concurrent", c.Layout)
	}
	c.Layout = Words
	problems.Add(c.Validate())
	if c.Kick != nil && c.Kick != KickPolicy(BreadthFirst) {
		problems.Wrong("Kick is %s, want breadth-first: other policies move fingerprints before there is room for all of them", c.Kick.Recipe())
	}
	if c.Seed != 0 {
		problems.Wrong("Seed is %d, want 0: a Concurrent has no kicks at random", c.Seed)
	}
	if err := problems.Err(); err != nil {
		return c, err
	}
	return c.resolve(width)
}

// PlanConcurrent is [Plan] for [NewConcurrent].
func PlanConcurrent(c Config, width uint) (resolved Config, sizeBytes int, err error) {
	if width < 1 || width > fingerprint.MaxWidth {
		return Config{}, 0, fmt.Errorf("cuckoo: %w: width is %d, want 1 to %d", ErrConfig, width, fingerprint.MaxWidth)
	}
	resolved, err = c.resolveConcurrent(width)
	if err != nil {
		return Config{}, 0, err
	}
	return resolved, 8 * resolved.Buckets, nil
}

// init makes f the empty filter of a resolved configuration.
func (f *Concurrent[F]) init(c Config, width uint) {
	f.hash, f.config = hashing.NewDigester(c.Hash), c
	f.shared.Init(width, c.scheme(), c.MaxKicks)
}

// Config returns the configuration with every default filled in and the number of Buckets in place
// of Capacity: NewConcurrent of it makes an empty filter with the same table, and so does New, whose filter is not for
// many goroutines. FingerprintBits is 0 unless F is fingerprint.Any.
func (f *Concurrent[F]) Config() Config { return f.config }

// Filter returns a [Filter] with the layout [Words] and the keys of f. It copies the table as [Concurrent.AppendBinary] says.
func (f *Concurrent[F]) Filter() *Filter[F] {
	if f.config.Buckets == 0 {
		return new(Filter[F])
	}
	table := f.config.newTable(f.width())
	stored := f.shared.Snapshot(&table)
	g := newFilter[F](f.config, table, new(kick.Scratch))
	g.len = stored
	return g
}

// Concurrent returns a [Concurrent] with the keys of f, which shares nothing with f. It has as many buckets, each of which has
// at least the slots of f's, so that more keys may fit than before: a table of 12 bits and 4 slots becomes a third larger.
//
// The error is [ErrConfig] if a word does not hold BucketSize fingerprints of that width, or if they have fewer than 8 bits.
// Then the keys themselves have to be inserted into a new filter. It is [ErrTooLarge] if the table is beyond MaxBytes.
func (f *Filter[F]) Concurrent() (*Concurrent[F], error) {
	c, width := f.config, f.width()
	if c.Buckets == 0 {
		return new(Concurrent[F]), nil
	}
	// Walks have limits of another kind, and so have searches in some layouts.
	if c.Kick != KickPolicy(BreadthFirst) || layoutTable[c.Layout].search != searchLimit {
		c.MaxKicks = 0
	}
	b := c.BucketSize
	c.Layout, c.BucketSize, c.Kick, c.Seed = Words, 0, nil, 0
	c, err := c.resolveConcurrent(width)
	if err == nil && c.BucketSize < b {
		err = fmt.Errorf("cuckoo: %w: BucketSize is %d, and a word has %d fingerprints of %d bits", ErrConfig, b, c.BucketSize, width)
	}
	if err != nil {
		return nil, err
	}
	g := new(Concurrent[F])
	g.init(c, width)
	g.shared.Restore(&f.engine.Table)
	return g, nil
}

// width returns the bits of a fingerprint.
func (f *Concurrent[F]) width() uint { return widthOfWords(&f.shared, fingerprint.WidthOf[F]()) }
