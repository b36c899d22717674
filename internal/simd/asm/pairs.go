package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs is what a kernel needs besides where slots are paired.
type pairs struct {
	marks, windows     lookup
	low8, three, turns Op
}

// A lookup is a table of 32 words of 16 bits: one vector, or the tables of Probe.Paired, from a word on.
type lookup struct {
	table  vector
	lowest reg.OpmaskVirtual // the lowest word of 16 bits of every lane
	tables reg.Register
	at     int
}

// loadPairs loads them.
func (k *kernel) loadPairs(p reg.Register) {
	tables := GP64()
	MOVQ(Mem{Base: p, Disp: 8 * 7}, tables)
	k.pairs = pairs{
		marks: lookup{tables: tables}, windows: lookup{tables: tables, at: 8},
		low8: constant(255), three: constant(3), turns: constant(0xc2b2ae35),
	}
	if !wide {
		return
	}
	bits, lowest := GP32(), K()
	MOVL(U32(0x11111111), bits)
	KMOVD(bits, lowest)
	for _, l := range []*lookup{&k.pairs.marks, &k.pairs.windows} {
		l.table, l.lowest = ZMM(), lowest
		VMOVDQU64(Mem{Base: tables, Disp: 8 * l.at}, l.table)
	}
}

// look returns the words of a table that the lowest 5 bits of every lane number. In AVX2 the other bits must be 0.
func (l lookup) look(at vector) vector {
	v := words()
	if wide {
		VPERMW_Z(l.table, at, l.lowest, v)
		return v
	}
	// Of the 8 words of 32 bits in either half of the table, take the one that bits 1 to 3 number, then of the two
	// that in the half of bit 4, then of that the half of bit 0.
	pair, first, second := right(at, 1), YMM(), YMM()
	VPERMD(Mem{Base: l.tables, Disp: 8 * l.at}, pair, first)
	VPERMD(Mem{Base: l.tables, Disp: 8*l.at + 32}, pair, second)
	VBLENDVPD(left(at, 59), second, first, v)
	return and(constant(0xffff), shiftRight(v, left(and(constant(1), at), 4)))
}

// window says where two lanes of a pair are in a bucket.
type window struct {
	start, apart vector // the first bit of the lower one, and from it to that of the other
}

// windowOf returns the window of a pair: in the table of pairs, the start is in the lower byte.
func (k *kernel) windowOf(pair vector) window {
	v := k.pairs.windows.look(pair)
	return window{and(k.pairs.low8, v), right(v, 8)}
}

// windows returns the windows of a fingerprint in its two buckets. The product of the digest, from its bit 32 on, has
// the place of its pair in the bits that follow those of the bucket.
func (k *kernel) windows(product, fp vector) (primary, alternate window) {
	place := right(left(product, 32), 62)
	// The matching and, in the lowest two bits, the turn.
	turned := k.pairs.marks.look(right(left(multiply(k.pairs.turns, fp), 32), 59))
	pair := or(place, less(and(k.pairs.three, turned), turned))
	return k.windowOf(pair), k.windowOf(xor(place, turned))
}

// equal returns the findings of two lanes of a window.
func (k *kernel) differs(data reg.Register, bucket, fp vector, w window) (x, y vector) {
	x = k.load(data, add(w.start, multiply(k.bits, bucket)))
	return xor(x, fp), xor(shiftRight(x, w.apart), fp)
}

// paired writes a kernel in which a pair of slots of either bucket counts.
func paired(name, rules string, alternate alternator) {
	p := beginTable(name, "dst *bool", "answers n digests, a positive multiple of 8, "+rules)
	k := newKernel(p, true, scratchSize)
	k.loadPairs(p)
	answer(func(data reg.Register, h vector) finding {
		fp, i, j, product := k.places(h, alternate)
		w, v := k.windows(product, fp)
		a, b := k.differs(data, i, fp, w)
		c, d := k.differs(data, j, fp, v)
		return k.anyZero(a, b, c, d)
	})
}

// anyZero is a finding where one of the vectors has no bit of a fingerprint.
func (k *kernel) anyZero(all ...vector) finding {
	if wide {
		mask := K()
		KXNORB(mask, mask, mask)
		for _, v := range all {
			VPTESTMQ(k.scale, v, mask, mask)
		}
		KNOTB(mask, mask)
		return finding{mask: mask}
	}
	hits := zero(and(k.scale, all[0]))
	for _, v := range all[1:] {
		hits = or(hits, zero(and(k.scale, v)))
	}
	return finding{absent: zero(hits)}
}
