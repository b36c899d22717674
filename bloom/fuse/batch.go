package fuse

// hasEach is ContainsHashes. dst is as long as hs.
func (t *table) hasEach(hs []uint64, dst []bool) {
	if t.keys == 0 {
		clear(dst)
		return
	}
	for i, h := range hs {
		dst[i] = t.has(h)
	}
}
