package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide says which instructions the kernels are written with: those of AVX-512, 8 words of 64 bits in a vector, or
// those of AVX2, 4 words. Every function of this file has the same meaning with both.
var wide bool

// size is the number of bytes of a vector.
func size() int {
	if wide {
		return 64
	}
	return 32
}

// vector is some words of 64 bits, or the register of fewer.
type vector = reg.VecVirtual

// words returns a register for a vector.
func words() vector {
	if wide {
		return ZMM()
	}
	return YMM()
}

// result returns what an instruction makes of two operands, of which AVX2 may have the first in memory.
func result(instruction func(...Op), a Op, b vector) vector {
	v := words()
	instruction(a, b, v)
	return v
}

// either is result of an instruction that has two names.
func either(large func(...Op), small func(a, b, v Op), a Op, b vector) vector {
	if wide {
		return result(large, a, b)
	}
	v := words()
	small(a, b, v)
	return v
}

// The bits of both, those that are in both, those that are in one, and those of a but not in b.
func or(a Op, b vector) vector     { return either(VPORQ, VPOR, a, b) }
func and(a Op, b vector) vector    { return either(VPANDQ, VPAND, a, b) }
func xor(a Op, b vector) vector    { return either(VPXORQ, VPXOR, a, b) }
func andNot(a Op, b vector) vector { return either(VPANDNQ, VPANDN, a, b) }

// The sum, the difference b-a, and the product of the lower halves.
func add(a Op, b vector) vector      { return result(VPADDQ, a, b) }
func less(a Op, b vector) vector     { return result(VPSUBQ, a, b) }
func multiply(a Op, b vector) vector { return result(VPMULUDQ, a, b) }

// Each lane of x shifted by its own number of bits.
func shiftLeft(x vector, by Op) vector  { return result(VPSLLVQ, by, x) }
func shiftRight(x vector, by Op) vector { return result(VPSRLVQ, by, x) }

// All lanes shifted by one number of bits.
func left(x vector, by uint8) vector  { return result(VPSLLQ, U8(by), x) }
func right(x vector, by uint8) vector { return result(VPSRLQ, U8(by), x) }

// upper returns the upper half of every lane.
func upper(v vector) vector { return right(v, 32) }

// above32 returns x*m >> 32 for m below 2^32, whose upper half is the high word of the product.
func above32(x vector, m Op) vector {
	lo := upper(multiply(m, x))
	return add(lo, multiply(m, upper(x)))
}

// A factor is a constant of 64 bits. AVX2 multiplies by its halves.
type factor struct{ word, upper Op }

// factorOf returns the factor of a vector.
func factorOf(v vector) factor {
	if wide {
		return factor{v, nil}
	}
	return factor{v, upper(v)}
}

// product returns the low words of the products of a number below 2^32.
func product(a vector, by factor) vector {
	if wide {
		return result(VPMULLQ, by.word, a)
	}
	return add(left(multiply(by.upper, a), 32), multiply(by.word, a))
}

// product64 is product of any number. On some processors it takes three times as long as multiply, on others as long.
func product64(a vector, by factor) vector {
	if wide {
		return product(a, by)
	}
	cross := add(multiply(by.word, upper(a)), multiply(by.upper, a))
	return add(left(cross, 32), multiply(by.word, a))
}

// field puts a word that p points to, or one behind it, into every lane.
func field(p reg.Register, at int) vector {
	v := words()
	VPBROADCASTQ(Mem{Base: p, Disp: 8 * at}, v)
	return v
}

// constants are the vectors of one word in memory: AVX2 reads them from there where it needs them, as it has few
// registers.
var constants = map[uint64]Mem{}

// constant is a word in every lane.
func constant(x uint64) Op {
	at, known := constants[x]
	if !known {
		panic(fmt.Sprintf("%#x is not among the words of declare", x))
	}
	if !wide {
		return at
	}
	v := words()
	VPBROADCASTQ(at, v)
	return v
}

// declare writes the constants. It comes before all kernels.
func declare(all ...uint64) {
	for _, x := range all {
		constants[x] = GLOBL(fmt.Sprintf("word%x", x), attr.RODATA|attr.NOPTR)
		for lane := range 4 {
			DATA(8*lane, U64(x))
		}
	}
	ones = GLOBL("ones", attr.RODATA|attr.NOPTR)
	for lane := range 8 {
		DATA(8*lane, U64(1<<(8*lane)))
	}
}

