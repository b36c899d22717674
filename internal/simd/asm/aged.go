package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// aged writes the kernel for lanes that have an age above the fingerprint.
func aged() {
	p := beginTable("aged", "dst *bool", "answers n digests, a positive multiple of 8, from lanes with ages")
	k := newKernel(p, true, scratchSize)
	fingerprints, rest, dead := k.stored(field(p, 7)), field(p, 8), k.stored(field(p, 9))
	// live has the highest bit of each lane set that is equal to the wanted one in its fingerprint and differs in its
	// age.
	live := func(x vector) vector {
		a, b := add(rest, and(rest, x)), add(rest, and(fingerprints, x))
		if wide {
			VPTERNLOGQ(Imm(0x54), b, x, a) // (a | x) &^ b
			return a
		}
		return andNot(or(a, x), b)
	}
	answer(func(data reg.Register, h vector) finding {
		fp, i, j, _ := k.places(h, additiveAlternate)
		wanted := or(dead, product(fp, k.low))
		x := live(xor(k.word(data, i), wanted))
		return found(k.high, or(x, live(xor(k.word(data, j), wanted))))
	})
}
