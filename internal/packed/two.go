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

// Whole returns the lanes of a bucket of one word or two, side by side, and zeros above them. Of one word y is 0.
func (t *Table) Whole(bucket uint64) (x, y uint64) {
	if t.groups > 1 {
		y = t.word(bucket*t.bucketBits+t.groupBits) & (t.Last.High<<1 - t.Last.Low)
	}
	return t.WholeWord(bucket), y
}

// GroupBits returns the bits that the lanes of x take.
func (t *Table) GroupBits() uint { return uint(t.groupBits) }

// Flip changes the bits of a bucket of one word or two that are set in x and y. These are as [Table.Whole] returns
// them, so what it returns empties the bucket, and lanes are written into an empty one.
func (t *Table) Flip(bucket, x, y uint64) {
	t.FlipWord(bucket, x)
	if t.groups > 1 {
		bit := bucket*t.bucketBits + t.groupBits
		t.Put(bit>>3, t.At(bit>>3)^y<<(bit&7))
	}
}

// FlipWord is Flip of the first word alone.
func (t *Table) FlipWord(bucket, x uint64) {
	bit := bucket * t.bucketBits
	t.Put(bit>>3, t.At(bit>>3)^x<<(bit&7))
}

// WholeWord is Whole of the first word alone.
func (t *Table) WholeWord(bucket uint64) uint64 {
	return t.Word(bucket) & (t.Group.High<<1 - t.Group.Low)
}

// Clear empties all lanes of a bucket that is not semi-sorted.
func (t *Table) Clear(bucket uint64) {
	if t.Layout == Word {
		t.FlipWord(bucket, t.WholeWord(bucket))
		return
	}
	if t.groups <= 2 {
		x, y := t.Whole(bucket)
		t.Flip(bucket, x, y)
		return
	}
	for lane := range t.lanes {
		t.Set(bucket, lane, 0)
	}
}
