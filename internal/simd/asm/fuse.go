package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A fuser writes a kernel for binary fuse filters. It computes the slots of 8 digests before it loads those of the 8
// before them: else it would wait for each in turn, as there are too many instructions for a processor to look past.
type fuser struct {
	four bool
	get  func(at int) vector // a word of the probe in every lane
}

// fuse writes a kernel whose keys have three slots, or four.
func fuse(name, slots string, four bool) {
	p := beginTable(name, "dst *bool", "answers n digests, a positive multiple of 8, of "+slots+" slots each")
	f := fuser{four, func(at int) vector { return field(p, at) }} // AVX2 has no registers for all of them
	if wide {
		var fields [10]vector
		for at := range fields {
			fields[at] = field(p, at)
		}
		f.get = func(at int) vector { return fields[at] }
	}
	now, then := GP64(), GP64()
	far := GP64()
	MOVQ(Mem{Base: p, Disp: 8 * 10}, far)
	LEAQ(Mem{Base: p, Disp: 8*11 + 63}, now)
	ANDQ(I8(-64), now)
	LEAQ(Mem{Base: now, Disp: 9 * 64}, then)
	data, hs, n, put := pointer("data"), pointer("hs"), pointer("n"), answers()
	f.place(hs, now)
	Label("next")
	SUBQ(U8(8), n)
	JZ(LabelRef("last"))
	ADDQ(U8(64), hs)
	f.place(hs, then)
	TESTQ(far, far)
	JZ(LabelRef("near"))
	f.fetch(data, then)
	Label("near")
	f.look(data, now, put)
	XCHGQ(now, then)
	JMP(LabelRef("next"))
	Label("last")
	f.look(data, now, put)
	VZEROUPPER()
	RET()
}

// place computes the slots of 8 digests. It writes what they are to combine to, and then for each slot the byte at
// which a word begins that has it and how far into that word.
func (f *fuser) place(hs, to reg.Register) {
	for half := range 64 / size() {
		h, place := words(), 0
		load(Mem{Base: hs, Disp: 32 * half}, h)
		keep := func(v vector) {
			store(v, to, 2*place+half)
			place++
		}
		x := shiftedXor(add(f.get(0), h), 33)
		x = shiftedXor(product64(x, factorOf(f.get(5))), 33)
		x = shiftedXor(product64(x, factorOf(f.get(6))), 33)
		keep(shiftedXor(x, 32))
		slot := func(at vector) {
			bit, offset := multiply(f.get(4), at), f.get(9)
			keep(right(andNot(bit, offset), 3))
			keep(and(offset, bit))
		}
		at := upper(above32(x, f.get(1)))
		slot(at)
		within := []vector{right(x, 18), x}
		if f.four {
			within = append(within, right(product64(x, factorOf(f.get(7))), 46))
		}
		for _, w := range within {
			at = add(f.get(2), at)
			slot(xor(at, and(f.get(3), w)))
		}
	}
}

// slots returns how many slots a key has.
func (f *fuser) slots() int {
	if f.four {
		return 4
	}
	return 3
}

// fetch asks the memory for the slots that place wrote, into the second-level cache: of what comes into the first, few
// lines can be under way, and so PREFETCHT0 gains nothing.
func (f *fuser) fetch(data, from reg.Register) {
	at := GP64()
	for slot := range f.slots() {
		for key := range 8 {
			MOVQ(Mem{Base: from, Disp: 64*(1+2*slot) + 8*key}, at)
			PREFETCHT1(Mem{Base: data, Index: at, Scale: 1})
		}
	}
}

// look answers 8 digests from what place wrote.
func (f *fuser) look(data, from reg.Register, put func(half int, f finding)) {
	for half := range 64 / size() {
		sum := words()
		load(Mem{Base: from, Disp: 32 * half}, sum)
		for slot := range f.slots() {
			place := Mem{Base: from, Disp: 64*(1+2*slot) + 32*half}
			sum = xor(sum, shiftRight(eachWord(data, place), place.Offset(64)))
		}
		put(half, none(f.get(8), sum))
	}
}

// eachWord loads the words at the bytes that a vector in memory has.
func eachWord(data reg.Register, place Mem) vector {
	four := func(from Mem) vector {
		return join(twoWords(data, behind(from)), twoWords(data, behind(from.Offset(16))))
	}
	first := four(place)
	if !wide {
		return first
	}
	z := ZMM()
	VINSERTI64X4(Imm(1), four(place.Offset(32)), first.AsZ(), z)
	return z
}

// none is a finding in the lanes where none of the bits is set.
func none(bits, v vector) finding {
	if wide {
		mask := K()
		VPTESTNMQ(bits, v, mask)
		return finding{mask: mask}
	}
	return finding{absent: zero(zero(and(bits, v)))}
}
