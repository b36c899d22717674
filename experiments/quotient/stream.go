package quotient

import (
	"fmt"
	"iter"
)

// A cursor reads the fingerprints of a table in ascending order.
type cursor struct {
	s        *slots
	quotient uint64 // of the run that is read
	slot     uint64 // where to read next; not wrapped, so that it can be compared with quotients
	inside   bool   // of a run
	left     uint64 // fingerprints to come
}

func (f *Filter) cursor() cursor {
	c := cursor{s: &f.slots, left: f.len}
	if c.left == 0 {
		return c
	}
	for c.s.get(c.quotient)&occupied == 0 {
		c.quotient++
	}
	// The first run may be pushed by one that came over the end of the table.
	start := c.s.runStart(c.quotient)
	c.slot = c.quotient + (start-c.quotient)&c.s.last
	return c
}

// next returns the next fingerprint, and false when there is none.
func (c *cursor) next() (quotient, remainder uint64, ok bool) {
	if c.left == 0 {
		return 0, 0, false
	}
	c.left--
	if c.inside && c.s.get(c.slot&c.s.last)&continuation == 0 {
		c.quotient = c.s.nextOccupied(c.quotient)
		c.slot = max(c.slot, c.quotient)
	}
	c.inside = true
	remainder = c.s.get(c.slot&c.s.last) >> metadataBits
	c.slot++
	return c.quotient, remainder, true
}

// An appender fills an empty table with fingerprints in ascending order. Each costs one write,
// but for the few at the end that go over the end of the table.
type appender struct {
	f              *Filter
	slot           uint64 // the first that is free, not wrapped
	quotient, head uint64 // the quotient that came last, and where its run begins
}

// append adds a fingerprint. The table must have a free slot.
func (a *appender) append(quotient, remainder uint64) {
	s := &a.f.slots
	a.f.len++
	if a.f.len == 1 || quotient != a.quotient {
		a.slot = max(a.slot, quotient)
		a.quotient, a.head = quotient, a.slot
	}
	slot := a.slot
	if slot > s.last {
		// It pushes those at the beginning of the table.
		s.insert(quotient, remainder)
		return
	}
	a.slot++
	x := remainder << metadataBits
	if slot != quotient {
		x |= shifted
	}
	if slot != a.head {
		x |= continuation
	}
	s.set(slot, s.get(slot)|x)
	s.set(quotient, s.get(quotient)|occupied)
}

// All returns the stored fingerprints, quotient and remainder, in ascending order and each as
// often as it is stored. It reads every slot once. The filter must not change meanwhile.
func (f *Filter) All() iter.Seq2[uint64, uint64] {
	return func(yield func(quotient, remainder uint64) bool) {
		c := f.cursor()
		for {
			quotient, remainder, ok := c.next()
			if !ok || !yield(quotient, remainder) {
				return
			}
		}
	}
}

// Merge adds every fingerprint of g to f: the multiset sum of both. g is not changed, and may be f
// itself.
//
// Filters of different widths or hash give [ErrMismatch], and a sum beyond the Capacity of f
// [ErrFull]. In both cases f is as it was. Merge reads both tables once, in order, and writes a
// new one, so it needs the memory of another table meanwhile.
func (f *Filter) Merge(g *Filter) error {
	if err := f.config.match(g.config); err != nil {
		return err
	}
	if sum := f.len + g.len; sum > f.limit {
		return fmt.Errorf("quotient: %w: %d and %d fingerprints, at most %d fit", ErrFull, f.len, g.len, f.limit)
	}
	to := appender{f: newFilter(f.config)}
	x, y := f.cursor(), g.cursor()
	xq, xr, xok := x.next()
	yq, yr, yok := y.next()
	for xok || yok {
		if !yok || xok && (xq < yq || xq == yq && xr <= yr) {
			to.append(xq, xr)
			xq, xr, xok = x.next()
		} else {
			to.append(yq, yr)
			yq, yr, yok = y.next()
		}
	}
	*f = *to.f
	return nil
}

// Resize gives f a table of 2^quotientBits slots. The fingerprints stay as they are, q+r bits of each
// digest, of which the quotient takes more or less: a table twice as large has remainders of one bit less.
// The answers of the filter do not change, nor does its false-positive rate at the present Len.
//
// The error is [ErrConfig] if either width would be out of its range, [ErrFull] if f holds more
// than the new Capacity, and [ErrTooLarge] for a table beyond MaxBytes. f is then as it was. Resize reads the
// table once, in order, and writes the new one; it needs the memory of both meanwhile.
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
	to := appender{f: newFilter(c)}
	from := f.cursor()
	for quotient, remainder, ok := from.next(); ok; quotient, remainder, ok = from.next() {
		fingerprint := quotient<<f.bits | remainder
		to.append(fingerprint>>c.RemainderBits, fingerprint&(1<<c.RemainderBits-1))
	}
	*f = *to.f
	return nil
}
