package packed

import (
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/memory"
)

const (
	// Padding is the number of zero bytes behind the last lane.
	Padding = 8
	// MaxWidth is the widest lane, in bits, that one word holds at any bit offset.
	MaxWidth = 57
	// MaxLanes is the largest number of lanes in a bucket.
	MaxLanes = 255
)

// Table is a packed table. Copies share the lanes; use [Table.Clone] for a table of its own. Make one with [New].
type Table struct {
	// Group is the lane arithmetic of one whole group, Last that of a bucket's last group: under the layout Word of the
	// bucket. Of a semi-sorted table only Group.Width is set.
	Group, Last Lanes
	// Layout says how a bucket is laid out. The zero Table has none, and no buckets: the methods that look for a lane
	// find none in it, whatever the bucket.
	Layout Layout
	// WholeBytes is the number of bytes from one bucket to the next where one word holds a bucket and every
	// bucket begins with a byte, else 0. A bucket is then a word of [Table.At] and [Table.Put]. It and a width
	// that is known at compile time tell the number of lanes, so that code can work with constants.
	WholeBytes uint64
	bucketBits uint64 // bits from one bucket to the next
	groupBits  uint64 // bits from one group to the next
	groups     uint   // word loads that a bucket takes, 0 of a semi-sorted one
	groupLanes uint
	lanes      uint // lanes of a bucket
	mask       uint64
	buckets    uint64
	data       []byte
	sorted     sorted

	// What a table of the layout Paired or Windowed has beside its lanes. Windows, of Windowed alone, are those of its
	// pairs.
	Windows *Windows
	pairing *Pairing
}

// Buckets returns the number of buckets.
func (t *Table) Buckets() uint64 { return t.buckets }

// Lanes returns the number of lanes of a bucket.
func (t *Table) Lanes() uint { return t.lanes }

// Width returns the width of a lane in bits.
func (t *Table) Width() uint { return t.Group.Width }

// Data returns the table's bytes, padding included. The slice is the table itself, not a copy.
func (t *Table) Data() []byte { return t.data }

// Clone returns a table with a copy of the lanes.
func (t *Table) Clone() Table {
	c := *t
	c.data = memory.Bytes(len(t.data))
	copy(c.data, t.data)
	return c
}

// Reset empties every lane.
func (t *Table) Reset() { clear(t.data) }

// BucketBits returns the bits from one bucket to the next.
func (t *Table) BucketBits() uint64 { return t.bucketBits }

// Read returns a lane of a bucket of any kind.
func (t *Table) Read(bucket uint64, lane uint) uint64 {
	if t.Ordered() {
		t.check(bucket, lane)
		return t.open(bucket).lane(lane)
	}
	return t.Get(bucket, lane)
}

// ReadAll returns the lanes of a bucket of any kind, in memory that the caller gives.
func (t *Table) ReadAll(bucket uint64, memory *[MaxLanes]uint64) []uint64 {
	if t.Ordered() {
		v := t.open(bucket)
		memory[0], memory[1], memory[2], memory[3] = v.a, v.b, v.c, v.d
	} else {
		for lane := range t.lanes {
			memory[lane] = t.Get(bucket, lane)
		}
	}
	return memory[:t.lanes]
}

// Swap writes v, which must fit, in place of what a lane of a bucket of any kind holds, and returns
// that, and the lane in which v is then: another one where buckets are semi-sorted, as the lanes between
// the two have moved. Swap of that lane and the old value undoes it.
func (t *Table) Swap(bucket uint64, lane uint, v uint64) (old uint64, at uint) {
	bit := t.Place(bucket, lane)
	if t.Ordered() {
		return t.swapSorted(bucket, lane, v)
	}
	old = t.GetAt(bit)
	t.SetAt(bit, v)
	return old, lane
}

// Replace writes v in place of the lowest lane of a bucket of any kind that holds old, and tells whether
// there is one. With old = 0 it fills an empty lane, with v = 0 it empties one.
func (t *Table) Replace(bucket, old, v uint64) bool {
	if t.Ordered() {
		return t.replaceSorted(bucket, old, v)
	}
	lane, ok := t.Find(bucket, old)
	if ok {
		t.Set(bucket, lane, v)
	}
	return ok
}

// Push writes v, which is not 0, to the lowest empty lane of a bucket or, where none is empty, to the
// given one, which in a semi-sorted bucket v turns on. It returns what that lane held: 0 if it was empty.
func (t *Table) Push(bucket uint64, lane uint, v uint64) (old uint64) {
	t.check(bucket, lane)
	if t.Layout != Word {
		return t.pushOther(bucket, lane, v)
	}
	bit := bucket * t.bucketBits
	off, shift := bit>>3, bit&7
	x := memory.Load64(t.data, off)
	flags := t.Last.Zero(x >> shift)
	given := uint64(lane) * uint64(t.Last.Width)
	empty := uint64(bits.TrailingZeros64(flags)) - uint64(t.Last.Width-1)
	// Which of the two it is cannot be foreseen, so no branch depends on it: the mask is all ones
	// where a lane is empty.
	at := (given ^ (given^empty)&-((flags|-flags)>>63)) + shift
	at &= 63
	old = x >> at & t.mask
	memory.Store64(t.data, off, x^(old^v)<<at)
	return old
}

// pushOther is Push for buckets of several words and semi-sorted ones. Of these v decides too which lane it goes to if
// none is empty: the one given would have the same fingerprints go over and over, as they are in order.
func (t *Table) pushOther(bucket uint64, lane uint, v uint64) (old uint64) {
	if t.Ordered() {
		lane = (lane + uint(v)) % sortedLanes
	}
	if empty, ok := t.Find(bucket, 0); ok {
		lane = empty
	}
	old, _ = t.Swap(bucket, lane, v)
	return old
}

// Find returns the lowest lane of a bucket that holds v. With v = 0 it finds an empty lane.
func (t *Table) Find(bucket, v uint64) (lane uint, ok bool) {
	if t.Ordered() {
		if v == 0 {
			return 0, t.lowest(bucket) == 0
		}
		return t.open(bucket).find(v)
	}
	bit := bucket * t.bucketBits
	for g := uint(1); g < t.groups; g++ {
		if flags := t.Group.Equal(t.word(bit), v); flags != 0 {
			return lane + t.Group.First(flags), true
		}
		bit += t.groupBits
		lane += t.groupLanes
	}
	flags := t.Last.Equal(t.word(bit), v)
	if flags == 0 {
		return 0, false
	}
	return lane + t.Last.First(flags), true
}

// Has tells whether a lane of the bucket holds v.
func (t *Table) Has(bucket, v uint64) bool {
	_, ok := t.Find(bucket, v)
	return ok
}

// Count returns how many lanes of the bucket hold v.
func (t *Table) Count(bucket, v uint64) int {
	if t.Ordered() {
		return t.open(bucket).count(v)
	}
	n := 0
	bit := bucket * t.bucketBits
	for g := uint(1); g < t.groups; g++ {
		n += bits.OnesCount64(t.Group.EqualExact(t.word(bit), v))
		bit += t.groupBits
	}
	return n + bits.OnesCount64(t.Last.EqualExact(t.word(bit), v))
}

// check holds an access to be inside the table where invariants are enabled.
func (t *Table) check(bucket uint64, lane uint) {
	if invariants.Enabled && (bucket >= t.buckets || lane >= t.lanes) {
		panic(fmt.Sprintf("packed: bucket %d of %d, lane %d of %d", bucket, t.buckets, lane, t.lanes))
	}
}
