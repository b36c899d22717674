package bloomcore

import "math/bits"

// tops returns a word with the highest bit of every cell set.
func tops(cellBits uint) uint64 {
	return ^uint64(0) / (1<<cellBits - 1) << (cellBits - 1)
}

// wordTally counts the cells of a word that are not zero, and those that are full. high is tops of their width.
func wordTally(w, high uint64) (nonzero, full int) {
	// The lower bits of a cell carry into its highest one unless all are zero. A cell is full when its complement is zero.
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
