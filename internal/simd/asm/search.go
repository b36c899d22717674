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
	width       Op
	turns       Op
	sides       Mem // by how many bits a node is shifted to have the lane of 0 or 1 lowest
	lane, code  Op  // the bits of a lane, and those of a code
	four        bool

	// Of AVX-512: the queue with its words, and how many nodes it has; the lanes in which nothing is free; the tables of
	// four lanes; what nodes have in their lowest bits that 0 and 1 or 2 and 3 lead to; the nodes of a turn with their
	// words, and what spreads them over the lanes: each node twice, with its two slots.
	queue, beside  reg.Register
	n              reg.GPVirtual
	full           reg.OpmaskVirtual
	codes, blocked vector // the first halves of the tables
	tag, tagY      vector
	nodes4, words4 vector
	each           vector
}

// perLane is a table of 8 words.
func perLane(name string, word func(lane int) uint64) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for lane := range 8 {
		DATA(8*lane, U64(word(lane)))
	}
	return m
}

var tags, sides4, sides8, odd, even, merged Mem

// searchTables writes the tables of all searches. The last has, by how many nodes come first, which four of four nodes
// and four more are the next.
func searchTables() {
	tags = perLane("tags", func(lane int) uint64 { return uint64(lane&1<<22 | lane>>1) })
	sides4 = perLane("sidesFour", func(lane int) uint64 { return uint64(16 + lane&1*2) })
	sides8 = perLane("sidesEight", func(lane int) uint64 { return uint64(16 + lane&1*3) })
	odd = perLane("odd", func(lane int) uint64 { return -uint64(lane & 1) })
	even = perLane("even", func(lane int) uint64 { return uint64(lane&1^1) << 3 }) // a bit that no lane of a bucket has
	merged = GLOBL("merged", attr.RODATA|attr.NOPTR)
	for at := range 5 * 4 {
		first, k := at/4, at%4
		if k >= first {
			k += 4 - first
		}
		DATA(8*at, U64(uint64(k)))
	}
}

// newSteps begins a kernel.
func newSteps(name, rules string, alternate alternator, four bool) *steps {
	p := begin(name, "func(data *byte, p, queue, words, moves, exits *uint64, few int) (found uint64)", "searches, "+rules)
	k := &steps{kernel: newKernel(p, true, scratchSize+64), alternate: alternate, four: four}
	bits, low, width := GP64(), XMM(), words()
	POPCNTQ(Mem{Base: p, Disp: 8 * 2}, bits)
	VMOVQ(bits, low)
	VPBROADCASTQ(low, width)
	k.width = k.stored(width)
	k.data, k.moves = pointer("data"), pointer("moves")
	k.turns, k.sides, k.lane, k.code = constant(0xc2b2ae35), sides8, k.seven, constant(63)
	if four {
		k.sides, k.lane = sides4, constant(3)
	}
	return k
}

// search is the search of AVX-512. Most searches have few turns. A load of what was just written in parts waits until
// all is in the cache. So the second turn, which is written apart, has the nodes of the third still in registers, and a
// later one loads those of the next before it has them all.
func search(name, rules string, alternate alternator, four bool) {
	if !wide {
		searchHalves(name, rules, alternate, four)
		return
	}
	k := newSteps(name, rules, alternate, four)
	k.load512()
	head := GP64()
	roots, across := k.look0()
	JCC(LabelRef("once")) // one kick is enough
	first, queued, order := k.turn0(roots)
	JCC(LabelRef("first")) // not all are set
	k.tagLater(2)
	MOVQ(U64(2), head)
	CMPQ(head, few())
	JAE(LabelRef("none"))
	second := k.turn(func(c children) {
		VMOVDQU64(order, k.nodes4.AsY())
		VMOVDQU64(order, k.words4.AsY())
		VPERMI2Q(c.nodes.AsY(), queued.nodes.AsY(), k.nodes4.AsY())
		VPERMI2Q(c.word.AsY(), queued.word.AsY(), k.words4.AsY())
	})
	JCC(LabelRef("second"))
	JMP(LabelRef("turned"))

	Label("next")
	later := k.turn(func(children) {
		VMOVDQU64(Mem{Base: k.queue, Index: head, Scale: 8, Disp: 32}, k.nodes4.AsY())
		VMOVDQU64(Mem{Base: k.beside, Index: head, Scale: 8, Disp: 32}, k.words4.AsY())
	})
	JCC(LabelRef("later"))
	Label("turned")
	k.tagLater(4)
	ADDQ(U8(4), head)
	CMPQ(head, few())
	JB(LabelRef("next"))
	Label("none")
	finish(head, true)

	Label("once")
	k.endOnce(roots, across)
	Label("first")
	XORQ(head, head)
	k.end(head, first)
	Label("second")
	k.end(head, second)
	Label("later")
	k.end(head, later)
}

