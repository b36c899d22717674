package kick

import (
	"github.com/nestfilter/nest/internal/packed"
)

const (
	// seenBuckets is how many bytes seenSlots has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// spare is how many nodes one node leads to, and one more: the queue has as many that are written to and do not count.
	spare = 4
)

// newSlotSearch returns the memory for up to limit nodes.
func newSlotSearch(limit int) search {
	return search{queue: make([]node, limit+spare), limit: limit, seenSlots: new([seenBuckets]uint8)}
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
		s.seenSlots[home.bucket()%seenBuckets] |= 1 << home.lane()
	}
	x, n, ok = e.exitPaired(n, s.limit)
	for _, node := range s.queue[:n] {
		s.seenSlots[node.bucket()%seenBuckets] = 0
	}
	return x, ok
}

// exitPaired looks at the nodes of the queue, n at first, and queues the slots that they lead to, until a node leads to
// a free slot. It returns that exit, and how many nodes there are.
//
// Most nodes are of long searches. So the loop has no call and one test of a bound, and what cannot be foreseen, whether
// a slot is queued already, decides no branch. No node waits for what another one loads.
func (e *Engine) exitPaired(n, limit int) (x exit, nodes int, ok bool) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, queue, seen := uint64(1)<<(width&63)-1, e.search.queue, e.search.seenSlots
	far, fetched := CanPrefetch && len(data) >= nearTable, 0
	for head := 0; head < n; head++ {
		if far && (head == fetched || head%8 == 0) {
			fetched = e.fetchPaired(fetched, min(n, head+PrefetchAhead))
		}
		from, lane := queue[head].bucket(), uint64(queue[head].lane()&7)
		fp := packed.SlotIn(data, width, mask, from<<shift+lane)
		move, across := uint64(s.pairing.Moves[markOf(fp)<<3|lane]), s.alternate(from, fp)
		near, to, far := move&7, move>>8&7, move>>16&7
		u := packed.SlotIn(data, width, mask, from<<shift+near)
		v := packed.SlotIn(data, width, mask, across<<shift+to)
		w := packed.SlotIn(data, width, mask, across<<shift+far)
		if int64((u-1)|(v-1)|(w-1)) < 0 { // one of them is 0
			x = exit{head: head, to: across, free: uint(far)}
			if u == 0 {
				x.to, x.free = from, uint(near)
			} else if v == 0 {
				x.free = uint(to)
			}
			return x, n, true
		}
		if n+3 > limit {
			n = e.takeSome(n, head, [...]position{{from, uint(near)}, {across, uint(to)}, {across, uint(far)}})
			continue
		}
		next := (*[spare]node)(queue[n:])
		mark := &seen[from%seenBuckets]
		next[0] = newNode(from, uint(near), head)
		count := ^*mark >> near & 1
		*mark |= 1 << near
		mark = &seen[across%seenBuckets]
		next[count] = newNode(across, uint(to), head)
		count += ^*mark >> to & 1
		next[count%spare] = newNode(across, uint(far), head)
		count += ^*mark >> far & 1
		*mark |= uint8(move >> 24)
		n += int(count)
	}
	return exit{head: n}, n, false
}

// nearTable is the size of a table, in bytes, up to which its words are near enough to be loaded without asking ahead. In
// one of 12 MiB it makes filling to the promised capacity 1.5 times as fast, in one of 1.5 MiB it made no difference.
const nearTable = 4 << 20

// fetchPaired asks the memory for the alternate buckets of the nodes from one to another, at most PrefetchAhead, and
// returns the other.
func (e *Engine) fetchPaired(from, to int) int {
	var buckets [PrefetchAhead]uint64
	for k, n := range e.search.queue[from:to] {
		buckets[k] = e.Scheme.alternate(n.bucket(), e.Table.Get(n.bucket(), n.lane()))
	}
	e.PrefetchBuckets(buckets[:to-from])
	return to
}

// takeSome queues slots that node head leads to, of which not all may have room, and returns how many nodes there are.
func (e *Engine) takeSome(n, head int, slots [3]position) int {
	s := &e.search
	for _, slot := range slots {
		mark := &s.seenSlots[slot.bucket%seenBuckets]
		if n < s.limit && *mark>>slot.lane&1 == 0 {
			*mark |= 1 << slot.lane
			s.queue[n] = newNode(slot.bucket, slot.lane, head)
			n++
		}
	}
	return n
}
