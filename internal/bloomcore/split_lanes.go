package bloomcore

// splitBlock is one block of the table. Lane i is the low half of word i/2 if i is even, else the
// high half.
type splitBlock = [SplitWords]uint64

// The multipliers of the lanes, fixed by the Parquet format (BloomFilter.md of apache/parquet-format).
const (
	salt0 = 0x47b6137b
	salt1 = 0x44974d91
	salt2 = 0x8824ad5b
	salt3 = 0xa2b7289d
	salt4 = 0x705495c7
	salt5 = 0x2df1424b
	salt6 = 0x9efc4947
	salt7 = 0x5c6bfb31
)

// blockOf returns the block of h. It is not [Reduce]: the product leaves out the low half of h, as the
// format has it.
func (t *Table) blockOf(h uint64) *splitBlock {
	return (*splitBlock)(t.Words[h>>32*t.Blocks>>32*SplitWords:])
}

// splitPair returns the bits of x in two neighboring lanes.
func splitPair(x, even, odd uint32) uint64 {
	return 1<<(x*even>>27) | 1<<(32+x*odd>>27)
}

// splitSet sets all bits of h and tells whether one of them was clear.
func (t *Table) splitSet(h uint64) bool {
	b, x := t.blockOf(h), uint32(h)
	m0, m1 := splitPair(x, salt0, salt1), splitPair(x, salt2, salt3)
	m2, m3 := splitPair(x, salt4, salt5), splitPair(x, salt6, salt7)
	unset := m0&^b[0] | m1&^b[1] | m2&^b[2] | m3&^b[3]
	b[0] |= m0
	b[1] |= m1
	b[2] |= m2
	b[3] |= m3
	return unset != 0
}

// splitHas tells whether all bits of h are set. All four words are loaded, and no branch depends on them.
func (t *Table) splitHas(h uint64) bool {
	b, x := t.blockOf(h), uint32(h)
	return splitPair(x, salt0, salt1)&^b[0]|splitPair(x, salt2, salt3)&^b[1]|
		splitPair(x, salt4, salt5)&^b[2]|splitPair(x, salt6, salt7)&^b[3] == 0
}

// splitHasEach writes to dst[i] what splitHas says of hs[i].
func (t *Table) splitHasEach(hs []uint64, dst []bool) {
	for i, h := range hs {
		dst[i] = t.splitHas(h)
	}
}