// turn is a turn of four nodes. Before it looks at what 2 and 3 lead to it has next load the nodes of the next turn, and
// after it the flags say whether a free slot was found.
func (k *steps) turn(next func(c children)) (t turned) {
	t.seen = k.look4()
	VPTESTMQ(t.y, t.y, k.full)
	c := k.child(t.x, t.from, t.move, k.tag)
	t.at = GP64()
	MOVQ(k.n, t.at)
	VMOVDQU64(c.nodes, Mem{Base: k.queue, Index: k.n, Scale: 8})
	VMOVDQU64(c.word, Mem{Base: k.beside, Index: k.n, Scale: 8})
	ADDQ(U8(8), k.n)
	next(c)
	t.later, _, _ = k.later(t.seen, nil)
	KORTESTB(k.full, k.full)
	return t
}

// tagLater moves the tags to nodes that come n later.
func (k *steps) tagLater(n uint64) {
	VPADDQ_BCST(constants[n], k.tag, k.tag)
	VPADDQ_BCST(constants[n], k.tagY, k.tagY)
}

// few is the parameter.
func few() Op {
	at, err := Param("few").Resolve()
	if err != nil {
		panic(err)
	}
	return at.Addr
}

// load512 loads what all turns need.
func (k *steps) load512() {
	k.kernel.all = K()
	k.spread.upper = upper(k.spread.word.(vector))
	if !k.four {
		k.code = constant(63 << 16)
	}
	k.queue, k.beside = pointer("queue"), pointer("words")
	if k.four {
		k.codes, k.blocked = ZMM(), ZMM()
		VMOVDQU64(Mem{Base: k.moves}, k.codes)
		VMOVDQU64(Mem{Base: k.moves, Disp: 128}, k.blocked)
	}
	k.tag, k.each = ZMM(), ZMM()
	VMOVDQU64(tags, k.tag)
	VMOVDQU64(tags, k.each)
	k.tagY, k.n, k.full, k.nodes4, k.words4 = or(constant(2<<22), k.tag), GP64(), K(), YMM(), YMM()
}

// seen is what four nodes have in 8 lanes: the bucket, the lane, the other lane to which its fingerprint may move, the
// fingerprints in both, 0 or 1 and 2 or 3, and the move of the first.
type seen struct{ from, own, near, x, y, move vector }

// turned is a turn: what its nodes have, from where on that is queued that 0 and 1 lead to, and what 2 and 3 lead
// to.
type turned struct {
	seen
	at    reg.GPVirtual
	later children
}

// look0 looks at the fingerprints 0 and 1 of the first two nodes, and queues what they lead to. The flags say whether a
// free slot was found.
func (k *steps) look0() (s seen, c children) {
	second, others := K(), K() // lanes 2 and 3 and others, and those that mean nothing
	KXNORB(second, second, second)
	KSHIFTLB(Imm(4), second, others)
	KSHIFTLB(Imm(2), second, second)
	both := func(from reg.Register) vector {
		v := words()
		VPBROADCASTQ(Mem{Base: from}, v)
		VPBROADCASTQ(Mem{Base: from, Disp: 8}, second, v)
		return v
	}
	k.half = true
	s = k.look(both(k.queue), both(k.beside))
	VPTESTMQ(s.y, s.y, k.full)
	c = k.child(s.x, s.from, s.move, k.tag)
	k.half = false
	VMOVDQU64(c.nodes.AsY(), Mem{Base: k.queue, Disp: 16})
	VMOVDQU64(c.word.AsY(), Mem{Base: k.beside, Disp: 16})
	k.nodes4, k.words4 = c.nodes, c.word
	KORTESTB(k.full, others)
	return s, c
}

// endOnce ends a search that has found a free slot so, within the bucket or in another one.
func (k *steps) endOnce(s seen, c children) {
	free, exit := k.exit(c)
	empty, found := K(), GP64()
	VPTESTNMQ(s.y, s.y, empty)
	VPORQ(left(s.from, 32), s.near, empty, exit)
	VMOVDQU64(exit.AsY(), Mem{Base: pointer("exits")})
	KORB(empty, free, free)
	KMOVB(free, found.As32())
	ANDL(U8(15), found.As32())
	finish(found, false)
}

