package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// located are lanes of a bucket that equal the wanted fingerprint.
type located struct {
	flags vector // the highest bit of the lowest such lane and perhaps others above, counted from the bucket's first bit
	byte  vector // at which a word begins that has the bucket
	shift vector // the bucket's first bit in that word
}

// locate writes a kernel that finds the lane in which the fingerprint of each digest is.
func locate(name, rules string, alternate alternator) {
	p, scratch := beginTable(name, "finds the lanes of n digests, a positive multiple of 8, "+rules, 8, "at *uint64, lanes *uint64")
	k, top := newKernel(p, scratch), field(p, 7)
	data := Load(Param("data"), GP64())
	at := Load(Param("at"), GP64())
	lanes := Load(Param("lanes"), GP64())
	none := ZMM()
	VPXORQ(none, none, none)
	each("hs", func(h vector) {
		fp, i, j, _ := k.places(h, alternate)
		wanted := product64(fp, k.low)
		first, second := k.find(data, i, wanted), k.find(data, j, wanted)
		inFirst := K()
		VPTESTMQ(first.flags, first.flags, inFirst)
		VMOVDQU64(first.flags, inFirst, second.flags)
		VMOVDQU64(first.byte, inFirst, second.byte)
		VMOVDQU64(first.shift, inFirst, second.shift)
		negative, lowest := ZMM(), ZMM()
		VPSUBQ(second.flags, none, negative)
		VPANDQ(second.flags, negative, lowest)
		// From the highest bit of the lane to its lowest one.
		lane := ZMM()
		VPSUBQ(shiftRight(lowest, top), add(lowest, lowest), lane)
		VMOVDQU64(second.byte, Mem{Base: at})
		VMOVDQU64(shiftLeft(lane, second.shift), Mem{Base: lanes})
		ADDQ(U8(64), at)
		ADDQ(U8(64), lanes)
	})
}

// find looks for a fingerprint in a bucket.
func (k *kernel) find(data reg.Register, bucket, wanted vector) located {
	at := multiply(bucket, k.bits)
	shift := and(at, k.seven)
	VPSRLQ(Imm(3), at, at)
	rest, flags := k.differ(shiftRight(k.gather(data, at), shift), wanted)
	VPTERNLOGQ(Imm(0x20), k.high, rest, flags) // flags &^ rest & high
	return located{flags, at, shift}
}
