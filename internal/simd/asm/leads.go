package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// leads writes a kernel that finds to which slots the fingerprints in n slots may move, where slots are paired, and
// which of these are free: simd.Leads says how. With 4 lanes a word holds a bucket, and two tables of 32 words say for
// each mark the moves of all lanes; with 8 the moves are a table in memory.
func leads(name, rules string, alternate alternator, four bool) {
	p := beginTable(name, "leads *uint64, moves *uint64", "says where the fingerprints in n slots lead, a positive multiple of 8, "+rules)
	k, bits := newKernel(p, true, scratchSize), GP64()
	POPCNTQ(Mem{Base: p, Disp: 8 * 2}, bits)
	width, low := words(), XMM()
	VMOVQ(bits, low)
	VPBROADCASTQ(low, width)
	data, dst, moves := pointer("data"), pointer("leads"), pointer("moves")
	turns, three := constant(0xc2b2ae35), constant(3)
	free := [...]Op{constant(1 << 4), constant(1 << 5), constant(1 << 6)}
	nears, pairs := lookup{tables: moves}, lookup{tables: moves, at: 8}
	if four && wide {
		all, lowest := GP32(), K()
		MOVL(U32(0x11111111), all)
		KMOVD(all, lowest)
		for _, l := range []*lookup{&nears, &pairs} {
			l.table, l.lowest = ZMM(), lowest
			VMOVDQU64(Mem{Base: moves, Disp: 8 * l.at}, l.table)
		}
	}
	each("hs", func(half int, node vector) {
		from, lane := upper(node), and(k.seven, right(node, 16))
		base := multiply(k.bits, from)
		place := func(lane vector) vector { return multiply(width, lane) }
		var fp, u, near, to, far vector
		if four {
			bucket := k.load(data, base)
			fp = and(k.scale, shiftRight(bucket, place(lane)))
			mark := right(left(multiply(turns, fp), 32), 59)
			near = and(three, shiftRight(nears.look(mark), left(lane, 1)))
			pair := shiftRight(pairs.look(mark), left(lane, 2))
			to, far = and(three, pair), and(three, right(pair, 2))
			u = shiftRight(bucket, place(near))
		} else {
			fp = and(k.scale, k.load(data, add(base, place(lane))))
			mark := right(left(multiply(turns, fp), 32), 59)
			move := k.gather(moves, left(or(left(mark, 3), lane), 3))
			near, to, far = and(k.seven, move), and(k.seven, right(move, 8)), and(k.seven, right(move, 16))
			u = k.load(data, add(base, place(near)))
		}
		across := alternate(k, from, fp)
		v := k.load(data, add(multiply(k.bits, across), place(to)))
		w := shiftRight(v, place(less(to, far)))
		lead := or(or(near, left(to, 8)), or(left(far, 16), left(across, 32)))
		for n, x := range [...]vector{u, v, w} {
			lead = k.flag(lead, x, free[n])
		}
		store(lead, dst, half)
	}, func() { advance(dst, 64) })
}

// flag returns v with a bit more in the lanes in which x has no bit of a fingerprint.
func (k *kernel) flag(v, x vector, bit Op) vector {
	if wide {
		empty := K()
		VPTESTNMQ(k.scale, x, empty)
		VPORQ(bit, v, empty, v)
		return v
	}
	return or(v, and(bit, zero(and(k.scale, x))))
}
