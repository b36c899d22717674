package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of a blocked filter; package bloomcore has these constants too, with their reasons, and
// its fuzz test holds the two together.
const (
	multiplier = 0xf1357aea2e62a9c5
	fields     = 7 // positions of one state
	fieldBits  = 9
)

// A blockKernel is what all kernels of blocked filters share: constants in registers, and the
// parameters words, blocks, full and last. A key has full states of 7 positions each, then one whose
// positions are those in the set last.
type blockKernel struct {
	words, blocks, full, factor   Register
	wordShift, bitShift, ones     VecVirtual
	allFields, lastFields         OpmaskVirtual
	unused, fieldMask, minusLanes VecVirtual // of kernels that set bits
	position                      Mem        // 64 bytes of a cache line
}

// blockConstants are the tables in memory.
type blockConstants struct{ wordShift, bitShift, minusLanes Mem }

// blocked emits the kernels of blocked filters.
func blocked() {
	table := func(name string, of func(lane int) int) Mem {
		m := GLOBL(name, RODATA|NOPTR)
		for lane := range 8 {
			DATA(8*lane, U64(uint64(of(lane))))
		}
		return m
	}
	c := blockConstants{
		wordShift:  table("blockWordShift", func(lane int) int { return max(0, 61-fieldBits*lane) }),
		bitShift:   table("blockBitShift", func(lane int) int { return max(0, 55-fieldBits*lane) }),
		minusLanes: table("blockMinusLanes", func(lane int) int { return -64 * lane }),
	}
	const parameters = "words *uint64, blocks uint64, full uint64, last uint64, "

	TEXT("blockHasAVX512", NOSPLIT, "func("+parameters+"h uint64) bool")
	Pragma("noescape")
	Doc("blockHasAVX512 tells whether all bits of h are set.")
	k, result := newBlockKernel(c, false), GP8()
	k.has(Load(Param("h"), GP64()), result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()

	TEXT("blockSetAVX512", NOSPLIT, "func("+parameters+"h uint64) bool")
	Pragma("noescape")
	Doc("blockSetAVX512 sets all bits of h and tells whether one of them was clear.")
	k, result = newBlockKernel(c, true), GP8()
	line, mask := k.set(Load(Param("h"), GP64()))
	stored, unset := ZMM(), K()
	VMOVDQU64(line, stored)
	VPANDNQ(mask, stored, stored)
	VPTESTMQ(stored, stored, unset)
	KORTESTB(unset, unset)
	SETNE(result)
	VPORQ(line, mask, mask)
	VMOVDQU64(mask, line)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()

	TEXT("blockHasEachAVX512", NOSPLIT, "func("+parameters+"hs *uint64, dst *bool, n int)")
	Pragma("noescape")
	Doc("blockHasEachAVX512 writes to dst[i] whether all bits of hs[i] are set, for i below n > 0.")
	k = newBlockKernel(c, false)
	dst := Load(Param("dst"), GP64())
	k.each(func(h Register) {
		answer := GP8()
		k.has(h, answer)
		MOVB(answer, Mem{Base: dst})
		INCQ(dst)
	})

	TEXT("blockSetAllAVX512", NOSPLIT, "func("+parameters+"hs *uint64, n int)")
	Pragma("noescape")
	Doc("blockSetAllAVX512 sets all bits of hs[0..n-1], n > 0.")
	k = newBlockKernel(c, true)
	k.each(func(h Register) {
		line, mask := k.set(h)
		VPORQ(line, mask, mask)
		VMOVDQU64(mask, line)
	})
}

// newBlockKernel emits the loads of parameters and constants.
func newBlockKernel(c blockConstants, sets bool) *blockKernel {
	k := &blockKernel{
		words: Load(Param("words"), GP64()), blocks: Load(Param("blocks"), GP64()),
		full: Load(Param("full"), GP64()), factor: GP64(),
		wordShift: ZMM(), bitShift: ZMM(), ones: ZMM(), allFields: K(), lastFields: K(),
	}
	scratch := GP64()
	MOVQ(U64(multiplier), k.factor)
	MOVQ(U32(1<<fields-1), scratch)
	KMOVB(scratch.As32(), k.allFields)
	Load(Param("last"), scratch)
	KMOVB(scratch.As32(), k.lastFields)
	MOVQ(U32(1), scratch)
	VPBROADCASTQ(scratch, k.ones)
	VMOVDQU64(c.bitShift, k.bitShift)
	if !sets {
		VMOVDQU64(c.wordShift, k.wordShift)
		return k
	}
	k.unused, k.fieldMask, k.minusLanes = ZMM(), ZMM(), ZMM()
	MOVQ(U32(1<<fieldBits-1), scratch)
	VPBROADCASTQ(scratch, k.fieldMask)
	MOVQ(U32(1<<20), scratch) // a position beyond every block
	VPBROADCASTQ(scratch, k.unused)
	VMOVDQU64(c.minusLanes, k.minusLanes)
	aligned := GP64()
	LEAQ(AllocLocal(128).Offset(63), aligned)
	ANDQ(I8(-64), aligned)
	k.position = Mem{Base: aligned}
	return k
}

// each emits the loop over the digests.
func (k *blockKernel) each(do func(h Register)) {
	hs, n := Load(Param("hs"), GP64()), Load(Param("n"), GP64())
	LEAQ(Mem{Base: hs, Index: n, Scale: 8}, n) // the end
	Label("next")
	h := GP64()
	MOVQ(Mem{Base: hs}, h)
	do(h)
	ADDQ(Imm(8), hs)
	CMPQ(hs, n)
	JNE(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// start emits the block of h and turns h into its first state.
func (k *blockKernel) start(h Register) (line Mem) {
	MOVQ(h, RAX)
	MULQ(k.blocks)
	at, folded := GP64(), GP64()
	MOVQ(RDX, at)
	SHLQ(Imm(6), at)
	MOVQ(h, folded)
	SHRQ(Imm(32), folded)
	XORQ(folded, h)
	IMULQ(k.factor, h)
	return Mem{Base: k.words, Index: at, Scale: 1}
}

// states emits the rounds of a key, whose first state is x. round gets the set of positions.
func (k *blockKernel) states(x Register, round func(set OpmaskVirtual)) {
	left := GP64()
	MOVQ(k.full, left)
	JMP(LabelRef("test"))
	Label("state")
	round(k.allFields)
	ROLQ(Imm(32), x)
	IMULQ(k.factor, x)
	DECQ(left)
	Label("test")
	TESTQ(left, left)
	JNE(LabelRef("state"))
	round(k.lastFields)
}

// has emits the test of one digest. Each position takes its word out of the block and turns its bit to
// the bottom: permutation and rotation look at as many bits of their counts as it needs.
func (k *blockKernel) has(h, result Register) {
	stored, unset := ZMM(), K()
	VMOVDQU64(k.start(h), stored)
	KXORB(unset, unset, unset)
	k.states(h, func(set OpmaskVirtual) {
		state, bit, clear := ZMM(), ZMM(), K()
		VPBROADCASTQ(h, state)
		VPSRLVQ(k.bitShift, state, bit)
		VPSRLVQ(k.wordShift, state, state)
		VPERMQ(stored, state, state)
		VPRORVQ(bit, state, state)
		VPTESTNMQ(k.ones, state, set, clear)
		KORB(clear, unset, unset)
	})
	KORTESTB(unset, unset)
	SETEQ(result)
}

// set emits the bits of one digest in its block. Lane i of a block takes position p as a shift by
// p-64i, which leaves nothing unless p is one of its own.
func (k *blockKernel) set(h Register) (line Mem, mask VecVirtual) {
	line, mask = k.start(h), ZMM()
	VPXORQ(mask, mask, mask)
	k.states(h, func(set OpmaskVirtual) {
		state, positions, bit := ZMM(), ZMM(), ZMM()
		VPBROADCASTQ(h, state)
		VPSRLVQ(k.bitShift, state, state)
		VMOVDQA64(k.unused, positions)
		VPANDQ(k.fieldMask, state, set, positions)
		VMOVDQU64(positions, k.position)
		for i := range fields {
			VPADDQ_BCST(k.position.Offset(8*i), k.minusLanes, bit)
			VPSLLVQ(bit, k.ones, bit)
			VPORQ(bit, mask, mask)
		}
	})
	return line, mask
}
