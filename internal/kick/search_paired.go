package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

const (
	// seenBuckets is how many bytes seenSlots has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// shortSlots is how many slots a short search looks at. It writes up to ahead nodes behind those of its last turn,
	// and then its path: of less than longest nodes, as each step has twice as many pairs as the one before or more.
	shortSlots, ahead, longest = 4096, 64, 32
)

// newSlotSearch returns the memory for up to limit nodes.
func newSlotSearch(limit int) search {
	s := search{queue: make([]node, limit+ahead+longest), limit: limit, pairs: min(limit, shortSlots) / 8 * 2}
	s.seenSlots = new([seenBuckets]uint8)
	return s
}

// A short search queues pairs of slots, as nodes: the bucket of a pair and its lower lane; three bits further which
// fingerprint of the parent leads there; and eight bits from the lower lane on, the higher one. Four fingerprints lead
// on from a pair: those in its slots, 0 and 1, and those in the slots that these may move to within the bucket, 2 and
// 3. Two pairs are looked at first, and then turnPairs in a turn.
const turnPairs = 4

// findPairs is find by a short search, after a look for a path of one kick. A pair may be queued twice. As a move
// within a bucket and that to the next are one step, a path may be longer than that of find. Copies of fp may fill its
// slots. The lane of the exit is how many slots were looked at.
func (e *Engine) findPairs(i, j, pair, fp uint64) (x exit, ok bool) {
	t, s, across := &e.Table, &e.search, e.Table.Across(pair)
	if x, ok = e.findOnce(i, pair, 0); ok {
		return x, true
	}
	if x, ok = e.findOnce(j, across, 1); ok || t.CountIn(i, pair, fp)+t.CountIn(j, across, fp) == 4 {
		return x, ok
	}
	low, high := t.PairLanes(pair)
	to, far := t.PairLanes(across)
	s.queue[0], s.queue[1] = newNode(i, low|high<<8, root), newNode(j, to|far<<8, root)
	found := uint64(0)
	if s.kernel {
		found = simd.Search(&s.probe, t.Data(), (*uint64)(&s.queue[0]), &s.exits[0], s.pairs)
	}
	for head, n, nodes := 0, 2, 2; !s.kernel && head < s.pairs && found == 0; head, nodes = head+nodes, turnPairs {
		found, n = e.turn(head, n, nodes)
	}
	if found == 0 {
		return exit{lane: uint(4 + 4*s.pairs)}, false
	}
	return e.pathOf(found)
}

// findOnce finds out whether a fingerprint in one of a pair of slots, both full, may move to a free slot. It queues what
// the two lead to as a short search does, of which the pair is node parent, 0 or 1.
func (e *Engine) findOnce(bucket, pair, parent uint64) (x exit, ok bool) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, moves, base := uint64(1)<<(width&63)-1, &s.pairing.Moves, bucket<<shift
	low, high := e.Table.PairLanes(pair)
	home, second := base|uint64(low), base|uint64(high)
	held, other := packed.SlotIn(data, width, mask, home), packed.SlotIn(data, width, mask, second)
	m, n := moves[markOf(held)<<3|uint64(low)], moves[markOf(other)<<3|uint64(high)]
	i, j := s.alternate(bucket, held)<<shift, s.alternate(bucket, other)<<shift
	a := packed.SlotIn(data, width, mask, i|m>>8&7)
	b := packed.SlotIn(data, width, mask, i|m>>16&7)
	c := packed.SlotIn(data, width, mask, base|m&7)
	u := packed.SlotIn(data, width, mask, j|n>>8&7)
	v := packed.SlotIn(data, width, mask, j|n>>16&7)
	w := packed.SlotIn(data, width, mask, base|n&7)
	queue, looked := (*[6]node)(e.search.queue), uint(2+2*parent)
	queue[2+2*parent&2] = node(i>>shift<<32 | m>>8<<16 | parent)
	queue[3+2*parent&2] = node(j>>shift<<32 | n>>8<<16 | 1<<19 | parent)
	free := (a - 1) | (b - 1) | (c - 1) // the highest bit is set if one of them is 0
	if int64(free|(u-1)|(v-1)|(w-1)) >= 0 {
		return exit{lane: looked}, false
	}
	// Nobody can foresee which of the six moves it is: so no branch depends on it.
	other = uint64(int64(^free) >> 63)
	home ^= (home ^ second) & other
	m ^= (m ^ n) & other
	i ^= (i ^ j) & other
	a ^= (a ^ u) & other
	c ^= (c ^ w) & other
	to, next, near := i|m>>16&7, i|m>>8&7, base|m&7
	to ^= (to ^ next) & uint64(int64(a-1)>>63)
	to ^= (to ^ near) & uint64(int64(c-1)>>63)
	e.search.queue[0] = newNode(bucket, uint(home-base), root)
	return exit{lane: looked, to: to >> shift, free: uint(to & (1<<shift - 1))}, true
}

