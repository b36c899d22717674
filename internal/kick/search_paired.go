package kick

import (
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// A slotNode is a slot that the search has reached: from the highest bits on its number, 32 bits, what it holds, as far as that has 16
// bits, and the node that it was reached from, or root.
type slotNode uint64

// newNode returns a node.
func newNode(slot, fp uint64, parent int) slotNode {
	return slotNode(slot<<32 | fp&(1<<16-1)<<16 | uint64(parent))
}

// slot and parent take a node apart.
func (n slotNode) slot() uint64 { return uint64(n >> 32) }

func (n slotNode) parent() int { return int(n & (1<<16 - 1)) }

// slotSearch is the memory of the breadth-first search where slots are paired: a queue of slots in place of buckets, in which
// each stands at most once.
type slotSearch struct {
	queue []slotNode
	// seen has a byte of each bucket and in it a bit of each slot that is queued. Buckets that are equal modulo the number of bytes
	// share one. So in a table with more buckets a few slots are left out as if they were queued: of 20000 in such a queue 10%. It
	// makes no difference to the load at the first refusal (b = 4, 2^20 slots: .9594 in place of .9597).
	seen *[seenBuckets]uint8
}

// seenBuckets is how many bytes seen has: as many as a first-level cache holds beside the rest.
const seenBuckets = 1 << 14

// grow makes room for up to limit nodes.
func (s *slotSearch) grow(limit int) {
	if limit > len(s.queue) {
		s.queue = make([]slotNode, limit)
	}
	if s.seen == nil {
		s.seen = new([seenBuckets]uint8)
	}
}

// breadthFirstPaired is breadthFirst where slots are paired. It examines at most the engine's limit of slots. A path may go from a
// slot to the other one of the same bucket.
func (e *Engine) breadthFirstPaired(i, j, pair, fp uint64) (kicks int, ok bool) {
	s, t, scheme := &e.slots, &e.Table, &e.Scheme
	homes, n := scheme.slots(i, j, pair)
	limit := min(e.limit, len(s.queue))
	n = min(n, limit)
	for at, slot := range homes[:n] {
		s.queue[at] = newNode(slot, t.Slot(slot), root)
		bucket, lane := scheme.laneOf(slot)
		s.seen[bucket%seenBuckets] |= 1 << lane
	}
	head, n, free, ok := e.exitPaired(n, limit)
	for _, node := range s.queue[:n] {
		bucket, _ := scheme.laneOf(node.slot())
		s.seen[bucket%seenBuckets] = 0
	}
	if !ok {
		return 0, false
	}
	return e.shiftPaired(head, free, fp), true
}

// wave is how many nodes are looked at together: the loads of their alternate buckets are all under way before any is waited for.
const wave = 8

// step is what a node leads to in its alternate bucket.
type step struct {
	across, move uint64
	to, far      uint64 // the fingerprints in the two slots
}

// exitPaired looks at the nodes of the queue, n at first, and queues the slots that they lead to, until a node leads to a free slot. It
// returns that node and the slot, and how many nodes there are.
func (e *Engine) exitPaired(n, limit int) (head, nodes int, free uint64, ok bool) {
	s, scheme, data, width := &e.slots, &e.Scheme, e.Table.Data(), e.Table.Width()
	last, shift := scheme.lastSlot, scheme.slotBits&3
	var steps [wave]step
	asked := n
	for begin, end := 0, 0; begin < n; begin = end {
		end = min(n, begin+wave)
		asked = e.askAhead(max(asked, end), min(n, end+PrefetchAhead))
		queue := s.queue[begin:end]
		for k := range queue {
			e.look(queue[k], &steps[k%wave])
		}
		for k := range queue {
			step, slot := &steps[k%wave], queue[k].slot()
			near := slot&^last + step.move&7
			fp := packed.SlotIn(data, width, near)
			first := step.across << shift
			to, far := first+step.move>>8&7, first+step.move>>16&7
			switch {
			case fp == 0:
				return begin + k, n, near, true
			case step.to == 0:
				return begin + k, n, to, true
			case step.far == 0:
				return begin + k, n, far, true
			}
			if n+3 > limit {
				n = e.takeSome(n, begin+k, [...]uint64{near, to, far})
				continue
			}
			// Whether a slot is queued already cannot be foreseen, so no branch depends on it.
			mark := &s.seen[slot>>shift%seenBuckets]
			s.queue[n] = newNode(near, fp, begin+k)
			n += int(^*mark >> (step.move & 7) & 1)
			*mark |= 1 << (step.move & 7)
			mark = &s.seen[step.across%seenBuckets]
			s.queue[n] = newNode(to, step.to, begin+k)
			n += int(^*mark >> (step.move >> 8 & 7) & 1)
			s.queue[n] = newNode(far, step.far, begin+k)
			n += int(^*mark >> (step.move >> 16 & 7) & 1)
			*mark |= uint8(step.move >> 24)
		}
	}
	return 0, n, 0, false
}

// nearTable is the size of a table, in bytes, up to which its words are near enough to be loaded without asking ahead. In one of 12 MiB it
// makes filling to the promised capacity 1.5 times as fast, in one of 1.5 MiB it made no difference.
const nearTable = 4 << 20

// askAhead asks the memory for the alternate buckets of the nodes from one to another, and returns the other.
func (e *Engine) askAhead(from, to int) int {
	if !CanPrefetch || to <= from || len(e.Table.Data()) < nearTable {
		return from
	}
	var offs [PrefetchAhead]uint64
	asked := offs[:0]
	to = min(to, from+PrefetchAhead)
	for _, n := range e.slots.queue[from:to] {
		slot, fp := n.slot(), uint64(n>>16&(1<<16-1))
		if e.Table.Width() > 16 {
			fp = e.Table.Slot(slot)
		}
		asked = append(asked, e.Table.Offset(e.Scheme.alternate(slot>>(e.Scheme.slotBits&3), fp)))
	}
	simd.Prefetch(e.Table.Data(), asked)
	return to
}

// look loads what a node leads to, as [Scheme.others] has it.
func (e *Engine) look(n slotNode, to *step) {
	scheme, data, width := &e.Scheme, e.Table.Data(), e.Table.Width()
	slot, fp := n.slot(), uint64(n>>16&(1<<16-1))
	if width > 16 {
		fp = packed.SlotIn(data, width, slot)
	}
	move := uint64(scheme.pairing.Moves[markOf(fp)<<3|slot&scheme.lastSlot&7])
	across := scheme.alternate(slot>>(scheme.slotBits&3), fp)
	first := across << (scheme.slotBits & 3)
	to.across, to.move = across, move
	to.to, to.far = packed.SlotIn(data, width, first+move>>8&7), packed.SlotIn(data, width, first+move>>16&7)
}

// takeSome queues slots that node head leads to, of which not all may have room, and returns how many nodes there are.
func (e *Engine) takeSome(n, head int, slots [3]uint64) int {
	s := &e.slots
	for _, slot := range slots {
		bucket, lane := e.Scheme.laneOf(slot)
		mark := &s.seen[bucket%seenBuckets]
		if n < min(e.limit, len(s.queue)) && *mark>>lane&1 == 0 {
			*mark |= 1 << lane
			s.queue[n] = newNode(slot, e.Table.Slot(slot), head)
			n++
		}
	}
	return n
}

// shiftPaired is shift where slots are paired: what is in a node moves to the free slot. The slots of a path differ, so each is
// written once, after what it held was written to the one behind it.
func (e *Engine) shiftPaired(at int, free, fp uint64) (kicks int) {
	t := &e.Table
	for {
		n := e.slots.queue[at]
		moved := t.Slot(n.slot())
		e.checkSlot(free, n.slot(), moved)
		t.SetSlot(free, moved)
		kicks++
		free = n.slot()
		if at = n.parent(); at == root {
			t.SetSlot(free, fp)
			return kicks
		}
	}
}
