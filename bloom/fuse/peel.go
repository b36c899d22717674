package fuse

import "math/bits"

// sort writes the hashes of the digests hs in the order of their first segments, so that the loops after it work in a
// part of the table that fits into a cache. Hashes up to lower have all their slots in the lower half, those from
// upper on in the upper one.
func (b *builder) sort(hs []uint64) (lower, upper int) {
	log := uint(bits.TrailingZeros64(b.segment))
	segments := b.span >> log
	parts := [2][]uint64{hs[:len(hs)/2], hs[len(hs)/2:]}
	var starts [2][]int // of each segment, for each half of the digests
	b.both(func(half int) {
		count := make([]int, segments)
		for _, h := range parts[half] {
			p, _ := bits.Mul64(mix(h+b.seed), b.span)
			count[p>>log]++
		}
		starts[half] = count
	})
	at := 0
	for s := range segments {
		if s<<log == b.low {
			lower = at
		}
		if s<<log == b.mid {
			upper = at
		}
		for half := range starts {
			at, starts[half][s] = at+starts[half][s], at
		}
	}
	if b.mid >= b.span {
		lower, upper = at, at
	}
	b.both(func(half int) {
		start := starts[half]
		for _, h := range parts[half] {
			x := mix(h + b.seed)
			p, _ := bits.Mul64(x, b.span)
			s := p >> log
			b.hashes[start[s]] = x
			start[s]++
		}
	})
	return lower, upper
}

// count adds keys to the cells of their slots, and tells whether a count was too large.
func (b *builder) count(hashes []uint64) (over bool) {
	counts, cells := b.counts, b.cells[:len(b.counts)]
	full := uint8(0)
	for _, x := range hashes {
		p0, p1, p2 := b.three(x)
		counts[p0]++
		cells[p0] ^= x
		counts[p1]++
		cells[p1] ^= x
		counts[p2]++
		cells[p2] ^= x
		full |= counts[p0] | counts[p1] | counts[p2]
		if b.four {
			p3 := b.fourth(x, p0)
			counts[p3]++
			cells[p3] ^= x
			full |= counts[p3]
		}
	}
	return full >= 1<<7
}

// A wave takes keys away, the latest found first, so that it stays in one part of the table.
type wave struct {
	at, step int      // where in hashes the next slot goes, and where the one after it
	stack    []uint32 // slots that have had a count of 1
	top      int      // how many of stack there are
	rest     []uint32 // slots whose key has slots in both halves
}

// peel takes away what it can in one half of the table, from its end inwards.
func (b *builder) peel(w *wave, half int) {
	from, to, step := 0, int(b.mid), 1
	if half == 1 {
		from, to, step = int(b.slots())-1, int(b.mid)-1, -1
	}
	for s := from; s != to; s += step {
		if b.counts[s] == 1 {
			w.stack = append(w.stack[:0], uint32(s))
			w.top = 1
			b.drain(w)
		}
	}
}

// drain takes away the keys of the stack, and those that have a slot alone after it.
func (b *builder) drain(w *wave) {
	counts, cells := b.counts, b.cells[:len(b.counts)]
	for w.top > 0 {
		w.top--
		s := w.stack[w.top]
		if counts[s] != 1 {
			continue
		}
		x := cells[s]
		p0, p1, p2 := b.three(x)
		if p0 >= b.low && p0 < b.mid {
			w.rest = append(w.rest, s)
			continue
		}
		if w.top+4 > len(w.stack) {
			w.stack = append(w.stack, make([]uint32, 4+len(w.stack))...)
		}
		stack := w.stack[w.top:][:4]
		n := 0
		take := func(p uint64) {
			cells[p] ^= x
			counts[p]--
			stack[n&3] = uint32(p)
			if counts[p] == 1 {
				n++
			}
		}
		take(p0)
		take(p1)
		take(p2)
		if b.four {
			take(b.fourth(x, p0))
		}
		w.top += n
		cells[s] = x
		b.hashes[w.at] = uint64(s)
		w.at += w.step
	}
}

// assign makes the cells of slots fingerprints, in the opposite of the order in which their keys were taken away:
// step says which that was. A slot without a key is 0.
func (b *builder) assign(order []uint64, step int) {
	cells := b.cells
	at := len(order) - 1
	if step < 0 {
		at = 0
	}
	for range order {
		s := order[at]
		at -= step
		x := cells[s]
		p0, p1, p2 := b.three(x)
		cells[s] = 0
		v := x ^ x>>32 ^ cells[p0] ^ cells[p1] ^ cells[p2]
		if b.four {
			v ^= cells[b.fourth(x, p0)]
		}
		cells[s] = v
	}
}
