package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// steps is a kernel that searches for a path where slots are paired: simd.Search says how.
type steps struct {
	*kernel
	data, moves reg.Register
	alternate   alternator
	width       vector
	turns       Op
	three       Op
	nears, both vector
	four        bool
}

// perLane is a table of 8 words.
func perLane(name string, word func(lane int) uint64) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for lane := range 8 {
		DATA(8*lane, U64(word(lane)))
	}
	return m
}

var tags, sides, odd Mem

// searchTables writes the tables of all searches.
func searchTables() {
	tags = perLane("tags", func(lane int) uint64 { return uint64(lane&1<<19 | lane>>1) })
	sides = perLane("sides", func(lane int) uint64 { return uint64(16 + lane&1*8) })
	odd = perLane("odd", func(lane int) uint64 { return -uint64(lane & 1) })
}

// newSteps begins a kernel.
func newSteps(name, rules string, alternate alternator, four bool) *steps {
	p := begin(name, "func(data *byte, p, queue, moves, exits *uint64, few int) (found uint64)", "searches, "+rules)
	k := &steps{kernel: newKernel(p, true, scratchSize+64), alternate: alternate, four: four, width: words()}
	bits, low := GP64(), XMM()
	POPCNTQ(Mem{Base: p, Disp: 8 * 2}, bits)
	VMOVQ(bits, low)
	VPBROADCASTQ(low, k.width)
	k.data, k.moves = pointer("data"), pointer("moves")
	k.turns, k.three = constant(0xc2b2ae35), constant(3)
	return k
}

func search(name, rules string, alternate alternator, four bool) {
	if !wide {
		halves(name, rules, alternate, four)
		return
	}
	k := newSteps(name, rules, alternate, four)
	k.pairs.three = k.three
	queue, few := pointer("queue"), pointer("few")
	if four {
		k.nears, k.both = ZMM(), ZMM()
		VMOVDQU64(Mem{Base: k.moves}, k.nears)
		VMOVDQU64(Mem{Base: k.moves, Disp: 64}, k.both)
	}
	tag, each, second, shifts := ZMM(), ZMM(), constant(2<<19), ZMM()
	VMOVDQU64(tags, tag)
	VMOVDQU64(tags, each)
	VMOVDQU64(sides, shifts)
	head, n, step, even, live, byteMask := GP64(), GP64(), GP64(), K(), K(), GP32()
	XORQ(head, head)
	MOVQ(U64(2), n)
	MOVQ(U64(2), step)
	MOVL(U32(0x55), byteMask)
	KMOVB(byteMask, even)
	MOVL(U32(0x0f), byteMask)
	KMOVB(byteMask, live)

	// The first two were written as words, which a load of more would have to wait for.
	nodes4, root := YMM(), XMM()
	VMOVQ(Mem{Base: queue}, root)
	VMOVHPS(Mem{Base: queue, Disp: 8}, root, root)
	VINSERTI64X2(Imm(1), root, root.AsY(), nodes4)
	JMP(LabelRef("begin"))
	Label("next")
	VMOVDQU64(Mem{Base: queue, Index: head, Scale: 8}, nodes4)
	Label("begin")
	from, own, near, x, y, to, far := k.look4(nodes4, each, shifts)
	empty := K()
	VPTESTNMQ(y, y, empty)
	children, free, exitX := k.child(x, from, to, far, tag)
	VMOVDQU64(children, Mem{Base: queue, Index: n, Scale: 8})
	LEAQ(Mem{Base: n, Index: step, Scale: 2}, n)

	alive := queued(own, near, even, live)
	_, toY, farY := k.move(y, near)
	children, freeY, exitY := k.child(y, from, toY, farY, or(second, tag))
	packed := ZMM()
	VPCOMPRESSQ_Z(children, alive, packed)
	VMOVDQU64(packed, Mem{Base: queue, Index: n, Scale: 8})
	count := GP32()
	KMOVB(alive, count)
	POPCNTL(count, count)
	ADDQ(count.As64(), n)
	any := K()
	KORB(free, freeY, any)
	KORB(empty, any, any)
	KORTESTB(any, any)
	JNE(LabelRef("found"))
	heads, low2 := ZMM(), XMM()
	VMOVQ(step, low2)
	VPBROADCASTQ(low2, heads)
	VPADDQ(heads, tag, tag)
	ADDQ(step, head)
	MOVQ(U64(4), step)
	KXNORB(live, live, live)
	CMPQ(head, few)
	JB(LabelRef("next"))
	finish(head, true)

	k.found512(head, from, near, exitX, exitY, empty, free, freeY)
}

