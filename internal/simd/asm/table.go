package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel holds what does not change from step to step, in registers but for the constants of AVX2.
type kernel struct {
	one, seven     Op
	buckets, scale Op
	bits           vector
	low, spread    factor // low is the lowest bit of every lane
	lows           vector
	high, last     Op
	// whole says that buckets are whole bytes, and bits counts bytes. shift is 64 less the bits of the number of a
	// bucket.
	whole bool
	shift vector
	// probe points to the parameters, most is the mask, and alternates counts those that were written.
	probe      reg.Register
	most       reg.GPVirtual
	alternates int
	// scratch is memory for two vectors, of which turn says which is next, and for those that are kept.
	scratch    reg.Register
	turn, kept int
	all        reg.Register // if not nil, a mask for the instruction that gathers
	half       bool         // then the upper half of a vector means nothing
	pairs      pairs
}

// newKernel loads the parameters of a table of buckets. A crowded kernel has few registers left for them.
func newKernel(p reg.Register, crowded bool, room int) *kernel {
	k := &kernel{
		one: constant(1), seven: constant(7),
		buckets: field(p, 0), bits: field(p, 1), scale: field(p, 2),
		lows: field(p, 3), high: field(p, 4), last: field(p, 6),
		scratch: memory(room), probe: p, most: GP64(),
	}
	MOVQ(Mem{Base: p, Disp: 8 * 6}, k.most)
	if crowded {
		k.buckets, k.high, k.last = k.stored(k.buckets.(vector)), k.stored(k.high.(vector)), k.stored(k.last.(vector))
	}
	k.low, k.spread = factorOf(k.lows), factorOf(field(p, 5))
	return k
}

// alternator returns the alternate bucket of a fingerprint in bucket i.
type alternator func(k *kernel, i, fp vector) vector

// spreads returns a word whose lower half is the upper half of fp*spread, and one with the lower half. Two products of
// halves take the processor as much work as one of whole words and half as long: that counts where all waits for them, in
// a search.
func (k *kernel) spreads(fp vector) (high, low vector) {
	if k.spread.upper == nil {
		low = product(fp, k.spread)
		return upper(low), low
	}
	low = multiply(k.spread.word, fp)
	return add(multiply(k.spread.upper, fp), upper(low)), low
}

// exclusiveAlternate returns i xor bits 32.. of fp*spread, as many as the mask leaves.
func exclusiveAlternate(k *kernel, i, fp vector) vector {
	s, _ := k.spreads(fp)
	if wide {
		VPTERNLOGQ(Imm(0x6c), k.last, i, s) // s & last ^ i
		return s
	}
	return xor(i, and(k.last, s))
}

// additiveAlternate returns c(fp)-i modulo m, where c is bits of the product's two halves, xored: as many as the mask
// leaves, scaled to below m if those can be m or more.
func additiveAlternate(k *kernel, i, fp vector) vector {
	c, x := k.spreads(fp)
	masked := fmt.Sprint("masked", k.alternates)
	k.alternates++
	if wide {
		VPTERNLOGQ(Imm(0x28), k.last, x, c) // (c ^ x) & last
	} else {
		c = and(k.last, xor(x, c))
	}
	CMPQ(k.most, Mem{Base: k.probe})
	JB(LabelRef(masked))
	VPMULUDQ(k.buckets, c, c)
	VPSRLQ(Imm(32), c, c)
	Label(masked)
	j := less(i, c)
	if wide { // below zero it is huge, and m more is the smaller number
		if k.all != nil { // a search: of at most 2^31 buckets 32 bits are enough, which take a third of the time
			VPMINUD(add(k.buckets, j), j, j)
			return j
		}
		VPMINUQ(add(k.buckets, j), j, j)
		return j
	}
	return add(and(k.buckets, upper(j)), j) // m is below 2^32, and the upper half of j is zeros or ones
}

// word loads the word at the bucket's first bit, that bit lowest.
func (k *kernel) word(data reg.Register, bucket vector) vector {
	if k.whole {
		return k.gather(data, multiply(k.bits, bucket))
	}
	return k.load(data, multiply(k.bits, bucket))
}

// load loads the words at bits, those bits lowest.
func (k *kernel) load(data reg.Register, at vector) vector {
	shift := and(k.seven, at)
	return shiftRight(k.gather(data, right(at, 3)), shift)
}

// differ takes the wanted fingerprint from a bucket and returns also what the lanes of the rest less 1 are. A bit of
// high that is in the latter and not in the former is that of a lane which equals the fingerprint, or stands above
// one that does.
func (k *kernel) differ(x, wanted vector) (rest, below vector) {
	rest = xor(x, wanted)
	return rest, less(k.lows, rest)
}

// fingerprints returns the fingerprints of digests.
func (k *kernel) fingerprints(h vector) vector { return add(k.one, upper(multiply(k.scale, h))) }

// places returns the fingerprints of digests, their two buckets, and the product that the first is the upper half of.
func (k *kernel) places(h vector, alternate alternator) (fp, i, j, product vector) {
	fp = k.fingerprints(h)
	product = above32(h, k.buckets)
	i = upper(product)
	return fp, i, alternate(k, i, fp), product
}

// placer returns the fingerprints of digests and their two buckets.
type placer func(k *kernel, h vector) (fp, i, j vector)

// by is a placer for any number of buckets.
func by(alternate alternator) placer {
	return func(k *kernel, h vector) (fp, i, j vector) {
		fp, i, j, _ = k.places(h, alternate)
		return fp, i, j
	}
}

// powerOfTwo is the placer of the xor rules where the number of buckets is a power of two: the digest has the bits of
// the bucket highest, and spread is shifted so that the product has there what the two buckets differ in.
func powerOfTwo(k *kernel, h vector) (fp, i, j vector) {
	fp, i, j = k.fingerprints(h), words(), words()
	VPSRLQ(k.shift, h, i)
	VPSRLQ(k.shift, xor(h, product(fp, k.spread)), j)
	return fp, i, j
}

