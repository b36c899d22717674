package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
)

// The commonest shape, four lanes in whole bytes of one word, has a search of its own, which finds the same paths as breadthFirst. Most
// searches end within ten buckets, even at 95% load, and a table of what is queued costs them more than it saves. So this search
// queues a bucket again that is queued already. The first of two equal nodes is looked at before the second, and so are the nodes that it
// leads to. So the second is never part of the path that is found: it only takes room in the queue. Where the queue is full, breadthFirst
// searches anew.
//
// A node does not say where it was reached from, its number does: nodes 0 and 1 are the pair, and the lanes of node k lead to the nodes
// 4k+2 to 4k+5.

// isQuad tells whether kickQuad serves table and scheme.
func (e *Engine) isQuad() bool {
	t := &e.Table
	return t.Layout == packed.Word && t.WholeBytes != 0 && t.Lanes() == 4 && e.Scheme.call == nil
}

// kickQuad stores fp by the path that breadthFirst finds, and returns how many kicks that takes. It returns 0 and has changed nothing if
// there is none among as many nodes as the queue has room for.
func (e *Engine) kickQuad(i, j, fp uint64) (kicks uint64) {
	t, queue := &e.Table, e.search.queue[:e.search.limit]
	if len(queue) < 2 {
		return 0
	}
	x, y, copies := t.At(i*t.WholeBytes), t.At(j*t.WholeBytes), t.Last.Spread(fp)
	if (x^copies|y^copies)<<((64-4*t.Width())&63) == 0 {
		return 0 // all lanes hold fp: no kick can help
	}
	queue[0].bucket, queue[0].word = i, x
	queue[1].bucket, queue[1].word = j, y
	head, lane, free := e.exitQuad(queue)
	if free == 0 {
		return 0
	}
	return e.shiftQuad(queue, head, lane, queue[4*head+2+int(lane)].bucket, free, fp)
}

// exitQuad finds the first node of a queue, which begins with the pair, that leads to a bucket with a free slot: by which lane, and flags of the
// free slots. It fills in the nodes that it looks at. The flags are 0 if there is no such node.
//
// One branch decides for the four lanes of a node, as it cannot be foreseen which of them leads to a free slot.
func (e *Engine) exitQuad(queue []node) (head int, lane uint, free uint64) {
	t, s := &e.Table, &e.Scheme
	width := t.Width() & 63
	last := uint64(1)<<width - 1
	for head := 0; 4*head+6 <= len(queue); head++ {
		from, x, next := queue[head].bucket, queue[head].word, (*[4]node)(queue[4*head+2:])
		a, b, c, d := x&last, x>>width&last, x>>width>>width&last, x>>width>>width>>width&last
		if s.xor {
			a, b, c, d = from^s.distance(a), from^s.distance(b), from^s.distance(c), from^s.distance(d)
		} else {
			a, b, c, d = s.additive(from, a), s.additive(from, b), s.additive(from, c), s.additive(from, d)
		}
		next[0].bucket, next[1].bucket, next[2].bucket, next[3].bucket = a, b, c, d
		a, b, c, d = t.At(a*t.WholeBytes), t.At(b*t.WholeBytes), t.At(c*t.WholeBytes), t.At(d*t.WholeBytes)
		next[0].word, next[1].word, next[2].word, next[3].word = a, b, c, d
		a, b, c, d = t.Last.Zero(a), t.Last.Zero(b), t.Last.Zero(c), t.Last.Zero(d)
		if a|b|c|d == 0 {
			continue
		}
		// The compiler makes these moves, not branches.
		lane, free = 3, d
		if c != 0 {
			lane = 2
			free = c
		}
		if b != 0 {
			lane = 1
			free = b
		}
		if a != 0 {
			lane = 0
			free = a
		}
		return head, lane, free
	}
	return 0, 0, 0
}

// shiftQuad is shift in a queue of kickQuad. The flags are of the free slots of bucket to.
func (e *Engine) shiftQuad(queue []node, at int, lane uint, to uint64, flags, fp uint64) (kicks uint64) {
	t := &e.Table
	width := t.Width() & 63
	off := to * t.WholeBytes
	bit := uint(bits.TrailingZeros64(flags)) - (width - 1)
	var old uint64 // what the slot holds to which a fingerprint moves
	for {
		n := &queue[at]
		from := lane * width
		moved := n.word >> (from & 63) & (1<<width - 1)
		t.Put(off, t.At(off)^(old^moved)<<(bit&63))
		e.checkPair(to, n.bucket, moved)
		kicks++
		old, bit, to, off = moved, from, n.bucket, n.bucket*t.WholeBytes
		if at < 2 {
			t.Put(off, t.At(off)^(old^fp)<<(bit&63))
			return kicks
		}
		at, lane = (at-2)>>2, uint(at-2)&3
	}
}