// turn0 is the rest of the turn of the first two nodes. It also returns what their fingerprints 2 and 3 lead to as it
// is queued, and which of these nodes and of those of the second turn come next.
func (k *steps) turn0(s seen) (t turned, queued children, order reg.Register) {
	t.seen = s
	live, at := K(), GP64()
	KXNORB(live, live, live)
	KSHIFTRB(Imm(4), live, live)
	MOVQ(U64(6), k.n)
	later, queued, count := k.later(t.seen, live)
	t.later = later
	LEAQ(merged, at)
	SHLQ(U8(5), count)
	y := YMM()
	VMOVDQU64(Mem{Base: at, Index: count, Scale: 1}, y)
	KNOTB(live, live)
	KORTESTB(k.full, live)
	return t, queued, y
}

// later looks at the fingerprints 2 and 3 of the nodes of a turn, all of them or those that are live, and queues what
// they lead to. It also returns this as it is queued, and how many nodes it is.
func (k *steps) later(s seen, live reg.Register) (c, queued children, count reg.GPVirtual) {
	alive := k.alive(s, live)
	c, queued, count = k.child(s.y, s.from, k.move(s.y, s.near), k.tagY), children{ZMM(), ZMM()}, GP64()
	VPCOMPRESSQ_Z(c.nodes, alive, queued.nodes)
	VPCOMPRESSQ_Z(c.word, alive, queued.word)
	VMOVDQU64(queued.nodes, Mem{Base: k.queue, Index: k.n, Scale: 8})
	VMOVDQU64(queued.word, Mem{Base: k.beside, Index: k.n, Scale: 8})
	KMOVB(alive, count.As32())
	POPCNTL(count.As32(), count.As32())
	ADDQ(count, k.n)
	return c, queued, count
}

// look4 returns what four nodes have.
func (k *steps) look4() (s seen) {
	nodes, word := ZMM(), ZMM()
	VPERMQ(k.nodes4.AsZ(), k.each, nodes)
	VPERMQ(k.words4.AsZ(), k.each, word)
	return k.look(nodes, word)
}

// look returns what nodes with their words have, each of which is in two lanes.
func (k *steps) look(nodes, word vector) (s seen) {
	s.from = upper(nodes)
	s.own = and(k.lane, shiftRight(nodes, k.sides))
	within := s.own
	if !k.four {
		within = less(and(k.lane, right(nodes, 16)), s.own)
	}
	s.x = and(k.scale, shiftRight(word, multiply(k.width, within)))
	s.move = k.move(s.x, s.own)
	if s.near = k.near(s.move); k.four {
		s.y = and(k.scale, shiftRight(word, multiply(k.width, s.near)))
	} else {
		s.y = and(k.scale, k.load(k.data, add(multiply(k.bits, s.from), multiply(k.width, s.near))))
	}
	return s
}

// alive returns the lanes in which the slots of the fingerprints 2 and 3 are neither those of 0 and 1 nor the same.
func (k *steps) alive(s seen, live reg.Register) reg.OpmaskVirtual {
	other, alive := K(), K()
	if live == nil {
		VPCMPQ(Imm(4), swapped(s.own), s.near, other)
	} else {
		VPCMPQ(Imm(4), swapped(s.own), s.near, live, other)
	}
	VPCMPQ(Imm(4), or(even, swapped(s.near)), s.near, other, alive)
	return alive
}

// end ends a search whose last turn has found a free slot. The first turn has found none by the fingerprints 0 and 1.
func (k *steps) end(head reg.GPVirtual, t turned) {
	exits, b := pointer("exits"), GP32()
	free, exit := k.exit(t.later)
	KMOVB(free, b)
	SHLQ(U8(32), head)
	if t.at == nil {
		ANDL(U8(0x0f), b) // other lanes mean nothing
	} else {
		empty, a, c, queued := K(), GP32(), GP32(), children{ZMM(), ZMM()} // which no register has kept
		VPTESTNMQ(t.y, t.y, empty)
		VPORQ(left(t.from, 32), t.near, empty, exit)
		KMOVB(empty, c)
		ORL(c, b)
		SHLL(U8(16), c)
		ORQ(c.As64(), head)
		load(Mem{Base: k.queue, Index: t.at, Scale: 8}, queued.nodes)
		load(Mem{Base: k.beside, Index: t.at, Scale: 8}, queued.word)
		free, exit := k.exit(queued)
		VMOVDQU64(exit, Mem{Base: exits})
		KMOVB(free, a)
		ORQ(a.As64(), head)
	}
	VMOVDQU64(exit, Mem{Base: exits, Disp: 64})
	SHLL(U8(8), b)
	ORQ(b.As64(), head)
	finish(head, false)
}

