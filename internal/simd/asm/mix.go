package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// mix writes the kernel that makes digests of integers.
func mix() {
	begin("mix", "func(p *[3]uint64, keys *uint64, dst *uint64, n int)", "makes digests of n integers, a positive multiple of 8")
	p := Load(Param("p"), GP64())
	increment, factor1, factor2 := field(p, 0), field(p, 1), field(p, 2)
	dst := Load(Param("dst"), GP64())
	each("keys", func(k vector) {
		k = product64(shiftedXor(add(k, increment), 30), factor1)
		k = product64(shiftedXor(k, 27), factor2)
		VMOVDQU64(shiftedXor(k, 31), Mem{Base: dst})
		ADDQ(U8(64), dst)
	})
}

// shiftedXor returns v ^ v>>by.
func shiftedXor(v vector, by uint8) vector {
	s := ZMM()
	VPSRLQ(U8(by), v, s)
	return xor(v, s)
}
