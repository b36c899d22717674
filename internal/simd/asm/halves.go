package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halves is the search of AVX2: a turn has first the fingerprints 0 and 1 of four pairs, two pairs in a vector, and
// then 2 and 3.
func halves(name, rules string, alternate alternator, four bool) {
	k := newSteps(name, rules, alternate, four)
	queue := pointer("queue")
	head, n, step, found, live := GP64(), GP64(), GP64(), GP64(), GP32()
	XORQ(head, head)
	MOVQ(U64(2), n)
	MOVQ(U64(2), step)
	MOVL(U32(0x0f0f00), live) // in the first turn the second half means nothing, and 0 and 1 have no free slot
	pairs := func(half int) (from, own vector) {
		nodes := words()
		VPERMQ(Imm(0x50), Mem{Base: queue, Index: head, Scale: 8, Disp: 16 * half}, nodes)
		return upper(nodes), and(k.lane, shiftRight(nodes, k.sides))
	}
	flag := func(v vector, at int) {
		bits := GP32()
		VMOVMSKPD(v, bits)
		if at > 0 {
			SHLL(U8(at), bits)
		}
		ORL(bits, found.As32())
	}
	kept := func(half, at int) Mem { return Mem{Base: k.scratch, Disp: 192 + 64*half + 32*at} }
	exit := func(v vector, at int) {
		VMOVDQU(v, Mem{Base: pointer("exits"), Disp: 32 * at})
	}

	Label("next")
	XORL(found.As32(), found.As32())
	for half := range 2 {
		from, own := pairs(half)
		x := and(k.scale, k.load(k.data, add(multiply(k.bits, from), multiply(k.width, own))))
		move := k.move(x, own)
		near := k.near(move)
		VMOVDQU(near, kept(half, 1))
		y := and(k.scale, k.load(k.data, add(multiply(k.bits, from), multiply(k.width, near))))
		VMOVDQU(y, kept(half, 0))
		node, free, out := k.child2(x, from, move, tag2(head, half))
		VMOVDQU(node, Mem{Base: queue, Index: n, Scale: 8, Disp: 32 * half})
		flag(free, 4*half)
		exit(out, half)
	}
	LEAQ(Mem{Base: n, Index: step, Scale: 2}, n)
	for half := range 2 {
		from, own := pairs(half)
		y, near := words(), words()
		VMOVDQU(kept(half, 0), y)
		VMOVDQU(kept(half, 1), near)
		node, free, out := k.child2(y, from, k.move(y, near), or(constant(2<<22), tag2(head, half)))
		VMOVDQU(node, Mem{Base: k.scratch})
		empty, v := isZero(y), words()
		flag(empty, 16+4*half)
		flag(or(free, empty), 8+4*half)
		VBLENDVPD(empty, or(left(from, 32), near), out, v)
		exit(v, 2+half)
		k.queue2(own, near, queue, n, live, half)
	}
	ANDL(live, found.As32())
	JNE(LabelRef("found"))
	ADDQ(step, head)
	MOVQ(U64(4), step)
	MOVL(U32(0xffffff), live)
	CMPQ(head, pointer("few"))
	JB(LabelRef("next"))
	finish(head, true)
	Label("found")
	SHLQ(U8(32), head)
	ORQ(found, head)
	finish(head, false)
}

// queue2 queues the nodes in the scratch memory but those that [queued] says.
func (k *steps) queue2(own, near vector, queue reg.Register, n reg.GPVirtual, live reg.GPVirtual, half int) {
	same, other := words(), words()
	VPCMPEQQ(swapped(own), near, same)
	VPCMPEQQ(swapped(near), near, other)
	alive, alone := GP32(), GP32()
	VMOVMSKPD(or(same, and(odd, other)), alive)
	NOTL(alive)
	MOVL(live, alone)
	SHRL(U8(4), alone)
	if half == 1 {
		ANDL(alone, alive)
	}
	for lane := range 4 {
		one := GP64()
		MOVQ(Mem{Base: k.scratch, Disp: 8 * lane}, one)
		MOVQ(one, Mem{Base: queue, Index: n, Scale: 8})
		BTL(U8(lane), alive)
		ADCQ(Imm(0), n)
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
