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

	// Of AVX-512: the queue and how many nodes it has, the lanes in which nothing is free, what nodes have in their
	// lowest bits that 0 and 1 or 2 and 3 lead to, the nodes of a turn with their words, and what spreads them over the
	// lanes: each node twice, with its two slots. Evens has a bit that no slot has in every other lane.
	queue          reg.Register
	n              reg.GPVirtual
	full           reg.OpmaskVirtual
	tag, tagY      vector
	nodes4, words4 vector
	each, shifts   vector
	evens          vector
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

// search is the search of AVX-512. A turn loads the words of the next one before it looks at 2 and 3.
func search(name, rules string, alternate alternator, four bool) {
	if !wide {
		halves(name, rules, alternate, four)
		return
	}
	k := newSteps(name, rules, alternate, four)
	k.load512()
	head, few, turn := GP64(), pointer("few"), constant(4)
	first, early := k.turn0()
	XORQ(head, head)
	KORTESTB(k.full, k.full)
	JCC(LabelRef("first")) // not all are set
	VPADDQ(constant(2), k.tag, k.tag)
	VPADDQ(constant(2), k.tagY, k.tagY)
	MOVQ(U64(2), head)
	JMP(LabelRef("more"))

	Label("next")
	s := k.look4()
	VPTESTMQ(s.y, s.y, k.full)
	one, place, live := k.child(s.x, s.from, s.to, s.far, k.tag), GP64(), K()
	LEAQ(Mem{Base: k.queue, Index: k.n, Scale: 8}, place)
	VMOVDQU64(one.nodes, Mem{Base: place})
	ADDQ(U8(8), k.n)
	ADDQ(U8(4), head)
	VMOVDQU64(Mem{Base: k.queue, Index: head, Scale: 8}, k.nodes4)
	k.fetch()
	KXNORB(live, live, live)
	two := k.later(s, live)
	KORTESTB(k.full, k.full)
	JCC(LabelRef("found"))
	VPADDQ(turn, k.tag, k.tag)
	VPADDQ(turn, k.tagY, k.tagY)
	Label("more")
	CMPQ(head, few)
	JB(LabelRef("next"))
	finish(head, true)

	Label("found")
	load(Mem{Base: place}, one.nodes) // which no register has kept
	SUBQ(U8(4), head)
	k.found512(head, s, two, &one)
	Label("first")
	k.found512(head, first, early, nil)
}

// load512 loads what all turns need.
func (k *steps) load512() {
	k.pairs.three = k.three
	k.queue = pointer("queue")
	if k.four {
		k.nears, k.both = ZMM(), ZMM()
		VMOVDQU64(Mem{Base: k.moves}, k.nears)
		VMOVDQU64(Mem{Base: k.moves, Disp: 64}, k.both)
	}
	k.tag, k.each, k.shifts, k.evens = ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU64(tags, k.tag)
	VMOVDQU64(tags, k.each)
	VMOVDQU64(sides, k.shifts)
	VMOVDQU64(odd, k.evens)
	VPANDNQ(constant(8), k.evens, k.evens)
	k.tagY, k.n, k.full, k.nodes4, k.words4 = or(constant(2<<19), k.tag), GP64(), K(), YMM(), YMM()
}

// turn0 is the turn of the first two nodes. What 0 and 1 lead to is queued, so the words of the next turn come
// meanwhile.
func (k *steps) turn0() (s seen, c children) {
	root, live, lanes := k.twoNodes(0), K(), GP32()
	VINSERTI64X2(Imm(1), root, root.AsY(), k.nodes4)
	k.fetch()
	s = k.look4()
	VINSERTI64X2(Imm(1), k.twoNodes(4), k.twoNodes(2).AsY(), k.nodes4)
	k.fetch()
	VPTESTMQ(s.y, s.y, k.full)
	MOVL(U32(0x0f), lanes)
	KMOVB(lanes, live)
	MOVQ(U64(6), k.n)
	return s, k.later(s, live)
}

// twoNodes loads two nodes that were written as words, which a load of more would have to wait for.
func (k *steps) twoNodes(at int) vector {
	x := XMM()
	VMOVQ(Mem{Base: k.queue, Disp: 8 * at}, x)
	VMOVHPS(Mem{Base: k.queue, Disp: 8*at + 8}, x, x)
	return x
}

// later looks at the fingerprints 2 and 3 of the nodes of a turn that are live, and queues what they lead to.
func (k *steps) later(s seen, live reg.Register) children {
	alive := k.queued(s, live)
	_, to, far := k.move(s.y, s.near)
	c, packed, count := k.child(s.y, s.from, to, far, k.tagY), ZMM(), GP32()
	VPCOMPRESSQ_Z(c.nodes, alive, packed)
	VMOVDQU64(packed, Mem{Base: k.queue, Index: k.n, Scale: 8})
	KMOVB(alive, count)
	POPCNTL(count, count)
	ADDQ(count.As64(), k.n)
	return c
}

