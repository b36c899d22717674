package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// The commonest shape, four lanes in whole bytes of one word, has a short search of its own. A node
// does not say where it was reached from, its number does: nodes 0 and 1 are the pair, and the lanes of node k lead to
// the nodes 4k+2 to 4k+5.

// quadNode is a bucket that the search has reached, and what it holds.
type quadNode struct{ bucket, word uint64 }

// isQuad tells whether kickQuad serves table and scheme.
func (e *Engine) isQuad() bool {
	t := &e.Table
	return t.Layout == packed.Word && t.WholeBytes != 0 && t.Lanes() == 4 && e.Scheme.call == nil
}

// kickQuad stores fp by the path that find finds, and returns how many kicks that takes. It returns 0 and has changed
// nothing if all lanes hold fp already, or there is no path among as many nodes as its queue has room for.
func (e *Engine) kickQuad(i, j, fp uint64) (kicks uint64) {
	t, queue := &e.Table, e.search.quads
	x, y, copies := t.At(i*t.WholeBytes), t.At(j*t.WholeBytes), t.Last.Spread(fp)
	if (x^copies|y^copies)<<((64-4*t.Width())&63) == 0 {
		return 0
	}
	queue[0], queue[1] = quadNode{i, x}, quadNode{j, y}
	head, lane, free := exitQuad[unaged](e, queue)
	if free == 0 {
		return 0
	}
	return e.shiftQuad(queue, head, lane, free, 0, fp)
}

// exitQuad finds the first node of a queue, which begins with the pair, that leads to a bucket with a free slot: by
// which lane, and flags of the free slots. It fills in the nodes that it looks at. The flags are 0 if there is no such
// node.
//
// One branch decides for the four lanes of a node, as it cannot be foreseen which of them leads to a free slot.
//
// Of lanes that have ages, an expired one is a free slot. A says so to the compiler, which makes code of its own for
// them.
func exitQuad[A ageing](e *Engine, queue []quadNode) (head int, lane uint, free uint64) {
	t, s := &e.Table, &e.Scheme
	width := t.Width() & 63
	last := uint64(1)<<width - 1
	var none A
	for head := 0; 4*head+6 <= len(queue); head++ {
		from, x, next := queue[head].bucket, queue[head].word, (*[4]quadNode)(queue[4*head+2:])
		a, b, c, d := x&last, x>>width&last, x>>width>>width&last, x>>width>>width>>width&last
		switch {
		case len(none) != 0:
			a, b, c, d = a&s.keep, b&s.keep, c&s.keep, d&s.keep
			a, b, c, d = s.additive(from, a), s.additive(from, b), s.additive(from, c), s.additive(from, d)
		case s.kernel == simd.None:
			a, b, c, d = s.of(a), s.of(b), s.of(c), s.of(d)
			a, b, c, d = s.alternate(from, a), s.alternate(from, b), s.alternate(from, c), s.alternate(from, d)
		case s.xor:
			a, b, c, d = from^s.distance(a), from^s.distance(b), from^s.distance(c), from^s.distance(d)
		default:
			a, b, c, d = s.additive(from, a), s.additive(from, b), s.additive(from, c), s.additive(from, d)
		}
		next[0].bucket, next[1].bucket, next[2].bucket, next[3].bucket = a, b, c, d
		a, b, c, d = t.At(a*t.WholeBytes), t.At(b*t.WholeBytes), t.At(c*t.WholeBytes), t.At(d*t.WholeBytes)
		next[0].word, next[1].word, next[2].word, next[3].word = a, b, c, d
		if len(none) == 0 {
			a, b, c, d = t.Last.Zero(a), t.Last.Zero(b), t.Last.Zero(c), t.Last.Zero(d)
		} else {
			ages := e.search.ages
			a, b, c, d = ages.Free(a), ages.Free(b), ages.Free(c), ages.Free(d)
		}
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

// shiftQuad is shift in a queue of kickQuad, of whole words, one of which is a bucket. The flags are of the free slots
// of the bucket to which a lane of node at leads. The first of them holds old: 0, unless it has expired.
func (e *Engine) shiftQuad(queue []quadNode, at int, lane uint, flags, old, fp uint64) (kicks uint64) {
	t, to := &e.Table, queue[4*at+2+int(lane)].bucket
	width := t.Width() & 63
	off := to * t.WholeBytes
	bit := uint(bits.TrailingZeros64(flags)) - (width - 1)
	for { // old is what the slot holds to which a fingerprint moves
		n := &queue[at]
		from := lane * width
		moved := n.word >> (from & 63) & (1<<width - 1)
		t.Put(off, t.At(off)^(old^moved)<<(bit&63))
		e.check(position{bucket: to}, position{bucket: n.bucket}, moved)
		kicks++
		old, bit, to, off = moved, from, n.bucket, n.bucket*t.WholeBytes
		if at < 2 {
			t.Put(off, t.At(off)^(old^fp)<<(bit&63))
			return kicks
		}
		at, lane = (at-2)>>2, uint(at-2)&3
	}
}
