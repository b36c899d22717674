package bloomcore

import "math/bits"

// tops returns a word with the highest bit of every cell set.
func tops(cellBits uint) uint64 {
	return ^uint64(0) / (1<<cellBits - 1) << (cellBits - 1)
}

// tally counts the cells of a word that are not zero, and those that are full. high is tops of their width.
func tally(w, high uint64) (nonzero, full int) {
	// The lower bits of a cell carry into its highest one unless all are zero. A cell is full when its complement is zero.
	return bits.OnesCount64(((w&^high + ^high) | w) & high), bits.OnesCount64(^(((^w&^high + ^high) | ^w) | ^high))
}

// Tally returns the number of cells that are not zero, and the number of those whose bits are all set. It reads the
// whole table once. Bits behind the last cell do not count: the bytes under a view may have some, where they are damaged.
func (t *Table) Tally() (nonzero, full uint64) {
	if t.Slots == 0 {
		return 0, 0 // of the zero filter, which has no width of cells either
	}
	high := tops(t.CellBits)
	for _, w := range t.Words {
		some, all := tally(w, high)
		nonzero, full = nonzero+uint64(some), full+uint64(all)
	}
	some, all := tally(t.behind(), high)
	return nonzero - uint64(some), full - uint64(all)
}

// Ones returns the number of cells that are set in a table whose cells are bits, faster than Tally does. It reads the
// whole table once.
func (t *Table) Ones() (n uint64) {
	if t.Slots == 0 {
		return 0
	}
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
