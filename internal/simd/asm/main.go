// Command asm writes the vector kernels of package simd: kernels_amd64.s and the Go declarations in
// kernels_amd64.go. It is a module of its own, so that its dependency reaches no user. The generate
// line of the package runs it.
//
// A kernel takes 8 digests in one step, a digest in each 64-bit lane.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego,!race")
	contains("containsXOR", "under the xor rules", by(exclusiveAlternate), false)
	contains("containsAdditive", "under the additive rule", by(additiveAlternate), false)
	contains("wholeXOR", "under the xor rules in a power of two of buckets of whole bytes", powerOfTwo, true)
	contains("wholeAdditive", "under the additive rule in buckets of whole bytes", by(additiveAlternate), true)
	paired("pairedXOR", "under the xor rules where slots are paired", exclusiveAlternate)
	paired("pairedAdditive", "under the additive rule where slots are paired", additiveAlternate)
	prefixes()
	locate("locateXOR", "under the xor rules", exclusiveAlternate)
	locate("locateAdditive", "under the additive rule", additiveAlternate)
	mix()
	prefetch()
	Generate()
}

// vector is 8 words of 64 bits, or the register of fewer.
type vector = reg.VecVirtual

// kernel holds what does not change from step to step in registers.
type kernel struct {
	one, seven           vector
	buckets, bits, scale vector
	low, high            vector
	spread, last         vector
	// whole says that buckets are whole bytes, and bits counts bytes. shift is 64 less the bits of the number of a bucket.
	whole bool
	shift vector
	// scratch is memory for two vectors, at a multiple of their size, and turn says which of them is next.
	scratch reg.Register
	turn    int
	// Where slots are paired: the tables, and constants.
	marks, pairs        vector
	low8, three, turner vector
	lowest              reg.OpmaskVirtual // the lowest word of 16 bits of every lane
}

// field puts a word of the parameters into every lane.
func field(p reg.Register, at int) vector {
	v := ZMM()
	VPBROADCASTQ(Mem{Base: p, Disp: 8 * at}, v)
	return v
}

// constant puts a word into every lane.
func constant(x uint64) vector {
	r, v := GP64(), ZMM()
	MOVQ(U64(x), r)
	VPBROADCASTQ(r, v)
	return v
}

// upper returns the upper half of every lane.
func upper(v vector) vector {
	u := ZMM()
	VPSRLQ(Imm(32), v, u)
	return u
}

// multiply returns the products of the lower halves.
func multiply(a, b vector) vector {
	v := ZMM()
	VPMULUDQ(a, b, v)
	return v
}

// add returns the sums.
func add(a, b vector) vector {
	v := ZMM()
	VPADDQ(a, b, v)
	return v
}

// above32 returns x*m >> 32 for m below 2^32, whose upper half is the high word of the product.
func above32(x, m vector) vector {
	lo := upper(multiply(x, m))
	return add(multiply(upper(x), m), lo)
}

// product64 returns the low words of the products. On some processors it takes three times as long as multiply, on others
// as long.
func product64(a, b vector) vector {
	v := ZMM()
	VPMULLQ(a, b, v)
	return v
}

// exclusiveAlternate returns i xor bits 32.. of fp*spread, as many as the mask leaves.
func exclusiveAlternate(k *kernel, i, fp vector) vector {
	s := upper(product64(fp, k.spread))
	VPTERNLOGQ(Imm(0x6c), k.last, i, s) // s & last ^ i
	return s
}

// additiveAlternate returns c(fp)-i modulo m.
func additiveAlternate(k *kernel, i, fp vector) vector {
	x := multiply(fp, k.spread)
	y := ZMM()
	VPSRLD(Imm(16), x, y)
	VPXORQ(y, x, x)
	j := ZMM()
	VPSUBQ(i, upper(multiply(multiply(x, k.last), k.buckets)), j)
	// Below zero it is huge, and m more is the smaller number.
	VPMINUQ(add(j, k.buckets), j, j)
	return j
}

// word loads the word at the bucket's first bit, that bit lowest.
func (k *kernel) word(data reg.Register, bucket vector) vector {
	if k.whole {
		return k.gather(data, multiply(bucket, k.bits))
	}
	return k.load(data, multiply(bucket, k.bits))
}

