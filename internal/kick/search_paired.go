package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/invariants"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

const (
	// seenBuckets is how many bytes seenSlots has: as many as a first-level cache holds beside the rest.
	seenBuckets = 1 << 14
	// shortSlots is how many slots a short search looks at. It writes up to ahead nodes behind those of its last turn.
	// A path has less than longest slots, as each step has twice as many pairs as the one before or more.
	shortSlots, ahead, longest = 4096, 64, 32
)

// newSlotSearch returns the memory for up to limit nodes.
func newSlotSearch(limit int) search {
	s := search{queue: make([]node, limit+ahead), limit: limit, pairs: min(limit, shortSlots) / 8 * 2}
	s.seenSlots, s.words, s.tables = new([seenBuckets]uint8), make([]uint64, 4*s.pairs+ahead), new(pairTables)
	return s
}

// pairTables are what a short search reads in tables whose windows are words.
type pairTables struct {
	// pairs have, by number, from the lowest byte on: where the lanes of a pair begin in its word, where that begins in
	// the bucket, and the lanes.
	pairs [packed.Pairs]uint64
	// moves have, by mark and lane, where the lanes of the pair across begin in its word, where that begins in the bucket,
	// and where the other lane of the pair does; from bit 32 on the code, from bit 40 on the latter lane, and in four bits
	// each the lanes of the pair across.
	moves [8 * packed.Marks]uint64
	// kernel is, of 4 lanes, what the kernel reads: the codes, and masks.
	kernel [32]uint64
}

// setTables makes the tables of a search in lanes of that width, so many in a bucket.
func (s *search) setTables(pairing *packed.Pairing, lane, each uint) {
	t, width := s.tables, uint64(lane)
	begin := uint64(0) // the word of a pair begins with its bucket of 4 lanes, or with its lower lane of 8
	if each == 8 {
		begin = 7
	}
	for pair, at := range pairing.Lanes {
		low, high := uint64(at[0]), uint64(at[1])
		first := low & begin
		t.pairs[pair] = (low-first)*width | (high-first)*width<<8 | first*width<<16 | low<<24 | high<<32
	}
	t.kernel = [32]uint64{}
	for k, move := range pairing.Moves {
		t.kernel[k>>4] |= move >> 24 & 63 << (k>>3&1*32 + k&3*8) // the lanes 4 to 7 of 4 have no moves
		near, low, high := move&7, move>>8&7, move>>16&7
		first := low & begin
		t.moves[k] = (low-first)*width | (high-first)*width<<8 | first*width<<16 | near*width<<24 |
			move>>24&63<<32 | near<<40 | low<<44 | high<<48
	}
	for code := range uint64(16) {
		t.kernel[16+code] = s.probe.Low &^ (1<<(code&3*width&63) | 1<<(code>>2*width&63))
	}
	if s.probe.Paired = (*[16]uint64)(t.kernel[:]); each == 8 {
		s.probe.Paired = (*[16]uint64)(pairing.Moves[:])
	}
}

// A short search queues pairs of slots, as nodes: the bucket of a pair, and the code of the move that leads there, which
// has its lanes; three bits further which fingerprint of the parent it is. Four fingerprints lead on from a pair: those
// in its slots, 0 and 1, and those in the slots that these may move to within the bucket, 2 and 3. Two pairs are looked
// at first, and then turnPairs in a turn.
const turnPairs = 4

// A step of a path is a slot, by the bit at which it begins, and what it holds.
type step struct{ bit, held uint64 }

// findPairs is find by a short search, after a look for a path of one kick. A pair may be queued twice. As a move within a bucket and that to the next are one step, a path may be longer than that of find. Copies of
// fp may fill its slots. findPairs returns how many slots the path has, which are in the memory of the search, from the
// free one on to that of fp, or 0; and how many slots were looked at.
func (e *Engine) findPairs(i, j, pair, fp uint64) (length, looked int) {
	t, s, across := &e.Table, &e.search, e.Table.Across(pair)
	windows := t.Layout == packed.Windowed
	if windows && e.findOnce(i, pair, 0) || !windows && e.findFirst(i, pair) {
		return 2, 2
	}
	if windows && e.findOnce(j, across, 1) || !windows && e.findFirst(j, across) {
		return 2, 4
	}
	// Where all are copies, those of a pair lead to one bucket.
	twins := !windows || s.queue[2].bucket() == s.queue[3].bucket() && s.queue[4].bucket() == s.queue[5].bucket()
	if twins && t.CountIn(i, pair, fp)+t.CountIn(j, across, fp) == 4 {
		return 0, 4
	}
	s.queue[0], s.queue[1] = e.rootOf(i, pair), e.rootOf(j, across)
	found := uint64(0)
	if s.kernel {
		found = simd.Search(&s.probe, t.Data(), (*uint64)(&s.queue[0]), &s.words[0], &s.exits[0], s.pairs)
	}
	for head, n, nodes := 0, 2, 2; !s.kernel && head < s.pairs && found == 0; head, nodes = head+nodes, turnPairs {
		found, n = e.turn(head, n, nodes)
	}
	if found == 0 {
		return 0, 4 + 4*s.pairs
	}
	head := int(found >> 32)
	return e.pathOf(found), 4 * (3 + head + min(head, 2))
}

