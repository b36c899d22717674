package cuckoo

import (
	"bytes"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Filter is a cuckoo filter. Its fingerprints have as many bits as the array type F has elements:
// Filter[fingerprint.Bits12] stores 12 bits of every key. Make one with [New] or [Build]. The zero Filter is empty and
// takes no keys.
//
// Filter[fingerprint.Any] has the width that Config.FingerprintBits says at run time. It is the same filter and has the
// same files, but is compiled once for all widths. docs/PERFORMANCE.md has what its verbs cost beside those of a type's
// width.
//
// Any number of goroutines may query a filter at once. An operation that changes it needs the filter to itself: inserts
// of two goroutines at the same time lose keys or panic; a [Concurrent] takes them. A Filter must not be copied,
// because both would share the table; use [Filter.Clone].
type Filter[F fingerprint.Width] struct{ reader[F] }

// reader is what answers queries, of a [Filter] and of a [View]. Its methods are theirs.
type reader[F fingerprint.Width] struct {
	held
	fixed
}

// New returns an empty filter. It allocates all the memory that the filter will ever use. The error is [ErrConfig],
// which names each field that is wrong, or [ErrTooLarge] if the table is beyond Config.MaxBytes. Nothing was allocated
// then.
func New[F fingerprint.Width](c Config) (*Filter[F], error) {
	c, err := c.resolve(fingerprint.WidthOf[F]())
	if err != nil {
		return nil, err
	}
	return newFilter[F](c, c.newTable()), nil
}

// newFilter returns the filter of a resolved configuration with no keys or, once Len is set, those of the table.
func newFilter[F fingerprint.Width](c Config, table packed.Table) *Filter[F] {
	f := new(Filter[F])
	f.init(c, table, 0)
	return f
}

// init makes f the filter of a resolved configuration over its table, which holds so many fingerprints.
func (f *reader[F]) init(c Config, table packed.Table, stored int) {
	f.hash, f.config, f.len = hashing.NewDigester(c.Hash), c, stored
	f.measure(&table)
	f.engine.Init(table, c.scheme(), policyOf(c.Kick), c.MaxKicks, c.Seed)
	adoptPolicy(&f.engine, c.Kick, &f.len)
}

// adoptPolicy lets the engine call a user's kick policy with a handle of its own.
func adoptPolicy(e *kick.Engine, policy KickPolicy, stored *int) {
	if _, ok := policy.(builtin); ok {
		return
	}
	handle := new(Walk)
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
			panic("cuckoo: kick policy " + policy.Recipe() + " inserted into the filter or deleted while it ran")
		}
		panics = false
	}
}

// Reset empties the filter. Its table, Len, Stats and generator are then as New made them. It writes
// the whole table and allocates nothing.
func (f *Filter[F]) Reset() {
	f.engine.Reset()
	f.len = 0
}

// Clone returns a filter with equal content, statistics and generator that shares nothing with f.
func (f *Filter[F]) Clone() *Filter[F] {
	g := &Filter[F]{f.reader}
	f.engine.CloneTo(&g.engine)
	adoptPolicy(&g.engine, g.config.Kick, &g.len)
	return g
}

// Equal tells whether the two filters have the same configuration and the same bytes in their tables. Hashes and kick
// policies are compared by their recipes, and MaxBytes is not compared. Two filters of the same keys can differ: the
// order of the inserts decides which slot a fingerprint is in, and sometimes which bucket.
func (f *Filter[F]) Equal(g *Filter[F]) bool {
	return pkg.DifferIn(f.config.fields(), g.config.fields(), "MaxBytes") == nil && f.len == g.len &&
		bytes.Equal(f.engine.Table.Data(), g.engine.Table.Data())
}

// Merge adds every fingerprint of g to f, as if each key of g had been inserted into f: the multiset sum of both. g
// does not change, and may be f itself. It costs an insert per fingerprint, and memory for a copy of f meanwhile.
//
// Both filters need the same Buckets, BucketSize, Layout, Placement and Hash and, with fingerprint.Any, the same
// FingerprintBits. Otherwise the error is [ErrMismatch], which names the field. If the sum does not fit, the error is
// [ErrFull]. After an error f is as it was, except for Stats.
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

// outcome is that of an insert that may have been into the zero filter.
func (f *fixed) outcome(o kick.Outcome) error {
	if f.config.Buckets == 0 {
		return errUnmade
	}
	return outcome(o)
}
