package packed

// A table of words has every bucket in a word of its own, with as many lanes as fit; the bits above them are 0. It has
// the layout Word, and all that has is right for it: only its buckets begin 64 bits apart.

// MinWordWidth is the narrowest lane of a table of words. Eight of them fill a word; of more lanes in a bucket a query
// compares with so many that narrower fingerprints tell it next to nothing.
const MinWordWidth = 8

// MaxWordLanes is the most lanes that a word has.
const MaxWordLanes = 64 / MinWordWidth

// WordLanes returns how many lanes of that width, [MinWordWidth] or more, a word has.
func WordLanes(width uint) uint { return 64 / max(width, MinWordWidth) }

// shapeWords returns a table of words without buckets, and false if there is none with that many lanes.
func shapeWords(width, lanes uint) (t Table, ok bool) {
	word := NewLanes(width, WordLanes(width))
	return Table{
		Group: word, Last: word, Layout: Word, WholeBytes: 8,
		bucketBits: 64, groupBits: 64, groups: 1, groupLanes: lanes, lanes: lanes, mask: 1<<width - 1,
	}, width >= MinWordWidth && lanes == WordLanes(width)
}

// checkSpare is what Check has to look at where the lanes of buckets do not fill them: the bits above the lanes.
func (t *Table) checkSpare(from, to uint64) error {
	used := uint64(t.lanes) * uint64(t.Group.Width)
	if t.bucketBits <= used {
		return nil
	}
	for bucket := from; bucket < to; bucket++ {
		if bit := bucket*t.bucketBits + used; t.word(bit)&(1<<(t.bucketBits-used)-1) != 0 {
			return corrupt(bit>>3, "bits above the slots of bucket %d are not 0", bucket)
		}
	}
	return nil
}
