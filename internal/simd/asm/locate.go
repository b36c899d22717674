package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// located are lanes of a bucket that equal the wanted fingerprint.
type located struct {
	flags vector // the highest bit of the lowest such lane and perhaps of others, from the bucket's first bit on
	byte  vector // at which a word begins that has the bucket
	shift vector // the bucket's first bit in that word
}

// locate writes a kernel that finds the lane in which the fingerprint of each digest is.
func locate(name, rules string, alternate alternator) {
	p := beginTable(name, "at *uint64, lanes *uint64", "finds the lanes of n digests, a positive multiple of 8, "+rules)
	k, top, highest := newKernel(p, true, scratchSize), XMM(), GP64()
	BSFQ(Mem{Base: p, Disp: 8 * 4}, highest) // of the lowest lane
	VMOVQ(highest, top)
	data, at, lanes := pointer("data"), pointer("at"), pointer("lanes")
	each("hs", func(half int, h vector) {
		fp, i, j, _ := k.places(h, alternate)
		wanted := product(fp, k.low)
		l := k.find(data, i, wanted).or(k.find(data, j, wanted))
		// From the highest bit of the lane to its lowest one.
		lowest := and(l.flags, less(l.flags, zeros()))
		lane := less(result(VPSRLQ, top, lowest), add(lowest, lowest))
		store(l.byte, at, half)
		store(shiftLeft(lane, l.shift), lanes, half)
	}, func() {
		advance(at, 64)
		advance(lanes, 64)
	})
}

// find looks for a fingerprint in a bucket.
func (k *kernel) find(data reg.Register, bucket, wanted vector) located {
	bit := multiply(k.bits, bucket)
	shift, at := and(k.seven, bit), right(bit, 3)
	rest, flags := k.differ(shiftRight(k.gather(data, at), shift), wanted)
	if wide {
		VPTERNLOGQ(Imm(0x20), k.high, rest, flags) // flags &^ rest & high
	} else {
		flags = and(k.high, andNot(flags, rest))
	}
	return located{flags, at, shift}
}

// or returns l where it has flags, and other elsewhere.
func (l located) or(other located) located {
	if wide {
		first := K()
		VPTESTMQ(l.flags, l.flags, first)
		VMOVDQU64(l.flags, first, other.flags)
		VMOVDQU64(l.byte, first, other.byte)
		VMOVDQU64(l.shift, first, other.shift)
		return other
	}
	none := zero(l.flags)
	choose := func(a, b vector) vector {
		v := YMM()
		VBLENDVPD(none, b, a, v)
		return v
	}
	return located{choose(l.flags, other.flags), choose(l.byte, other.byte), choose(l.shift, other.shift)}
}
