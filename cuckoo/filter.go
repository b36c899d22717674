package cuckoo

import (
	"bytes"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Filter is a cuckoo filter whose fingerprints are as wide, in bits, as the array type F is long:
// Filter[fingerprint.Bits12] stores 12 bits of every key. Make one with [New] or [Build]; the zero Filter is
// empty and takes no keys.
//
// Filter[fingerprint.Any] has the width that Config.FingerprintBits says at run time. It is the same filter with
// the same files, of any width: one type, compiled once, where a program chooses the width. docs/PERFORMANCE.md
// has what its verbs cost beside those of a width that is a type.
//
// Any number of goroutines may query a filter at once; an operation that changes it needs the
// filter to itself. Inserts of two goroutines that meet lose keys or panic. A Filter must not be copied, as its table would be shared: see [Filter.Clone].
type Filter[F fingerprint.Width] struct {
	engine kick.Engine
	hash   hashing.Digester
	len    int
	config Config
}

// New returns an empty filter. All the memory that it will ever use is allocated here.
//
// The error is [ErrConfig], naming each field that is wrong, or [ErrTooLarge] for a table beyond
// Config.MaxBytes, of which nothing was allocated.
func New[F fingerprint.Width](c Config) (*Filter[F], error) {
	if err := checkBits[F](c, c.FingerprintBits); err != nil {
		return nil, err
	}
	width := widthFor[F](c.FingerprintBits)
	c, err := c.resolve(width)
	if err != nil {
		return nil, err
	}
	c.FingerprintBits = storedBits[F](width)
	return newFilter[F](c, c.newTable(width), new(kick.Scratch)), nil
}

// newFilter returns the filter of a resolved configuration with no keys or, once Len is set, those of the table.
func newFilter[F fingerprint.Width](c Config, table packed.Table, memory *kick.Scratch) *Filter[F] {
	f := &Filter[F]{hash: hashing.NewDigester(c.Hash), config: c}
	initEngine(&f.engine, &f.config, &f.len, table, memory)
	return f
}

// newTable returns an empty table of a resolved configuration.
func (c *Config) newTable(width uint) packed.Table {
	if c.SemiSort {
		return packed.NewSorted(width, uint64(c.Buckets), c.HugePages)
	}
	return packed.NewPaged(width, uint(c.BucketSize), uint64(c.Buckets), c.HugePages)
}

// initEngine makes the engine of a resolved configuration over its table, for a filter with that Len.
func initEngine(e *kick.Engine, c *Config, stored *int, table packed.Table, memory *kick.Scratch) {
	policy, _ := policyOf(c.Kick)
	scheme := kick.NewScheme(placementRules[c.Placement], uint64(c.Buckets))
	e.InitShared(memory, table, scheme, policy, c.MaxKicks, c.Seed)
	adoptPolicy(e, c, stored)
}

// adoptPolicy lets the engine call a user's kick policy with a handle of its own.
func adoptPolicy(e *kick.Engine, c *Config, stored *int) {
	if _, ok := c.Kick.(builtin); ok {
		return
	}
	policy, handle := c.Kick, new(Walk)
	e.User = func(w *kick.Walk) {
		handle.w = w
		panics, before := true, *stored
		defer func() {
			// The caller may recover, and then the fingerprint counts if it has found its slot.
			if panics && w.Homeless() == 0 {
				*stored++
			}
		}()
		policy.Kick(handle)
		if *stored != before {
			panic("cuckoo: kick policy " + policy.Recipe() + " inserted into the filter or deleted from it while it ran")
		}
		panics = false
	}
}

// Len returns the number of fingerprints stored: keys inserted less keys deleted.
func (f *Filter[F]) Len() int { return f.len }

// Slots returns the number of slots of the table.
func (f *Filter[F]) Slots() int { return f.config.Buckets * f.config.BucketSize }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (f *Filter[F]) LoadFactor() float64 { return float64(f.len) / float64(f.Slots()) }

// SizeBytes returns the size of the table in bytes, with the 8 bytes of padding behind it. The
// scratch memory of the kick policy is not part of it: some 16 KiB at most by default.
func (f *Filter[F]) SizeBytes() int { return len(f.engine.Table.Data()) }

// Config returns the configuration with every default filled in and the number of Buckets in place
// of Capacity: New of it makes an empty filter with the same table. FingerprintBits is 0 unless F is
// fingerprint.Any.
func (f *Filter[F]) Config() Config { return f.config }

// FalsePositiveRate returns the predicted share of keys that were never inserted for which Contains
// says yes, at the present load: 1 - exp(-2*b*alpha/(2^f-1)).
//
// It follows from the number of classes: m buckets and 2^f-1 fingerprints make m*(2^f-1)/2 of them,
// and a new key hits one that is taken unless all stored keys miss its class. (The usual bound
// 1-(1-1/2^f)^(2b) of Fan et al. 2014, section 5.1, supposes a full table and no reserved 0.)
// The rate holds for keys that the hash maps to well-mixed digests, and on average over hash
// seeds; a set of queries of its own may fare better or worse. In a table of few buckets the share
// of pairs that coincide is not exactly 1/m, which moves the rate by some percent of itself.
func (f *Filter[F]) FalsePositiveRate() float64 {
	return PredictRate(f.width(), f.config.BucketSize, f.config.Buckets, f.len)
}

// width returns the bits of a fingerprint.
func (f *Filter[F]) width() uint { return widthIn(&f.engine.Table, fingerprint.WidthOf[F]()) }

// PredictRate returns the false-positive rate that [Filter.FalsePositiveRate] predicts for n keys
// in the given number of buckets of b slots with fingerprints of width bits. It is 0 where b, buckets
// or n is below 1. For a given n it does not depend on b, as b*alpha is the keys a bucket holds.
func PredictRate(width uint, b, buckets, n int) float64 {
	if buckets < 1 || b < 1 || n < 1 {
		return 0
	}
	m := float64(buckets)
	// The share 1/m of pairs coincides: they look into one bucket where others look into two.
	looked := (2 - 1/m) * float64(n) / m
	return -math.Expm1(-looked / (math.Ldexp(1, int(width)) - 1))
}

// Stats counts what the inserts of a filter did since it was made or Reset.
type Stats struct {
	// Kicks is the number of fingerprints that successful inserts moved.
	Kicks uint64
	// LongestPath is the largest number of kicks of one successful insert.
	LongestPath uint64
	// Refusals is the number of inserts that returned ErrFull; a Merge that did counts as one.
	Refusals uint64
}

// Stats returns the counters of the filter. Lookups and deletes count nothing.
func (f *Filter[F]) Stats() Stats { return Stats(f.engine.Stats) }

// Reset empties the filter: table, Len, Stats and generator are as New made them. It costs a pass
// over the table and allocates nothing.
func (f *Filter[F]) Reset() {
	f.engine.Reset()
	f.len = 0
}

// Clone returns a filter of its own with equal content, statistics and generator.
func (f *Filter[F]) Clone() *Filter[F] { return f.cloneWith(new(kick.Scratch)) }

// cloneWith is Clone with that scratch memory.
func (f *Filter[F]) cloneWith(memory *kick.Scratch) *Filter[F] {
	g := &Filter[F]{hash: f.hash, len: f.len, config: f.config}
	f.engine.CloneShared(&g.engine, memory)
	adoptPolicy(&g.engine, &g.config, &g.len)
	return g
}

// Equal tells whether the two filters have the same configuration, hash and kick policy compared by
// their recipes, and the same bytes in their tables. Filters of one set of keys can differ: the
// order of inserts decides which slot a fingerprint is in, and under SemiSort which bucket.
func (f *Filter[F]) Equal(g *Filter[F]) bool {
	return f.config.same(g.config) && f.len == g.len &&
		bytes.Equal(f.engine.Table.Data(), g.engine.Table.Data())
}

// Merge adds every fingerprint of g to f: the multiset sum of both, as if each key of g had been
// inserted. g is unchanged, and may be f itself.
//
// Buckets, BucketSize, SemiSort, Placement, Hash and, of fingerprint.Any, FingerprintBits must agree, else the error is [ErrMismatch], which names
// the field. If the sum does not fit it is [ErrFull]. In both cases f is as it was: Merge works on a
// copy, so it needs the memory of a second table meanwhile. It costs an insert per fingerprint.
func (f *Filter[F]) Merge(g *Filter[F]) error {
	if err := f.config.sameTable(g.config); err != nil {
		return err
	}
	sum := f.Clone()
	if err := outcome(sum.engine.Merge(&g.engine)); err != nil {
		f.engine.Stats.Refusals++
		return err
	}
	sum.len += g.len
	f.len = sum.len
	f.engine.Table = sum.engine.Table
	f.engine.Stats = sum.engine.Stats
	return nil
}

// outcome returns the error of an insert.
func outcome(o kick.Outcome) error {
	switch o {
	case kick.Stored:
		return nil
	case kick.Copies:
		return errCopies
	default:
		return errNoPath
	}
}