// ones are 8 words, of which each has the lowest bit of another byte.
var ones Mem

// gather loads the words at bytes of data, each by a load of its own. The first half of the addresses goes to the
// general registers by itself and the other half through memory, so that neither way is the only one: all of them
// through memory took 1.02 to 1.2 times as long. The instruction that gathers keeps the processor from looking
// further ahead: with it a lookup takes 1.1 times as long in the caches and 1.24 times as long beyond them. All on an
// AMD EPYC of 2024 (12 bits, 2^13 to 2^18 and 2^16 to 2^24 slots, hash included). Where slots are paired, which
// takes shuffles too, AVX-512 has all of them through memory: .96 of the time at 2^10 slots, and as long at 2^17. They go
// there in two halves: on an Intel Xeon of 2023, words of the upper half of one store of 64 bytes take long to read back.
// In the search of package kick more waits at a time than the processor has room for, so there the instruction gathers:
// .8 of the time of a turn on that Xeon. Of half a vector it does not.
func (k *kernel) gather(data reg.Register, at vector) vector {
	place := Mem{Base: k.scratch, Disp: 32 * (k.turn % 2)}
	k.turn++
	if !wide {
		VMOVDQU(at, place)
		return join(twoWords(data, apart(at.AsX())), twoWords(data, behind(place.Offset(16))))
	}
	z := ZMM()
	if k.all != nil {
		if k.half {
			x := XMM()
			VEXTRACTI64X2(Imm(1), at.AsY(), x)
			two, more := twoWords(data, apart(at.AsX())), twoWords(data, apart(x))
			VINSERTI64X2(Imm(1), more, two.AsY(), z.AsY())
			return z
		}
		KXNORB(k.all, k.all, k.all)
		VMOVDQU64(at, z)
		VPGATHERQQ(Mem{Base: data, Index: at, Scale: 1}, k.all, z)
		return z
	}
	if k.pairs.three != nil {
		place.Disp *= 2
		upper := YMM()
		VEXTRACTI64X4(Imm(1), at, upper)
		VMOVDQU64(at.AsY(), place)
		VMOVDQU64(upper, place.Offset(32))
		four := join(twoWords(data, behind(place)), twoWords(data, behind(place.Offset(16))))
		more := join(twoWords(data, behind(place.Offset(32))), twoWords(data, behind(place.Offset(48))))
		VINSERTI64X4(Imm(1), more, four.AsZ(), z)
		return z
	}
	second, x := YMM(), XMM()
	VEXTRACTI64X4(Imm(1), at, second)
	VMOVDQU64(second, place)
	VEXTRACTI64X2(Imm(1), at.AsY(), x)
	four := join(twoWords(data, apart(at.AsX())), twoWords(data, apart(x)))
	more := join(twoWords(data, behind(place)), twoWords(data, behind(place.Offset(16))))
	VINSERTI64X4(Imm(1), more, four.AsZ(), z)
	return z
}

// A couple is two addresses in registers.
type couple struct{ first, second reg.GPVirtual }

// apart returns the two addresses of a vector.
func apart(x reg.Register) couple {
	c := couple{GP64(), GP64()}
	VMOVQ(x, c.first)
	VPEXTRQ(Imm(1), x, c.second)
	return c
}

// behind returns two addresses from memory.
func behind(place Mem) couple {
	c := couple{GP64(), GP64()}
	MOVQ(place, c.first)
	MOVQ(place.Offset(8), c.second)
	return c
}

// twoWords loads the words at two bytes.
func twoWords(data reg.Register, at couple) vector {
	x := XMM()
	VMOVQ(Mem{Base: data, Index: at.first, Scale: 1}, x)
	VMOVHPS(Mem{Base: data, Index: at.second, Scale: 1}, x, x)
	return x
}

// join returns four words of two and two.
func join(two, more vector) vector {
	y := YMM()
	if wide {
		VINSERTI64X2(Imm(1), more, two.AsY(), y)
	} else {
		VINSERTI128(Imm(1), more, two.AsY(), y)
	}
	return y
}

// begin begins a kernel, whose name ends with the bits of a vector, and returns the register that points to its
// parameters. Its declaration needs no pragma, as it is called through a variable.
func begin(name, signature, doc string) (p reg.Register) {
	name = fmt.Sprint(name, 8*size())
	TEXT(name, attr.NOSPLIT, signature)
	Comment(name + " " + doc + ".")
	return Load(Param("p"), GP64())
}