// rootOf returns the node of a pair.
func (e *Engine) rootOf(bucket, pair uint64) node {
	low, high := e.Table.PairLanes(pair)
	return newNode(bucket, low|high<<e.Scheme.slotBits, root)
}

// findFirst is findOnce where windows are not words. It queues nothing.
func (e *Engine) findFirst(bucket, pair uint64) (ok bool) {
	low, high := e.Table.PairLanes(pair)
	for _, lane := range [...]uint{low, high} {
		if to, ok := e.exitOf(position{bucket, lane}); ok {
			bit := e.Table.Place(bucket, lane)
			e.search.path[0], e.search.path[1] = step{e.Table.Place(to.bucket, to.lane), 0}, step{bit, e.Table.GetAt(bit)}
			return true
		}
	}
	return false
}

// findOnce finds out whether a fingerprint in one of a pair of slots, both full, may move to a free slot. It queues what
// the two lead to as a short search does, of which the pair is node parent, 0 or 1, and writes the words of both.
func (e *Engine) findOnce(bucket, pair, parent uint64) (ok bool) {
	s, q, tables, data := &e.Scheme, &e.search, e.search.tables, e.Table.Data()
	mask, each, lanes := q.probe.Scale, q.probe.BucketBits, tables.pairs[pair%packed.Pairs]
	base := bucket * each
	word := packed.WordAt(data, base+lanes>>16&255)
	held, other := word>>(lanes&63)&mask, word>>(lanes>>8&63)&mask
	m := tables.moves[markOf(held)<<3|lanes>>24&7]
	n := tables.moves[markOf(other)<<3|lanes>>32&7]
	i, j := s.alternate(bucket, held), s.alternate(bucket, other)
	x, y := i*each+m>>16&255, j*each+n>>16&255
	f, g := packed.WordAt(data, x), packed.WordAt(data, y)
	c, w := packed.WordAt(data, base+m>>24&255)&mask, packed.WordAt(data, base+n>>24&255)&mask
	at := 2 * parent & 2
	q.exits[at], q.exits[at+1] = m>>8&(7<<32)|c, n>>8&(7<<32)|w
	queue, words := (*[6]node)(q.queue), (*[6]uint64)(q.words)
	words[at+2], words[at+3] = f, g
	queue[at+2] = node(i<<32 | m>>16&(63<<16) | parent)
	queue[at+3] = node(j<<32 | n>>16&(63<<16) | 1<<22 | parent)
	a, b := f>>(m&63)&mask, f>>(m>>8&63)&mask
	u, v := g>>(n&63)&mask, g>>(n>>8&63)&mask
	free := (a - 1) | (b - 1) | (c - 1) // the highest bit is set if one of them is 0
	if int64(free|(u-1)|(v-1)|(w-1)) >= 0 {
		return false
	}
	// Nobody can foresee which of the six moves it is: so no branch depends on it.
	second := uint64(int64(^free) >> 63)
	at = lanes >> (second & 8)
	held ^= (held ^ other) & second
	m ^= (m ^ n) & second
	x ^= (x ^ y) & second
	a ^= (a ^ u) & second
	c ^= (c ^ w) & second
	to, far, near := x+m&255, x+m>>8&255, base+m>>24&255
	far ^= (far ^ to) & uint64(int64(a-1)>>63)
	far ^= (far ^ near) & uint64(int64(c-1)>>63)
	q.path[0], q.path[1] = step{far, 0}, step{base + lanes>>16&255 + at&255, held}
	return true
}

