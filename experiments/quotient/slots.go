package quotient

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/memory"
)

// The bits of a slot, below its remainder. Occupied belongs to the slot and stays where it is when
// remainders move; the others belong to the remainder.
const (
	occupied     = 1 << 0
	continuation = 1 << 1
	shifted      = 1 << 2

	metadata     = occupied | continuation | shifted
	metadataBits = 3
)

// slots are packed bit by bit: slot i is at the bits from i*width on. A last word stands behind them, so that 64 bits
// from the beginning of any slot on are read from two words: a window, in which the slots that fit are looked at at
// once.
type slots struct {
	words []uint64
	width uint64
	last  uint64 // the number of slots less 1: they are a power of two
	many  uint64 // slots of a window
	marks uint64 // the lowest bits of these
}

// newSlots returns 2^q free slots of so many bits.
func newSlots(q, width int) slots {
	s := slots{words: memory.Words((width<<q+63)/64 + 1), width: uint64(width), last: 1<<q - 1, many: uint64(64 / width)}
	for i := range s.many {
		s.marks |= 1 << (i * s.width)
	}
	return s
}

// ones are the bits of n slots of a window, at least one.
func (s *slots) ones(n uint64) uint64 { return ^uint64(0) >> (64 - n*s.width) }

// window returns the 64 bits from slot i on.
func (s *slots) window(i uint64) uint64 {
	bit := i * s.width
	w, off := bit>>6, bit&63
	// Two shifts, because the second word counts for nothing when off is 0.
	return s.words[w]>>off | s.words[w+1]<<1<<(63-off)
}

func (s *slots) get(i uint64) uint64 { return s.window(i) & s.ones(1) }

// put writes those bits of a window that the mask has. x must have no others.
func (s *slots) put(i, x, mask uint64) {
	bit := i * s.width
	w, off := bit>>6, bit&63
	s.words[w] = s.words[w]&^(mask<<off) | x<<off
	s.words[w+1] = s.words[w+1]&^(mask>>1>>(63-off)) | x>>1>>(63-off)
}

// set writes a slot. x must fit into it.
func (s *slots) set(i, x uint64) { s.put(i, x, s.ones(1)) }

// next returns the slot behind i.
func (s *slots) next(i uint64) uint64 { return (i + 1) & s.last }

// ahead returns the marks of the slots from i on that are in one window and before the end of the table, and how many.
func (s *slots) ahead(i uint64) (marks, n uint64) {
	n = min(s.many, s.last+1-i)
	return s.marks & s.ones(n), n
}

// lowest returns how many slots of a window stand before the lowest mark.
func (s *slots) lowest(marks uint64) uint64 {
	return uint64(bits.OnesCount64(s.marks & (marks&-marks - 1)))
}

// runStart returns the slot where the run of quotient q begins, or would begin: q is marked as occupied. It walks back
// to the beginning of q's cluster and forward again, one run for each occupied quotient. Even in a full table the walk
// ends: n runs over n slots cannot all be pushed by the one before.
func (s *slots) runStart(q uint64) uint64 {
	start, runs := q, 0
	for begins := uint64(0); begins == 0; {
		n := min(s.many, start+1)
		x, marks := s.window(start+1-n), s.marks&s.ones(n)
		if begins = ^x >> 2 & marks; begins != 0 {
			behind := bits.Len64(begins)
			marks = marks >> behind << behind
			n = uint64(bits.OnesCount64(marks))
		}
		runs += bits.OnesCount64(x & marks)
		start = (start - n) & s.last
	}
	for runs > 0 {
		start = s.next(start)
		marks, n := s.ahead(start)
		heads := ^s.window(start) >> 1 & marks
		if found := bits.OnesCount64(heads); found < runs {
			runs, start = runs-found, start+n-1
			continue
		}
		for ; runs > 1; runs-- {
			heads &= heads - 1
		}
		return start + s.lowest(heads)
	}
	return start
}

