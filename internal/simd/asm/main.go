// Command asm writes the vector kernels of package simd: kernels_amd64.s and the Go declarations in
// kernels_amd64.go. It is a module of its own, so that its dependency reaches no user. The generate
// line of the package runs it.
//
// Each kernel is written twice from one description, with the instructions of AVX-512 and with those of AVX2.
package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64,!purego,!race")
	declare(0, 1, 2, 3, 4, 7, 16, 32, 63, 64, 255, 0xffff, 63<<16, 2<<22, 0xc2b2ae35, 1<<63)
	searchTables()
	for _, wide = range []bool{true, false} {
		contains("containsXOR", "under the xor rules", by(exclusiveAlternate), false, false)
		contains("containsAdditive", "under the additive rule", by(additiveAlternate), false, false)
		contains("wholeXOR", "under the xor rules, 2^k buckets of whole bytes", powerOfTwo, true, true)
		contains("wholeAdditive", "under the additive rule, buckets of whole bytes", by(additiveAlternate), true, false)
		paired("pairedXOR", "under the xor rules where slots are paired", exclusiveAlternate)
		paired("pairedAdditive", "under the additive rule where slots are paired", additiveAlternate)
		search("fourXOR", "under the xor rules", exclusiveAlternate, true)
		search("fourAdditive", "under the additive rule", additiveAlternate, true)
		search("eightXOR", "under the xor rules", exclusiveAlternate, false)
		search("eightAdditive", "under the additive rule", additiveAlternate, false)
		prefixes()
		aged()
		locate("locateXOR", "under the xor rules", exclusiveAlternate)
		locate("locateAdditive", "under the additive rule", additiveAlternate)
		mix()
		fuse("fuseThree", "three", false)
		fuse("fuseFour", "four", true)
	}
	prefetch()
	release()
	Generate()
}

// release writes a plain store, which on amd64 is seen after all stores before it. sync/atomic has only the dearer store
// that is seen before all loads after it, too.
func release() {
	TEXT("release", attr.NOSPLIT, "func(n *uint64)")
	Pragma("noescape")
	Doc("release sets n to 0.")
	MOVQ(U32(0), Mem{Base: Load(Param("n"), GP64())})
	RET()
}

// prefetch writes the loop that asks for cache lines. They come into the second-level cache: of those on the way to the
// first only few can be under way, and loads of others wait for them.
func prefetch() {
	TEXT("prefetch", attr.NOSPLIT, "func(data *byte, offs *uint64, n int)")
	Pragma("noescape")
	Doc("prefetch asks for the cache lines of data at n offsets.")
	data := Load(Param("data"), GP64())
	offs := Load(Param("offs"), GP64())
	n := Load(Param("n"), GP64())
	Label("next")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	at := GP64()
	MOVQ(Mem{Base: offs}, at)
	PREFETCHT1(Mem{Base: data, Index: at, Scale: 1})
	ADDQ(U8(8), offs)
	DECQ(n)
	JMP(LabelRef("next"))
	Label("done")
	RET()
}