// load loads the words at bits, which it changes, those bits lowest.
func (k *kernel) load(data reg.Register, at vector) vector {
	shift := and(at, k.seven)
	VPSRLQ(Imm(3), at, at)
	return shiftRight(k.gather(data, at), shift)
}

// gather loads the words at bytes, each by a load of its own, from addresses that go through memory. The instruction that gathers keeps
// the processor from looking further ahead: with it a lookup takes 1.1 times as long in the caches and 1.24 times as long beyond them, on
// an AMD EPYC of 2024 (12 bits, XOR, 2^16, 2^20 and 2^24 slots, hash included).
func (k *kernel) gather(data reg.Register, at vector) vector {
	place := Mem{Base: k.scratch, Disp: 64 * (k.turn % 2)}
	k.turn++
	VMOVDQU64(at, place)
	four, z := fourWords(data, place), ZMM()
	VINSERTI64X4(Imm(1), fourWords(data, place.Offset(32)), four.AsZ(), z)
	return z
}

// fourWords loads the words at four bytes.
func fourWords(data reg.Register, place Mem) vector {
	two, y := twoWords(data, place), YMM()
	VINSERTI64X2(Imm(1), twoWords(data, place.Offset(16)), two.AsY(), y)
	return y
}

// twoWords loads the words at two bytes.
func twoWords(data reg.Register, place Mem) vector {
	first, second, x := GP64(), GP64(), XMM()
	MOVQ(place, first)
	MOVQ(place.Offset(8), second)
	VMOVQ(Mem{Base: data, Index: first, Scale: 1}, x)
	VMOVHPS(Mem{Base: data, Index: second, Scale: 1}, x, x)
	return x
}

// differ takes the wanted fingerprint from a bucket and returns also what the lanes of the rest less 1 are. A bit of high that is in the
// latter and not in the former is that of a lane which equals the fingerprint, or stands above one that does.
func (k *kernel) differ(x, wanted vector) (rest, less vector) {
	rest, less = xor(x, wanted), ZMM()
	VPSUBQ(k.low, rest, less)
	return rest, less
}

// window says where two lanes of a pair are in a bucket.
type window struct {
	start, apart vector // the first bit of the lower one, and from it to that of the other
}

// look returns words of 16 bits of a table of 32, by the lowest 5 bits of every lane.
func (k *kernel) look(table, at vector) vector {
	v := ZMM()
	VPERMW_Z(table, at, k.lowest, v)
	return v
}

// windowOf returns the window of a pair: in the table of pairs, the start is in the lower byte.
func (k *kernel) windowOf(pair vector) window {
	v, start := k.look(k.pairs, pair), ZMM()
	VPANDQ(k.low8, v, start)
	VPSRLQ(Imm(8), v, v)
	return window{start, v}
}

// windows returns the windows of a fingerprint in its two buckets. The product of the digest, from its bit 32 on, has the place of its
// pair in the bits that follow those of the bucket.
func (k *kernel) windows(product, fp vector) (primary, alternate window) {
	place, y := ZMM(), multiply(fp, k.turner)
	VPSLLQ(Imm(32), product, place)
	VPSRLQ(Imm(62), place, place)
	VPSLLQ(Imm(32), y, y)
	VPSRLQ(Imm(59), y, y)
	turned := k.look(k.marks, y) // the matching and, in the lowest two bits, the turn
	pair, across := ZMM(), ZMM()
	VPANDNQ(turned, k.three, pair)
	VPORQ(place, pair, pair)
	VPXORQ(place, turned, across)
	return k.windowOf(pair), k.windowOf(across)
}

// missing leaves those bits of a mask register set where neither of the two lanes of a window is the fingerprint.
func (k *kernel) missing(data reg.Register, bucket, fp vector, w window, mask reg.OpmaskVirtual) {
	x, y := k.load(data, add(multiply(bucket, k.bits), w.start)), ZMM()
	VPSRLVQ(w.apart, x, y)
	VPXORQ(fp, x, x)
	VPXORQ(fp, y, y)
	VPTESTMQ(k.scale, x, mask, mask)
	VPTESTMQ(k.scale, y, mask, mask)
}

// shiftLeft and shiftRight shift each lane of x by its own number of bits.
func shiftLeft(x, by vector) vector {
	v := ZMM()
	VPSLLVQ(by, x, v)
	return v
}

func shiftRight(x, by vector) vector {
	v := ZMM()
	VPSRLVQ(by, x, v)
	return v
}