// exit returns where a slot that fingerprints lead to is free, and that slot, the first one if both are.
func (k *steps) exit(c children) (free reg.OpmaskVirtual, exit vector) {
	across, first, u, v := left(upper(c.nodes), 32), K(), c.word, vector(nil)
	low, high := k.lanes(c.nodes)
	if k.four {
		u, v = shiftRight(u, multiply(k.width, low)), shiftRight(u, multiply(k.width, high))
	} else {
		v = shiftRight(u, multiply(k.width, less(low, high)))
	}
	free = K()
	VPTESTNMQ(k.scale, v, free)
	VPTESTNMQ(k.scale, u, first)
	KORB(first, free, free)
	exit = or(across, high)
	VPORQ(low, across, first, exit)
	return free, exit
}

// lanes returns the two lanes of nodes.
func (k *steps) lanes(nodes vector) (low, high vector) {
	if k.four {
		return and(k.lane, right(nodes, 16)), and(k.lane, right(nodes, 18))
	}
	return and(k.lane, right(nodes, 16)), and(k.lane, right(nodes, 19))
}

// near returns the other lane of the pair, by a move.
func (k *steps) near(move vector) vector {
	if k.four {
		return right(move, 4)
	}
	return and(k.lane, move)
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

// move returns where a fingerprint in a lane may move: with 4 lanes the code of the move, with 8 all of it.
func (k *steps) move(fp, lane vector) vector {
	product := multiply(k.turns, fp)
	if !k.four {
		mark := right(left(product, 32), 59)
		return k.gather(k.moves, left(or(left(mark, 3), lane), 3))
	}
	var codes vector
	if wide { // of words of 32 bits the lowest 5 count
		codes = right(product, 27)
		VPERMI2D(Mem{Base: k.moves, Disp: 64}, k.codes, codes)
	} else {
		codes = k.codesOf(right(left(product, 32), 59))
	}
	return and(k.code, shiftRight(codes, left(lane, 3)))
}

// codesOf returns the codes of marks: of the 8 words of 32 bits in each quarter of the table those that the bits 0 to 2
// number, then of two that in the half of bit 3, and of these that of bit 4.
func (k *steps) codesOf(mark vector) vector {
	bit3, v := left(mark, 60), words()
	half := func(n int) vector {
		low, high, v := words(), words(), words()
		VPERMD(Mem{Base: k.moves, Disp: 64 * n}, mark, low)
		VPERMD(Mem{Base: k.moves, Disp: 64*n + 32}, mark, high)
		VBLENDVPD(bit3, high, low, v)
		return v
	}
	low, high := half(0), half(1)
	VBLENDVPD(left(mark, 59), high, low, v)
	return v
}

// children are the nodes that fingerprints lead to, and their words.
type children struct{ nodes, word vector }

// child returns where fingerprints lead. It clears the lanes of full in which a slot is free there.
func (k *steps) child(fp, from, move, tag vector) (c children) {
	across := k.alternate(k.kernel, from, fp)
	c.nodes = left(across, 32)
	if k.four {
		c.word = k.load(k.data, multiply(k.bits, across))
		VPTERNLOGQ(U8(0xfe), tag, left(move, 16), c.nodes) // the bits of all
		x := words()
		VMOVDQU64(move, x)
		VPERMI2Q(Mem{Base: k.moves, Disp: 192}, k.blocked, x)
		VPORQ(c.word, x, x)
		flags := less(k.lows, x)
		VPTERNLOGQ(U8(0x20), k.high, x, flags) // flags & high &^ x
		VPTESTNMQ(flags, flags, k.full, k.full)
		return c
	}
	code := right(move, 8)
	c.word = k.load(k.data, add(multiply(k.bits, across), multiply(k.width, and(k.seven, code))))
	v := shiftRight(c.word, multiply(k.width, right(move, 32)))
	VPTESTMQ(k.scale, c.word, k.full, k.full)
	VPTESTMQ(k.scale, v, k.full, k.full)
	VPTERNLOGQ(U8(0xf8), k.code, code, c.nodes) // nodes | code & 63<<16
	c.nodes = or(tag, c.nodes)
	return c
}
