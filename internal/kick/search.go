package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
)

// A node is a bucket that a search has reached or, where slots are paired, a slot: from the highest bits on the bucket,
// in 32 bits, a lane, in 16, and the node that it was reached from, or root. The lane is that of the parent whose
// fingerprint leads here or, where slots are paired, that of the slot.
type node uint64

// root marks a node that has no parent.
const root = 1<<16 - 1

func newNode(bucket uint64, lane uint, parent int) node {
	return node(bucket<<32 | uint64(lane)<<16 | uint64(parent))
}

func (n node) bucket() uint64 { return uint64(n >> 32) }
func (n node) lane() uint     { return uint(n>>16) & (1<<16 - 1) }
func (n node) parent() int    { return int(n & root) }

// An exit is how a search ends: the fingerprint in that lane of node head, which is the node's own where slots are
// paired, moves to the free lane of bucket to.
type exit struct {
	head int
	lane uint
	to   uint64
	free uint
}

// search is the memory of the breadth-first search: a queue, and what tells whether something is in it.
type search struct {
	queue []node
	limit int
	// seen finds the node of a bucket: a hash table with linear probing of places in the queue, counted from 1.
	seen  []uint16
	shift uint
	// alternates are the alternate buckets of the fingerprints of the bucket looked at last.
	alternates [packed.MaxLanes]uint64
	quads      []quadNode   // of kickQuad
	ages       *packed.Aged // of KickAged, while it searches

	// Where slots are paired, seenSlots has a byte of each bucket and in it a bit of each slot that is queued. Buckets
	// that are equal modulo the number of bytes share one. So in a table with more buckets a few slots are left out as
	// if they were queued: of 20000 in such a queue 10%. It makes no difference to the load at the first refusal (b =
	// 4, 2^20 slots: .9594 in place of .9597).
	seenSlots *[seenBuckets]uint8
}

const (
	// SearchLimit is how many buckets a search examines by default: its failure at the loads promised is then
	// negligible.
	SearchLimit = 700
	// FarTable is the size in bytes from which a table is mostly not in a core's own cache.
	FarTable = 2 << 20
	// fewNodes is how many nodes a short search has. Most searches end within ten.
	fewNodes = 128
)

// IsFar tells whether it pays to ask the memory for buckets of a table of so many bytes ahead.
func IsFar(bytes int) bool { return CanPrefetch && bytes >= FarTable }

// newSearch returns the memory for up to limit nodes.
func newSearch(limit int) search {
	cells := 1 << bits.Len(uint(2*limit)) // at most half full
	return search{
		queue: make([]node, 0, max(limit, 2)), limit: limit,
		seen: make([]uint16, cells), shift: 64 - uint(bits.Len(uint(cells-1))),
	}
}

// push queues a bucket unless it is queued or there is no room.
func (s *search) push(bucket uint64, lane uint, parent int) {
	if len(s.queue) == s.limit {
		return
	}
	cell := bucket * Multiplier >> s.shift
	for ; s.seen[cell] != 0; cell = (cell + 1) & uint64(len(s.seen)-1) {
		if s.queue[s.seen[cell]-1].bucket() == bucket {
			return
		}
	}
	s.queue = append(s.queue, newNode(bucket, lane, parent))
	s.seen[cell] = uint16(len(s.queue))
}

// start empties the queue and puts the pair of a fingerprint into it.
func (s *search) start(i, j uint64) {
	s.queue = s.queue[:0]
	clear(s.seen)
	s.push(i, 0, root)
	s.push(j, 0, root)
}

// find searches a shortest cuckoo path from the homes of a fingerprint, all full: it finds the first node that leads to
// a free slot. It examines at most the engine's limit of full buckets or, where they are paired, slots, each once: of
// every fingerprint in them it looks whether there is a free slot elsewhere. Without a path, the head of the exit is
// the number of nodes.
func (e *Engine) find(i, j, pair uint64) (x exit, ok bool) {
	if e.Scheme.Paired() {
		return e.exitPaired(i, j, pair)
	}
	e.search.start(i, j)
	return e.look(0)
}

// path is find, after findShort where no other short search was made, or with brief that alone.
func (e *Engine) path(i, j, pair uint64, brief bool) (x exit, ok bool) {
	if !e.quads && !e.Scheme.Paired() {
		x, ok = e.findShort(i, j)
	}
	if !ok && !brief {
		x, ok = e.find(i, j, pair)
	}
	return x, ok
}

// findShort is find among few nodes. It finds the same path, if it finds one: it queues a bucket again that is queued,
// as telling costs most searches more than it saves. The first of two equal nodes is looked at before the second, and
// so are the nodes that it leads to. So the second is never part of the path that is found: it only takes room in the
// queue.
func (e *Engine) findShort(i, j uint64) (x exit, ok bool) {
	e.search.queue = append(e.search.queue[:0], newNode(i, 0, root), newNode(j, 0, root))
	return e.look(max(min(e.search.limit, fewNodes)-int(e.Table.Lanes()), 1))
}