// or returns the bits of both.
func or(a, b vector) vector {
	v := ZMM()
	VPORQ(a, b, v)
	return v
}

// and returns the bits that are in both.
func and(a, b vector) vector {
	v := ZMM()
	VPANDQ(a, b, v)
	return v
}

// xor returns the bits that are in one.
func xor(a, b vector) vector {
	v := ZMM()
	VPXORQ(a, b, v)
	return v
}

// noPrefix returns words that have the highest bit of a lane set where that lane of the table is no prefix of the wanted one:
// packed.NoPrefix says how.
func (k *kernel) noPrefix(x, wanted, rest vector) vector {
	negative := ZMM()
	VPSUBQ(and(x, rest), k.high, negative)
	differ := xor(x, wanted)
	differs := and(and(differ, xor(x, negative)), rest)
	return or(or(add(differs, rest), differ), negative)
}

// begin begins a kernel.
func begin(name, signature, doc string) {
	TEXT(name, attr.NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc + ".")
}

// beginTable begins a kernel that reads a table and has as many parameters. It returns the register that points to them, and one that
// points to memory of its own.
func beginTable(name, doc string, parameters int, dst string) (p, scratch reg.Register) {
	begin(name, fmt.Sprintf("func(data *byte, p *[%d]uint64, hs *uint64, %s, n int)", parameters, dst), doc)
	scratch = GP64()
	LEAQ(AllocLocal(3*64).Offset(63), scratch) // vectors, and room to align them: a store across two cache lines is slow to read back
	ANDQ(I8(-64), scratch)
	return Load(Param("p"), GP64()), scratch
}

