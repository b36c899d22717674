//go:build amd64 && !purego

package bloomcore

import (
	"github.com/nestfilter/nest/internal/cpu"
	"github.com/nestfilter/nest/internal/invariants"
)

//go:generate go -C asm run . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg bloomcore

// splitVectors and blockVectors tell whether the kernels run. Builds with -race do without: the race
// detector does not see what assembly reads and writes.
func splitVectors() bool { return cpu.HasAVX2 && !invariants.Enabled }
func blockVectors() bool { return cpu.HasAVX512 && !invariants.Enabled }

// Has tells whether all bits of h are set.
func (t *SplitTable) Has(h uint64) bool {
	if splitVectors() {
		return splitHasAVX2((*Table)(t).first(), t.Blocks, h)
	}
	return t.hasPortable(h)
}

// Set sets all bits of h and tells whether one of them was clear.
func (t *SplitTable) Set(h uint64) bool {
	if splitVectors() {
		return splitSetAVX2((*Table)(t).first(), t.Blocks, h)
	}
	return t.setPortable(h)
}

// HasEach writes to dst[i] whether all bits of hs[i] are set. It panics if dst is shorter than hs.
func (t *SplitTable) HasEach(hs []uint64, dst []bool) {
	if len(hs) == 0 || !splitVectors() {
		t.hasEachPortable(hs, dst)
		return
	}
	_ = dst[len(hs)-1]
	splitHasEachAVX2((*Table)(t).first(), t.Blocks, &hs[0], &dst[0], len(hs))
}

// SetAll sets all bits of every digest of hs.
func (t *SplitTable) SetAll(hs []uint64) {
	if len(hs) == 0 || !splitVectors() {
		t.setAllPortable(hs)
		return
	}
	splitSetAllAVX2((*Table)(t).first(), t.Blocks, &hs[0], len(hs))
}

// Has tells whether all bits of h are set.
func (t *BlockTable) Has(h uint64) bool {
	if blockVectors() {
		return blockHasAVX512((*Table)(t).first(), t.Blocks, t.full, t.last, h)
	}
	return t.hasPortable(h)
}

// Set sets all bits of h and tells whether one of them was clear.
func (t *BlockTable) Set(h uint64) bool {
	if blockVectors() {
		return blockSetAVX512((*Table)(t).first(), t.Blocks, t.full, t.last, h)
	}
	return t.setPortable(h)
}

// HasEach writes to dst[i] whether all bits of hs[i] are set. It panics if dst is shorter than hs.
func (t *BlockTable) HasEach(hs []uint64, dst []bool) {
	if len(hs) == 0 || !blockVectors() {
		t.hasEachPortable(hs, dst)
		return
	}
	_ = dst[len(hs)-1]
	blockHasEachAVX512((*Table)(t).first(), t.Blocks, t.full, t.last, &hs[0], &dst[0], len(hs))
}

// SetAll sets all bits of every digest of hs.
func (t *BlockTable) SetAll(hs []uint64) {
	if len(hs) == 0 || !blockVectors() {
		t.setAllPortable(hs)
		return
	}
	blockSetAllAVX512((*Table)(t).first(), t.Blocks, t.full, t.last, &hs[0], len(hs))
}
