package quotient

import (
	"fmt"
	"iter"
)

// All returns the stored fingerprints, quotient and remainder, in ascending order and each as
// often as it is stored. It reads every slot once. The filter must not change meanwhile.
func (f *Filter) All() iter.Seq2[uint64, uint64] {
	return func(yield func(quotient, remainder uint64) bool) {
		s := f.slots
		if f.len == 0 {
			return
		}
		q := uint64(0)
		for s.get(q)&occupied == 0 {
			q++
		}
		// The first run may be pushed by one that came over the end of the table. Slots are not wrapped here, so that
		// they can be compared with quotients.
		slot := q + (s.runStart(q)-q)&s.last
		for n := range f.len {
			if n > 0 && s.get(slot&s.last)&continuation == 0 {
				q = s.nextOccupied(q)
				slot = max(slot, q)
			}
			if !yield(q, s.get(slot&s.last)>>metadataBits) {
				return
			}
			slot++
		}
	}
}

// Merge adds every fingerprint of g to f: the multiset sum of both. g is not changed, and may be f
// itself.
//
// Filters of different widths or hash give [ErrMismatch], and a sum beyond the Capacity of f
// [ErrFull]. In both cases f is as it was. Merge reads the table of g once, in order, and costs an insert for each of its
// fingerprints.
func (f *Filter) Merge(g *Filter) error {
	if err := f.config.match(g.config); err != nil {
		return err
	}
	if sum := f.len + g.len; sum > f.limit {
		return fmt.Errorf("quotient: %w: %d and %d fingerprints, at most %d fit", ErrFull, f.len, g.len, f.limit)
	}
	if f == g {
		g = f.Clone()
	}
	for quotient, remainder := range g.All() {
		f.slots.insert(quotient, remainder)
	}
	f.len += g.len
	return nil
}

// Resize gives f a table of 2^quotientBits slots. The fingerprints stay as they are, q+r bits of each
// digest, of which the quotient takes more or less: a table twice as large has remainders of one bit less.
// The answers of the filter do not change, nor does its false-positive rate at the present Len.
//
// The error is [ErrConfig] if either width would be out of its range, [ErrFull] if f holds more
// than the new Capacity, and [ErrTooLarge] for a table beyond MaxBytes. f is then as it was. Resize reads the
// table once, in order, and inserts into the new one; it needs the memory of both meanwhile.
func (f *Filter) Resize(quotientBits int) error {
	c := f.config
	both := c.QuotientBits + c.RemainderBits
	if quotientBits < 1 || quotientBits >= both || both-quotientBits > MaxRemainderBits {
		return fmt.Errorf("quotient: %w: no table of 2^%d slots holds fingerprints of %d bits, want 2^%d to 2^%d",
			ErrConfig, quotientBits, both, max(1, both-MaxRemainderBits), both-1)
	}
	c.QuotientBits, c.RemainderBits = quotientBits, both-quotientBits
	if most := limitOf(quotientBits, c.MaxLoad); f.len > most {
		return fmt.Errorf("quotient: %w: %d fingerprints, 2^%d slots take %d", ErrFull, f.len, quotientBits, most)
	}
	if _, err := c.size(); err != nil {
		return err
	}
	to := newFilter(c)
	for quotient, remainder := range f.All() {
		fingerprint := quotient<<f.bits | remainder
		to.slots.insert(fingerprint>>to.bits, fingerprint&(1<<to.bits-1))
	}
	to.len = f.len
	*f = *to
	return nil
}