// look4 returns, of four nodes, the fingerprints 0 and 1 with their lanes and where they lead, and 2 and 3.
func (k *steps) look4(nodes4, each, shifts vector) (from, own, near, x, y, to, far vector) {
	nodes := ZMM()
	VPERMQ(nodes4.AsZ(), each, nodes)
	own = and(k.seven, shiftRight(nodes, shifts))
	at4, from4, shift4 := YMM(), YMM(), YMM()
	VPSRLQ(Imm(32), nodes4, from4)
	VPMULUDQ(k.bits.AsY(), from4, at4)
	if !k.four {
		first := YMM()
		VPSRLQ(Imm(16), nodes4, first)
		VPANDQ(k.seven.(vector).AsY(), first, first)
		VPMULUDQ(k.width.AsY(), first, first)
		VPADDQ(first, at4, at4)
	}
	VPANDQ(k.seven.(vector).AsY(), at4, shift4)
	VPSRLQ(Imm(3), at4, at4)
	place := Mem{Base: k.scratch}
	VMOVDQU64(at4, place)
	words4 := join(twoWords(k.data, behind(place)), twoWords(k.data, behind(place.Offset(16))))
	VPSRLVQ(shift4, words4.AsY(), words4.AsY())
	word := ZMM()
	VPERMQ(words4.AsZ(), each, word)
	from = upper(nodes)
	if k.four {
		x = and(k.scale, shiftRight(word, multiply(k.width, own)))
	} else {
		first := and(k.seven, right(nodes, 16))
		x = and(k.scale, shiftRight(word, multiply(k.width, less(first, own))))
	}
	near, to, far = k.move(x, own)
	if k.four {
		y = and(k.scale, shiftRight(word, multiply(k.width, near)))
	} else {
		y = and(k.scale, k.load(k.data, add(multiply(k.bits, from), multiply(k.width, near))))
	}
	return from, own, near, x, y, to, far
}

// queued returns the lanes in which the slots of the fingerprints 2 and 3 are neither those of 0 and 1 nor the same.
func queued(own, near vector, even, live reg.Register) reg.OpmaskVirtual {
	alive := K()
	VPCMPQ(Imm(4), swapped(own), near, alive)
	KANDB(live, alive, alive)
	other := K()
	VPCMPQ(Imm(4), swapped(near), near, other)
	KORB(even, other, other)
	KANDB(other, alive, alive)
	return alive
}

// found512 ends a search that has found a free slot.
func (k *steps) found512(head reg.GPVirtual, from, near, exitX, exitY vector, empty, free, freeY reg.OpmaskVirtual) {
	Label("found")
	exits := pointer("exits")
	VPORQ(left(from, 32), near, empty, exitY)
	VMOVDQU64(exitX, Mem{Base: exits})
	VMOVDQU64(exitY, Mem{Base: exits, Disp: 64})
	a, b, c := GP32(), GP32(), GP32()
	KMOVB(free, a)
	KMOVB(freeY, b)
	KMOVB(empty, c)
	ORL(c, b)
	SHLL(U8(8), b)
	SHLL(U8(16), c)
	SHLQ(U8(32), head)
	ORL(b, a)
	ORL(c, a)
	ORQ(a.As64(), head)
	finish(head, false)
}

