package bloomcore

import "sync/atomic"

// The verbs of a block table that goroutines share read and write its words with package sync/atomic only, one at a time. A bit that is set
// stays set, so a lookup that has seen all bits of a key set is right from then on, and one that has seen a bit clear was right then.

// masks returns the bits of h in each word of its block.
func (t *BlockTable) masks(h uint64) (masks block) {
	x := BlockState(h)
	for k := t.Hashes; k > 0; k -= BlockFields {
		fields := x
		for range min(k, BlockFields) {
			masks[fields>>61] |= 1 << (fields >> 55 & 63)
			fields <<= BlockField
		}
		x = Next(x)
	}
	return masks
}

// HasShared tells whether all bits of h are set.
func (t *BlockTable) HasShared(h uint64) bool {
	line, x := t.lineOf(h), BlockState(h)
	var unset uint64
	for k := t.Hashes; k > 0; k -= BlockFields {
		fields := x
		for range min(k, BlockFields) {
			word := atomic.LoadUint64(&line[fields>>61])
			unset |= word ^ (word | 1<<(fields>>55&63))
			fields <<= BlockField
		}
		x = Next(x)
	}
	return unset == 0
}

// SetShared sets all bits of h. It writes no word that has its bits already.
func (t *BlockTable) SetShared(h uint64) {
	line, masks := t.lineOf(h), t.masks(h)
	for w, mask := range masks {
		if atomic.LoadUint64(&line[w])&mask != mask {
			atomic.OrUint64(&line[w], mask)
		}
	}
}

// CopyShared copies the words to another table of the same shape.
func (t *BlockTable) CopyShared(to *BlockTable) {
	for k := range t.Words {
		to.Words[k] = atomic.LoadUint64(&t.Words[k])
	}
}

// BlockShared copies a block.
func (t *BlockTable) BlockShared(number uint64, line *block) {
	words := (*block)(t.Words[number*BlockWords:])
	for w := range words {
		line[w] = atomic.LoadUint64(&words[w])
	}
}

// OrShared sets the bits that are set in another table of the same shape.
func (t *BlockTable) OrShared(from *BlockTable) {
	for k, w := range from.Words {
		if w != 0 {
			atomic.OrUint64(&t.Words[k], w)
		}
	}
}

// ResetShared clears the words.
func (t *BlockTable) ResetShared() {
	for k := range t.Words {
		atomic.StoreUint64(&t.Words[k], 0)
	}
}
