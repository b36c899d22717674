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
	queue []slotNode // and a few more, which are written to and do not count
	// plans are those of nodes that follow in the queue, by number modulo how many they are.
	plans *[2 * PrefetchAhead]plan
	// seen has a byte of each bucket and in it a bit of each slot that is queued. Buckets that are equal modulo the number of bytes
	// share one. So in a table with more buckets a few slots are left out as if they were queued: of 20000 in such a queue 10%. It
	// makes no difference to the load at the first refusal (b = 4, 2^20 slots: .9594 in place of .9597).
	seen *[seenBuckets]uint8
}

const (
	// seenBuckets is how many bytes seen has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// spare is how many nodes one node leads to, and one more.
	spare = 4
)

// A plan says where a node leads: to its alternate bucket and the lanes in it.
type plan struct {
	across uint64
	move   packed.Move
}

// grow makes room for up to limit nodes.
func (s *slotSearch) grow(limit int) {
	if limit+spare > len(s.queue) {
		s.queue = make([]slotNode, limit+spare)
	}
	if s.seen == nil {
		s.seen, s.plans = new([seenBuckets]uint8), new([2 * PrefetchAhead]plan)
	}
}

// breadthFirstPaired is breadthFirst where slots are paired. It examines at most the engine's limit of slots. A path may go from a
// slot to the other one of the same bucket.
func (e *Engine) breadthFirstPaired(i, j, pair, fp uint64) (kicks int, ok bool) {
	homes, n := e.Scheme.slots(i, j, pair)
	n = min(n, e.limit, len(e.slots.queue)-spare)
	if e.kickOnce(homes[:n], fp) {
		return 1, true
	}
	head, free, ok := e.findPaired(homes[:n])
	if !ok {
		return 0, false
	}
	return e.shiftPaired(head, free, fp), true
}

// findPaired searches from slots that a fingerprint may be in. It finds the first node that leads to a free slot, and that
// slot. Without one, head is the number of nodes.
func (e *Engine) findPaired(homes []uint64) (head int, free uint64, ok bool) {
	s, t, scheme := &e.slots, &e.Table, &e.Scheme
	for at, slot := range homes {
		s.queue[at] = newNode(slot, t.Slot(slot), root)
		bucket, lane := scheme.laneOf(slot)
		s.seen[bucket%seenBuckets] |= 1 << lane
	}
	head, n, free, ok := e.exitPaired(len(homes), min(e.limit, len(s.queue)-spare))
	for _, node := range s.queue[:n] {
		bucket, _ := scheme.laneOf(node.slot())
		s.seen[bucket%seenBuckets] = 0
	}
	return head, free, ok
}

// kickOnce makes room for fp by one kick out of the slots that it may be in, if one is enough. In three of five searches of a fill to the
// promised capacity it is, and then there is no queue to be made and cleared.
func (e *Engine) kickOnce(homes []uint64, fp uint64) bool {
	for _, slot := range homes {
		if free, ok := e.exitOf(slot); ok {
			moved := e.Table.Slot(slot)
			e.checkSlot(free, slot, moved)
			e.Table.SetSlot(free, moved)
			e.Table.SetSlot(slot, fp)
			return true
		}
	}
	return false
}

// wave is how many nodes are looked at before more are planned: as many as a search in a small table plans ahead, for most searches are short.
const wave = 8

// exitPaired looks at the nodes of the queue, n at first, and queues the slots that they lead to, until a node leads to a free slot. It
// returns that node and the slot, and how many nodes there are.
//
// A node costs some 220 instructions, and most nodes are of long searches. So the loop has no call and one test of a bound, and what
// cannot be foreseen, whether a slot is queued already, decides no branch. Nothing waits for a load but what it loads.
func (e *Engine) exitPaired(n, limit int) (head, nodes int, free uint64, ok bool) {
	s, data, width, shift := &e.slots, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	last, mask, queue, seen := uint64(1)<<shift-1, uint64(1)<<(width&63)-1, s.queue, s.seen
	planned, ahead, far := 0, wave, CanPrefetch && len(data) >= nearTable
	if far {
		ahead = PrefetchAhead
	}
	for begin := 0; begin < n; {
		planned = e.plan(planned, min(n, begin+ahead), far)
		for end := min(begin+wave, planned); begin < end; begin++ {
			p, slot := &s.plans[begin%len(s.plans)], queue[begin].slot()
			move, first := uint64(p.move), p.across<<shift
			near, to, far := slot&^last+move&7, first+move>>8&7, first+move>>16&7
			x := packed.SlotIn(data, width, mask, near)
			y := packed.SlotIn(data, width, mask, to)
			z := packed.SlotIn(data, width, mask, far)
			if int64((x-1)|(y-1)|(z-1)) < 0 { // one of them is 0
				switch {
				case x == 0:
					to = near
				case y != 0:
					to = far
				}
				return begin, n, to, true
			}
			if n+3 > limit {
				n = e.takeSome(n, begin, [...]uint64{near, to, far})
				continue
			}
			next := (*[spare]slotNode)(queue[n:])
			mark := &seen[slot>>shift%seenBuckets]
			next[0] = newNode(near, x, begin)
			count := ^*mark >> (move & 7) & 1
			*mark |= 1 << (move & 7)
			mark = &seen[p.across%seenBuckets]
			next[count] = newNode(to, y, begin)
			count += ^*mark >> (move >> 8 & 7) & 1
			next[count%spare] = newNode(far, z, begin)
			count += ^*mark >> (move >> 16 & 7) & 1
			*mark |= uint8(move >> 24)
			n += int(count)
		}
	}
	return n, n, 0, false
}

// nearTable is the size of a table, in bytes, up to which its words are near enough to be loaded without asking ahead. In one of 12 MiB it
// makes filling to the promised capacity 1.5 times as fast, in one of 1.5 MiB it made no difference.
const nearTable = 4 << 20

// plan finds where the nodes from one to another lead, and asks the memory for their alternate buckets where ask says so. It returns the
// other.
func (e *Engine) plan(from, to int, ask bool) int {
	s, scheme, shift := &e.slots, &e.Scheme, e.Scheme.slotBits&3
	last, moves := uint64(1)<<shift-1, &scheme.pairing.Moves
	narrow := e.Table.Width() <= 16
	for k := from; k < to; k++ {
		n := s.queue[k]
		slot, fp := n.slot(), uint64(n>>16&(1<<16-1))
		if !narrow {
			fp = e.Table.Slot(slot)
		}
		s.plans[k%len(s.plans)] = plan{scheme.alternate(slot>>shift, fp), moves[markOf(fp)<<3|slot&last&7]}
	}
	if ask && to > from {
		var offs [PrefetchAhead]uint64
		asked := offs[:to-from]
		for k := range asked {
			asked[k] = e.Table.Offset(s.plans[(from+k)%len(s.plans)].across)
		}
		simd.Prefetch(e.Table.Data(), asked)
	}
	return to
}

// takeSome queues slots that node head leads to, of which not all may have room, and returns how many nodes there are.
func (e *Engine) takeSome(n, head int, slots [3]uint64) int {
	s := &e.slots
	for _, slot := range slots {
		bucket, lane := e.Scheme.laneOf(slot)
		mark := &s.seen[bucket%seenBuckets]
		if n < min(e.limit, len(s.queue)-spare) && *mark>>lane&1 == 0 {
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
