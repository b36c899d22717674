package simd

// FuseProbe says what a kernel has to know of a binary fuse filter: package bloom/fuse says what a key's slots are. The
// hash of a digest h is x = h+Seed, x = (x^x>>33)*Factor1, x = (x^x>>33)*Factor2, x^x>>33. There must be fewer than
// 2^32 slots. The kernels read the fields in their order, a word each.
type FuseProbe struct {
	Seed, Span, Segment, Inner, Width uint64 // Inner is Segment-1
	Factor1, Factor2, Factor3         uint64
	Mask                              uint64 // the bits of a fingerprint
	// Offset is how far into a word that is loaded a slot may begin, 7 bits or 63: a word begins at a multiple of
	// Offset+1 bits.
	Offset uint64
	Far    uint64 // not 0 where the table is so large that it pays to ask the memory for slots ahead

	_ [2*9*8 + 8]uint64 // room for what the kernels write
}

// ContainsFuse answers the first digests of hs from a table whose keys have three slots, or with four at 1 four, as
// [Contains] does.
func ContainsFuse(p *FuseProbe, four int, data []byte, hs []uint64, dst []bool) (answered int) {
	return ask(&fuseKernels[four], &p.Seed, data, hs, dst)
}
