package cuckoo

import "github.com/nestfilter/nest/internal/packed"

// two is a pair of buckets of a growing filter of which each takes two words: those of one bucket are a and b, of the
// other c and d.
type two struct{ a, b, c, d uint64 }

// twoAt returns the words of buckets i and j.
func twoAt(t *packed.Table, i, j uint64) (w two) {
	w.a, w.b = t.Both(i)
	w.c, w.d = t.Both(j)
	return w
}

// hasPrefix tells whether a lane of them is a prefix of lane.
func (w *two) hasPrefix(t *packed.Table, lane uint64) bool {
	g, l := &t.Group, &t.Last
	inGroup, inLast := g.Low*lane, l.Low*lane
	none := packed.NoPrefix(w.a, inGroup, g.Low, g.High) & packed.NoPrefix(w.c, inGroup, g.Low, g.High)
	noneLast := packed.NoPrefix(w.b, inLast, l.Low, l.High) & packed.NoPrefix(w.d, inLast, l.Low, l.High)
	return none&g.High != g.High || noneLast&l.High != l.High
}

// store writes lane into a free slot of bucket i, else of bucket j, whose words they are, and tells whether there was
// one.
func (w *two) store(t *packed.Table, i, j, lane uint64) bool {
	if at, ok := t.Free(w.a, w.b); ok {
		t.Set(i, at, lane)
		return true
	}
	at, ok := t.Free(w.c, w.d)
	if ok {
		t.Set(j, at, lane)
	}
	return ok
}
