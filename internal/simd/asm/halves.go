package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halves is a search of AVX2: a turn has first the fingerprints 0 and 1 of four pairs, two pairs in a vector, and then 2
// and 3.
type halves struct {
	*steps
	queue          reg.Register
	head, n, found reg.GPVirtual
	live           reg.GPVirtual // the bits of found that mean something
}

// searchHalves writes the search. The first turn has two pairs, in its first half, and ends when one kick is enough.
func searchHalves(name, rules string, alternate alternator, four bool) {
	p := beginSearch(name, rules)
	s := &steps{kernel: newKernel(p, true, scratchSize+64), alternate: alternate, four: four}
	s.width, s.data, s.moves = s.stored(field(p, fieldBits+1)), pointer("data"), s.at(fieldMoves)
	s.turns, s.sides, s.lane, s.code = constant(0xc2b2ae35), sides8, s.seven, constant(63)
	if four {
		s.sides, s.lane = sides4, constant(3)
	}
	k := &halves{s, s.at(fieldQueue), GP64(), GP64(), GP64(), GP32()}
	step := GP64()
	XORQ(k.head, k.head)
	MOVQ(U64(2), k.n)
	MOVQ(U64(2), step)
	MOVL(U32(0x0f0f00), k.live)
	XORL(k.found.As32(), k.found.As32())
	near, y, free, out := k.first(0)
	empty, v := isZero(y), words()
	from, _ := k.nodes(0)
	VBLENDVPD(empty, or(left(from, 32), near), out, v)
	k.flag(or(free, empty), 0)
	k.exit(v, 0)
	TESTL(k.found.As32(), k.found.As32())
	JNE(LabelRef("found"))
	VMOVDQU(zeros(), k.keep(1, 0))
	VMOVDQU(zeros(), k.keep(1, 1))
	JMP(LabelRef("then"))

	Label("next")
	XORL(k.found.As32(), k.found.As32())
	for half := range 2 {
		_, _, free, out := k.first(half)
		k.flag(free, 4*half)
		k.exit(out, half)
	}
	Label("then")
	LEAQ(Mem{Base: k.n, Index: step, Scale: 2}, k.n)
	for half := range 2 {
		k.second(half)
	}
	ANDL(k.live, k.found.As32())
	JNE(LabelRef("found"))
	ADDQ(step, k.head)
	MOVQ(U64(4), step)
	MOVL(U32(0xffffff), k.live)
	CMPQ(k.head, k.field(fieldFew))
	JB(LabelRef("next"))
	finish(k.head, true)
	Label("found")
	SHLQ(U8(32), k.head)
	ORQ(k.found, k.head)
	finish(k.head, false)
}

// nodes returns the buckets and lanes of half of the nodes, each in two lanes.
func (k *halves) nodes(half int) (from, own vector) {
	nodes := words()
	VPERMQ(Imm(0x50), Mem{Base: k.queue, Index: k.head, Scale: 8, Disp: 16 * half}, nodes)
	return upper(nodes), and(k.lane, shiftRight(nodes, k.sides))
}

// flag sets bits of what is found, from one on.
func (k *halves) flag(v vector, at int) {
	bits := GP32()
	VMOVMSKPD(v, bits)
	if at > 0 {
		SHLL(U8(at), bits)
	}
	ORL(bits, k.found.As32())
}

// keep is where the fingerprints 2 and 3 of half of the nodes are, 0, and their lanes, 1.
func (k *halves) keep(half, at int) Mem { return Mem{Base: k.scratch, Disp: 192 + 64*half + 32*at} }

// exit writes four exits.
func (k *halves) exit(v vector, at int) { VMOVDQU(v, Mem{Base: k.at(fieldExits), Disp: 32 * at}) }

// first looks at 0 and 1 of half of the nodes and queues what they lead to. It returns the lanes of 2 and 3, these, and
// where the other bucket has a free slot.
func (k *halves) first(half int) (near, y, free, out vector) {
	from, own := k.nodes(half)
	x := and(k.scale, k.load(k.data, add(multiply(k.bits, from), multiply(k.width, own))))
	move := k.move(x, own)
	near = k.near(move)
	VMOVDQU(near, k.keep(half, 1))
	y = and(k.scale, k.load(k.data, add(multiply(k.bits, from), multiply(k.width, near))))
	VMOVDQU(y, k.keep(half, 0))
	node, free, out := k.child2(x, from, move, tag2(k.head, half))
	VMOVDQU(node, Mem{Base: k.queue, Index: k.n, Scale: 8, Disp: 32 * half})
	return near, y, free, out
}

// second looks at 2 and 3 of half of the nodes and queues what they lead to.
func (k *halves) second(half int) {
	from, own := k.nodes(half)
	y, near, v := words(), words(), words()
	VMOVDQU(k.keep(half, 0), y)
	VMOVDQU(k.keep(half, 1), near)
	node, free, out := k.child2(y, from, k.move(y, near), or(constant(2<<22), tag2(k.head, half)))
	VMOVDQU(node, Mem{Base: k.scratch})
	empty := isZero(y)
	k.flag(empty, 16+4*half)
	k.flag(or(free, empty), 8+4*half)
	VBLENDVPD(empty, or(left(from, 32), near), out, v)
	k.exit(v, 2+half)
	k.queue2(own, near, half)
}

// queue2 queues the nodes in the scratch memory but those that are queued, as [steps.alive] says.
func (k *halves) queue2(own, near vector, half int) {
	same, other := words(), words()
	VPCMPEQQ(swapped(own), near, same)
	VPCMPEQQ(swapped(near), near, other)
	alive, alone := GP32(), GP32()
	VMOVMSKPD(or(same, and(odd, other)), alive)
	NOTL(alive)
	MOVL(k.live, alone)
	SHRL(U8(4), alone)
	if half == 1 {
		ANDL(alone, alive)
	}
	for lane := range 4 {
		one := GP64()
		MOVQ(Mem{Base: k.scratch, Disp: 8 * lane}, one)
		MOVQ(one, Mem{Base: k.queue, Index: k.n, Scale: 8})
		BTL(U8(lane), alive)
		ADCQ(Imm(0), k.n)
	}
}

// tag2 returns what the nodes that half a turn queues have in their lowest 32 bits.
func tag2(head reg.GPVirtual, half int) vector {
	low, tag := XMM(), words()
	VMOVQ(head, low)
	VPBROADCASTQ(low, tag)
	return add(tags.Offset(32*half), tag)
}

// child2 is child of AVX2.
func (k *steps) child2(fp, from, move, tag vector) (node, free, exit vector) {
	across := k.alternate(k.kernel, from, fp)
	code := move
	if !k.four {
		code = and(k.code, right(move, 24))
	}
	low, high := k.lanes(left(code, 16))
	u := k.load(k.data, add(multiply(k.bits, across), multiply(k.width, low)))
	v := shiftRight(u, multiply(k.width, less(low, high)))
	first, lane := isZero(and(k.scale, u)), words()
	free = or(first, isZero(and(k.scale, v)))
	across = left(across, 32)
	VBLENDVPD(first, low, high, lane)
	return or(or(across, left(code, 16)), tag), free, or(across, lane)
}

// isZero is zero without a register of zeros.
func isZero(v vector) vector { return result(VPCMPEQQ, constant(0), v) }
