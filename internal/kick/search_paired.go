package kick

import (
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// slotSearch is what the breadth-first search has where slots are paired: its queue is of slots in place of buckets, in
// which each stands at most once.
type slotSearch struct {
	// plans are those of nodes that follow in the queue, by number modulo how many they are.
	plans *[2 * PrefetchAhead]plan
	// seen has a byte of each bucket and in it a bit of each slot that is queued. Buckets that are equal modulo the number
	// of bytes share one. So in a table with more buckets a few slots are left out as if they were queued: of 20000 in
	// such a queue 10%. It makes no difference to the load at the first refusal (b = 4, 2^20 slots: .9594 in place of
	// .9597).
	seen *[seenBuckets]uint8
}

const (
	// seenBuckets is how many bytes seen has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// spare is how many nodes one node leads to, and one more: the queue has as many that are written to and do not count.
	spare = 4
)

// A plan says where a node leads: to its alternate bucket and the lanes in it.
type plan struct {
	across uint64
	move   packed.Move
}

// newSlotSearch returns the memory for up to limit nodes.
func newSlotSearch(limit int) search {
	memory := slotSearch{new([2 * PrefetchAhead]plan), new([seenBuckets]uint8)}
	return search{queue: make([]node, limit+spare), limit: limit, slots: memory}
}

// queueHomes begins a queue with the slots of a fingerprint, and returns how many nodes there are.
func (e *Engine) queueHomes(i, j, pair uint64) (n int) {
	homes, n := e.homes(i, j, pair)
	n = min(n, e.search.limit)
	for at, slot := range homes[:n] {
		e.search.queue[at] = newNode(slot.bucket, slot.lane, root)
	}
	return n
}

// findOnce is findShort where slots are paired: it finds a path of one kick. In three of five searches of a fill to the
// promised capacity there is one, and then there is nothing to be cleared.
func (e *Engine) findOnce(i, j, pair uint64) (x exit, ok bool) {
	for head, n := range e.search.queue[:e.queueHomes(i, j, pair)] {
		if to, ok := e.exitOf(position{n.bucket(), n.lane()}); ok {
			return exit{head: head, to: to.bucket, free: to.lane}, true
		}
	}
	return x, false
}

// findPaired is find where slots are paired. A path may go from a slot to the other one of the same bucket.
func (e *Engine) findPaired(i, j, pair uint64) (x exit, ok bool) {
	s, n := &e.search, e.queueHomes(i, j, pair)
	for _, home := range s.queue[:n] {
		s.slots.seen[home.bucket()%seenBuckets] |= 1 << home.lane()
	}
	x, n, ok = e.exitPaired(n, s.limit)
	for _, node := range s.queue[:n] {
		s.slots.seen[node.bucket()%seenBuckets] = 0
	}
	return x, ok
}

// wave is how many nodes are looked at before more are planned: as many as a search in a small table plans ahead, for
// most searches are short.
const wave = 8

// exitPaired looks at the nodes of the queue, n at first, and queues the slots that they lead to, until a node leads to
// a free slot. It returns that exit, and how many nodes there are.
//
// Most nodes are of long searches. So the loop has no call and one test of a bound, and what
// cannot be foreseen, whether a slot is queued already, decides no branch. Nothing waits for a load but what it loads.
func (e *Engine) exitPaired(n, limit int) (x exit, nodes int, ok bool) {
	s, data, width, shift := &e.search.slots, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, queue, seen := uint64(1)<<(width&63)-1, e.search.queue, s.seen
	planned, ahead, far := 0, wave, CanPrefetch && len(data) >= nearTable
	if far {
		ahead = PrefetchAhead
	}
	for begin := 0; begin < n; {
		planned = e.plan(planned, min(n, begin+ahead), far)
		for end := min(begin+wave, planned); begin < end; begin++ {
			p, from := &s.plans[begin%len(s.plans)], queue[begin].bucket()
			move, across := uint64(p.move), p.across
			near, to, far := move&7, move>>8&7, move>>16&7
			u := packed.SlotIn(data, width, mask, from<<shift+near)
			v := packed.SlotIn(data, width, mask, across<<shift+to)
			w := packed.SlotIn(data, width, mask, across<<shift+far)
			if int64((u-1)|(v-1)|(w-1)) < 0 { // one of them is 0
				x = exit{head: begin, to: across, free: uint(far)}
				if u == 0 {
					x.to, x.free = from, uint(near)
				} else if v == 0 {
					x.free = uint(to)
				}
				return x, n, true
			}
			if n+3 > limit {
				n = e.takeSome(n, begin, [...]position{{from, uint(near)}, {across, uint(to)}, {across, uint(far)}})
				continue
			}
			next := (*[spare]node)(queue[n:])
			mark := &seen[from%seenBuckets]
			next[0] = newNode(from, uint(near), begin)
			count := ^*mark >> near & 1
			*mark |= 1 << near
			mark = &seen[across%seenBuckets]
			next[count] = newNode(across, uint(to), begin)
			count += ^*mark >> to & 1
			next[count%spare] = newNode(across, uint(far), begin)
			count += ^*mark >> far & 1
			*mark |= uint8(move >> 24)
			n += int(count)
		}
	}
	return exit{head: n}, n, false
}

// nearTable is the size of a table, in bytes, up to which its words are near enough to be loaded without asking ahead.
// In one of 12 MiB it makes filling to the promised capacity 1.5 times as fast, in one of 1.5 MiB it made no
// difference.
const nearTable = 4 << 20

// plan finds where the nodes from one to another lead, and asks the memory for their alternate buckets where ask says
// so. It returns the other.
func (e *Engine) plan(from, to int, ask bool) int {
	s, scheme, moves := &e.search.slots, &e.Scheme, &e.Scheme.pairing.Moves
	for k := from; k < to; k++ {
		n := e.search.queue[k]
		fp := e.Table.Get(n.bucket(), n.lane())
		s.plans[k%len(s.plans)] = plan{scheme.alternate(n.bucket(), fp), moves[markOf(fp)<<3|uint64(n.lane()&7)]}
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
func (e *Engine) takeSome(n, head int, slots [3]position) int {
	s := &e.search
	for _, slot := range slots {
		mark := &s.slots.seen[slot.bucket%seenBuckets]
		if n < s.limit && *mark>>slot.lane&1 == 0 {
			*mark |= 1 << slot.lane
			s.queue[n] = newNode(slot.bucket, slot.lane, head)
			n++
		}
	}
	return n
}