// look searches from the queue on: while it has few nodes at most, which are queued unseen, or with few = 0 up to the
// limit and each bucket once.
func (e *Engine) look(few int) (x exit, ok bool) {
	s := &e.search
	// Where each alternate costs a call or several loads, the processor does not come to those of the next bucket by
	// itself.
	ahead := (e.Scheme.call != nil || e.Table.Layout == packed.Wide) && IsFar(len(e.Table.Data()))
	for ; x.head < len(s.queue) && (few == 0 || len(s.queue) <= few); x.head++ {
		if ahead && x.head > 0 && x.head+1 < len(s.queue) { // most searches end before the second bucket
			e.PrefetchAlternates(s.queue[x.head+1].bucket())
		}
		if ok = e.exit(s.queue[x.head].bucket(), &x); ok {
			return x, true
		}
		for lane, to := range s.alternates[:e.Table.Lanes()] {
			if few == 0 {
				s.push(to, uint(lane), x.head) // a bucket that is queued is full, so it is looked for only now
			} else {
				s.queue = append(s.queue, newNode(to, uint(lane), x.head))
			}
		}
	}
	return x, false
}

// exit finds the first lane of a full bucket whose fingerprint has a free slot in its alternate
// bucket. The alternates of all lanes up to that one are in the search's memory afterwards.
//
// Where one word holds a bucket, no load waits for a branch: the alternates of a bucket arrive together.
func (e *Engine) exit(from uint64, x *exit) (ok bool) {
	t, s, alternates := &e.Table, &e.Scheme, &e.search.alternates
	switch {
	case s.call != nil || t.Ordered() || e.search.ages != nil:
		for lane, fp := range t.ReadAll(from, alternates) {
			to := s.Alternate(from, fp)
			alternates[lane] = to
			if x.free, ok = e.free(to); ok {
				x.lane, x.to = uint(lane), to
				return true
			}
		}
	case t.Layout == packed.Word:
		word, width := t.Word(from), t.Width()&63
		for lane := range t.Lanes() {
			to := s.alternate(from, s.of(word&(1<<width-1)))
			word >>= width
			alternates[lane] = to
			if flags := t.Last.Zero(t.Word(to)); flags != 0 {
				x.lane, x.to, x.free = lane, to, t.Last.First(flags)
				return true
			}
		}
	default:
		for lane := range t.Lanes() {
			to := s.alternate(from, s.of(t.Get(from, lane)))
			alternates[lane] = to
			if flags, bit := t.EqualGroups(0, to, 0); flags|t.EqualLast(bit, 0) != 0 {
				x.lane, x.to = lane, to
				x.free, _ = t.Find(to, 0)
				return true
			}
		}
	}
	return false
}

// shift moves the fingerprints of a path, from its free end backwards, and stores fp in the slot
// that this frees. A fingerprint is written to its new slot before its old
// one is overwritten. It returns the number of fingerprints moved.
//
// The buckets of a path, or its slots where they are paired, are different ones: each is queued once, or counts once,
// and the last one has a free slot. So each is written once and after it was read, and it does not matter that writing
// a lane of a semi-sorted bucket moves the others.
func (e *Engine) shift(x exit, fp uint64) (kicks uint64) {
	t, queue := &e.Table, e.search.queue[:cap(e.search.queue)]
	if t.Ordered() {
		return e.shiftOrdered(x, fp)
	}
	paired, free := e.Scheme.Paired(), t.Place(x.to, x.free)
	for kicks = 1; ; kicks++ {
		n := queue[x.head]
		if paired {
			x.lane = n.lane()
		}
		from := t.Place(n.bucket(), x.lane)
		moved := t.GetAt(from)
		t.SetAt(free, moved)
		e.check(position{x.to, x.free}, position{n.bucket(), x.lane}, moved)
		free = from
		if n.parent() == root {
			break
		}
		x = exit{head: n.parent(), lane: n.lane(), to: n.bucket(), free: x.lane}
	}
	t.SetAt(free, fp)
	return kicks
}

// shiftOrdered is shift in semi-sorted buckets.
func (e *Engine) shiftOrdered(x exit, fp uint64) (kicks uint64) {
	for kicks = 1; ; kicks++ {
		n := e.search.queue[:cap(e.search.queue)][x.head]
		moved := e.Table.Read(n.bucket(), x.lane)
		e.Table.Swap(x.to, x.free, moved)
		e.check(position{x.to, x.free}, position{n.bucket(), x.lane}, moved)
		if n.parent() == root {
			e.Table.Swap(n.bucket(), x.lane, fp)
			return kicks
		}
		x = exit{head: n.parent(), lane: n.lane(), to: n.bucket(), free: x.lane}
	}
}
