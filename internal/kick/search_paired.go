package kick

import (
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

const (
	// seenBuckets is how many bytes seenSlots has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// A turn of the search looks at lookPaired nodes at first and at mostPaired later, and queues what lookPaired/2
	// lead to at once. The queue has spare room for what is written there beyond the limit and does not count.
	lookPaired, mostPaired = simd.Lanes, 2 * simd.Lanes
	spare                  = 3*lookPaired/2 + mostPaired
	// keptLeads is how many leads are kept: a search does not run further ahead of what it has queued.
	keptLeads = 1 << 11
)

// newSlotSearch returns the memory for up to limit nodes.
func newSlotSearch(limit int) search {
	s := search{queue: make([]node, limit+spare), limit: limit}
	s.seenSlots, s.leads = new([seenBuckets]uint8), new([keptLeads + mostPaired]uint64)
	return s
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
// Most nodes are of long searches. So it looks at several at once, and queues what nodes lead to when the queue runs
// out, which saves more than half of it: of the last nodes nothing is queued. What cannot be foreseen, whether a slot is
// queued already, decides no branch: a node is written in any case.
func (e *Engine) exitPaired(n int) (x exit, nodes int, ok bool) {
	s, queue, leads, seen := &e.search, e.search.queue, e.search.leads, e.search.seenSlots
	for head, made := 0, 0; ; {
		turn := min(max(lookPaired, head/2&^(lookPaired-1)), mostPaired)
		for made < head && (n < head+turn || head-made > keptLeads-mostPaired) && n < s.limit {
			for end := min(made+lookPaired/2, head); made < end; made++ {
				from, lead := uint64(queue[made])>>32, leads[made%keptLeads]
				across, near, to, far := lead>>32, lead&7, lead>>8&7, lead>>16&7
				mark, other := &seen[from%seenBuckets], &seen[across%seenBuckets]
				queue[n] = newNode(from, uint(near), made)
				n += int(^*mark >> near & 1)
				*mark |= 1 << near
				queue[n] = newNode(across, uint(to), made)
				n += int(^*other >> to & 1)
				queue[n] = newNode(across, uint(far), made)
				n += int(^*other >> far & 1)
				*other |= 1<<to | 1<<far
			}
		}
		if n = min(n, s.limit); head == n {
			return exit{head: n}, n, false
		}
		end := min(n, head+turn, head+keptLeads-head%keptLeads)
		for _, lead := range e.leads(head, end, n) {
			if lead&(nearFree|toFree|farFree) != 0 {
				x = exit{head: head, to: lead >> 32, free: uint(lead >> 16 & 7)}
				if lead&nearFree != 0 {
					x.to, x.free = queue[head].bucket(), uint(lead&7)
				} else if lead&toFree != 0 {
					x.free = uint(lead >> 8 & 7)
				}
				return x, n, true
			}
			head++
		}
	}
}

// The bits of a lead that say which of the slots is free that a fingerprint may move to.
const nearFree, toFree, farFree = 1 << 4, 1 << 5, 1 << 6

// leads returns where the fingerprints in the slots of nodes from one on lead, before another one, of n in the queue: what
// [simd.Leads] says. They are mostPaired at most.
func (e *Engine) leads(from, to, n int) []uint64 {
	nodes, leads := e.search.queue[from:to], e.search.leads[from%keptLeads:]
	if !e.hasKernel() {
		return leads[:e.leadsOf(nodes, leads)]
	}
	all := (len(nodes) + simd.Lanes - 1) &^ (simd.Lanes - 1)
	clear(e.search.queue[n:max(from+all, n)]) // kernels read whole vectors
	p := e.probe()
	p.Paired = e.Scheme.pairing.Vector
	simd.Leads(&p, e.Table.Data(), (*uint64)(&nodes[0]), &leads[0], all)
	return leads[:len(nodes)]
}

// leadsOf is leads for tables and processors without a kernel. It ends with the first node that leads to a free slot, and
// returns how many there were.
func (e *Engine) leadsOf(nodes []node, leads []uint64) int {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, moves := uint64(1)<<(width&63)-1, &s.pairing.Moves
	for k, n := range nodes {
		from, lane := uint64(n)>>32, uint64(n)>>16&7
		fp := packed.SlotIn(data, width, mask, from<<shift+lane)
		move, across := moves[markOf(fp)<<3|lane], s.alternate(from, fp)
		u := packed.SlotIn(data, width, mask, from<<shift+move&7)
		v := packed.SlotIn(data, width, mask, across<<shift+move>>8&7)
		w := packed.SlotIn(data, width, mask, across<<shift+move>>16&7)
		leads[k] = across<<32 | move
		if int64((u-1)|(v-1)|(w-1)) < 0 { // one of them is 0
			leads[k] |= (u-1)>>63*nearFree | (v-1)>>63*toFree | (w-1)>>63*farFree
			return k + 1
		}
	}
	return len(nodes)
}