// each ends a kernel with the loop over n words, of which each step takes 8. The caller has made n a positive multiple of 8.
func each(words string, step func(w vector)) {
	at := Load(Param(words), GP64())
	n := Load(Param("n"), GP64())
	Label("next")
	w := ZMM()
	VMOVDQU64(Mem{Base: at}, w)
	step(w)
	ADDQ(U8(64), at)
	SUBQ(U8(8), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// answer ends a kernel with the loop over its digests. found returns, of 8 of them, a bit for each that the table at data has.
func answer(found func(data reg.Register, h vector) reg.OpmaskVirtual) {
	truths := GP64()
	MOVQ(U64(0x0101010101010101), truths)
	yes := XMM()
	VMOVQ(truths, yes)
	data := Load(Param("data"), GP64())
	dst := Load(Param("dst"), GP64())
	each("hs", func(h vector) {
		bytes := XMM()
		VMOVDQU8_Z(yes, found(data, h), bytes)
		VMOVQ(bytes, Mem{Base: dst})
		ADDQ(U8(8), dst)
	})
}

// prefixes writes the kernel for tables of two sides.
func prefixes() {
	p, scratch := beginTable("containsPrefix", "answers n digests, a positive multiple of 8, from a table of two sides", 8, "dst *bool")
	k := &kernel{one: constant(1), seven: constant(7), bits: field(p, 1), low: field(p, 3), high: field(p, 4), spread: field(p, 7), scratch: scratch}
	shift, left, right, tail := field(p, 0), field(p, 2), field(p, 5), field(p, 6)
	rest, mask, side := ZMM(), constant(63), constant(1<<63)
	VPSUBQ(k.low, k.high, rest)
	answer(func(data reg.Register, h vector) reg.OpmaskVirtual {
		remainder := and(h, mask)
		lane := or(or(shiftLeft(remainder, tail), shiftRight(shiftLeft(h, left), right)), k.one)
		wanted := product64(lane, k.low)
		i := shiftRight(shiftRight(h, k.one), shift)
		apart := or(shiftRight(product64(remainder, k.spread), k.one), side)
		j := xor(i, shiftRight(apart, shift))
		misses := and(k.noPrefix(k.word(data, i), wanted, rest), k.noPrefix(k.word(data, j), wanted, rest))
		VPANDNQ(k.high, misses, misses)
		found := K()
		VPTESTMQ(misses, misses, found)
		return found
	})
}

// newKernel loads the parameters of a table of buckets.
func newKernel(p, scratch reg.Register) *kernel {
	return &kernel{
		one: constant(1), seven: constant(7),
		buckets: field(p, 0), bits: field(p, 1), scale: field(p, 2),
		low: field(p, 3), high: field(p, 4),
		spread: field(p, 5), last: field(p, 6),
		scratch: scratch,
	}
}

// loadPairs loads what a table needs besides where slots are paired.
func (k *kernel) loadPairs(p reg.Register) {
	k.low8, k.three, k.turner = constant(1<<8-1), constant(3), constant(0xc2b2ae35)
	lowest := GP32()
	MOVL(U32(0x11111111), lowest)
	k.lowest = K()
	KMOVD(lowest, k.lowest)
	k.marks, k.pairs = ZMM(), ZMM()
	VMOVDQU64(Mem{Base: p, Disp: 8 * 7}, k.marks)
	VMOVDQU64(Mem{Base: p, Disp: 8 * 15}, k.pairs)
}

// alternator returns the alternate bucket of a fingerprint in bucket i.
type alternator func(k *kernel, i, fp vector) vector

// fingerprints returns the fingerprints of 8 digests.
func (k *kernel) fingerprints(h vector) vector { return add(upper(multiply(h, k.scale)), k.one) }

// places returns the fingerprints of 8 digests, their two buckets, and the product that the first is the upper half of.
func (k *kernel) places(h vector, alternate alternator) (fp, i, j, product vector) {
	fp = k.fingerprints(h)
	product = above32(h, k.buckets)
	i = upper(product)
	return fp, i, alternate(k, i, fp), product
}

// placer returns the fingerprints of 8 digests and their two buckets.
type placer func(k *kernel, h vector) (fp, i, j vector)

// by is a placer for any number of buckets.
func by(alternate alternator) placer {
	return func(k *kernel, h vector) (fp, i, j vector) {
		fp, i, j, _ = k.places(h, alternate)
		return fp, i, j
	}
}

// powerOfTwo is the placer of the xor rules where the number of buckets is a power of two: the digest has the bits of the bucket highest,
// and spread is shifted so that the product has there what the two buckets differ in.
func powerOfTwo(k *kernel, h vector) (fp, i, j vector) {
	fp, i, j = k.fingerprints(h), ZMM(), ZMM()
	VPSRLQ(k.shift, h, i)
	VPSRLQ(k.shift, xor(h, product64(fp, k.spread)), j)
	return fp, i, j
}

// contains writes a kernel in which every slot of both buckets counts.
func contains(name, rules string, place placer, whole bool) {
	p, scratch := beginTable(name, "answers n digests, a positive multiple of 8, "+rules, 23, "dst *bool")
	k := newKernel(p, scratch)
	k.whole, k.shift = whole, XMM()
	VMOVQ(Mem{Base: p, Disp: 8 * 7}, k.shift)
	answer(func(data reg.Register, h vector) reg.OpmaskVirtual {
		fp, i, j := place(k, h)
		found := K()
		wanted := product64(fp, k.low)
		x, f := k.differ(k.word(data, i), wanted)
		y, g := k.differ(k.word(data, j), wanted)
		VPANDNQ(f, x, f)
		VPTERNLOGQ(Imm(0xf2), g, y, f) // f | g &^ y
		VPTESTMQ(k.high, f, found)
		return found
	})
}

// paired writes a kernel in which a pair of slots of either bucket counts.
func paired(name, rules string, alternate alternator) {
	p, scratch := beginTable(name, "answers n digests, a positive multiple of 8, "+rules, 23, "dst *bool")
	k := newKernel(p, scratch)
	k.loadPairs(p)
	answer(func(data reg.Register, h vector) reg.OpmaskVirtual {
		fp, i, j, product := k.places(h, alternate)
		found := K()
		w, v := k.windows(product, fp)
		KXNORB(found, found, found)
		k.missing(data, i, fp, w, found)
		k.missing(data, j, fp, v, found)
		KNOTB(found, found)
		return found
	})
}

// prefetch writes the loop that asks for cache lines.
func prefetch() {
	begin("prefetch", "func(data *byte, offs *uint64, n int)", "asks for the cache lines of data at n offsets")
	data := Load(Param("data"), GP64())
	offs := Load(Param("offs"), GP64())
	n := Load(Param("n"), GP64())
	Label("next")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	at := GP64()
	MOVQ(Mem{Base: offs}, at)
	PREFETCHT0(Mem{Base: data, Index: at, Scale: 1})
	ADDQ(U8(8), offs)
	DECQ(n)
	JMP(LabelRef("next"))
	Label("done")
	RET()
}
