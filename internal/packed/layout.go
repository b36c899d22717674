package packed

import (
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/internal/memory"
)

// Layout names the way in which a bucket is laid out. Code outside this package that has a faster way for one of them
// asks for it by name. For every other one there are the methods of [Table] "of any kind".
type Layout uint8

// The layouts.
const (
	// None is that of the zero Table, which has no buckets.
	None Layout = iota
	// Sorted: buckets are semi-sorted. sorted.go has their arithmetic. A write may move other lanes of the bucket.
	Sorted
	// Word: one word load holds a bucket, whose lanes stand one behind the other.
	Word
	// Wide: as Word, but a bucket takes several loads, one for each group of lanes.
	Wide
	// Paired: as Word or Wide, but a value may be in two lanes of its bucket only, which the caller says. paired.go has
	// it.
	Paired
	// Windowed: as Paired, and a word holds the window of each pair, which [Table.Windows] have.
	Windowed
)

// Ordered tells whether lanes are in order, so that they are no places that a value keeps: in semi-sorted buckets. The
// zero Table says so too: its methods are those of sorted.go, where open asks for it and finds nothing. So no other
// layout has to ask.
func (t *Table) Ordered() bool { return t.Layout <= Sorted }

// A Kind says how a table is made, its shape how many lanes a bucket has and of how many bits each. Files keep both.
type Kind uint8

// The kinds.
const (
	// Plain tables have the layout Word or Wide: 1..MaxLanes lanes a bucket, each of 1..MaxWidth bits.
	Plain Kind = iota
	// SemiSorted tables have the layout Sorted: 4 lanes a bucket, of MinSortedWidth..MaxSortedWidth bits.
	SemiSorted
	// PairedLanes tables have the layout Paired or Windowed: 4 or 8 lanes a bucket, else as Plain.
	PairedLanes
	// Words are tables of words: as many lanes a bucket as [WordLanes] says, each of MinWordWidth bits or more.
	Words
)

// Size returns the bytes of a table of that shape, padding included, and false where the number
// does not fit into an int.
func (k Kind) Size(width, lanes uint, buckets uint64) (size int, ok bool) {
	bucket := uint64(width) * uint64(lanes)
	switch k {
	case SemiSorted:
		bucket = uint64(width-1) * sortedLanes
	case Words:
		bucket = 64
	}
	hi, total := bits.Mul64(buckets, bucket)
	if hi != 0 || total > 1<<62 {
		return 0, false
	}
	size64 := (total+7)/8 + Padding
	size = int(size64)
	return size, size >= 0 && uint64(size) == size64
}

// New returns an empty table. The caller has checked its shape, and the size with Size: what is out of range is a
// programming error and panics.
func (k Kind) New(width, lanes uint, buckets uint64) Table {
	size, _ := k.Size(width, lanes, buckets)
	return k.Over(width, lanes, buckets, memory.Bytes(size))
}

// Over returns the table of that shape whose bytes are data, as [Table.Data] returned them: over data itself, not a
// copy. Beside what New wants, data must have the size; else Over panics. What data holds is for [Table.Check].
func (k Kind) Over(width, lanes uint, buckets uint64, data []byte) Table {
	t, valid := k.shape(width, lanes)
	size, ok := k.Size(width, lanes, buckets)
	if !valid || !ok || buckets < 1 || size != len(data) {
		panic(fmt.Sprintf("packed: no table of kind %d, of %d buckets of %d lanes of %d bits, in %d bytes",
			k, buckets, lanes, width, len(data)))
	}
	t.buckets, t.data = buckets, data
	return t
}

// shape returns a table of that shape without buckets, and false if there is none.
func (k Kind) shape(width, lanes uint) (t Table, ok bool) {
	switch {
	case width < 1 || width > MaxWidth || lanes < 1 || lanes > MaxLanes:
		return t, false
	case k == SemiSorted:
		return shapeSorted(width, lanes)
	case k == Words:
		return shapeWords(width, lanes)
	}
	t = shapePlain(width, lanes)
	if k == PairedLanes {
		t.pairUp()
	}
	return t, true
}
