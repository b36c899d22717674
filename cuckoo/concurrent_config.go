package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/kick"
)

// resolveConcurrent is resolve for a [Concurrent].
func (c Config) resolveConcurrent(ofType uint) (Config, error) {
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
	return c.resolve(ofType)
}

// init makes f the empty filter of a resolved configuration.
func (f *Concurrent[F]) init(c Config) {
	f.hash, f.config = hashing.NewDigester(c.Hash), c
	f.slots, f.bytes = c.Buckets*c.BucketSize, 8*c.Buckets
	f.shared.Init(c.width(), c.scheme(), c.MaxKicks)
}

// Filter returns a [Filter] with the layout [Words] and the keys of f. It copies the table as [Concurrent.AppendBinary] says.
func (f *Concurrent[F]) Filter() *Filter[F] {
	if f.config.Buckets == 0 {
		return new(Filter[F])
	}
	table := f.config.newTable()
	stored := f.shared.Snapshot(&table)
	g := newFilter[F](f.config, table)
	g.len = stored
	return g
}

// Concurrent returns a [Concurrent] with the keys of f, which shares nothing with f. It has as many buckets, each of which has
// at least the slots of f's, so that more keys may fit than before: a table of 12 bits and 4 slots becomes a third larger.
//
// The error is [ErrConfig] if a word does not hold BucketSize fingerprints of that width, or if they have fewer than 8 bits.
// Then the keys themselves have to be inserted into a new filter. It is [ErrTooLarge] if the table is beyond MaxBytes.
func (f *Filter[F]) Concurrent() (*Concurrent[F], error) {
	c := f.config
	if c.Buckets == 0 {
		return new(Concurrent[F]), nil
	}
	// Walks have limits of another kind, and so have searches in some layouts.
	if c.Kick != KickPolicy(BreadthFirst) || layoutTable[c.Layout].search != kick.SearchLimit {
		c.MaxKicks = 0
	}
	b := c.BucketSize
	c.Layout, c.BucketSize, c.Kick, c.Seed = Words, 0, nil, 0
	c, err := c.resolveConcurrent(0)
	if err == nil && c.BucketSize < b {
		err = fmt.Errorf("cuckoo: %w: BucketSize is %d, and a word has %d fingerprints of %d bits", ErrConfig, b, c.BucketSize, c.FingerprintBits)
	}
	if err != nil {
		return nil, err
	}
	g := new(Concurrent[F])
	g.init(c)
	g.shared.Restore(&f.engine.Table)
	return g, nil
}
