package quotient

import "github.com/nestfilter/nest/internal/memory"

// The bits of a slot, below its remainder. Occupied belongs to the slot and stays where it is when
// remainders move; the others belong to the remainder.
const (
	occupied     = 1 << 0
	continuation = 1 << 1
	shifted      = 1 << 2

	metadata     = occupied | continuation | shifted
	metadataBits = 3
)

// slots are packed bit by bit: slot i is at the bits from i*width on. A last word stands behind them, so that every
// slot is read from two words. The widest lane of package packed has 57 bits, three less than a remainder of 57.
type slots struct {
	words []uint64
	width uint64
	value uint64 // as many ones as a slot has bits
	last  uint64 // the number of slots less 1: they are a power of two
}

// newSlots returns 2^q free slots of so many bits.
func newSlots(q, width int) slots {
	return slots{
		words: memory.Words((width<<q+63)/64 + 1),
		width: uint64(width),
		value: ^uint64(0) >> (64 - width),
		last:  1<<q - 1,
	}
}

func (s *slots) get(i uint64) uint64 {
	bit := i * s.width
	w, off := bit>>6, bit&63
	// Two shifts, because the second word counts for nothing when off is 0.
	return (s.words[w]>>off | s.words[w+1]<<1<<(63-off)) & s.value
}

// set writes a slot. x must fit into it.
func (s *slots) set(i, x uint64) {
	bit := i * s.width
	w, off := bit>>6, bit&63
	s.words[w] = s.words[w]&^(s.value<<off) | x<<off
	s.words[w+1] = s.words[w+1]&^(s.value>>1>>(63-off)) | x>>1>>(63-off)
}

// next returns the slot behind i.
func (s *slots) next(i uint64) uint64 { return (i + 1) & s.last }

// nextOccupied returns the next quotient behind q that has a run. There must be one.
func (s *slots) nextOccupied(q uint64) uint64 {
	for q = s.next(q); s.get(q)&occupied == 0; q = s.next(q) {
	}
	return q
}

// runStart returns the slot where the run of quotient q begins, or would begin: q is marked as occupied. It walks back
// to the beginning of q's cluster and forward again, one run for each occupied quotient. Even in a full table the walk
// ends: n runs over n slots cannot all be pushed by the one before.
func (s *slots) runStart(q uint64) uint64 {
	quotient := q
	for s.get(quotient)&shifted != 0 {
		quotient = (quotient - 1) & s.last
	}
	start := quotient
	for quotient != q {
		for start = s.next(start); s.get(start)&continuation != 0; start = s.next(start) {
		}
		quotient = s.nextOccupied(quotient)
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

// insert adds a remainder to the run of quotient q, before those that are not smaller. There must
// be a free slot.
func (s *slots) insert(q, remainder uint64) {
	x := s.get(q)
	if x&metadata == 0 {
		s.set(q, remainder<<metadataBits|occupied)
		return
	}
	first := x&occupied == 0
	if first {
		s.set(q, x|occupied)
	}
	start := s.runStart(q)
	slot := start
	if !first {
		for s.get(slot)>>metadataBits < remainder {
			if slot = s.next(slot); s.get(slot)&continuation == 0 {
				break
			}
		}
	}
	moving := remainder << metadataBits
	if slot != q {
		moving |= shifted
	}
	var behead uint64
	if slot != start {
		moving |= continuation
	} else if !first {
		behead = continuation // of what was the first of the run
	}
	s.push(slot, moving, behead)
}

// push puts what is moving into a slot and everything from there to the next free slot one
// further. The remainder that was in the slot gets the bits of extra.
func (s *slots) push(slot, moving, extra uint64) {
	for {
		x := s.get(slot)
		s.set(slot, x&occupied|moving)
		if x&metadata == 0 {
			return
		}
		moving = x&^occupied | shifted | extra
		extra = 0
		slot = s.next(slot)
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
			q = s.nextOccupied(q)
		}
		if slot == q {
			x &^= shifted
		}
		s.set(slot, s.get(slot)&occupied|x&^occupied)
		slot, behind = behind, s.next(behind)
	}
	s.set(slot, s.get(slot)&occupied)
}

// Reads calls visit with the parts of the table that [Filter.ContainsHash] reads for a key with digest h, their offset
// from the beginning and their size in bytes, in order and with repeats, and returns what ContainsHash does.
func (f *Filter) Reads(h uint64, visit func(offset, size int)) bool {
	q, remainder := f.split(h)
	t := traced{&f.slots, visit}
	if t.get(q)&occupied == 0 {
		return false
	}
	for slot := t.runStart(q); ; {
		if have := t.get(slot) >> metadataBits; have >= remainder {
			return have == remainder
		}
		if slot = t.next(slot); t.get(slot)&continuation == 0 {
			return false
		}
	}
}

// traced is slots whose reads are visited. TestReads_AreOfContains compares its walk with that of slots.find.
type traced struct {
	*slots
	visit func(offset, size int)
}

func (t *traced) get(i uint64) uint64 {
	t.visit(int(i*t.width>>6)*8, 16) // two words, always
	return t.slots.get(i)
}

func (t *traced) runStart(q uint64) uint64 {
	quotient := q
	for t.get(quotient)&shifted != 0 {
		quotient = (quotient - 1) & t.last
	}
	start := quotient
	for quotient != q {
		for start = t.next(start); t.get(start)&continuation != 0; start = t.next(start) {
		}
		for quotient = t.next(quotient); t.get(quotient)&occupied == 0; quotient = t.next(quotient) {
		}
	}
	return start
}
