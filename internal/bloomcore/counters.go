package bloomcore

import (
	"github.com/nestfilter/nest/internal/config"
)

// The verbs of a table of Counters. A counter at its maximum is saturated: no verb changes it.

// Count adds 1 to the counters of h that are not saturated, and counts the key.
func (t *Table) Count(h uint64) {
	if len(t.Words) == 0 {
		t.begin(Counters)
		t.Count(h)
		return
	}
	words, slots, width, top := t.Words, t.Slots, uint64(t.CellBits), t.Top
	for range t.Hashes {
		bit := Reduce(h, slots) * width
		word := &words[bit>>6]
		counter := *word >> (bit & 63) & top
		*word += (counter - top) >> 63 << (bit & 63) // the difference is negative below top
		h = Next(h)
	}
	t.Keys++
}

// Nonzero tells whether all counters of h are nonzero, as [Has] does, with a call less. It stops at a 0.
func (t *Table) Nonzero(h uint64) bool { return t.Slots != 0 && t.allNonzero(h, t.Hashes) }

// Sum adds the counters of u, cell by cell, and counts its keys. A sum that does not fit becomes the largest value of a
// cell. Tables that do not match are an errs.Mismatch.
func (t *Table) Sum(pkg config.Package, u *Table) error {
	if err := t.Match(pkg, u); err != nil {
		return err
	}
	t.Took(u.Len())
	if t.Slots == 0 {
		return nil
	}
	high := tops(t.CellBits)
	for i, b := range u.Words {
		a := t.Words[i]
		sum := (a&^high + b&^high) ^ (a^b)&high // cell by cell, without what carries out of one
		carry := (a&b | (a|b)&^sum) & high
		t.Words[i] = sum | (carry<<1 - carry>>(t.CellBits-1))
	}
	return nil
}