// shifted sets shift, and moves spread in front of as many bits.
func (k *kernel) shifted(p reg.Register) {
	log, shift := GP64(), GP64()
	BSRQ(Mem{Base: p}, log) // of the number of buckets
	MOVQ(U64(64), shift)
	SUBQ(log, shift)
	k.shift = XMM()
	VMOVQ(shift, k.shift)
	SUBQ(U8(32), shift)
	by, spread := XMM(), words()
	VMOVQ(shift, by)
	VPSLLQ(by, k.spread.word, spread)
	k.spread = factorOf(spread)
}

// contains writes a kernel in which every slot of both buckets counts.
func contains(name, rules string, place placer, whole, power bool) {
	p := beginTable(name, "dst *bool", "answers n digests, a positive multiple of 8, "+rules)
	k := newKernel(p, false, 2*placeSize)
	if k.whole = whole; whole {
		k.bits = right(k.bits, 3)
	}
	if power {
		k.shifted(p)
	}
	data := pointer("data")
	k.ahead(data, func(half int, h vector, to reg.Register) {
		fp, i, j := place(k, h)
		store(product(fp, k.low), to, half)
		for bucket, number := range []vector{i, j} {
			at := multiply(k.bits, number)
			if !whole {
				store(and(k.seven, at), to, 2*(3+bucket)+half)
				at = right(at, 3)
			}
			store(at, to, 2*(1+bucket)+half)
		}
	}, func(half int, from reg.Register) finding {
		wanted := words()
		load(Mem{Base: from, Disp: 32 * half}, wanted)
		word := func(bucket int) vector {
			at := Mem{Base: from, Disp: 64*(1+bucket) + 32*half}
			if whole {
				return eachWord(data, at)
			}
			return shiftRight(eachWord(data, at), at.Offset(2*64))
		}
		x, f := k.differ(word(0), wanted)
		y, g := k.differ(word(1), wanted)
		f = andNot(f, x)
		if wide {
			VPTERNLOGQ(Imm(0xf2), g, y, f) // f | g &^ y
		} else {
			f = or(f, andNot(g, y))
		}
		return found(k.high, f)
	})
}

// placeSize is what ahead keeps of 8 digests: words of what is wanted, the bytes of both buckets, and shifts.
const placeSize = 5 * 64

// ahead ends a kernel with the loop over its digests. It places 8 of them before it looks the 8 before them up: else
// the instructions that wait for places, and then for words, leave the processor no room to look further ahead. Where
// the table is far, the memory is asked for their buckets in between.
func (k *kernel) ahead(
	data reg.Register, place func(half int, h vector, to reg.Register), look func(half int, from reg.Register) finding,
) {
	at, n, put := pointer("hs"), pointer("n"), answers()
	now, then, following := GP64(), GP64(), GP64()
	MOVQ(k.scratch, now)
	LEAQ(Mem{Base: k.scratch, Disp: placeSize}, then)
	all := func(to reg.Register) {
		for half := range 64 / size() {
			h := words()
			load(Mem{Base: at, Disp: 32 * half}, h)
			place(half, h, to)
		}
	}
	all(now)
	Label("next")
	LEAQ(Mem{Base: at, Disp: 64}, following)
	SUBQ(U8(8), n)
	CMOVQNE(following, at) // the last ones are placed twice
	all(then)
	CMPQ(Mem{Base: k.probe, Disp: 8 * 9}, Imm(0))
	JE(LabelRef("near"))
	for word := range 2 * 8 {
		bucket := GP64()
		MOVQ(Mem{Base: then, Disp: 64 + 8*word}, bucket)
		PREFETCHT1(Mem{Base: data, Index: bucket, Scale: 1})
	}
	Label("near")
	for half := range 64 / size() {
		put(half, look(half, now))
	}
	XCHGQ(now, then)
	TESTQ(n, n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// prefixes writes the kernel for tables of two sides.
func prefixes() {
	p := beginTable("prefix", "dst *bool", "answers n digests, a positive multiple of 8, from a table of two sides")
	k := &kernel{bits: field(p, 4), lows: field(p, 5), high: field(p, 6), seven: constant(7), scratch: memory(scratchSize)}
	k.low, k.spread = factorOf(k.lows), factorOf(field(p, 7))
	shift, leftBy, rightBy, tail := field(p, 0), k.stored(field(p, 1)), k.stored(field(p, 2)), k.stored(field(p, 3))
	one, mask, side, rest := constant(1), constant(63), constant(1<<63), less(k.lows, k.high.(vector))
	answer(func(data reg.Register, h vector) finding {
		remainder := and(mask, h)
		lane := or(one, or(shiftLeft(remainder, tail), shiftRight(shiftLeft(h, leftBy), rightBy)))
		wanted := product(lane, k.low)
		i := shiftRight(right(h, 1), shift)
		j := xor(i, shiftRight(or(side, right(product(remainder, k.spread), 1)), shift))
		misses := k.noPrefix(k.word(data, i), wanted, rest)
		misses = and(misses, k.noPrefix(k.word(data, j), wanted, rest))
		flags := andNot(k.high, misses)
		return found(flags, flags)
	})
}

// noPrefix returns words that have the highest bit of a lane set where that lane of the table is no prefix of the
// wanted one: packed.NoPrefix says how.
func (k *kernel) noPrefix(x, wanted, rest vector) vector {
	negative := less(and(rest, x), k.high.(vector))
	differ := xor(x, wanted)
	differs := and(and(differ, xor(x, negative)), rest)
	return or(or(add(differs, rest), differ), negative)
}
