package packed

import (
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/le"
)

const (
	// Padding is the number of zero bytes behind the last lane.
	Padding = 8
	// MaxWidth is the widest lane, in bits, that one word holds at any bit offset.
	MaxWidth = 57
	// MaxLanes is the largest number of lanes in a bucket.
	MaxLanes = 255
)

// Table is a packed table. Copies share the lanes; use [Table.Clone] for a table of its own.
// Make one with [New].
type Table struct {
	// Group is the lane arithmetic of one whole group, Last that of a bucket's last group.
	Group, Last fingerprint.Lanes
	// Groups is the number of word loads that a bucket takes. Where it is 1, Last is the group. It is 0
	// where buckets are semi-sorted; Last, Get and Set are of no use there.
	Groups uint
	// Quad says that a bucket has 4 lanes. Where their width is even and at most 16, a bucket is
	// whole bytes of one word, and code that knows the width at compile time works on it with
	// constants, through [Table.At] and [Table.Put].
	Quad bool
	// Sorted says that buckets are semi-sorted. The zero Table has neither Groups nor buckets, and the methods that look for
	// a lane find none in it, whatever the bucket.
	Sorted bool
	pages  hugepage.Mode
	// WholeBytes is the number of bytes from one bucket to the next where one word holds a bucket and every
	// bucket begins with a byte, else 0. A bucket is then a word of [Table.At] and [Table.Put].
	WholeBytes uint64

	bucketBits uint64 // bits from one bucket to the next
	groupBits  uint64 // bits from one group to the next
	groupLanes uint
	lanes      uint // lanes of a bucket
	mask       uint64
	buckets    uint64
	data       []byte
	sorted     sorted
}

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

// New returns an empty table of 1..MaxLanes lanes a bucket, each of 1..MaxWidth bits. The caller
// has checked the size with [Size]; a shape out of range is a programming error and panics.
// The table asks for large pages as hugepage.Auto does; see [NewPaged].
func New(width, lanes uint, buckets uint64) Table {
	return NewPaged(width, lanes, buckets, hugepage.Auto)
}

// NewPaged is [New] with the choice whether the table, and its clones, ask for large pages.
func NewPaged(width, lanes uint, buckets uint64, pages hugepage.Mode) Table {
	size, ok := Size(width, lanes, buckets)
	if !ok || width < 1 || width > MaxWidth || lanes < 1 || lanes > MaxLanes || buckets < 1 {
		panic(fmt.Sprintf("packed: no table of %d buckets of %d lanes of %d bits", buckets, lanes, width))
	}
	group := groupOf(width, lanes)
	groups := (lanes + group - 1) / group
	var whole uint64
	if bits := uint64(width * lanes); groups == 1 && bits%8 == 0 {
		whole = bits / 8
	}
	return Table{
		Group:      fingerprint.NewLanes(width, group),
		Last:       fingerprint.NewLanes(width, lanes-(groups-1)*group),
		Groups:     groups,
		Quad:       lanes == 4,
		WholeBytes: whole,
		bucketBits: uint64(width) * uint64(lanes),
		groupBits:  uint64(width) * uint64(group),
		groupLanes: group,
		lanes:      lanes,
		mask:       1<<width - 1,
		buckets:    buckets,
		data:       hugepage.Bytes(size, pages),
		pages:      pages,
	}
}

// groupOf returns how many lanes one load can take: as many as fit into 64 bits behind the largest
// bit offset within a byte that a group can begin at.
func groupOf(width, lanes uint) uint {
	for group := lanes; group > 1; group-- {
		if group*width > 64 {
			continue
		}
		// Groups begin at multiples of the common divisor of both strides, so their bit offset
		// within a byte is at most 8 less the part of it that divides 8.
		step := commonPowerOfTwo(lanes * width)
		if group < lanes {
			step = min(step, commonPowerOfTwo(group*width))
		}
		if group*width+8-step <= 64 {
			return group
		}
	}
	return 1
}

// commonPowerOfTwo returns the greatest common divisor of n and 8.
func commonPowerOfTwo(n uint) uint { return min(8, n&-n) }

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
	c.data = hugepage.Bytes(len(t.data), t.pages)
	copy(c.data, t.data)
	return c
}

// Reset empties every lane.
func (t *Table) Reset() { clear(t.data) }

// word returns the table's bits from bit on, at least 57 of them.
func (t *Table) word(bit uint64) uint64 {
	return le.Load64(t.data, bit>>3) >> (bit & 7)
}

// Word returns the first group of a bucket: the whole of it where Groups is 1. Bits above the
// group's lanes belong to what follows.
func (t *Table) Word(bucket uint64) uint64 { return t.word(bucket * t.bucketBits) }

// At returns the word that begins at a byte.
func (t *Table) At(off uint64) uint64 { return le.Load64(t.data, off) }

// Put writes the word that begins at a byte.
func (t *Table) Put(off, x uint64) { le.Store64(t.data, off, x) }

