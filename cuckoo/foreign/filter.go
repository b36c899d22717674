package foreign

import (
	"bytes"
	"fmt"
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Filter is a cuckoo filter with the table of another module. Make one with [New] or [Decode]; the zero Filter is
// empty and takes no keys.
//
// Any number of goroutines may query a filter at once; an operation that changes it needs the filter to itself. A
// Filter must not be copied, as its table would be shared.
type Filter struct {
	engine kick.Engine
	hash   hashing.Digester
	mask   uint64 // the number of buckets less one
	len    int
	walker walker
	config Config
	format Format
}

// New returns an empty filter. The error is cuckoo.ErrConfig, naming each field that is wrong, or
// cuckoo.ErrTooLarge, and then nothing was allocated.
func New(c Config) (*Filter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	buckets := uint64(c.Buckets)
	if c.Capacity > 0 {
		buckets = c.Format.buckets(uint64(c.Capacity))
	}
	return build(c, buckets)
}

// build returns an empty filter of a valid configuration.
func build(c Config, buckets uint64) (*Filter, error) {
	if err := c.fits(buckets); err != nil {
		return nil, err
	}
	c.Capacity, c.Buckets = 0, int(buckets)
	if c.Hash == nil {
		c.Hash = hashing.Metro64(seed)
	}
	f := &Filter{hash: hashing.NewDigester(c.Hash), mask: buckets - 1, config: c, format: c.Format}
	policy, limit := kick.BreadthFirst, kick.SearchLimit
	if c.Choices != nil {
		policy, limit = kick.User, maxKicks
	}
	format, mask := f.format, f.mask
	scheme := kick.NewForeign(buckets, func(bucket, fp uint64) uint64 { return format.alternate(bucket, fp, mask) })
	f.engine.Init(packed.Plain.New(format.width(), slots, buckets), scheme, policy, limit, 0)
	f.adoptChoices()
	return f, nil
}

// pair returns the buckets and the fingerprint of a digest.
func (f *Filter) pair(h uint64) (i, j, fp uint64) {
	i, fp = f.format.split(h, f.mask)
	return i, f.format.alternate(i, fp, f.mask), fp
}

// ContainsHash tells whether a key with digest h may have been inserted. It says yes of keys that were
// not at the rate that [Filter.FalsePositiveRate] predicts. It touches two buckets.
func (f *Filter) ContainsHash(h uint64) bool {
	return f.config.Buckets != 0 && f.holds(f.pair(h))
}

// holds tells whether fingerprint fp is in bucket i or j.
func (f *Filter) holds(i, j, fp uint64) bool {
	t := &f.engine.Table
	return t.Last.Equal(t.Word(i), fp)|t.Last.Equal(t.Word(j), fp) != 0
}

// InsertHash adds a key with digest h, to the lowest free slot of its primary bucket or else of its alternate one. If
// both are full it searches up to 700 buckets for a cuckoo path, or walks as Config.Choices says.
//
// If there is none, InsertHash returns cuckoo.ErrFull, and table and Len are as they were unless
// Config.Lossy says otherwise. Equal keys are stored once for each insert, so the copy after 8 (4 where the
// buckets coincide) is cuckoo.ErrFull at any load. The error for the zero Filter is cuckoo.ErrConfig.
func (f *Filter) InsertHash(h uint64) error {
	i, j, fp := f.pair(h)
	t := &f.engine.Table
	if t.Replace(i, 0, fp) || t.Replace(j, 0, fp) {
		f.len++
		return nil
	}
	switch f.engine.Kick(i, j, 0, fp) {
	case kick.Stored:
		f.len++
		return nil
	case kick.Copies: // as of the zero Filter
		if f.config.Buckets == 0 {
			return errUnmade
		}
		f.walker.skip()
		return errCopies
	}
	if f.config.Lossy {
		f.walker.repeat(t, fp)
		return errLost
	}
	return errNoPath
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already. It returns true
// if it was added, false and no error if Contains says yes, which refuses a new key at the
// false-positive rate, and cuckoo.ErrFull as [Filter.InsertHash] does.
func (f *Filter) InsertUniqueHash(h uint64) (bool, error) {
	if f.ContainsHash(h) {
		return false, nil
	}
	err := f.InsertHash(h)
	return err == nil, err
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. It touches two
// buckets. Delete only keys that were inserted. The filter cannot check that: the delete of another key can
// remove the fingerprint of a key that was inserted.
func (f *Filter) DeleteHash(h uint64) bool {
	i, j, fp := f.pair(h)
	t := &f.engine.Table
	if t.Replace(i, fp, 0) || t.Replace(j, fp, 0) {
		f.len--
		return true
	}
	return false
}

// CountHash returns how many fingerprints of the class of digest h are stored: at least the number of times a key with
// that digest was inserted and not deleted. It touches two buckets; a pair that coincides is counted once.
func (f *Filter) CountHash(h uint64) int {
	i, j, fp := f.pair(h)
	t := &f.engine.Table
	n := t.Count(i, fp)
	if i != j {
		n += t.Count(j, fp)
	}
	return n
}

// Len returns the number of fingerprints stored: after [Decode], the slots of the dump that are used.
func (f *Filter) Len() int { return f.len }

// Slots returns the number of slots of the table.
func (f *Filter) Slots() int { return f.config.Buckets * slots }

// LoadFactor returns the share of slots that are used, 0 to 1.
func (f *Filter) LoadFactor() float64 { return float64(f.len) / float64(max(1, f.Slots())) }

// SizeBytes returns the size of the table, which is that of its dump, in bytes.
func (f *Filter) SizeBytes() int { return f.config.Buckets * f.format.bucketBytes() }

// FalsePositiveRate returns the rate to expect at the present load: 1 - exp(-8*load/n), n being the
// number of fingerprints that there are, 255 or 65534. That is the probability that none of the slots of
// two buckets, used at that load, holds a given one of them.
func (f *Filter) FalsePositiveRate() float64 {
	return -math.Expm1(-2 * slots * f.LoadFactor() / float64(f.format.largest()))
}

// Config returns the resolved configuration: Buckets instead of Capacity, and the Hash in use. New
// makes an empty filter of it that is like f.
func (f *Filter) Config() Config { return f.config }

// Reset removes every key. The memory is kept, and Choices goes on where it is.
func (f *Filter) Reset() {
	f.engine.Reset()
	f.len = 0
}

// Clone returns a copy that shares nothing with f but Config.Choices.
func (f *Filter) Clone() *Filter {
	c := &Filter{hash: f.hash, mask: f.mask, len: f.len, config: f.config, format: f.format}
	f.engine.CloneTo(&c.engine)
	c.adoptChoices()
	return c
}

// Equal tells whether the two filters have the same format, hash and table, hashes compared by their
// recipe. How they make room does not count.
func (f *Filter) Equal(g *Filter) bool {
	return f.format == g.format && f.hash.Recipe() == g.hash.Recipe() &&
		bytes.Equal(f.engine.Table.Data(), g.engine.Table.Data())
}

// Merge adds every fingerprint of g to f: the multiset sum of both, as if each key of g had been inserted. g is
// unchanged, and may be f itself.
//
// Format, Buckets and Hash must agree, else the error is cuckoo.ErrMismatch, which names the field. If the sum does not
// fit it is cuckoo.ErrFull, also under Config.Lossy. In both cases f is as it was: Merge works on a copy, so it needs
// the memory of a second table meanwhile. It costs an insert per fingerprint.
func (f *Filter) Merge(g *Filter) error {
	if err := f.config.sameTable(g.config); err != nil {
		return err
	}
	sum := f.Clone()
	switch sum.engine.Merge(&g.engine) {
	case kick.Copies:
		return errCopies
	case kick.NoPath:
		return errNoPath
	}
	f.len += g.len
	f.engine.Table = sum.engine.Table
	return nil
}

// String returns a short description: format, buckets, Len and load.
func (f *Filter) String() string {
	return fmt.Sprintf("foreign.Filter{%v, buckets %d, len %d, load %.4f}",
		f.format, f.config.Buckets, f.len, f.LoadFactor())
}

// GoString is String: %#v of a filter does not print its table.
func (f *Filter) GoString() string { return f.String() }
