package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
)

// Concurrent is a cuckoo filter that any number of goroutines use at once, inserts and deletes included. Its
// fingerprints have 8 to 32 bits. Make one with [NewConcurrent], or of the keys of a filter with [Filter.Concurrent].
// The zero Concurrent is empty and takes no keys.
//
// A lookup takes no lock and waits for nobody. An insert that finds a free slot takes no lock either. Deletes, counts,
// inserts that have to kick and unique inserts take the lock of a fingerprint, one of 512, for as long as they move or
// compare a few fingerprints. An insert that kicks, or a delete of one of two copies, can wait for a lookup, if moves
// of others have made that lookup start again three times.
//
// Every verb happens at one moment between its call and its return, as far as answers about one class tell: no lookup
// denies a key while its fingerprint moves or another copy is deleted, no copy is counted or deleted twice, and of
// several goroutines that insert a new key with InsertUnique one is told that it has added it. A batch is as many
// operations as it has digests.
//
// The table has the layout [Words]: a bucket is a word, and b follows from the width. So bits per item, and the rate at
// the same width, differ from those of a [Filter] of 4 slots: at 16 bits both are equal, at 12 bits b is 5.
// docs/CHOOSING.md compares the two, and says when a Filter behind a sync.RWMutex will do.
//
// UnmarshalBinary and ReadFrom replace the filter, and need it to themselves. A Concurrent must not be copied.
type Concurrent[F fingerprint.Width] struct {
	shared kick.Shared
	base
	fixed
}

// NewConcurrent returns an empty filter. It allocates the table, 8 bytes for each bucket, and some 13 KiB for locks and
// versions. Inserts that kick allocate a search of about 21 KiB for each that runs at a time, and use it again.
//
// Of the fields of Config, Layout is Packed, the zero value, or Words, which both stand for Words; BucketSize is 0 or
// the b of that width; Kick is nil or BreadthFirst; and Seed is 0, as nothing here is random. The error is [ErrConfig],
// which names each field that is wrong, also for fingerprints of fewer than 8 bits, or [ErrTooLarge] if the table is
// beyond Config.MaxBytes.
func NewConcurrent[F fingerprint.Width](c Config) (*Concurrent[F], error) {
	c, err := c.resolveConcurrent(fingerprint.WidthOf[F]())
	if err != nil {
		return nil, err
	}
	return newConcurrent[F](c), nil
}

// newConcurrent returns the empty filter of a resolved configuration.
func newConcurrent[F fingerprint.Width](c Config) *Concurrent[F] {
	f := new(Concurrent[F])
	f.hash, f.config = hashing.NewDigester(c.Hash), c
	f.slots, f.bytes = c.Buckets*c.BucketSize, 8*c.Buckets
	f.shared.Init(c.width(), c.scheme(), c.MaxKicks)
	return f
}

// Filter returns a [Filter] with the layout [Words] and the keys of f. It copies the table as [Concurrent.AppendBinary]
// says.
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

// Concurrent returns a [Concurrent] with the keys of f, which shares nothing with f. It has as many buckets, each of at
// least as many slots, so that more keys may fit than before: a table of 12 bits and 4 slots becomes a third larger.
//
// The error is [ErrConfig] if a word does not hold BucketSize fingerprints of that width, or if they have fewer than 8
// bits: the keys have to be inserted into a new filter then. It is [ErrTooLarge] if the table is beyond MaxBytes.
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
		err = pkg.Errorf(ErrConfig, "BucketSize is %d, and a word has %d fingerprints of %d bits",
			b, c.BucketSize, c.FingerprintBits)
	}
	if err != nil {
		return nil, err
	}
	g := newConcurrent[F](c)
	g.shared.Restore(&f.engine.Table)
	return g, nil
}

// Len returns the number of fingerprints stored: keys inserted less keys deleted. It counts them in the table, in
// half a millisecond for a million: a counter that all inserts share would make them a quarter slower. So do not ask
// for it, or for what depends on it, before each insert. What others insert, kick or delete while Len counts may be
// missed, or counted twice.
func (f *Concurrent[F]) Len() int { return f.shared.Len() }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1. It counts them, as Len does.
func (f *Concurrent[F]) LoadFactor() float64 { return float64(f.Len()) / float64(max(f.slots, 1)) }

// FalsePositiveRate returns the predicted false-positive rate at the present load, as [Filter.FalsePositiveRate] does.
func (f *Concurrent[F]) FalsePositiveRate() float64 { return f.config.PredictRate(f.Len()) }

// Stats returns what the filter has counted since it was made, read from a file, or Reset. While others insert, its
// parts can be of different moments.
func (f *Concurrent[F]) Stats() Stats { return Stats(f.shared.Stats()) }

// Clone returns a filter with the keys of f, which it copies as [Concurrent.AppendBinary] says. Stats are those of a
// new filter.
func (f *Concurrent[F]) Clone() *Concurrent[F] {
	g, _ := f.Filter().Concurrent() // which has the configuration of f, so nothing can be wrong with it
	return g
}

// Reset empties the filter. Stats are then as NewConcurrent made them. While others use it, keys go one after the
// other, and of the inserts that run at the same time any may stay.
func (f *Concurrent[F]) Reset() { f.shared.Reset() }

// Equal tells whether the two filters are equal, as [Filter.Equal] does. It copies both tables.
func (f *Concurrent[F]) Equal(g *Concurrent[F]) bool { return f.Filter().Equal(g.Filter()) }

// Merge adds every fingerprint of g to f, as [Filter.Merge] does and with the same errors. It copies g first, as
// [Concurrent.AppendBinary] says. Others may use both meanwhile, and f may be g. After [ErrFull] what was added is
// deleted again: others can have seen it meanwhile.
func (f *Concurrent[F]) Merge(g *Concurrent[F]) error {
	if err := f.config.sameTable(g.config); err != nil {
		return err
	}
	from := &g.Filter().engine
	o, tried := kick.Stored, 0
	from.Each(func(i, j, _, fp uint64) bool {
		o = f.shared.Insert(i, j, fp)
		tried++
		return o == kick.Stored
	})
	if o == kick.Stored {
		return nil
	}
	from.Each(func(i, j, _, fp uint64) bool {
		if tried--; tried > 0 { // the last one was refused
			f.shared.Delete(i, j, fp)
		}
		return tried > 0
	})
	return f.outcome(o)
}
