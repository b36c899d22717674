package bloomcore

// block is one cache line of the table.
type block = [BlockWords]uint64

// lineOf returns the block of h.
func (t *Table) lineOf(h uint64) *block {
	return (*block)(t.Words[Reduce(h, t.Blocks)*BlockWords:])
}

// blockSet sets all bits of h and tells whether one of them was clear.
func (t *Table) blockSet(h uint64) bool {
	line, x := t.lineOf(h), BlockState(h)
	var unset uint64
	for k := t.Hashes; k > 0; k -= BlockFields {
		fields := x
		for range min(k, BlockFields) {
			word, bit := &line[fields>>61], uint64(1)<<(fields>>55&63)
			unset |= bit &^ *word
			*word |= bit
			fields <<= BlockField
		}
		x = Next(x)
	}
	return unset != 0
}

// blockHas tells whether all bits of h are set.
func (t *Table) blockHas(h uint64) bool {
	return covers(t.lineOf(h), BlockState(h), t.Hashes, 0)
}

// covers tells whether the k bits that start at state x are set in line and no bit is in unset, the
// bits already found clear. No branch depends on a bit: half of the bits of a full filter are clear,
// and a mispredicted branch costs more than all tests.
func covers(line *block, x uint64, k int, unset uint64) bool {
	for ; k > 0; k -= BlockFields {
		fields := x
		for range min(k, BlockFields) {
			word := line[fields>>61]
			unset |= word ^ (word | 1<<(fields>>55&63))
			fields <<= BlockField
		}
		x = Next(x)
	}
	return unset == 0
}

// blockHasBatch answers up to Batch digests. It asks for the lines of all keys before it looks into the first.
func (t *Table) blockHasBatch(hs []uint64, dst []bool) {
	var (
		lines [Batch]*block
		state [Batch]uint64
		unset [Batch]uint64 // the first bit, if it is clear: testing it is what fetches the line
	)
	for i, h := range hs {
		line, x := t.lineOf(h), BlockState(h)
		word := line[x>>61]
		lines[i], state[i], unset[i] = line, x, word^(word|1<<(x>>55&63))
	}
	for i := range hs {
		dst[i] = covers(lines[i], state[i], t.Hashes, unset[i])
	}
}