// finish returns what was found, or nothing.
func finish(found reg.GPVirtual, nothing bool) {
	if nothing {
		XORQ(found, found)
	}
	Store(found, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// swapped returns the lanes with each two of them exchanged.
func swapped(v vector) vector {
	w := words()
	VPSHUFD(Imm(0x4e), v, w)
	return w
}

// move returns where a fingerprint in a lane may move.
func (k *steps) move(fp, lane vector) (near, to, far vector) {
	mark := right(left(multiply(k.turns, fp), 32), 59)
	if k.four {
		nears, both := k.tables(mark)
		near = and(k.three, shiftRight(nears, left(lane, 1)))
		pair := shiftRight(both, left(lane, 2))
		return near, and(k.three, pair), and(k.three, right(pair, 2))
	}
	move := k.gather(k.moves, left(or(left(mark, 3), lane), 3))
	return and(k.seven, move), and(k.seven, right(move, 8)), and(k.seven, right(move, 16))
}

// tables returns the words of a mark in the two tables of moves.
func (k *steps) tables(mark vector) (nears, both vector) {
	if wide {
		return result(VPERMW, k.nears, mark), result(VPERMW, k.both, mark)
	}
	return lookup{tables: k.moves}.look(mark), lookup{tables: k.moves, at: 8}.look(mark)
}

// child returns the node that a fingerprint leads to, where one of its slots is free, and that slot.
func (k *steps) child(fp, from, to, far, tag vector) (node vector, free reg.OpmaskVirtual, exit vector) {
	across := k.alternate(k.kernel, from, fp)
	u := k.load(k.data, add(multiply(k.bits, across), multiply(k.width, to)))
	v := shiftRight(u, multiply(k.width, less(to, far)))
	free = K()
	first := K()
	VPTESTNMQ(k.scale, v, free)
	VPTESTNMQ(k.scale, u, first)
	KORB(first, free, free)
	across = left(across, 32)
	exit = or(across, far)
	VPORQ(to, across, first, exit)
	return or(or(across, left(to, 16)), or(left(far, 24), tag)), free, exit
}

// halves is the search of AVX2: a turn has first the fingerprints 0 and 1 of four pairs, two pairs in a vector, and
// then 2 and 3.
func halves(name, rules string, alternate alternator, four bool) {
	k := newSteps(name, rules, alternate, four)
	queue := pointer("queue")
	head, n, step, found, live := GP64(), GP64(), GP64(), GP64(), GP32()
	XORQ(head, head)
	MOVQ(U64(2), n)
	MOVQ(U64(2), step)
	MOVL(U32(0x0f0f0f), live) // what is found of the second half means nothing in the first turn
	pairs := func(half int) (from, own vector) {
		nodes := words()
		VPERMQ(Imm(0x50), Mem{Base: queue, Index: head, Scale: 8, Disp: 16 * half}, nodes)
		return upper(nodes), and(k.seven, shiftRight(nodes, sides))
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
		near, to, far := k.move(x, own)
		VMOVDQU(near, kept(half, 1))
		y := and(k.scale, k.load(k.data, add(multiply(k.bits, from), multiply(k.width, near))))
		VMOVDQU(y, kept(half, 0))
		node, free, out := k.child2(x, from, to, far, tag2(head, half))
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
		_, to, far := k.move(y, near)
		node, free, out := k.child2(y, from, to, far, or(constant(2<<19), tag2(head, half)))
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
func (k *steps) child2(fp, from, to, far, tag vector) (node, free, exit vector) {
	across := k.alternate(k.kernel, from, fp)
	u := k.load(k.data, add(multiply(k.bits, across), multiply(k.width, to)))
	v := shiftRight(u, multiply(k.width, less(to, far)))
	first, lane := isZero(and(k.scale, u)), words()
	free = or(first, isZero(and(k.scale, v)))
	across = left(across, 32)
	VBLENDVPD(first, to, far, lane)
	return or(or(across, left(to, 16)), or(left(far, 24), tag)), free, or(across, lane)
}

// isZero is zero without a register of zeros.
func isZero(v vector) vector { return result(VPCMPEQQ, constant(0), v) }
