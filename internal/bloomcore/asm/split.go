package main

import (
	"log"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// salts are the multipliers of the eight lanes, fixed by the Parquet format (BloomFilter.md of
// apache/parquet-format). Package bloomcore has them too, and its fuzz test holds the two together.
var salts = [8]uint32{
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
}

// split emits the kernels of split-block filters.
func split() {
	multipliers := GLOBL("splitSalts", RODATA|NOPTR)
	for i, s := range salts {
		DATA(4*i, U32(s))
	}

	TEXT("splitHasAVX2", NOSPLIT, "func(words *uint64, blocks uint64, h uint64) bool")
	Pragma("noescape")
	Doc("splitHasAVX2 tells whether all bits of h are set.")
	one(multipliers, func(block Mem, mask VecVirtual, result GPVirtual) {
		stored := YMM()
		VMOVDQU(block, stored)
		VPTEST(mask, stored) // carry: no bit of the mask is clear
		SETCS(result)
	})

	TEXT("splitSetAVX2", NOSPLIT, "func(words *uint64, blocks uint64, h uint64) bool")
	Pragma("noescape")
	Doc("splitSetAVX2 sets all bits of h and tells whether one of them was clear.")
	one(multipliers, func(block Mem, mask VecVirtual, result GPVirtual) {
		stored := YMM()
		VMOVDQU(block, stored)
		VPTEST(mask, stored)
		SETCC(result)
		VPOR(stored, mask, mask)
		VMOVDQU(mask, block)
	})

	TEXT("splitHasEachAVX2", NOSPLIT, "func(words *uint64, blocks uint64, hs *uint64, dst *bool, n int)")
	Pragma("noescape")
	Doc("splitHasEachAVX2 writes to dst[i] whether all bits of hs[i] are set, for i below n > 0.")
	dst := Load(Param("dst"), GP64())
	loop(multipliers, func(block Mem, mask VecVirtual) {
		stored := YMM()
		VMOVDQU(block, stored)
		VPTEST(mask, stored)
		SETCS(Mem{Base: dst})
		INCQ(dst)
	})

	TEXT("splitSetAllAVX2", NOSPLIT, "func(words *uint64, blocks uint64, hs *uint64, n int)")
	Pragma("noescape")
	Doc("splitSetAllAVX2 sets all bits of hs[0..n-1], n > 0.")
	loop(multipliers, func(block Mem, mask VecVirtual) {
		VPOR(block, mask, mask)
		VMOVDQU(mask, block)
	})
}

// one emits the handling of a single digest. do gets its block, the bits that it has there, and the
// register of the result.
func one(multipliers Mem, do func(block Mem, mask VecVirtual, result GPVirtual)) {
	words, blocks, h := Load(Param("words"), GP64()), Load(Param("blocks"), GP64()), Load(Param("h"), GP64())
	low, err := Param("h").Resolve()
	if err != nil {
		log.Fatal(err)
	}
	ones, mask, result := onesVector(), YMM(), GP8()
	VPBROADCASTD(low.Addr, mask) // the low half
	bitsOf(mask, multipliers, ones)
	do(blockOf(words, blocks, h), mask, result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// loop emits the loop over the digests. each gets the block of one and the bits that it has there.
func loop(multipliers Mem, each func(block Mem, mask VecVirtual)) {
	words, blocks := Load(Param("words"), GP64()), Load(Param("blocks"), GP64())
	hs, n := Load(Param("hs"), GP64()), Load(Param("n"), GP64())
	salted, ones := YMM(), onesVector()
	VMOVDQU(multipliers, salted)
	LEAQ(Mem{Base: hs, Index: n, Scale: 8}, n) // the end

	Label("next")
	h, mask := GP64(), YMM()
	MOVQ(Mem{Base: hs}, h)
	VPBROADCASTD(Mem{Base: hs}, mask) // the low half
	bitsOf(mask, salted, ones)
	each(blockOf(words, blocks, h), mask)
	ADDQ(Imm(8), hs)
	CMPQ(hs, n)
	JNE(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// onesVector returns a vector with 1 in every lane.
func onesVector() VecVirtual {
	ones := YMM()
	VPCMPEQD(ones, ones, ones)
	VPSRLD(Imm(31), ones, ones)
	return ones
}

// bitsOf turns the low half of a digest, in every lane of x, into one bit for each lane.
func bitsOf(x VecVirtual, salted Op, ones VecVirtual) {
	VPMULLD(salted, x, x)
	VPSRLD(Imm(27), x, x)
	VPSLLVD(x, ones, x)
}

// blockOf returns the block of the digest in h, which it overwrites.
func blockOf(words, blocks, h Register) Mem {
	SHRQ(Imm(32), h)
	IMULQ(blocks, h)
	SHRQ(Imm(32), h)
	SHLQ(Imm(5), h)
	return Mem{Base: words, Index: h, Scale: 1}
}
