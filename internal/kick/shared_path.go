package kick

import (
	"math/bits"
	"runtime"
	"sync/atomic"
)

// changed is the outcome of a search whose table was changed by another goroutine before its path was gone: look again.
const changed Outcome = 255

// kick is Insert where both buckets were full.
func (s *Shared) kick(i, j, fp uint64) Outcome {
	if !s.Crowded() {
		atomic.StoreUint32(&s.crowded, 1)
	}
	for {
		o := s.oneKick(i, j, fp)
		if o == NoPath {
			if s.allCopies(i, j, fp) {
				o = Copies
			} else {
				o = s.makeRoom(i, j, fp)
			}
		}
		switch {
		case o == changed && (s.fill(i, fp) || s.fill(j, fp)):
			s.Stored(i)
			return Stored
		case o == Stored:
			return o
		case o != changed:
			s.done.refusals.Add(1)
			return o
		}
	}
}

// oneKick is makeRoom for a path of one kick, which it finds first if there is one: without the memory of a search.
func (s *Shared) oneKick(i, j, fp uint64) Outcome {
	width := s.Lanes.Width & 63
	for from, n := i, 0; n < 2; from, n = j, n+1 {
		x := atomic.LoadUint64(&s.Words[from])
		for lane := range s.lanes {
			moved := x & (1<<width - 1)
			if moved == 0 {
				return changed
			}
			x >>= width
			to := s.Scheme.alternate(from, moved)
			if s.Lanes.Zero(atomic.LoadUint64(&s.Words[to])) != 0 {
				pause()
				if !s.move(from, lane, to, fp) {
					return changed
				}
				s.moved(1)
				return Stored
			}
		}
	}
	return NoPath
}

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
func (s *Shared) makeRoom(i, j, fp uint64) Outcome {
	p := s.plans.Get().(*search)
	defer s.plans.Put(p)
	p.queue = append(p.queue[:0], newNode(i, 0, root), newNode(j, 0, root))
	for few := max(min(p.limit, fewNodes)-int(s.lanes), 1); ; {
		// A short search queues buckets again, as Engine.findShort does.
		if x, o := s.find(p, few); o == Stored {
			pause()
			return s.shift(p, x, fp)
		} else if o == changed {
			runtime.Gosched()
			return changed
		} else if few == 0 {
			return NoPath
		}
		p.start(i, j)
		few = 0
	}
}

// find searches from the queue of p on: while it has few nodes at most, which are queued unseen, or with few = 0 up to
// its limit and each bucket once.
func (s *Shared) find(p *search, few int) (x exit, o Outcome) {
	for ; x.head < len(p.queue) && (few == 0 || len(p.queue) <= few); x.head++ {
		if o := s.exit(p, p.queue[x.head].bucket(), &x); o != NoPath {
			return x, o
		}
		for lane, to := range p.alternates[:s.lanes] {
			if few == 0 {
				p.push(to, uint(lane), x.head)
			} else {
				p.queue = append(p.queue, newNode(to, uint(lane), x.head))
			}
		}
	}
	return x, NoPath
}

// exit finds the first lane of a full bucket whose fingerprint has a free slot in its alternate bucket, which is then
// that lane's in the memory of the search: Stored. It is NoPath if there is none, and changed if the bucket is not full
// any more.
func (s *Shared) exit(p *search, from uint64, x *exit) Outcome {
	word, width := atomic.LoadUint64(&s.Words[from]), s.Lanes.Width&63
	for lane := range s.lanes {
		fp := word & (1<<width - 1)
		if fp == 0 {
			return changed
		}
		word >>= width
		to := s.Scheme.alternate(from, fp)
		p.alternates[lane] = to
		if s.Lanes.Zero(atomic.LoadUint64(&s.Words[to])) != 0 {
			x.lane, x.to = lane, to
			return Stored
		}
	}
	return NoPath
}

// shift moves along the path that ends with an exit.
func (s *Shared) shift(p *search, x exit, fp uint64) Outcome {
	for kicks := uint64(1); ; kicks++ {
		n := p.queue[x.head]
		left := uint64(0) // what the move leaves behind
		if n.parent() == root {
			left = fp
		}
		if !s.move(n.bucket(), x.lane, x.to, left) {
			return changed
		}
		if n.parent() == root {
			s.moved(kicks)
			return Stored
		}
		x.to, x.lane, x.head = n.bucket(), n.lane(), n.parent()
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
	l.take()
	// Another goroutine may have changed the path, and the lane before it was locked.
	if fp == 0 || atomic.LoadUint64(word)>>shift&mask != fp || s.Scheme.Alternate(from, fp) != to || !s.fill(to, fp) {
		l.free(0)
		return false
	}
	pause()
	pass(s.Version(fp))
	pause()
	s.put(word, shift, fp, left)
	if left != 0 {
		l.free(^uint64(0)) // an insert
	} else {
		l.free(0)
	}
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
