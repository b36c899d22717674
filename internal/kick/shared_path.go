package kick

import (
	"math/bits"
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

// allCopies tells whether every slot of the pair holds fp already.
func (s *Shared) allCopies(i, j, fp uint64) bool {
	return s.copies(i, fp) == s.lanes && (i == j || s.copies(j, fp) == s.lanes)
}

// copies returns how many fp are in a bucket.
func (s *Shared) copies(bucket, fp uint64) uint {
	return uint(bits.OnesCount64(s.Lanes.EqualExact(atomic.LoadUint64(&s.Words[bucket]), fp)))
}

// makeRoom finds a shortest cuckoo path from bucket i or j, both full, to a bucket with a free slot, reading only, and
// then moves the fingerprints along it from the free end backwards. The last move leaves fp, which may be 0, in the
// slot that it frees in bucket i or j. NoPath means that there is none among as many buckets as the limit says; changed
// that another goroutine has come in between. Then some fingerprints of the path have moved, each to its other bucket,
// and fp is not stored.
//
// Most paths are of one kick, and are found in memory of the stack. Longer ones take that of a search: short first, in
// which a bucket may be queued again, as in Engine.findShort.
func (s *Shared) makeRoom(i, j, fp uint64) Outcome {
	var near [2 + 2*packed.MaxWordLanes]node
	near[0], near[1] = newNode(i, 0, root), newNode(j, 0, root)
	each := s.lanes
	n, o := s.look(i, 0, near[2:][:each])
	if o == NoPath {
		n, o = s.look(j, 1, near[2+each:][:each])
	}
	switch {
	case o == NoPath:
		o = s.search(near[:2+2*each], fp)
	case o == Stored && s.move(near[n.parent()].bucket(), n.lane(), n.bucket(), fp):
		s.moved(1)
		return Stored
	default:
		o = changed
	}
	if o == changed {
		runtime.Gosched()
	}
	return o
}

// search is makeRoom for a path of more kicks than one, from the pair and the buckets that it leads to on.
func (s *Shared) search(near []node, fp uint64) Outcome {
	p := s.plans.Get().(*search)
	defer s.plans.Put(p)
	queue := p.queue[:max(min(p.limit, fewNodes), 2)]
	copy(queue, near)
	n, o := s.exit(queue, 2)
	if o == NoPath {
		p.start(near[0].bucket(), near[1].bucket())
		n, o = s.find(p)
		queue = p.queue
	}
	if o == Stored {
		o = s.shift(queue, n, fp)
	}
	return o
}

// none is no node.
const none = ^node(0)

// exit looks at the nodes of a queue, from one on, as far as there is room for those that they lead to, which it
// writes. It returns the first of these that has a free slot: Stored. It is NoPath if there is none, and changed if a
// node is not full any more.
func (s *Shared) exit(queue []node, head int) (n node, o Outcome) {
	each := int(s.lanes)
	for o = NoPath; o == NoPath && 2+each*(head+1) <= len(queue); head++ {
		n, o = s.look(queue[head].bucket(), head, queue[2+each*head:][:each])
	}
	return n, o
}

// find is exit from the first node on for each bucket once, up to the limit of p.
func (s *Shared) find(p *search) (n node, o Outcome) {
	var next [packed.MaxWordLanes]node
	for head := 0; head < len(p.queue); head++ {
		if n, o = s.look(p.queue[head].bucket(), head, next[:s.lanes]); o != NoPath {
			return n, o
		}
		for _, n := range next[:s.lanes] {
			p.push(n.bucket(), n.lane(), head)
		}
	}
	return 0, NoPath
}

// look writes the nodes to which the fingerprints of a full bucket lead, which is node head, and returns the first that
// has a free slot, as exit does. There is no branch for each lane, as nobody foresees which one it is.
func (s *Shared) look(from uint64, head int, next []node) (n node, o Outcome) {
	word, width := atomic.LoadUint64(&s.Words[from]), s.Lanes.Width&63
	if s.Lanes.Zero(word) != 0 {
		return 0, changed
	}
	last := uint64(1)<<width - 1
	if s.Scheme.xor {
		for lane := range next {
			next[lane] = newNode(from^s.Scheme.distance(word&last), uint(lane), head)
			word >>= width
		}
	} else {
		for lane := range next {
			next[lane] = newNode(s.Scheme.additive(from, word&last), uint(lane), head)
			word >>= width
		}
	}
	words, low, high := s.Words, s.Lanes.Low, s.Lanes.High
	n = none
	for lane := len(next) - 1; lane >= 0; lane-- {
		reached := next[lane]
		if x := atomic.LoadUint64(&words[reached.bucket()]); (x-low)&^x&high != 0 {
			n = reached
		}
	}
	if n == none {
		return 0, NoPath
	}
	pause()
	return n, Stored
}

// shift moves along the path of a queue that ends with a node.
func (s *Shared) shift(queue []node, n node, fp uint64) Outcome {
	for kicks := uint64(1); ; kicks++ {
		from, left := queue[n.parent()], uint64(0)
		if from.parent() == root {
			left = fp // what the last move leaves behind
		}
		if !s.move(from.bucket(), n.lane(), n.bucket(), left) {
			return changed
		}
		if from.parent() == root {
			s.moved(kicks)
			return Stored
		}
		n = from
	}
}

// move moves the fingerprint in a lane of a bucket to bucket to, if that is its alternate and has a free slot, and
// leaves another one, or 0, in its place. It holds the lock of that fingerprint, as whoever counts or deletes
// fingerprints of its class does.
func (s *Shared) move(from uint64, lane uint, to, left uint64) bool {
	word, shift := &s.Words[from], lane*s.Lanes.Width&63
	mask := uint64(1)<<(s.Lanes.Width&63) - 1
	fp := atomic.LoadUint64(word) >> shift & mask
	l := s.lock(fp)
	if !l.taken() {
		l.take()
	}
	// Another goroutine may have changed the path, and the lane before it was locked.
	if fp == 0 || atomic.LoadUint64(word)>>shift&mask != fp || s.Scheme.alternate(from, fp) != to || !s.fill(to, fp) {
		l.free(0)
		return false
	}
	pause()
	if v := s.Version(fp); !passed(v) {
		pass(v)
	}
	pause()
	s.put(word, shift, fp, left)
	deleted := uint64(0)
	if left != 0 {
		deleted-- // an insert
	}
	l.free(deleted)
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
