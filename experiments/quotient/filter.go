package quotient

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

// Filter is a quotient filter. Make one with [New]. Equal fingerprints are stored once for each
// insert, so that it counts and deletes like a multiset.
//
// Any number of goroutines may read a Filter at once, but none while another one changes it. A
// Filter must not be copied, as its table would be shared: see [Filter.Clone].
type Filter struct {
	slots  slots
	shift  uint   // of a digest, to get its quotient
	bits   uint   // of a remainder
	limit  uint64 // of fingerprints
	len    uint64
	hash   hashing.Digester
	config Config
}

// New returns an empty filter. All the memory that it uses until it is merged or resized is
// allocated here.
//
// The error is [ErrConfig], naming each field that is wrong, or [ErrTooLarge] for a table beyond
// MaxBytes, of which nothing was allocated.
func New(c Config) (*Filter, error) {
	c, _, err := Plan(c)
	if err != nil {
		return nil, err
	}
	return newFilter(c), nil
}

// newFilter returns an empty filter of a resolved configuration.
func newFilter(c Config) *Filter {
	return &Filter{
		slots:  newSlots(c.QuotientBits, c.RemainderBits+metadataBits),
		shift:  uint(DigestBits - c.QuotientBits),
		bits:   uint(c.RemainderBits),
		limit:  limitOf(c.QuotientBits, c.MaxLoad),
		hash:   hashing.NewDigester(c.Hash),
		config: c,
	}
}

// split returns the quotient and the remainder of a digest: its top bits, and those behind.
func (f *Filter) split(h uint64) (quotient, remainder uint64) {
	return h >> f.shift, h << (DigestBits - f.shift) >> (DigestBits - f.bits)
}

// Len returns the number of fingerprints stored: inserts less deletes that returned true.
func (f *Filter) Len() int { return int(f.len) }

// Slots returns the number of slots, a power of two.
func (f *Filter) Slots() int { return int(f.slots.last) + 1 }

// Capacity returns the number of fingerprints that the filter takes before [ErrFull]: MaxLoad of its
// slots, rounded down, and at least 1.
func (f *Filter) Capacity() int { return int(f.limit) }

// QuotientBits returns q, the binary logarithm of the number of slots.
func (f *Filter) QuotientBits() int { return f.config.QuotientBits }

// RemainderBits returns r, the width of a remainder.
func (f *Filter) RemainderBits() int { return f.config.RemainderBits }

// LoadFactor returns the share of slots in use, 0 to 1.
func (f *Filter) LoadFactor() float64 { return float64(f.len) / float64(f.Slots()) }

// SizeBytes returns the size of the table in bytes: r+3 bits a slot, rounded up to whole words, and
// one word.
func (f *Filter) SizeBytes() int { return len(f.slots.words) * 8 }

// FalsePositiveRate returns the rate to expect at the present load alpha: 1-exp(-alpha/2^r), as Len
// fingerprints of q+r bits hit that of an absent key (Bender et al. 2012, section 3, which has
// 1-(1-2^-(q+r))^Len for it). Where keys were inserted more than once it is too high, because only
// distinct fingerprints matter.
func (f *Filter) FalsePositiveRate() float64 {
	return predict(f.len, f.config.QuotientBits+f.config.RemainderBits)
}

// Config returns the resolved configuration: QuotientBits and RemainderBits in place of Capacity
// and FalsePositiveRate, and the Hash in use. New makes an empty filter of it that f can be merged
// with.
func (f *Filter) Config() Config { return f.config }

// Reset removes every key. The memory is kept.
func (f *Filter) Reset() {
	clear(f.slots.words)
	f.len = 0
}

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.slots = f.slots.clone()
	return &c
}

// Equal tells whether f and g have the same widths, hash and table. Filters that hold the same
// fingerprints do, in whatever order they were inserted. MaxLoad and MaxBytes do not count.
func (f *Filter) Equal(g *Filter) bool {
	return f.config.match(g.config) == nil && slices.Equal(f.slots.words, g.slots.words)
}

// String returns a short description: shape and number of fingerprints.
func (f *Filter) String() string {
	return fmt.Sprintf("quotient.Filter{%s, len %d, %d bytes}", f.config, f.len, f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *Filter) GoString() string { return f.String() }
