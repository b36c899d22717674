package bloomcore

import (
	"math/bits"

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

// tops returns a word with the highest bit of every cell set.
func tops(cellBits uint) uint64 {
	return ^uint64(0) / (1<<cellBits - 1) << (cellBits - 1)
}

// wordTally counts the cells of a word that are not zero, and those that are full. high is tops of their width.
func wordTally(w, high uint64) (nonzero, full int) {
	// The lower bits of a cell carry into its highest one unless all are zero. A cell is full when its complement is
	// zero.
	return bits.OnesCount64(((w&^high + ^high) | w) & high), bits.OnesCount64(^(((^w&^high + ^high) | ^w) | ^high))
}

// tally returns the number of cells that are not zero, and the number of those whose bits are all set. Bits behind the
// last cell do not count: the bytes under a view may have some, where they are damaged.
func (t *Table) tally() (nonzero, full uint64) {
	high := tops(t.CellBits)
	for _, w := range t.Words {
		some, all := wordTally(w, high)
		nonzero, full = nonzero+uint64(some), full+uint64(all)
	}
	some, all := wordTally(t.behind(), high)
	return nonzero - uint64(some), full - uint64(all)
}

// ones returns the number of cells that are set in a table whose cells are bits, faster than tally does.
func (t *Table) ones() (n uint64) {
	for _, w := range t.Words {
		n += uint64(bits.OnesCount64(w))
	}
	return n - uint64(bits.OnesCount64(t.behind()))
}

// behind returns the last word without its cells, which leaves zeros unless the table is damaged.
func (t *Table) behind() uint64 {
	used := t.Slots * uint64(t.CellBits) & 63
	if used == 0 {
		return 0
	}
	return t.Words[len(t.Words)-1] >> used << used
}
