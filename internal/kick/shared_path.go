package kick

import (
	"runtime"
	"sync/atomic"

	"github.com/nestfilter/nest/internal/packed"
)

// changed is the outcome of a search whose table was changed by another goroutine before its path was gone: look again.
const changed Outcome = 255

// moved notes an insert of so many kicks.
func (s *Shared) moved(kicks uint64) {
	for old := s.done.longest.Load(); kicks > old && !s.done.longest.CompareAndSwap(old, kicks); {
		old = s.done.longest.Load()
	}
}

// makeRoom finds a shortest cuckoo path from bucket i or j, both full, to a bucket with a free slot, reading only, and
// then moves the fingerprints along it from the free end backwards. The last move leaves fp, which may be 0, in the
// slot that it frees in bucket i or j. NoPath means that there is none among as many buckets as the limit says; changed
// that bucket i or j is not full, or that another goroutine has come in between. Then some fingerprints of the path may
// have moved, each to its other bucket, and fp is not stored.
//
// Most paths are of one kick, and are found in memory of the stack. Longer ones take that of a search: short first, in
// which a bucket may be queued again, as in Engine.findShort. Nodes hold their words and are numbered as those of
// kickQuad are.
func (s *Shared) makeRoom(i, j, fp uint64) Outcome {
	x, y, each := atomic.LoadUint64(&s.Words[i]), atomic.LoadUint64(&s.Words[j]), s.lanes
	if s.Lanes.Zero(x)|s.Lanes.Zero(y) != 0 {
		return changed
	}
	var few [2 + 2*5]quadNode // half the memory to clear, and enough from 12 bits on
	near := few[:]
	if 2+2*each > uint(len(few)) {
		near = make([]quadNode, 2+2*packed.MaxWordLanes) // on the stack too
	}
	near = near[:2+2*each]
	near[0], near[1] = quadNode{i, x}, quadNode{j, y}
	head, lane := uint(0), s.look(near[0], near[2:][:each])
	if lane < 0 {
		if head, lane = 1, s.look(near[1], near[2+each:]); lane < 0 {
			return s.search(near, fp)
		}
	}
	if !s.move(near[head], uint(lane), near[2+head*each+uint(lane)].bucket, fp) {
		return changed
	}
	s.moved(1)
	return Stored
}

// search is makeRoom for a path of more kicks than one, from the pair and the buckets that it leads to on.
func (s *Shared) search(near []quadNode, fp uint64) (o Outcome) {
	p := s.plans.Get().(*search)
	queue, each, lane := p.quads, int(s.lanes), -1
	at := copy(queue, near)
	for head := 2; lane < 0 && at+each <= len(queue); head++ {
		lane = s.look(queue[head], queue[at:][:each])
		at += each
	}
	if lane >= 0 {
		o = s.shift(queue, at-each+lane, fp)
	} else {
		p.start(near[0].bucket, near[1].bucket)
		o = s.find(p, fp)
	}
	s.plans.Put(p)
	return o
}

// find is search with each bucket queued once, up to the limit of p.
func (s *Shared) find(p *search, fp uint64) Outcome {
	var nodes [1 + packed.MaxWordLanes]quadNode
	next := nodes[1:][:s.lanes]
	for head := 0; head < len(p.queue); head++ {
		from := p.queue[head].bucket()
		nodes[0] = quadNode{from, atomic.LoadUint64(&s.Words[from])}
		if s.Lanes.Zero(nodes[0].word) != 0 {
			return changed
		}
		if lane := s.look(nodes[0], next); lane >= 0 {
			return s.shiftLong(p.queue, newNode(next[lane].bucket, uint(lane), head), fp)
		}
		for lane, to := range next {
			p.push(to.bucket, uint(lane), head)
		}
	}
	return NoPath
}

