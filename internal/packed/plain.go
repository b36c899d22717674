package packed

import (
	"github.com/nestfilter/nest/internal/memory"
)

// The plain layouts, Word and Wide, have the lanes of a bucket one behind the other. They share their arithmetic: a
// bucket of the layout Word is its own last group.

// shapePlain returns a table of that shape without buckets.
func shapePlain(width, lanes uint) Table {
	group := groupOf(width, lanes)
	groups := (lanes + group - 1) / group
	var whole uint64
	if bits := uint64(width * lanes); groups == 1 && bits%8 == 0 {
		whole = bits / 8
	}
	layout := Word
	if groups > 1 {
		layout = Wide
	}
	return Table{
		Group:      NewLanes(width, group),
		Last:       NewLanes(width, lanes-(groups-1)*group),
		Layout:     layout,
		WholeBytes: whole,
		bucketBits: uint64(width) * uint64(lanes),
		groupBits:  uint64(width) * uint64(group),
		groups:     groups,
		groupLanes: group,
		lanes:      lanes,
		mask:       1<<width - 1,
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

// word returns the table's bits from bit on, at least 57 of them.
func (t *Table) word(bit uint64) uint64 {
	return memory.Load64(t.data, bit>>3) >> (bit & 7)
}

// Word returns the first group of a bucket: the whole of it under the layout Word. Bits above the
// group's lanes belong to what follows.
func (t *Table) Word(bucket uint64) uint64 { return t.word(bucket * t.bucketBits) }

// EqualGroups adds to flags those of lanes that hold v in any group of a bucket of the layout Wide but its last, and
// returns them with the bit at which the last begins. Which lanes they are of is not known, whether there are any is
// exact. No branch depends on what is found.
func (t *Table) EqualGroups(flags, bucket, v uint64) (all, bit uint64) {
	bit = bucket * t.bucketBits
	for range t.groups - 1 {
		flags |= t.Group.Equal(t.word(bit), v)
		bit += t.groupBits
	}
	return flags, bit
}

// EqualLast flags the lanes that hold v in the last group of a bucket, which begins at a bit.
func (t *Table) EqualLast(bit, v uint64) uint64 { return t.Last.Equal(t.word(bit), v) }

// At returns the word that begins at a byte.
func (t *Table) At(off uint64) uint64 { return memory.Load64(t.data, off) }

// Put writes the word that begins at a byte.
func (t *Table) Put(off, x uint64) { memory.Store64(t.data, off, x) }

// Xor flips those bits of the word that begins at a byte.
func (t *Table) Xor(off, x uint64) { t.Put(off, t.At(off)^x) }

// FlipAt flips those bits of the lane that begins at a bit.
func (t *Table) FlipAt(bit, x uint64) { t.Xor(bit>>3, x<<(bit&7)) }

// Offset returns the byte at which a bucket begins.
func (t *Table) Offset(bucket uint64) uint64 { return bucket * t.bucketBits >> 3 }

// Place returns the bit at which a lane of a bucket that is not semi-sorted begins.
func (t *Table) Place(bucket uint64, lane uint) (bit uint64) {
	t.check(bucket, lane)
	return bucket*t.bucketBits + uint64(lane)*uint64(t.Group.Width)
}

// Get returns a lane of a bucket that is not semi-sorted; see [Table.Read].
func (t *Table) Get(bucket uint64, lane uint) uint64 {
	t.check(bucket, lane)
	return t.word(bucket*t.bucketBits+uint64(lane)*uint64(t.Group.Width)) & t.mask
}

// GetAt returns the lane that begins at a bit.
func (t *Table) GetAt(bit uint64) uint64 { return t.word(bit) & t.mask }

// Set writes a lane of a bucket that is not semi-sorted; see [Table.Swap]. v must fit into the lane.
func (t *Table) Set(bucket uint64, lane uint, v uint64) { t.SetAt(t.Place(bucket, lane), v) }

// SetAt writes the lane that begins at a bit.
func (t *Table) SetAt(bit, v uint64) {
	off, shift := bit>>3, bit&7
	x := memory.Load64(t.data, off)
	memory.Store64(t.data, off, x&^(t.mask<<shift)|v<<shift)
}
