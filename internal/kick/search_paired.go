package kick

import (
	"github.com/nestfilter/nest/internal/packed"
)

const (
	// seenBuckets is how many bytes seenSlots has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// lookPaired is how many nodes are looked at between two tests of the limit, and spare how many they lead to, and
	// one more: the queue has as many that are written to and do not count.
	lookPaired = 8
	spare      = 3*lookPaired + 1
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

// kickPaired is kickQuad where slots are paired: it finds paths of one kick. In three of five searches of a fill to the
// promised capacity there is one, and then there is nothing to be queued.
func (e *Engine) kickPaired(i, j, pair, fp uint64) (kicks uint64) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask := uint64(1)<<(width&63) - 1
	low, high := e.Table.PairLanes(pair)
	to, far := e.Table.PairLanes(e.Table.Across(pair))
	i, j = i<<shift, j<<shift
	for _, home := range [...]uint64{i | uint64(low), i | uint64(high), j | uint64(to), j | uint64(far)} {
		held := packed.SlotIn(data, width, mask, home)
		move := uint64(s.pairing.Moves[markOf(held)<<3|home&(1<<shift-1)&7])
		near, across := home>>shift<<shift|move&7, s.alternate(home>>shift, held)<<shift
		to, far := across|move>>8&7, across|move>>16&7
		u := packed.SlotIn(data, width, mask, near)
		v := packed.SlotIn(data, width, mask, to)
		w := packed.SlotIn(data, width, mask, far)
		if int64((u-1)|(v-1)|(w-1)) >= 0 {
			continue
		}
		free := far // one of them is 0
		if v == 0 {
			free = to
		}
		if u == 0 {
			free = near
		}
		e.Table.SetAt(free*width, held)
		e.Table.SetAt(home*width, fp)
		return 1
	}
	return 0
}

// findPaired is find where slots are paired. A path may go from a slot to the other one of the same bucket.
func (e *Engine) findPaired(i, j, pair uint64) (x exit, ok bool) {
	s, n := &e.search, e.queueHomes(i, j, pair)
	for _, home := range s.queue[:n] {
		s.seenSlots[home.bucket()%seenBuckets] |= 1 << home.lane()
	}
	x, n, ok = e.exitPaired(n)
	if n == s.limit || n > seenBuckets/32 {
		clear(s.seenSlots[:])
		return x, ok
	}
	for _, node := range s.queue[:n] {
		s.seenSlots[node.bucket()%seenBuckets] = 0
	}
	return x, ok
}

// exitPaired looks at the nodes of the queue, n at first, and queues the slots that they lead to, until a node leads to
// a free slot. It returns that exit, and how many nodes there are: of those that are one too many, marked but left out,
// that is the limit.
//
// Most nodes are of long searches. So the loop has no call and no test of the limit, for which there is room to spare,
// and what cannot be foreseen, whether a slot is queued already, decides no branch: a node is written in any case. No
// node waits for what another one loads.
func (e *Engine) exitPaired(n int) (x exit, nodes int, ok bool) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, queue, seen, moves := uint64(1)<<(width&63)-1, e.search.queue, e.search.seenSlots, &s.pairing.Moves
	far, fetched := CanPrefetch && len(data) >= nearTable, 0
	for head := 0; head < n; n = min(n, e.search.limit) {
		end := min(n, head+lookPaired)
		if far {
			fetched = e.fetchPaired(fetched, min(n, head+PrefetchAhead))
		}
		for ; head < end; head++ {
			at := uint64(queue[head])
			from, lane := at>>32, at>>16&7
			fp := packed.SlotIn(data, width, mask, from<<shift+lane)
			move, across := uint64(moves[markOf(fp)<<3|lane]), s.alternate(from, fp)
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
				return x, min(n, e.search.limit), true
			}
			mark, other := &seen[from%seenBuckets], &seen[across%seenBuckets]
			queue[n] = newNode(from, uint(near), head)
			n += int(^*mark >> near & 1)
			*mark |= 1 << near
			queue[n] = newNode(across, uint(to), head)
			n += int(^*other >> to & 1)
			queue[n] = newNode(across, uint(far), head)
			n += int(^*other >> far & 1)
			*other |= uint8(move >> 24)
		}
	}
	return exit{head: n}, n, false
}

// nearTable is the size of a table, in bytes, up to which its words are near enough to be loaded without asking ahead.
// In one of 12 MiB it makes filling to the promised capacity 1.5 times as fast, in one of 1.5 MiB it made no
// difference.
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
