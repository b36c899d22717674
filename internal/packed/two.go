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

// BothWhole is [Table.Both] with zeros above the lanes.
func (t *Table) BothWhole(bucket uint64) (x, y uint64) {
	x, y = t.Both(bucket)
	return x & (t.Group.High<<1 - t.Group.Low), y & (t.Last.High<<1 - t.Last.Low)
}

// GroupBits returns the bits that the lanes of x take.
func (t *Table) GroupBits() uint { return uint(t.groupBits) }

// FillBoth writes lanes, side by side as [Table.BothWhole] returns them, into an empty bucket.
func (t *Table) FillBoth(bucket, x, y uint64) {
	bit := bucket * t.bucketBits
	t.Put(bit>>3, t.At(bit>>3)|x<<(bit&7))
	bit += t.groupBits
	t.Put(bit>>3, t.At(bit>>3)|y<<(bit&7))
}

// clearBoth empties all lanes of a bucket.
func (t *Table) clearBoth(bucket uint64) {
	x, y := t.BothWhole(bucket)
	bit := bucket * t.bucketBits
	t.Put(bit>>3, t.At(bit>>3)&^(x<<(bit&7)))
	bit += t.groupBits
	t.Put(bit>>3, t.At(bit>>3)&^(y<<(bit&7)))
}