// find returns the slot of the first copy of a remainder of quotient q, and where q's run begins.
func (s *slots) find(q, remainder uint64) (slot, start uint64, ok bool) {
	if s.get(q)&occupied == 0 {
		return 0, 0, false
	}
	start = s.runStart(q)
	slot = start
	for {
		x := s.get(slot)
		if have := x >> metadataBits; have >= remainder {
			return slot, start, have == remainder
		}
		if slot = s.next(slot); s.get(slot)&continuation == 0 {
			return 0, 0, false
		}
	}
}

// insert adds a remainder to the run of quotient q, before those that are not smaller. There must be a free slot.
func (s *slots) insert(q, remainder uint64) {
	x := s.get(q)
	if x&metadata == 0 {
		s.set(q, remainder<<metadataBits|occupied)
		return
	}
	s.set(q, x|occupied)
	start := s.runStart(q)
	slot, first := start, x&occupied == 0
	for !first && s.get(slot)>>metadataBits < remainder {
		if slot = s.next(slot); s.get(slot)&continuation == 0 {
			break
		}
	}
	s.push(slot)
	x = remainder<<metadataBits | s.get(slot)&occupied
	if slot != q {
		x |= shifted
	}
	if slot != start {
		x |= continuation
	} else if behind := s.next(slot); !first {
		s.set(behind, s.get(behind)|continuation) // what was the first of the run
	}
	s.set(slot, x)
}

// push moves what stands from a slot to the next free one to the next slot each, from behind, a window at a time. The
// bits that belong to slots stay.
func (s *slots) push(slot uint64) {
	free := slot
	for {
		marks, n := s.ahead(free)
		x := s.window(free)
		if empty := ^(x | x>>1 | x>>2) & marks; empty != 0 {
			free += s.lowest(empty)
			break
		}
		free = (free + n) & s.last
	}
	for free != slot {
		n := min(s.many, (free-slot)&s.last, max(free, 1)) // one over the end of the table
		ones := s.ones(n)
		marks, from := s.marks&ones, (free-n)&s.last
		s.put(s.next(from), s.window(from)&ones&^marks|marks<<2, ones&^marks)
		free = from
	}
}

// remove takes away the remainder in a slot of q's run, which begins at start, and moves back what
// is behind it in the cluster.
func (s *slots) remove(q, slot, start uint64) {
	behind := s.next(slot)
	heads := slot == start && s.get(behind)&continuation != 0
	if slot == start && !heads {
		s.set(q, s.get(q)&^occupied)
	}
	for {
		x := s.get(behind)
		if x&shifted == 0 {
			break // free, or in its canonical slot
		}
		switch {
		case heads:
			x &^= continuation
			heads = false
		case x&continuation == 0:
			for q = s.next(q); s.get(q)&occupied == 0; q = s.next(q) {
			}
		}
		if slot == q {
			x &^= shifted
		}
		s.set(slot, s.get(slot)&occupied|x&^occupied)
		slot, behind = behind, s.next(behind)
	}
	s.set(slot, s.get(slot)&occupied)
}

// Reads calls visit with the parts of the table that a lookup of a key with digest h reads slot by slot, as the paper
// has it: their offset from the beginning and their size in bytes, in order and with repeats. It returns what
// [Filter.ContainsHash] does.
func (f *Filter) Reads(h uint64, visit func(offset, size int)) bool {
	s := &f.slots
	get := func(i uint64) uint64 {
		visit(int(i*s.width>>6)*8, 16) // two words, always
		return s.get(i)
	}
	q, remainder := f.split(h)
	if get(q)&occupied == 0 {
		return false
	}
	quotient := q
	for get(quotient)&shifted != 0 {
		quotient = (quotient - 1) & s.last
	}
	slot := quotient
	for quotient != q {
		for slot = s.next(slot); get(slot)&continuation != 0; slot = s.next(slot) {
		}
		for quotient = s.next(quotient); get(quotient)&occupied == 0; quotient = s.next(quotient) {
		}
	}
	for {
		if have := get(slot) >> metadataBits; have >= remainder {
			return have == remainder
		}
		if slot = s.next(slot); get(slot)&continuation == 0 {
			return false
		}
	}
}
