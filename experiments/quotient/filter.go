// Package quotient is the quotient filter of Bender et al., "Don't Thrash: How to Cache Your Hash on Flash" (VLDB
// 2012): a baseline that the cuckoo-filter paper compares with. It has verbs for digests; for a program take package
// cuckoo.
//
// # Layout
//
// The top q+r bits of a digest are the key's fingerprint: a quotient of q bits, which names one of 2^q slots, its
// canonical slot, and a remainder of r, which is stored. The remainders of one quotient stand next to each other in
// ascending order, a run, and the runs in the order of their quotients. A run begins in its canonical slot, or behind
// the run before it; behind the last slot comes the first. What stands from one remainder in its canonical slot up to
// the next one is a cluster. Three bits in each slot tell where runs begin:
//
//	occupied      some fingerprint has this slot's number as its quotient
//	continuation  the remainder here is not the first of its run
//	shifted       the remainder here is not in its canonical slot
//
// Eight slots that hold the fingerprints 1.3, 1.7, 2.0, 2.4, 2.4 and 6.1 (quotient.remainder):
//
//	slot            0    1    2    3    4    5    6    7
//	remainder       -    3    7    0    4    4    1    -
//	occupied        .    1    1    .    .    .    1    .
//	continuation    .    .    1    .    1    1    .    .
//	shifted         .    .    1    1    1    1    .    .
//
// In every slot that is free all bits are zero, so a multiset of fingerprints has one table.
//
// A lookup walks back to the beginning of a cluster and forward to the key's run; a delete also moves back what is
// behind. Clusters hold 2.7 remainders on average at load .75, 6.2 at .9, 12 at .95. An insert pushes everything up to
// the next free slot, which is 8.5, 50 and 200 slots away at these loads.
package quotient

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/memory"
)

// errLoad is what a refused insert returns; it is made once, so that no verb allocates.
var errLoad = fmt.Errorf("quotient: %w: the table is at its MaxLoad", errs.Full)

const (
	maxQuotientBits  = 40
	maxRemainderBits = 64 - metadataBits
	digestBits       = 64
)

// Config says what filter to make.
type Config struct {
	// QuotientBits is the binary logarithm of the number of slots, 1 to 40, and the table at most 16 GiB, or 1 GiB on
	// 32 bits.
	QuotientBits int
	// RemainderBits is the width of a remainder, 1 to 61, and with the quotient at most 64. Each bit halves the rate.
	RemainderBits int
	// MaxLoad is the load factor beyond which inserts are refused, above 0 and at most 1. The paper's Table 3 has 0.9.
	MaxLoad float64
}

// check returns what is wrong with c.
func (c Config) check() error {
	problems := config.Problems{Package: "quotient"}
	q, r := c.QuotientBits, c.RemainderBits
	if q < 1 || q > maxQuotientBits {
		problems.Wrong("QuotientBits is %d, want 1 to %d", q, maxQuotientBits)
	} else if uint64(r+metadataBits)<<q/8 > config.DefaultMaxBytes {
		problems.Wrong("QuotientBits is %d, want a table of at most %d bytes", q, config.DefaultMaxBytes)
	}
	if r < 1 || r > maxRemainderBits || r+q > digestBits {
		problems.Wrong("RemainderBits is %d, want 1 to %d, and at most %d with QuotientBits", r, maxRemainderBits, digestBits)
	}
	if a := c.MaxLoad; !(a > 0 && a <= 1) {
		problems.Wrong("MaxLoad is %v, want a number above 0 and at most 1", a)
	}
	return problems.Err()
}

// Filter is a quotient filter of digests, a multiset of fingerprints. Any number of goroutines may read a Filter at
// once, but none while another one changes it. It must not be copied: see [Filter.Clone].
type Filter struct {
	slots slots
	shift uint   // of a digest, to get its quotient
	bits  uint   // of a remainder
	limit uint64 // of fingerprints
	len   uint64
}

// New returns an empty filter, or cuckoo.ErrConfig with each field that is wrong. All memory that it uses is allocated
// here: r+3 bits a slot.
func New(c Config) (*Filter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &Filter{
		slots: newSlots(c.QuotientBits, c.RemainderBits+metadataBits),
		shift: uint(digestBits - c.QuotientBits),
		bits:  uint(c.RemainderBits),
		limit: max(1, uint64(math.Ldexp(c.MaxLoad, c.QuotientBits))),
	}, nil
}

// Predict returns the false-positive rate of a filter with quotients and remainders of so many bits together that holds
// n distinct keys: 1-exp(-n/2^bits), the chance that one of n fingerprints is a given one.
func Predict(n, bits int) float64 { return -math.Expm1(-math.Ldexp(float64(n), -bits)) }

// split returns the quotient and the remainder of a digest: its top bits, and those behind.
func (f *Filter) split(h uint64) (quotient, remainder uint64) {
	return h >> f.shift, h << (digestBits - f.shift) >> (digestBits - f.bits)
}

// Len returns the number of fingerprints stored: inserts less deletes that returned true.
func (f *Filter) Len() int { return int(f.len) }

// Slots returns the number of slots, a power of two.
func (f *Filter) Slots() int { return int(f.slots.last) + 1 }

// LoadFactor returns the share of slots in use, 0 to 1.
func (f *Filter) LoadFactor() float64 { return float64(f.len) / float64(f.Slots()) }

// SizeBytes returns the size of the table in bytes.
func (f *Filter) SizeBytes() int { return len(f.slots.words) * 8 }

// Reset removes every key. The memory is kept.
func (f *Filter) Reset() {
	clear(f.slots.words)
	f.len = 0
}

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.slots.words = memory.Words(len(f.slots.words))
	copy(c.slots.words, f.slots.words)
	return &c
}

// InsertHash adds a key with digest h. It moves what stands from the key's place to the next free slot one further. If
// the filter is at its MaxLoad, and holds a key at least, it returns cuckoo.ErrFull and changes nothing. Nothing else
// is refused.
func (f *Filter) InsertHash(h uint64) error {
	if f.len >= f.limit {
		return errLoad
	}
	f.slots.insert(f.split(h))
	f.len++
	return nil
}

// ContainsHash tells whether a key with digest h may have been inserted: of others it says yes at the rate of
// [Predict].
func (f *Filter) ContainsHash(h uint64) bool {
	_, _, ok := f.slots.find(f.split(h))
	return ok
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It panics if dst is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for i, h := range hs {
		dst[i] = f.ContainsHash(h)
	}
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. Only keys that were inserted may
// be deleted: another may have the fingerprint of one that was, which then goes.
func (f *Filter) DeleteHash(h uint64) bool {
	quotient, remainder := f.split(h)
	slot, start, ok := f.slots.find(quotient, remainder)
	if ok {
		f.slots.remove(quotient, slot, start)
		f.len--
	}
	return ok
}
