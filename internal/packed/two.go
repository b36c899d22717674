package packed

// A bucket of the layout Wide mostly takes two loads: four lanes of 17 bits or more, eight of 9 or more.

// IsTwo tells whether two words hold a bucket: a whole group, and the last one.
func (t *Table) IsTwo() bool { return t.groups == 2 && t.Layout == Wide }

// Both returns the two words of such a bucket. [Table.Group] is the arithmetic of x and [Table.Last] that of y.
func (t *Table) Both(bucket uint64) (x, y uint64) {
	bit := bucket * t.bucketBits
	return t.word(bit), t.word(bit + t.groupBits)
}

// Free returns the lowest empty lane of a bucket whose words are x and y, and whether there is one.
func (t *Table) Free(x, y uint64) (lane uint, ok bool) {
	if flags := t.Group.Zero(x); flags != 0 {
		return t.Group.First(flags), true
	}
	if flags := t.Last.Zero(y); flags != 0 {
		return t.groupLanes + t.Last.First(flags), true
	}
	return 0, false
}