// fetch loads the words of four nodes, from a bucket's first bit on or, of 8 lanes, that of the lower one.
func (k *steps) fetch() {
	from4, at4, shift4 := YMM(), YMM(), YMM()
	VPSRLQ(Imm(32), k.nodes4, from4)
	VPMULUDQ(k.bits.AsY(), from4, at4)
	if !k.four {
		first := YMM()
		VPSRLQ(Imm(16), k.nodes4, first)
		VPANDQ(k.seven.(vector).AsY(), first, first)
		VPMULUDQ(k.width.AsY(), first, first)
		VPADDQ(first, at4, at4)
	}
	VPANDQ(k.seven.(vector).AsY(), at4, shift4)
	VPSRLQ(Imm(3), at4, at4)
	place := Mem{Base: k.scratch, Disp: 128}
	VMOVDQU64(at4, place)
	four := join(twoWords(k.data, behind(place)), twoWords(k.data, behind(place.Offset(16))))
	VPSRLVQ(shift4, four.AsY(), k.words4)
}

// seen is what four nodes have in 8 lanes: the bucket, the lane, the other lane to which its fingerprint may move, the
// fingerprints in both, 0 or 1 and 2 or 3, and the lanes of the other bucket to which the first may move.
type seen struct{ from, own, near, x, y, to, far vector }

// look4 returns what four nodes have.
func (k *steps) look4() (s seen) {
	nodes, word := ZMM(), ZMM()
	VPERMQ(k.nodes4.AsZ(), k.each, nodes)
	VPERMQ(k.words4.AsZ(), k.each, word)
	s.own, s.from = and(k.seven, shiftRight(nodes, k.shifts)), upper(nodes)
	if k.four {
		s.x = and(k.scale, shiftRight(word, multiply(k.width, s.own)))
	} else {
		first := and(k.seven, right(nodes, 16))
		s.x = and(k.scale, shiftRight(word, multiply(k.width, less(first, s.own))))
	}
	s.near, s.to, s.far = k.move(s.x, s.own)
	if k.four {
		s.y = and(k.scale, shiftRight(word, multiply(k.width, s.near)))
	} else {
		s.y = and(k.scale, k.load(k.data, add(multiply(k.bits, s.from), multiply(k.width, s.near))))
	}
	return s
}

// queued returns the lanes in which the slots of the fingerprints 2 and 3 are neither those of 0 and 1 nor the same.
func (k *steps) queued(s seen, live reg.Register) reg.OpmaskVirtual {
	other, alive := K(), K()
	VPCMPQ(Imm(4), swapped(s.own), s.near, live, other)
	VPCMPQ(Imm(4), or(k.evens, swapped(s.near)), s.near, other, alive)
	return alive
}

// found512 ends a search that has found a free slot. The first turn has found none by the fingerprints 0 and 1.
func (k *steps) found512(head reg.GPVirtual, s seen, two children, one *children) {
	exits, empty, b, c := pointer("exits"), K(), GP32(), GP32()
	free, exit := k.exit(two)
	VPTESTNMQ(s.y, s.y, empty)
	VPORQ(left(s.from, 32), s.near, empty, exit)
	VMOVDQU64(exit, Mem{Base: exits, Disp: 64})
	KMOVB(free, b)
	KMOVB(empty, c)
	ORL(c, b)
	SHLL(U8(8), b)
	SHLL(U8(16), c)
	SHLQ(U8(32), head)
	ORL(b, c)
	ORQ(c.As64(), head)
	if one != nil {
		a := GP32()
		free, exit := k.exit(*one)
		VMOVDQU64(exit, Mem{Base: exits})
		KMOVB(free, a)
		ORQ(a.As64(), head)
	}
	finish(head, false)
}

// exit returns where a slot that fingerprints lead to is free, and that slot, the first one if both are.
func (k *steps) exit(c children) (free reg.OpmaskVirtual, exit vector) {
	across, first := left(upper(c.nodes), 32), K()
	free = K()
	VPTESTNMQ(k.scale, c.second, free)
	VPTESTNMQ(k.scale, c.first, first)
	KORB(first, free, free)
	exit = or(across, and(k.seven, right(c.nodes, 24)))
	VPORQ(and(k.seven, right(c.nodes, 16)), across, first, exit)
	return free, exit
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
	product := multiply(k.turns, fp)
	var mark vector
	if k.four && wide { // of words of 16 bits the lowest 5 count
		mark = right(product, 27)
	} else {
		mark = right(left(product, 32), 59)
	}
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

// children are the nodes that fingerprints lead to, and the words from their two lanes on.
type children struct{ nodes, first, second vector }

// child returns where fingerprints lead. It clears the lanes of full in which a slot is free there.
func (k *steps) child(fp, from, to, far, tag vector) children {
	across := k.alternate(k.kernel, from, fp)
	u := k.load(k.data, add(multiply(k.bits, across), multiply(k.width, to)))
	v := shiftRight(u, multiply(k.width, less(to, far)))
	VPTESTMQ(k.scale, u, k.full, k.full)
	VPTESTMQ(k.scale, v, k.full, k.full)
	nodes := left(to, 16)
	VPTERNLOGQ(U8(0xfe), left(far, 24), left(across, 32), nodes) // the bits of all
	return children{or(tag, nodes), u, v}
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
	MOVL(U32(0x0f0f00), live) // in the first turn the second half means nothing, and 0 and 1 have no free slot
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
