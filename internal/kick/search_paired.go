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

// A pairSearch is what a short search needs beside its queue. What the kernel loads whole is first, as cache lines are.
type pairSearch struct {
	tables [32]uint64 // of 4 lanes, for the kernel: the codes, and masks
	simd.Searcher
	search simd.Search // nil if there is no kernel
	most   int         // how many pairs of slots to look at
	shifts [2]uint64   // where a node has a lane
	mask   uint64      // and its bits
	// pairs have, by number, of a pair and of that across, where its word begins in its bucket, from bit 8 on where the
	// lower lane does in the word, and from bit 16 on the code of both lanes.
	pairs [packed.Pairs][2]uint64
	exits [4 * turnPairs]uint64 // the free slots that were found, by the number of the fingerprint that may move there
	path  [2 * longest]step
}

// newPairSearch returns it for the queue.
func (e *Engine) newPairSearch() *pairSearch {
	s, pairing, lane, each := new(pairSearch), e.Scheme.pairing, e.Table.Width(), e.Table.Lanes()
	width, begin := uint64(lane), uint64(0) // a word begins with its bucket of 4 lanes if it holds that, or with a lane
	if each == 8 || lane > 16 {
		begin = 7
	}
	for pair, at := range pairing.Lanes {
		low, high := uint64(at[0]), uint64(at[1])
		first := low & begin
		s.pairs[pair][0] = first*width | (low-first)*width<<8 | low<<16 | high<<(15+bits.Len(each))
	}
	for pair, across := range pairing.Across {
		s.pairs[pair][1] = s.pairs[across][0]
	}
	e.describe(&s.Probe)
	s.shifts, s.mask = [2]uint64{16, 15 + uint64(bits.Len(each))}, uint64(each-1)
	for k, move := range pairing.Moves {
		s.tables[k>>4] |= move >> 24 & 63 << (k>>3&1*32 + k&3*8) // the lanes 4 to 7 of 4 have no moves
	}
	for code := range uint64(16) {
		s.tables[16+code] = s.Low &^ (1<<(code&3*width&63) | 1<<(code>>2*width&63))
	}
	if s.Paired = (*[16]uint64)(s.tables[:]); each == 8 {
		s.Paired = (*[16]uint64)(pairing.Moves[:])
	}
	for n := range s.Bits {
		s.Bits[n] = uint64(n) % uint64(each) * width
	}
	s.most = min(e.search.limit, shortSlots) / 8 * 2
	words := make([]uint64, 4*s.most+ahead)
	s.Few, s.Queue, s.Words, s.Exits = uint64(s.most), (*uint64)(&e.search.queue[0]), &words[0], &s.exits[0]
	if e.hasKernel() && s.most > 0 {
		s.search = simd.SearchOf(&s.Probe)
	}
	return s
}

// A short search queues pairs of slots, as nodes: the bucket of a pair, and the code of the move that leads there, which
// has its lanes; three bits further which fingerprint of the parent it is. Four fingerprints lead on from a pair: those
// in its slots, 0 and 1, and those in the slots that these may move to within the bucket, 2 and 3. Two pairs are looked
// at first, and then turnPairs in a turn.
const turnPairs = 4

// A step of a path is a slot, by the bit at which it begins, and what it holds.
type step struct{ bit, held uint64 }

// kickPairs is Kick by a short search. A path of one kick is made at once.
func (e *Engine) kickPairs(i, j, pair, fp uint64) (kicks uint64, o Outcome) {
	found, s, t := e.searchPairs(i, j, pair, fp), e.paired, &e.Table
	if found-1 < 1<<8-1 {
		out := uint64(bits.TrailingZeros64(found))
		exit, from, each, width := s.exits[out&3], node(s.Roots[out>>1&1]), s.BucketBits, uint64(t.Width())
		free, bit := exit>>32*each+exit&7*width, from.bucket()*each+s.laneOf(from, out)*width
		held := t.At(bit>>3) >> (bit & 7) & s.Scale
		if invariants.Enabled {
			e.check(e.slotAt(free), e.slotAt(bit), held)
		}
		t.FlipAt(free, held)
		t.FlipAt(bit, held^fp)
		return 1, Stored
	}
	if n := e.pathOf(found); n > 0 {
		return e.follow(n, fp), Stored
	}
	return e.makeRoom(i, j, pair, fp)
}