// laneOf returns the lower lane of a pair in a node, 0, or the other one.
func (e *Engine) laneOf(n node, which uint) uint64 {
	bits := uint(e.Scheme.slotBits)
	return uint64(n) >> ((16 + which*bits) & 63) & (1<<(bits&63) - 1)
}

// turn looks at nodes of a short search from head on, and queues what they lead to behind n others, until a fingerprint
// may move to a free slot. What it has found then is what [simd.Search] says.
func (e *Engine) turn(head, n, nodes int) (found uint64, queued int) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, moves, queue := uint64(1)<<(width&63)-1, &s.pairing.Moves, e.search.queue
	var lanes [8 * turnPairs]uint64 // those of part 0, of part 1, and room
	for k := range 2 * nodes {
		lanes[k&7] = e.laneOf(queue[head+k>>1], uint(k&1))
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
			queue[n] = node(across<<32 | (2*part|k&1)<<22 | move>>8&(63<<16) | parent)
			// What is written is not queued if it is of a slot of the pair, or of one that both fingerprints lead to.
			n += int(((lane ^ lanes[(k^1)&7]) + 7) & ((lane ^ lanes[(8*part|k&6)&31]) + 7 | (k&1^1)<<3) >> 3 & 1)
		}
	}
	return 0, n
}

// pathOf makes the path that a short search has found and returns how many slots it has, or 0 if it has one twice.
func (e *Engine) pathOf(found uint64) (length int) {
	q, data, width := &e.search, e.Table.Data(), uint64(e.Table.Width())
	mask, each, out, path := q.probe.Scale, q.probe.BucketBits, uint64(bits.TrailingZeros16(uint16(found))), &q.path
	side, second, exit := out&1, out>>3&^(found>>(16+out&7)), q.exits[out]
	path[0] = step{exit>>32*each + exit&7*width, 0}
	n, seen, again := uint64(1), uint64(0), uint64(0)
	for at := q.queue[found>>32+out&7>>1]; ; at = q.queue[at.parent()] {
		from, lane := at.bucket(), e.laneOf(at, uint(side))
		bit := from*each + lane*width
		held := packed.WordAt(data, bit) & mask
		near := from*each + q.tables.moves[markOf(held)<<3|lane]>>24&255
		path[n&63] = step{near, packed.WordAt(data, near) & mask}
		n += second
		path[n&63] = step{bit, held}
		n++
		again |= seen & (1 << (from & 63))
		seen |= 1 << (from & 63)
		if at.parent() == root {
			break
		}
		side, second = uint64(at>>22&1), uint64(at>>23&1)
	}
	for k := 1; again != 0 && k < int(n); k++ { // two of these buckets may be one
		for _, slot := range path[k+1 : n] {
			if slot.bit == path[k].bit {
				return 0
			}
		}
	}
	return int(n)
}

// follow moves the fingerprints of a path of n slots, as shift does.
func (e *Engine) follow(n int, fp uint64) (kicks uint64) {
	path, t := e.search.path[:n], &e.Table
	for k := range path[1:] {
		moved := path[k+1].held
		t.FlipAt(path[k].bit, path[k].held^moved)
		if invariants.Enabled {
			e.check(e.slotAt(path[k].bit), e.slotAt(path[k+1].bit), moved)
		}
	}
	t.FlipAt(path[n-1].bit, path[n-1].held^fp)
	return uint64(n - 1)
}

// slotAt returns the slot that begins at a bit.
func (e *Engine) slotAt(bit uint64) position {
	each := e.Table.BucketBits()
	return position{bit / each, uint(bit%each) / e.Table.Width()}
}

// exitPaired is find where slots are paired. A path may go from a slot to the other one of its bucket. The number of
// nodes is the limit where more are marked and left out.
func (e *Engine) exitPaired(i, j, pair uint64) (x exit, ok bool) {
	s, t, n := &e.search, &e.Table, 0
	defer clear(s.seenSlots[:])
	homes, each := e.homes(i, j, pair)
	for _, home := range homes[:each] {
		n = s.pushSlot(n, home, root)
	}
	for head := 0; head < n; head++ {
		at := position{s.queue[head].bucket(), s.queue[head].lane()}
		near, to, far := e.Scheme.others(at, t.Get(at.bucket, at.lane))
		for _, slot := range [...]position{near, to, far} {
			if t.Get(slot.bucket, slot.lane) == 0 {
				return exit{head: head, to: slot.bucket, free: slot.lane}, true
			}
			n = s.pushSlot(n, slot, head)
		}
	}
	return exit{head: n}, false
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