// turn looks at nodes of a short search from head on, and queues what they lead to behind n others, until a fingerprint
// may move to a free slot. What it has found then is what [simd.Search] says.
func (e *Engine) turn(head, n, nodes int) (found uint64, queued int) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, moves, queue := uint64(1)<<(width&63)-1, &s.pairing.Moves, e.search.queue
	var lanes [8 * turnPairs]uint64 // those of part 0, of part 1, and room
	for k := range uint64(2 * nodes) {
		lanes[k&7] = uint64(queue[head+int(k>>1)]) >> (16 + k&1*8) & 7
	}
	for part := range uint64(2) {
		for k := range uint64(2 * nodes) {
			parent, lane := uint64(head)+k>>1, lanes[(8*part|k)&31]
			from := queue[parent].bucket()
			fp := packed.SlotIn(data, width, mask, from<<shift|lane)
			move, across := moves[markOf(fp)<<3|lane], s.alternate(from, fp)
			u := packed.SlotIn(data, width, mask, across<<shift|move>>8&7)
			v := packed.SlotIn(data, width, mask, across<<shift|move>>16&7)
			if int64((fp-1)|(u-1)|(v-1)) < 0 {
				out, exit := 8*part+k, across<<32|move>>16&7
				if u == 0 {
					exit = across<<32 | move>>8&7
				}
				if fp == 0 { // in part 1
					exit, found = from<<32|lane, 1<<(8+out&63)
				}
				e.search.exits[out&15] = exit
				return uint64(head)<<32 | found | 1<<(out&63), n
			}
			lanes[(8*part+8|k)&31] = move & 7
			queue[n] = node(across<<32 | move>>8<<16 | (2*part|k&1)<<19 | parent)
			// What is written is not queued if it is of a slot of the pair, or of one that both fingerprints lead to.
			n += int(((lane ^ lanes[(k^1)&7]) + 7) & ((lane ^ lanes[(8*part|k&6)&31]) + 7 | (k&1^1)<<3) >> 3 & 1)
		}
	}
	return 0, n
}

// pathOf puts the slots of a path that a short search has found behind the queue of its pairs, as nodes, for shift. It
// returns false if the path has a slot twice.
func (e *Engine) pathOf(found uint64) (x exit, ok bool) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, out, queue := uint64(1)<<(width&63)-1, uint64(bits.TrailingZeros16(uint16(found))), e.search.queue
	side, second, head := out&1, out>>3&^(found>>(16+out&7)), found>>32
	x = exit{head: 4*e.search.pairs + ahead, lane: uint(4 * (3 + head + min(head, 2)))}
	x.to, x.free = e.search.exits[out]>>32, uint(e.search.exits[out]&7)
	var seen, again uint64
	n := uint64(x.head)
	for at := uint64(queue[head+out&7>>1]); ; at = uint64(queue[at&root]) {
		from, lane := at>>32, at>>(16+side*8&63)&7
		held := packed.SlotIn(data, width, mask, from<<shift|lane)
		near := s.pairing.Moves[markOf(held)<<3|lane] & 7
		queue[n] = node(from<<32 | near<<16 | (n + 1))
		n += second
		queue[n] = node(from<<32 | lane<<16 | (n + 1))
		again |= seen & (1 << (from & 63))
		seen |= 1 << (from & 63)
		if at&root == root {
			break
		}
		n++
		side, second = at>>19&1, at>>20&1
	}
	queue[n] |= root
	for k := uint64(x.head); again != 0 && k < n; k++ { // two of these buckets may be one
		for _, slot := range queue[k+1 : n+1] {
			if slot>>16 == queue[k]>>16 {
				return x, false
			}
		}
	}
	return x, true
}

// exitPaired is find where slots are paired, but for the marks that it leaves. A path may go from a slot to the other
// one of its bucket. It also returns how many nodes there are: the limit, where more are marked and left out.
func (e *Engine) exitPaired(i, j, pair uint64) (x exit, n int, ok bool) {
	s, t := &e.search, &e.Table
	homes, each := e.homes(i, j, pair)
	for _, home := range homes[:each] {
		n = s.pushSlot(n, home, root)
	}
	for head := 0; head < n; head++ {
		at := position{s.queue[head].bucket(), s.queue[head].lane()}
		near, to, far := e.Scheme.others(at, t.Get(at.bucket, at.lane))
		for _, slot := range [...]position{near, to, far} {
			if t.Get(slot.bucket, slot.lane) == 0 {
				return exit{head: head, to: slot.bucket, free: slot.lane}, n, true
			}
			n = s.pushSlot(n, slot, head)
		}
	}
	return exit{head: n}, n, false
}

// pushSlot queues a slot behind n nodes and returns how many there are: n if it is queued or there is no room. Which of
// these it is cannot be foreseen, so it is written in any case.
func (s *search) pushSlot(n int, slot position, parent int) int {
	mark := &s.seenSlots[slot.bucket%seenBuckets]
	s.queue[n] = newNode(slot.bucket, slot.lane, parent)
	n += int(^*mark >> slot.lane & 1)
	*mark |= 1 << slot.lane
	return min(n, s.limit)
}
