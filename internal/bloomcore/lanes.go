package bloomcore

import "math/bits"

// tops returns a word with the highest bit of every cell set.
func tops(cellBits uint) uint64 {
	return ^uint64(0) / (1<<cellBits - 1) << (cellBits - 1)
}

// nonzero counts the cells that are not zero.
func nonzero(words []uint64, cellBits uint) (n uint64) {
	if cellBits == 1 {
		for _, w := range words {
			n += uint64(bits.OnesCount64(w))
		}
		return n
	}
	high := tops(cellBits)
	for _, w := range words {
		// The lower bits of a cell carry into its highest one unless all are zero.
		n += uint64(bits.OnesCount64(((w&^high + ^high) | w) & high))
	}
	return n
}

// Full returns the number of cells whose bits are all set. It reads the whole table.
func (t *Table) Full() (n uint64) {
	if t.Slots == 0 {
		return 0 // of the zero filter, which has no width of cells either
	}
	high := tops(t.CellBits)
	for _, w := range t.Words {
		// A cell is full when its complement is zero; the bits behind the last cell are never set.
		zeros := ^(((^w&^high + ^high) | ^w) | ^high)
		n += uint64(bits.OnesCount64(zeros))
	}
	return n
}

// AddSaturating adds the cells of u to those of t, which have the same shape. A sum that does not
// fit becomes the largest value of a cell.
func (t *Table) AddSaturating(u *Table) {
	high := tops(t.CellBits)
	for i, b := range u.Words {
		a := t.Words[i]
		sum := (a&^high + b&^high) ^ (a^b)&high // cell by cell, without what carries out of one
		carry := (a&b | (a|b)&^sum) & high
		t.Words[i] = sum | (carry<<1 - carry>>(t.CellBits-1))
	}
}
