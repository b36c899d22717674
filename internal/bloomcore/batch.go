package bloomcore

import "math/bits"

// Batch is the number of digests that a batch carries through its phases together. Their state lives on the stack, in
// the first cache level, and no core has many more misses under way.
const Batch = 32

// rounds is the number of cells that a batch tests across its digests. In a full filter one absent key in 2^rounds is
// left then; for present keys a loop over the remaining cells, whose every branch goes one way, is faster.
const rounds = 4

// cellsHaveBatch answers up to Batch digests. It tests one cell of many digests, then the next cell of those that
// remain, so that cache misses overlap: a branch or a place depends on cells only after all of them are loaded.
func (t *Table) cellsHaveBatch(hs []uint64, dst []bool) {
	var state [Batch]uint64 // of the digests that have no zero cell so far
	var index [Batch]uint8  // their places in hs
	for i := range hs {
		state[i], index[i], dst[i] = hs[i], uint8(i), false
	}
	words, slots, width, mask, live := t.Words, t.Slots, uint64(t.CellBits), t.Top, len(hs)
	for range min(t.Hashes, rounds) {
		var left uint64 // whose cell is not zero
		for i, x := range state[:live] {
			bit := Reduce(x, slots) * width
			left |= -(words[bit>>6] >> (bit & 63) & mask) >> 63 << (i & 63)
			state[i] = Next(x)
		}
		if left == 1<<(live&63)-1 {
			continue
		}
		for live = 0; left != 0; live, left = live+1, left&(left-1) {
			i := bits.TrailingZeros64(left) % Batch
			state[live%Batch], index[live%Batch] = state[i], index[i]
		}
	}
	for i, x := range state[:live] {
		dst[index[i]] = t.allNonzero(x, t.Hashes-rounds)
	}
}

// allNonzero tells whether the k cells from state x on are nonzero.
func (t *Table) allNonzero(x uint64, k int) bool {
	words, slots, width, mask := t.Words, t.Slots, uint64(t.CellBits), t.Top
	for ; k > 0; k-- {
		bit := Reduce(x, slots) * width
		if words[bit>>6]>>(bit&63)&mask == 0 {
			return false
		}
		x = Next(x)
	}
	return true
}