// Offset returns the byte at which a bucket begins.
func (t *Table) Offset(bucket uint64) uint64 { return bucket * t.bucketBits >> 3 }

// BucketBits returns the bits from one bucket to the next.
func (t *Table) BucketBits() uint64 { return t.bucketBits }

// Get returns a lane of a bucket that is not semi-sorted; see [Table.Read].
func (t *Table) Get(bucket uint64, lane uint) uint64 {
	t.check(bucket, lane)
	return t.word(bucket*t.bucketBits+uint64(lane)*uint64(t.Group.Width)) & t.mask
}

// Set writes a lane of a bucket that is not semi-sorted; see [Table.Swap]. v must fit into the lane.
func (t *Table) Set(bucket uint64, lane uint, v uint64) {
	t.check(bucket, lane)
	bit := bucket*t.bucketBits + uint64(lane)*uint64(t.Group.Width)
	off, shift := bit>>3, bit&7
	x := le.Load64(t.data, off)
	le.Store64(t.data, off, x&^(t.mask<<shift)|v<<shift)
}

// Read returns a lane of a bucket of any kind.
func (t *Table) Read(bucket uint64, lane uint) uint64 {
	if t.Groups == 0 {
		t.check(bucket, lane)
		return t.open(bucket).lane(lane)
	}
	return t.Get(bucket, lane)
}

// ReadAll returns the lanes of a bucket of any kind, in memory that the caller gives.
func (t *Table) ReadAll(bucket uint64, memory *[MaxLanes]uint64) []uint64 {
	if t.Groups == 0 {
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
	t.check(bucket, lane)
	if t.Groups == 0 {
		return t.swapSorted(bucket, lane, v)
	}
	bit := bucket*t.bucketBits + uint64(lane)*uint64(t.Group.Width)
	off, shift := bit>>3, bit&7
	x := le.Load64(t.data, off)
	old = x >> shift & t.mask
	le.Store64(t.data, off, x^(old^v)<<shift)
	return old, lane
}

// Copy writes what a lane of a bucket of any kind holds to a lane of another bucket, and returns it.
func (t *Table) Copy(from uint64, lane uint, to uint64, at uint) (v uint64) {
	if t.Groups == 0 {
		v = t.open(from).lane(lane)
		t.swapSorted(to, at, v)
		return v
	}
	v = t.Get(from, lane)
	t.Set(to, at, v)
	return v
}

// Replace writes v in place of the lowest lane of a bucket of any kind that holds old, and tells whether
// there is one. With old = 0 it fills an empty lane, with v = 0 it empties one.
func (t *Table) Replace(bucket, old, v uint64) bool {
	if t.Groups == 0 {
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
	if t.Groups != 1 {
		return t.pushOther(bucket, lane, v)
	}
	bit := bucket * t.bucketBits
	off, shift := bit>>3, bit&7
	x := le.Load64(t.data, off)
	flags := t.Last.Zero(x >> shift)
	given := uint64(lane) * uint64(t.Last.Width)
	empty := uint64(bits.TrailingZeros64(flags)) - uint64(t.Last.Width-1)
	// Which of the two it is cannot be foreseen, so no branch depends on it: the mask is all ones
	// where a lane is empty.
	at := (given ^ (given^empty)&-((flags|-flags)>>63)) + shift
	at &= 63
	old = x >> at & t.mask
	le.Store64(t.data, off, x^(old^v)<<at)
	return old
}

// pushOther is Push for buckets of several words and semi-sorted ones.
func (t *Table) pushOther(bucket uint64, lane uint, v uint64) (old uint64) {
	if t.Groups == 0 {
		return t.pushSorted(bucket, lane, v)
	}
	if empty, ok := t.Find(bucket, 0); ok {
		lane = empty
	}
	old = t.Get(bucket, lane)
	t.Set(bucket, lane, v)
	return old
}

// Find returns the lowest lane of a bucket that holds v. With v = 0 it finds an empty lane.
func (t *Table) Find(bucket, v uint64) (lane uint, ok bool) {
	if t.Groups == 0 {
		if v == 0 {
			return 0, t.lowest(bucket) == 0
		}
		return t.open(bucket).find(v)
	}
	bit := bucket * t.bucketBits
	for g := uint(1); g < t.Groups; g++ {
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
	if t.Groups == 0 {
		return t.open(bucket).misses(v) == 0
	}
	bit := bucket * t.bucketBits
	for g := uint(1); g < t.Groups; g++ {
		if t.Group.Equal(t.word(bit), v) != 0 {
			return true
		}
		bit += t.groupBits
	}
	return t.Last.Equal(t.word(bit), v) != 0
}

// Count returns how many lanes of the bucket hold v.
func (t *Table) Count(bucket, v uint64) int {
	if t.Groups == 0 {
		return t.open(bucket).count(v)
	}
	n := 0
	bit := bucket * t.bucketBits
	for g := uint(1); g < t.Groups; g++ {
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