// beginTable begins a kernel that reads a table.
func beginTable(name, dst, doc string) (p reg.Register) {
	return begin(name, "func(data *byte, p *uint64, hs *uint64, "+dst+", n int)", doc)
}

// scratchSize is room for two vectors of 32 bytes and behind them for up to 6 more.
const scratchSize = 4 * 64

// memory returns a register that points to so much room at a multiple of 64, since a store across two cache lines is
// slow to read back.
func memory(room int) reg.Register {
	scratch := GP64()
	LEAQ(AllocLocal(room+64).Offset(63), scratch)
	ANDQ(I8(-64), scratch)
	return scratch
}

// stored puts a vector into memory if it is of AVX2, which has registers for few.
func (k *kernel) stored(v vector) Op {
	if wide {
		return v
	}
	at := Mem{Base: k.scratch, Disp: 64 + 32*k.kept}
	k.kept++
	VMOVDQU(v, at)
	return at
}

// pointer loads a parameter.
func pointer(name string) reg.Register { return Load(Param(name), GP64()) }

// each ends a kernel with the loop over n words, of which each turn takes 8: a vector of AVX-512 or two of AVX2, the
// second of which is step's half 1. The caller has made n a positive multiple of 8.
func each(in string, step func(half int, w vector), turned func()) {
	at, n := pointer(in), pointer("n")
	Label("next")
	for half := range 64 / size() {
		w := words()
		load(Mem{Base: at, Disp: 32 * half}, w)
		step(half, w)
	}
	turned()
	ADDQ(U8(64), at)
	SUBQ(U8(8), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// advance moves a pointer on.
func advance(p reg.Register, bytes uint64) { ADDQ(Imm(bytes), p) }

// load reads a vector.
func load(from Mem, v vector) {
	if wide {
		VMOVDQU64(from, v)
	} else {
		VMOVDQU(from, v)
	}
}

// store writes a vector, the half of 64 bytes.
func store(v vector, to reg.Register, half int) {
	if wide {
		VMOVDQU64(v, Mem{Base: to, Disp: 32 * half})
	} else {
		VMOVDQU(v, Mem{Base: to, Disp: 32 * half})
	}
}

// A finding says which lanes have what is looked for: those that are set in the mask, of AVX-512, or those that are
// zeros and not ones in the vector, of AVX2.
type finding struct {
	mask   reg.OpmaskVirtual
	absent vector
}

// found is a finding in the lanes where any of the bits is set.
func found(bits Op, v vector) finding {
	if wide {
		mask := K()
		VPTESTMQ(bits, v, mask)
		return finding{mask: mask}
	}
	return finding{absent: zero(and(bits, v))}
}

// zero returns ones in the lanes that are zeros, and zeros in the others. It is of AVX2.
func zero(v vector) vector { return result(VPCMPEQQ, v, zeros()) }

// zeros returns a vector of them.
func zeros() vector {
	v := words()
	if wide {
		VPXORQ(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
	return v
}

// answer ends a kernel with the loop over its digests. lookUp looks for a vector of them.
func answer(lookUp func(data reg.Register, h vector) finding) {
	data, put := pointer("data"), answers()
	each("hs", func(half int, h vector) { put(half, lookUp(data, h)) }, func() {})
}

// answers returns what writes the answers of 8 digests: those of AVX2 in two halves.
func answers() (put func(half int, f finding)) {
	dst := pointer("dst")
	if wide {
		truths, yes := GP64(), XMM()
		MOVQ(U64(0x0101010101010101), truths)
		VMOVQ(truths, yes)
		return func(_ int, f finding) {
			bytes := XMM()
			VMOVDQU8_Z(yes, f.mask, bytes)
			VMOVQ(bytes, Mem{Base: dst})
			advance(dst, 8)
		}
	}
	var truths vector
	return func(half int, f finding) {
		own := andNot(ones.Offset(32*half), f.absent)
		if half == 0 {
			truths = own
			return
		}
		truths = or(own, truths)
		second := XMM()
		VEXTRACTI128(Imm(1), truths, second)
		VPOR(truths.AsX(), second, second)
		high := XMM()
		VPUNPCKHQDQ(second, second, high)
		VPOR(second, high, high)
		VMOVQ(high, Mem{Base: dst})
		advance(dst, 8)
	}
}
