package bloomcore

import "sync/atomic"

// The verbs choose by the layout of the table. On amd64 those of blocks run on vectors, of eight positions with AVX-512
// and of eight lanes with AVX2. Otherwise they take one position or one pair of lanes after the other.

// Has tells whether all cells of h are nonzero.
func Has[L Layouts](t *Table, h uint64) bool {
	var l L
	if len(t.Words) == 0 {
		return atomic.LoadUint32(&t.unmade) != 0
	}
	switch layoutOf(t, len(l)) {
	case Blocks:
		if blockVectors() {
			return blockHasAVX512(&t.Words[0], t.Blocks, t.full, t.last, h)
		}
		return t.blockHas(h)
	case SplitBlocks:
		if splitVectors() {
			return splitHasAVX2(&t.Words[0], t.Blocks, h)
		}
		return t.splitHas(h)
	case Bits:
		return t.bitsHave(h)
	case Counters:
		return t.Nonzero(h)
	case SharedBlocks:
		return t.hasShared(h)
	}
	return false
}

// HasEach writes to dst[i] what Has says of hs[i]. It panics if dst is shorter than hs.
func (t *Table) HasEach(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	if len(hs) == 0 {
		return
	}
	switch t.Layout {
	case Blocks:
		if blockVectors() {
			blockHasEachAVX512(&t.Words[0], t.Blocks, t.full, t.last, &hs[0], &dst[0], len(hs))
			return
		}
	case SplitBlocks:
		if splitVectors() {
			splitHasEachAVX2(&t.Words[0], t.Blocks, &hs[0], &dst[0], len(hs))
			return
		}
	}
	t.hasEach(hs, dst)
}

// hasEach is HasEach without kernels.
func (t *Table) hasEach(hs []uint64, dst []bool) {
	for len(hs) > 0 {
		n := min(len(hs), Batch)
		switch t.Layout {
		case Blocks:
			t.blockHasBatch(hs[:n], dst)
		case SplitBlocks:
			for i, h := range hs[:n] {
				dst[i] = t.splitHas(h)
			}
		case Bits, Counters:
			t.cellsHaveBatch(hs[:n], dst)
		default:
			for i, h := range hs[:n] {
				dst[i] = Has[[0]struct{}](t, h)
			}
		}
		hs, dst = hs[n:], dst[n:]
	}
}

// Set sets the bits of h, and tells whether one of them was clear. It counts no key. SharedBlocks have AddShared.
func Set[L Layouts](t *Table, h uint64) bool {
	var l L
	if len(t.Words) == 0 {
		t.begin(Layout(len(l)))
		return Set[L](t, h)
	}
	switch layoutOf(t, len(l)) {
	case Blocks:
		if blockVectors() {
			return blockSetAVX512(&t.Words[0], t.Blocks, t.full, t.last, h)
		}
		return t.blockSet(h)
	case SplitBlocks:
		if splitVectors() {
			return splitSetAVX2(&t.Words[0], t.Blocks, h)
		}
		return t.splitSet(h)
	}
	return t.setBits(h)
}

// AddAll sets the bits of every digest of hs and counts all keys.
func AddAll[L Layouts](t *Table, hs []uint64) {
	var l L
	switch {
	case len(hs) == 0:
		return
	case len(t.Words) == 0:
		t.begin(Layout(len(l)))
		AddAll[L](t, hs)
		return
	case t.Layout == Blocks && blockVectors():
		blockSetAllAVX512(&t.Words[0], t.Blocks, t.full, t.last, &hs[0], len(hs))
	case t.Layout == SplitBlocks && splitVectors():
		splitSetAllAVX2(&t.Words[0], t.Blocks, &hs[0], len(hs))
	default:
		for _, h := range hs {
			Set[L](t, h)
		}
	}
	t.Keys += uint64(len(hs))
}

// bitsHave tells whether all bits of h are set. It stops at the first that is clear.
func (t *Table) bitsHave(h uint64) bool {
	words, slots := t.Words, t.Slots
	for range t.Hashes {
		p := Reduce(h, slots)
		if words[p>>6]>>(p&63)&1 == 0 {
			return false
		}
		h = Next(h)
	}
	return true
}

// setBits sets the bits of h and tells whether one of them was clear.
func (t *Table) setBits(h uint64) bool {
	words, slots := t.Words, t.Slots
	var unset uint64
	for range t.Hashes {
		p := Reduce(h, slots)
		word, bit := &words[p>>6], uint64(1)<<(p&63)
		unset |= bit &^ *word
		*word |= bit
		h = Next(h)
	}
	return unset != 0
}
