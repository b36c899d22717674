package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
)

// root marks a node that has no parent.
const root = 1<<16 - 1

// node is a bucket that the search has reached.
type node struct {
	bucket uint64
	word   uint64 // what the bucket holds; kickQuad alone fills it in
	cell   uint32 // where seen holds this node
	parent uint16 // the node it was reached from, or root
	lane   uint8  // the lane of the parent whose fingerprint leads here
}

// search is the memory of the breadth-first search: a queue in which every bucket stands at most
// once.
type search struct {
	queue []node
	limit int
	// seen finds the node of a bucket: a hash table of queue indices with linear probing. A cell
	// is live only if the node it names points back at it, so nothing has to be cleared between
	// searches (Briggs and Torczon 1993, "An efficient representation for sparse sets").
	seen  []uint16
	shift uint
	// alternates are the alternate buckets of the fingerprints of the bucket looked at last.
	alternates [packed.MaxLanes]uint64
}

// farTable is the size in bytes from which a table is mostly not in a core's own cache.
const farTable = 2 << 20

// newSearch returns the memory for up to limit nodes.
func newSearch(limit int) search {
	cells := 1 << bits.Len(uint(2*limit)) // at most half full
	return search{
		queue: make([]node, 0, limit),
		limit: limit,
		seen:  make([]uint16, cells),
		shift: 64 - uint(bits.Len(uint(cells-1))),
	}
}

// cell returns the cell of a bucket and whether the bucket is queued.
func (s *search) cell(bucket uint64) (cell uint32, queued bool) {
	last := uint32(len(s.seen) - 1)
	cell = uint32(bucket * multiplier >> s.shift)
	for {
		at := int(s.seen[cell])
		if at >= len(s.queue) || s.queue[at].cell != cell {
			return cell, false
		}
		if s.queue[at].bucket == bucket {
			return cell, true
		}
		cell = (cell + 1) & last
	}
}

// push queues a bucket under the cell that the method cell gave for it.
func (s *search) push(bucket uint64, cell uint32, parent uint16, lane uint8) {
	s.seen[cell] = uint16(len(s.queue))
	s.queue = append(s.queue, node{bucket: bucket, cell: cell, parent: parent, lane: lane})
}

// start empties the queue and puts the pair of a fingerprint into it.
func (s *search) start(i, j uint64) {
	s.queue = s.queue[:0]
	cell, _ := s.cell(i)
	s.push(i, cell, root, 0)
	if cell, queued := s.cell(j); !queued && s.limit > 1 {
		s.push(j, cell, root, 0)
	}
}

// breadthFirst finds a shortest cuckoo path from bucket i or j, both full, to a bucket with a free
// slot, moves the fingerprints along it and stores fp. It examines at most the engine's limit of
// full buckets, each once: of every fingerprint in them it looks whether the alternate bucket has a
// free slot. Without a path it has moved nothing.
func (e *Engine) breadthFirst(i, j, fp uint64) (kicks int, ok bool) {
	head, lane, free, ok := e.find(i, j)
	if !ok {
		return 0, false
	}
	return e.shift(uint16(head), lane, e.search.alternates[lane], free, fp), true
}

// find finds the first node of a search that leads to a bucket with a free slot: by which lane, to which bucket, which is
// that lane's of s.alternates, and the free lane in it. Without one, head is the number of nodes.
func (e *Engine) find(i, j uint64) (head int, lane, free uint, ok bool) {
	s := &e.search
	s.start(i, j)
	// Where alternates cost a call each or buckets several loads, the processor does not come to the next bucket's by itself.
	ahead := CanPrefetch && (e.Scheme.call != nil || e.Table.Layout == packed.Wide) && len(e.Table.Data()) >= farTable
	for ; head < len(s.queue); head++ {
		if ahead && head > 0 && head+1 < len(s.queue) { // most searches end before the second bucket
			e.PrefetchAlternates(s.queue[head+1].bucket)
		}
		if lane, free, ok = e.exit(s.queue[head].bucket); ok {
			return head, lane, free, true
		}
		if len(s.queue) == s.limit {
			continue
		}
		for lane, to := range s.alternates[:e.Table.Lanes()] {
			// A bucket that is queued is full, so it is looked for only now.
			if cell, queued := s.cell(to); !queued && len(s.queue) < s.limit {
				s.push(to, cell, uint16(head), uint8(lane))
			}
		}
	}
	return head, 0, 0, false
}

// exit finds the first lane of a full bucket whose fingerprint has a free slot in its alternate
// bucket. The alternates of all lanes up to that one are in the search's memory afterwards.
//
// Where one word holds a bucket, no load waits for a branch: the alternates of a bucket arrive
// together.
func (e *Engine) exit(from uint64) (lane, free uint, ok bool) {
	t, s, alternates := &e.Table, &e.Scheme, &e.search.alternates
	if t.Layout != packed.Word {
		for lane, fp := range t.ReadAll(from, alternates) {
			to := s.Alternate(from, fp)
			alternates[lane] = to
			if free, ok := t.Find(to, 0); ok {
				return uint(lane), free, true
			}
		}
		return 0, 0, false
	}
	x, width := t.Word(from), t.Width()
	for lane := range t.Lanes() {
		fp := x & (1<<(width&63) - 1)
		x >>= width & 63
		var to uint64
		if s.xor {
			to = from ^ s.distance(fp) // what Alternate, which is not inlined, returns
		} else {
			to = s.Alternate(from, fp)
		}
		alternates[lane] = to
		if flags := t.Last.Zero(t.Word(to)); flags != 0 {
			return lane, t.Last.First(flags), true
		}
	}
	return 0, 0, false
}

// shift moves the fingerprints of a path, from its free end backwards, and stores fp in the slot
// that this frees in the first bucket. A fingerprint is written to its new bucket before its old
// slot is overwritten. The path's last step is the given lane of node at, which goes to the free
// lane of bucket to. It returns the number of fingerprints moved.
//
// The buckets of a path are different ones: those of its nodes, which are full and queued once, and the
// one with a free slot. So each is written once and after it was read, and it does not matter that
// writing a lane of a semi-sorted bucket moves the others.
func (e *Engine) shift(at uint16, lane uint, to uint64, free uint, fp uint64) (kicks int) {
	t := &e.Table
	for {
		n := &e.search.queue[at]
		moved := t.Copy(n.bucket, lane, to, free)
		e.checkPair(to, n.bucket, moved)
		kicks++
		to, free = n.bucket, lane
		if n.parent == root {
			t.Swap(to, free, fp)
			return kicks
		}
		at, lane = n.parent, uint(n.lane)
	}
}