// look writes the nodes to which the fingerprints of a full bucket lead, and returns the lane of the first that has a
// free slot, or -1. There is no branch for each lane, as nobody foresees which one it is.
func (s *Shared) look(from quadNode, next []quadNode) (lane int) {
	words, width, low, high := s.Words, s.Lanes.Width&63, s.Lanes.Low, s.Lanes.High
	last, few, i, x := uint64(1)<<width-1, 4, from.bucket, from.word
	if len(next) < few {
		few = 0
	}
	lane = -1
	for k := len(next) - 1; k >= few; k-- {
		to := s.Scheme.alternate(i, x>>(uint(k)*width&63)&last)
		y := atomic.LoadUint64(&words[to])
		next[k] = quadNode{to, y}
		if y = (y - low) &^ y & high; y != 0 {
			lane = k
		}
	}
	if few == 0 {
		return lane
	}
	four := (*[4]quadNode)(next)
	a, b, c, d := x&last, x>>width&last, x>>width>>width&last, x>>width>>width>>width&last
	if g := &s.Scheme; g.xor {
		a, b, c, d = i^g.distance(a), i^g.distance(b), i^g.distance(c), i^g.distance(d)
	} else {
		a, b, c, d = g.additive(i, a), g.additive(i, b), g.additive(i, c), g.additive(i, d)
	}
	four[0].bucket, four[1].bucket, four[2].bucket, four[3].bucket = a, b, c, d
	a, b = atomic.LoadUint64(&words[a]), atomic.LoadUint64(&words[b])
	c, d = atomic.LoadUint64(&words[c]), atomic.LoadUint64(&words[d])
	four[0].word, four[1].word, four[2].word, four[3].word = a, b, c, d
	if (d-low)&^d&high != 0 {
		lane = 3
	}
	if (c-low)&^c&high != 0 {
		lane = 2
	}
	if (b-low)&^b&high != 0 {
		lane = 1
	}
	if (a-low)&^a&high != 0 {
		lane = 0
	}
	return lane
}

// shift moves along the path that ends with a node of a short search, whose number says where it was reached from.
func (s *Shared) shift(queue []quadNode, at int, fp uint64) Outcome {
	for kicks := uint64(1); ; kicks++ {
		parent := int(uint32(at-2) / uint32(s.lanes)) // a division of 32 bits takes half the time
		lane, left := uint(at-2-parent*int(s.lanes)), uint64(0)
		if parent < 2 {
			left = fp // what the last move leaves behind
		}
		if !s.move(queue[parent], lane, queue[at].bucket, left) {
			return changed
		}
		if parent < 2 {
			s.moved(kicks)
			return Stored
		}
		at = parent
	}
}

// shiftLong is shift for a search in which each bucket is queued once.
func (s *Shared) shiftLong(queue []node, n node, fp uint64) Outcome {
	for kicks := uint64(1); ; kicks++ {
		from, left := queue[n.parent()], uint64(0)
		if from.parent() == root {
			left = fp
		}
		i, word := from.bucket(), atomic.LoadUint64(&s.Words[from.bucket()])
		moved := word >> (n.lane() * s.Lanes.Width & 63) & (1<<(s.Lanes.Width&63) - 1)
		if s.Scheme.alternate(i, moved) != n.bucket() || !s.move(quadNode{i, word}, n.lane(), n.bucket(), left) {
			return changed
		}
		if from.parent() == root {
			s.moved(kicks)
			return Stored
		}
		n = from
	}
}

// move moves the fingerprint that a lane of a bucket had to bucket to, its alternate, if it is still there and that has
// a free slot, and leaves another one, or 0, in its place. It holds the lock of that fingerprint, as whoever counts or
// deletes fingerprints of its class does.
func (s *Shared) move(from quadNode, lane uint, to, left uint64) bool {
	word, shift := &s.Words[from.bucket], lane*s.Lanes.Width&63
	mask := uint64(1)<<(s.Lanes.Width&63) - 1
	fp := from.word >> shift & mask
	l := s.LockOf(fp)
	pause()
	if !l.Taken() {
		l.take()
	}
	// Another goroutine may have changed the path.
	if fp == 0 || atomic.LoadUint64(word)>>shift&mask != fp || !s.fill(to, fp) {
		l.Free()
		runtime.Gosched()
		return false
	}
	pause()
	if v := s.Version(fp); !passed(v) {
		pass(v)
	}
	pause()
	s.put(word, shift, fp, left)
	l.Free()
	return true
}

// put writes another value in place of fp in a lane whose bucket is locked. Other lanes may be filled meanwhile.
func (s *Shared) put(word *uint64, shift uint, fp, value uint64) {
	for {
		x := atomic.LoadUint64(word)
		pause()
		if atomic.CompareAndSwapUint64(word, x, x^(fp^value)<<shift) {
			return
		}
	}
}
