package fuse

import (
	"bytes"
	"fmt"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// Filter is a binary fuse filter. Filter[fingerprint.Bits8] stores 8 bits of every key, and Filter[fingerprint.Any] as
// many as Config says at run time, with the same files and slightly longer lookups one by one. Make one with [Build]
// or [BuildKeys]; the zero Filter is empty. Any number of goroutines may query a filter at once.
type Filter[F fingerprint.Width] struct{ reader[F] }

// reader is what answers queries, of a [Filter] and of a [View]. Its methods are theirs.
type reader[F fingerprint.Width] struct {
	t      table
	hash   hashing.Digester
	config Config
	stats  Stats
}

// ContainsHash tells whether the key with digest h may be in the filter. False is certain; true is wrong for a share
// of [Filter.FalsePositiveRate] of absent keys. It loads one fingerprint for each of [Config].Segments, all at once,
// whatever the answer.
func (f *reader[F]) ContainsHash(h uint64) bool {
	t, width := &f.t, uint64(fingerprint.WidthOf[F]())
	if t.keys == 0 {
		return false
	}
	if width == 0 {
		width = t.width
	}
	x := mix(h + t.seed)
	p0, p1, p2 := t.three(x)
	sum := x ^ x>>32
	if width == 8 { // bytes: the inliner has no room for a fourth load in at
		sum ^= memory.Load8(t.data, p0) ^ memory.Load8(t.data, p1) ^ memory.Load8(t.data, p2)
		if t.four {
			sum ^= memory.Load8(t.data, t.fourth(x, p0))
		}
		return uint8(sum) == 0
	}
	sum ^= at(t.data, p0, width) ^ at(t.data, p1, width) ^ at(t.data, p2, width)
	if t.four {
		sum ^= at(t.data, t.fourth(x, p0), width)
	}
	return sum<<(-width&63) == 0
}

var _ = inlined

// inlined uses every function that ContainsHash wants inlined, in code that is not generic: else a program that uses
// a Filter does not inline them.
func inlined(t *table, h uint64) uint64 {
	x := mix(h)
	p0, p1, p2 := t.three(x)
	return memory.Load8(t.data, p0) ^ at(t.data, p0, 16) ^ at(t.data, p1, 12) ^ at(t.data, p2, 30) ^ t.fourth(x, p0)
}

// Len returns the number of distinct digests that the filter was built from, which its file has too. Of a filter of
// [DecodeXorfilter] or [DecodePebble] it is an estimate.
func (f *reader[F]) Len() int { return int(f.t.keys) }

// Slots returns the number of slots of the table.
func (f *reader[F]) Slots() int { return int(f.t.slots()) }

// SizeBytes returns the size of the table in bytes, including 8 bytes of padding at its end.
func (f *reader[F]) SizeBytes() int { return len(f.t.data) }

// LoadFactor returns the share of slots that were set for a key, from 0 to 1.
func (f *reader[F]) LoadFactor() float64 { return float64(f.t.keys) / float64(max(f.t.slots(), 1)) }

// FalsePositiveRate returns the share of absent keys to which Contains says yes: 2^-f, or 0 of an empty filter.
func (f *reader[F]) FalsePositiveRate() float64 {
	if f.t.keys == 0 {
		return 0
	}
	return math.Ldexp(1, -int(f.t.width))
}

// Config returns the configuration with every default filled in and the width in FingerprintBits, in place of a rate.
func (f *reader[F]) Config() Config { return f.config }

// String returns a short description: the configuration, the number of keys and the size.
func (f *reader[F]) String() string {
	return fmt.Sprintf("fuse.Filter{%s, len %d, %d bytes}", f.config, f.Len(), f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *reader[F]) GoString() string { return f.String() }

// Stats says what [Build] did. It is zero of a filter that was read from a file.
type Stats struct {
	// Attempts is the number of seeds that were tried, the last one included. Mostly it is 1.
	Attempts int
	// Repeated is the number of digests that had occurred before, and were left out.
	Repeated int
}

// Stats returns what Build did.
func (f *reader[F]) Stats() Stats { return f.stats }

// Reset makes f what Build makes of no keys: it contains nothing. Its memory is kept.
func (f *Filter[F]) Reset() {
	if f.config.Segments == 0 {
		return // the zero Filter
	}
	data := f.t.data
	f.t, _ = f.config.table(0) // no table is smaller
	size, _ := f.t.size()
	f.t.data = data[:size]
	clear(f.t.data)
	f.stats = Stats{}
}

// Clone returns a copy that shares nothing with f.
func (f *Filter[F]) Clone() *Filter[F] {
	g := &Filter[F]{f.reader}
	g.t.data = bytes.Clone(f.t.data)
	return g
}

// Equal tells whether the two filters have the same table and hash. Those that were built from the same set of digests
// have. MaxBytes and Stats are not compared.
func (f *Filter[F]) Equal(g *Filter[F]) bool {
	return f.t.shape == g.t.shape && bytes.Equal(f.t.data, g.t.data) &&
		f.hash.Hasher().Recipe() == g.hash.Hasher().Recipe()
}
