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
	begins         vector // where lanes begin in a bucket
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

// beginSearch begins a kernel.
func beginSearch(name, rules string) (p reg.Register) {
	return begin(name, "func(data *byte, p *uint64) (found uint64)", "searches, "+rules)
}

// search is the search of AVX-512. Most searches have few turns. A load of what was just written in parts waits until
// all is in the cache. So the second turn, which is written apart, has the nodes of the third still in registers, and a
// later one loads those of the next before it has them all.
func search(name, rules string, alternate alternator, four bool) {
	if !wide {
		searchHalves(name, rules, alternate, four)
		return
	}
	k, head := &steps{kernel: &kernel{probe: beginSearch(name, rules)}, alternate: alternate, four: four}, GP64()
	nodes, word, others := k.roots()
	roots, across := k.look0(nodes, word, others)
	JCC(LabelRef("once")) // one kick is enough
	first, queued, order := k.turn0(roots)
	JCC(LabelRef("first")) // not all are set
	k.tagLater(2)
	MOVQ(U64(2), head)
	CMPQ(head, k.field(fieldFew))
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
	CMPQ(head, k.field(fieldFew))
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

// The fields of simd.Searcher that only searches read.
const (
	fieldMoves  = 7
	fieldFew    = 10
	fieldRoots  = 11
	fieldWords  = 13 // of the roots
	fieldQueue  = 15
	fieldBeside = 16
	fieldExits  = 17
	fieldBits   = -8
)

// field is where a field is, and at loads it.
func (k *steps) field(n int) Mem { return Mem{Base: k.probe, Disp: 8 * n} }

func (k *steps) at(n int) reg.Register {
	p := GP64()
	MOVQ(k.field(n), p)
	return p
}

// roots loads the first two nodes and their words, and then what all turns need, in the order of its use: the first two
// are waited for, and the processor has many loads to make here. It also returns the lanes that mean nothing.
func (k *steps) roots() (nodes, word vector, others reg.Register) {
	second := K() // lanes 2 and 3 and others
	others = K()
	KXNORB(second, second, second)
	KSHIFTLB(Imm(4), second, others)
	KSHIFTLB(Imm(2), second, second)
	both := func(n int) vector {
		v := words()
		VPBROADCASTQ(k.field(n), v)
		VPBROADCASTQ(k.field(n+1), second, v)
		return v
	}
	nodes, word, k.begins = both(fieldRoots), both(fieldWords), words()
	k.queue, k.beside, k.moves = k.at(fieldQueue), k.at(fieldBeside), k.at(fieldMoves)
	k.all, k.most, k.sides = K(), GP64(), sides8
	VMOVDQU64(k.field(fieldBits), k.begins)
	k.kernel.scale, k.turns = field(k.probe, 2), constant(0xc2b2ae35)
	if k.four {
		k.codes, k.blocked, k.sides = ZMM(), ZMM(), sides4
		VMOVDQU64(Mem{Base: k.moves}, k.codes)
		k.lane, k.code = constant(3), constant(63)
	} else {
		k.lane, k.code = constant(7), constant(63<<16)
	}
	k.spread.word = field(k.probe, 5)
	k.spread.upper, k.last = upper(k.spread.word.(vector)), field(k.probe, 6)
	MOVQ(k.field(6), k.most)
	k.buckets, k.bits, k.seven = field(k.probe, 0), field(k.probe, 1), constant(7)
	k.data = pointer("data")
	k.lows, k.high, k.tag = field(k.probe, 3), field(k.probe, 4), ZMM()
	if k.four {
		VMOVDQU64(Mem{Base: k.moves, Disp: 128}, k.blocked)
	}
	VMOVDQU64(tags, k.tag)
	return nodes, word, others
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
func (k *steps) look0(nodes, word vector, others reg.Register) (s seen, c children) {
	k.full, k.half = K(), true
	s = k.look(nodes, word)
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
	VMOVDQU64(exit.AsY(), Mem{Base: k.at(fieldExits)})
	KORB(empty, free, free)
	KMOVB(free, found.As32())
	ANDL(U8(15), found.As32())
	finish(found, false)
}

// turn0 is the rest of the turn of the first two nodes. It also returns what their fingerprints 2 and 3 lead to as it
// is queued, and which of these nodes and of those of the second turn come next.
func (k *steps) turn0(s seen) (t turned, queued children, order reg.Register) {
	t.seen = s
	k.each = ZMM()
	VMOVDQU64(tags, k.each)
	k.tagY, k.n = or(constant(2<<22), k.tag), GP64()
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
	lanes := shiftRight(nodes, k.sides)
	s.own = and(k.lane, lanes)
	if k.four { // y is looked up by what is shifted for it alone, as all waits for that
		shift := left(s.own, 3)
		s.x = and(k.scale, shiftRight(word, k.start(lanes)))
		codes := k.codesOf(s.x)
		s.move = and(k.code, shiftRight(codes, shift))
		further := words()
		VPADDQ_BCST(constants[4], shift, further)
		near := shiftRight(codes, further)
		s.near = and(k.lane, near)
		s.y = and(k.scale, shiftRight(word, k.start(near)))
		return s
	}
	s.x = and(k.scale, shiftRight(word, less(k.start(right(nodes, 16)), k.start(lanes))))
	s.move = k.move(s.x, s.own)
	s.near = and(k.lane, s.move)
	s.y = and(k.scale, k.load(k.data, add(multiply(k.bits, s.from), k.start(s.move))))
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
	exits, b := k.at(fieldExits), GP32()
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
		u, v = shiftRight(u, k.start(low)), shiftRight(u, k.start(high))
	} else {
		v = shiftRight(u, k.start(less(low, high)))
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

// start returns where lanes begin in a bucket. Of a lane the lowest three bits count.
func (k *steps) start(lane vector) vector { return result(VPERMQ, k.begins, lane) }

// move returns where a fingerprint in a lane may move: with 4 lanes the code of the move, with 8 all of it.
func (k *steps) move(fp, lane vector) vector {
	if k.four {
		return and(k.code, shiftRight(k.codesOf(fp), left(lane, 3)))
	}
	mark := right(left(multiply(k.turns, fp), 32), 59)
	return k.gather(k.moves, left(or(left(mark, 3), lane), 3))
}

// codesOf returns the codes of 4 lanes. AVX2 looks, of the 8 words of 32 bits in each quarter of the table, for those that
// the bits 0 to 2 of the mark number, then of two that in the half of bit 3, and of these that of bit 4.
func (k *steps) codesOf(fp vector) vector {
	product := multiply(k.turns, fp)
	if wide { // of words of 32 bits the lowest 5 count
		codes := right(product, 27)
		VPERMI2D(Mem{Base: k.moves, Disp: 64}, k.codes, codes)
		return codes
	}
	mark := right(left(product, 32), 59)
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
	c.word = k.load(k.data, add(multiply(k.bits, across), k.start(code)))
	v := shiftRight(c.word, k.start(right(move, 32)))
	VPTESTMQ(k.scale, c.word, k.full, k.full)
	VPTESTMQ(k.scale, v, k.full, k.full)
	VPTERNLOGQ(U8(0xf8), k.code, code, c.nodes) // nodes | code & 63<<16
	c.nodes = or(tag, c.nodes)
	return c
}