// searchPairs is find by a short search. A pair may be queued twice. As a move within a bucket and that to the next are
// one step, a path may be longer than that of find. searchPairs returns what [simd.Search] says, or filled if
// copies of fp fill its slots.
func (e *Engine) searchPairs(i, j, pair, fp uint64) (found uint64) {
	t, s := &e.Table, e.paired
	p, each := &s.pairs[pair%packed.Pairs], s.BucketBits
	bit, across := i*each+p[0]&255, j*each+p[1]&255
	first := t.At(bit>>3) >> (bit & 7)
	if first>>(p[0]>>8&63)&s.Scale == fp && e.fills(i, j, pair, fp) {
		return filled
	}
	s.RootWords = [2]uint64{first, t.At(across>>3) >> (across & 7)}
	s.Roots = [2]uint64{i<<32 | p[0]&(63<<16) | root, j<<32 | p[1]&(63<<16) | root}
	e.search.queue[0], e.search.queue[1] = node(s.Roots[0]), node(s.Roots[1])
	if s.search == nil {
		return e.turns()
	}
	return s.search(&t.Data()[0], &s.Buckets)
}

// filled is what searchPairs returns instead of searching.
const filled = 1 << 63

// looked returns how many slots searchPairs has looked at.
func (s *pairSearch) looked(found uint64) int {
	switch head := int(found >> 32); {
	case found == filled:
		return 4
	case s.most == 0:
		return 0
	case found == 0:
		return 4 + 4*s.most
	case found < 1<<8:
		return 2 + bits.TrailingZeros64(found)&2
	default:
		return 4 * (3 + head + min(head, 2))
	}
}

// turns is Search in a loop.
func (e *Engine) turns() (found uint64) {
	for head, n, nodes := 0, 2, 2; head < e.paired.most && found == 0; head, nodes = head+nodes, turnPairs {
		found, n = e.turn(head, n, nodes)
	}
	return found
}

// laneOf returns the lower lane of a pair in a node, 0, or the other one.
func (s *pairSearch) laneOf(n node, which uint64) uint64 {
	return uint64(n) >> (s.shifts[which&1] & 63) & s.mask
}

// turn looks at nodes of a short search from head on, and queues what they lead to behind n others, until a fingerprint
// may move to a free slot. What it has found then is what [simd.Search] says.
func (e *Engine) turn(head, n, nodes int) (found uint64, queued int) {
	s, data, width, shift := &e.Scheme, e.Table.Data(), uint64(e.Table.Width()), e.Scheme.slotBits&3
	mask, moves, queue := uint64(1)<<(width&63)-1, &s.pairing.Moves, e.search.queue
	windows := e.Table.Layout == packed.Windowed
	var lanes [8 * turnPairs]uint8 // those of part 0, of part 1, and room
	for k, at := range queue[head : head+nodes] {
		lanes[2*k&6], lanes[2*k&6|1] = uint8(e.paired.laneOf(at, 0)), uint8(e.paired.laneOf(at, 1))
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
				e.paired.exits[out&15] = exit
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

// pathOf makes the path that a short search has found, if it has: it returns how many slots there are, from the free one
// on to that of the fingerprint to be inserted, or 0 if one is there twice.
func (e *Engine) pathOf(found uint64) (length int) {
	if found&^filled == 0 {
		return 0
	}
	q, data, width, moves := e.paired, e.Table.Data(), uint64(e.Table.Width()), &e.Scheme.pairing.Moves
	mask, each, out, path := q.Scale, q.BucketBits, uint64(bits.TrailingZeros16(uint16(found))), &q.path
	side, second, exit := out&1, out>>3&^(found>>(16+out&7)), q.exits[out]
	queue := e.search.queue
	path[0] = step{exit>>32*each + exit&7*width, 0}
	n, seen, again := uint64(1), uint64(0), uint64(0)
	for at := queue[found>>32+out&7>>1]; ; at = queue[at.parent()] {
		from, lane := at.bucket(), q.laneOf(at, side)
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
	path, t := e.paired.path[:n], &e.Table
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
