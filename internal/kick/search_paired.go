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

// pairTables are what a short search reads.
type pairTables struct {
	// pairs have, by number, where the word of a pair begins in its bucket, from bit 8 on where its lower lane does in that
	// word, and from bit 16 on the code of both lanes.
	pairs [packed.Pairs]uint64
	// kernel is, of 4 lanes, what the kernel reads: the codes, and masks.
	kernel [32]uint64
}

// setTables makes the tables of a search in lanes of that width, so many in a bucket.
func (s *search) setTables(pairing *packed.Pairing, lane, each uint) {
	t, width := s.tables, uint64(lane)
	begin := uint64(0) // the word of a pair begins with its bucket of 4 lanes if it holds that, or with its lower lane
	if each == 8 || lane > 16 {
		begin = 7
	}
	for pair, at := range pairing.Lanes {
		low, high := uint64(at[0]), uint64(at[1])
		first := low & begin
		t.pairs[pair] = first*width | (low-first)*width<<8 | low<<16 | high<<(15+bits.Len(each))
	}
	t.kernel = [32]uint64{}
	for k, move := range pairing.Moves {
		t.kernel[k>>4] |= move >> 24 & 63 << (k>>3&1*32 + k&3*8) // the lanes 4 to 7 of 4 have no moves
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

// findPairs is find by a short search. A pair may be queued twice. As a move within a bucket and that to the next are one
// step, a path may be longer than that of find. Copies of fp may fill its slots. findPairs returns how many slots the
// path has, which are in the memory of the search, from the free one on to that of fp, or 0; and how many slots were
// looked at.
func (e *Engine) findPairs(i, j, pair, fp uint64) (length, looked int) {
	t, s := &e.Table, &e.search
	data, mask, each, width, across := t.Data(), s.probe.Scale, s.probe.BucketBits, uint64(t.Width()), t.Across(pair)
	p, q := s.tables.pairs[pair%packed.Pairs], s.tables.pairs[across%packed.Pairs]
	first := packed.WordAt(data, i*each+p&255)
	if first>>(p>>8&63)&mask == fp && t.CountIn(i, pair, fp)+t.CountIn(j, across, fp) == 4 {
		return 0, 4
	}
	s.words[0], s.words[1] = first, packed.WordAt(data, j*each+q&255)
	s.queue[0], s.queue[1] = node(i<<32|p&(63<<16)|root), node(j<<32|q&(63<<16)|root)
	found := uint64(0)
	if s.kernel {
		found = simd.Search(&s.probe, data, (*uint64)(&s.queue[0]), &s.words[0], &s.exits[0], s.pairs)
	}
	for head, n, nodes := 0, 2, 2; !s.kernel && head < s.pairs && found == 0; head, nodes = head+nodes, turnPairs {
		found, n = e.turn(head, n, nodes)
	}
	switch head := int(found >> 32); {
	case s.pairs == 0:
		return 0, 0
	case found == 0:
		return 0, 4 + 4*s.pairs
	case found < 1<<8: // pathOf, for one kick
		out := bits.TrailingZeros8(uint8(found))
		exit, from := s.exits[out&3], s.queue[out>>1&1]
		bit := from.bucket()*each + e.laneOf(from, uint(out&1))*width
		s.path[0], s.path[1] = step{exit>>32*each + exit&7*width, 0}, step{bit, packed.WordAt(data, bit) & mask}
		return 2, 2 + out&2
	default:
		return e.pathOf(found), 4 * (3 + head + min(head, 2))
	}
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
	windows := e.Table.Layout == packed.Windowed
	var lanes [8 * turnPairs]uint8 // those of part 0, of part 1, and room
	for k, at := range queue[head : head+nodes] {
		lanes[2*k&6], lanes[2*k&6|1] = uint8(e.laneOf(at, 0)), uint8(e.laneOf(at, 1))
	}
	for part := range uint64(2) {
		for k := range uint64(2 * nodes) {
			parent, lane, other := uint64(head)+k>>1, uint64(lanes[(8*part|k)&31]), uint64(lanes[(k^1)&7])
			from := queue[parent].bucket()
			fp := packed.SlotIn(data, width, mask, from<<shift|lane)
			move, across := moves[markOf(fp)<<3|lane], s.alternate(from, fp)
			u := packed.WordAt(data, (across<<shift|move>>8&7)*width)
			v, w := u>>(move>>32&7*width&63)&mask, uint64(1)
			if u &= mask; !windows {
				v = packed.SlotIn(data, width, mask, across<<shift|move>>16&7)
			}
			if part+uint64(head) == 0 { // a free slot in the bucket comes before those in others
				w = packed.SlotIn(data, width, mask, from<<shift|move&7)
			}
			if int64((fp-1)|(u-1)|(v-1)|(w-1)) < 0 {
				out, exit := 8*part+k, across<<32|move>>16&7
				if u == 0 {
					exit = across<<32 | move>>8&7
				}
				if w == 0 {
					exit = from<<32 | move&7
				}
				if fp == 0 { // in part 1
					exit, found = from<<32|lane, 1<<(8+out&63)
				}
				e.search.exits[out&15] = exit
				return uint64(head)<<32 | found | 1<<(out&63), n
			}
			lanes[(8*part+8|k)&31] = uint8(move & 7)
			queue[n] = node(across<<32 | (2*part|k&1)<<22 | move>>8&(63<<16) | parent)
			// What is written is not queued if it is of a slot of the pair, or of one that both fingerprints lead to.
			n += int(((lane ^ other) + 7) & ((lane ^ uint64(lanes[(8*part|k&6)&31])) + 7 | (k&1^1)<<3) >> 3 & 1)
		}
	}
	return 0, n
}

// pathOf makes the path that a short search has found and returns how many slots it has, or 0 if it has one twice.
func (e *Engine) pathOf(found uint64) (length int) {
	q, data, width, moves := &e.search, e.Table.Data(), uint64(e.Table.Width()), &e.Scheme.pairing.Moves
	mask, each, out, path := q.probe.Scale, q.probe.BucketBits, uint64(bits.TrailingZeros16(uint16(found))), &q.path
	side, second, exit := out&1, out>>3&^(found>>(16+out&7)), q.exits[out]
	path[0] = step{exit>>32*each + exit&7*width, 0}
	n, seen, again := uint64(1), uint64(0), uint64(0)
	for at := q.queue[found>>32+out&7>>1]; ; at = q.queue[at.parent()] {
		from, lane := at.bucket(), e.laneOf(at, uint(side))
		bit := from*each + lane*width
		held := packed.WordAt(data, bit) & mask
		near := from*each + moves[markOf(held)<<3|lane]&7*width
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
