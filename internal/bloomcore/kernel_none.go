//go:build !amd64 || purego

package bloomcore

// Has tells whether all bits of h are set.
func (t *SplitTable) Has(h uint64) bool { return t.hasPortable(h) }

// Set sets all bits of h and tells whether one of them was clear.
func (t *SplitTable) Set(h uint64) bool { return t.setPortable(h) }

// HasEach writes to dst[i] whether all bits of hs[i] are set. It panics if dst is shorter than hs.
func (t *SplitTable) HasEach(hs []uint64, dst []bool) { t.hasEachPortable(hs, dst) }

// SetAll sets all bits of every digest of hs.
func (t *SplitTable) SetAll(hs []uint64) { t.setAllPortable(hs) }

// Has tells whether all bits of h are set.
func (t *BlockTable) Has(h uint64) bool { return t.hasPortable(h) }

// Set sets all bits of h and tells whether one of them was clear.
func (t *BlockTable) Set(h uint64) bool { return t.setPortable(h) }

// HasEach writes to dst[i] whether all bits of hs[i] are set. It panics if dst is shorter than hs.
func (t *BlockTable) HasEach(hs []uint64, dst []bool) { t.hasEachPortable(hs, dst) }

// SetAll sets all bits of every digest of hs.
func (t *BlockTable) SetAll(hs []uint64) { t.setAllPortable(hs) }
