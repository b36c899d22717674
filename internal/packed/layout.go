package packed

import "math/bits"

// Layout names the way in which a bucket is laid out. Code outside this package that has a faster way for one of them asks for
// it by name. For every other one there are the methods of [Table] "of any kind".
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
	// Paired: as Word or Wide, but a value may be in two lanes of its bucket only, which the caller says. paired.go has it.
	Paired
)

// Ordered tells whether lanes are in order, so that they are no places that a value keeps: in semi-sorted buckets. The zero Table
// says so too; the methods of sorted.go serve it and find nothing.
func (t *Table) Ordered() bool { return t.Layout < Word }

// Size returns the bytes of a table of that shape, padding included, and false where the number
// does not fit into an int.
func Size(width, lanes uint, buckets uint64) (size int, ok bool) {
	hi, total := bits.Mul64(buckets, uint64(width)*uint64(lanes))
	if hi != 0 || total > 1<<62 {
		return 0, false
	}
	size64 := (total+7)/8 + Padding
	size = int(size64)
	return size, size >= 0 && uint64(size) == size64
}
