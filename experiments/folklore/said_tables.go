package folklore

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
)

// walk is the paper's way to insert: a random walk of 500 kicks.
func walk(p cuckoo.Placement) cuckoo.Config {
	return cuckoo.Config{Placement: p, Kick: cuckoo.RandomWalk}
}

func saidOfTables() []sentence {
	const half = .495 // what rounds to 50%
	said := func(b int, least float64) part {
		return part{id: fmt.Sprintf("b = %d", b), of: text{fmt.Sprintf("load at the first refused key, b = %d, 16 bits", b), fmt.Sprintf("b = %d、16 位指纹时首次拒绝的装载率", b)},
			unit: load, said: atLeast(least), cost: .02, run: loadOf(16, b, largeOf, walk(cuckoo.XOR)), must: seen()}
	}
	narrow := func(exponent int) part {
		return part{id: fmt.Sprintf("b = 1, 8 bits, 2^%d", exponent),
			of:   text{fmt.Sprintf("load of b = 1 with 8 bits, 2^%d slots", exponent), fmt.Sprintf("b = 1、8 位指纹、2^%d 个槽时的装载率", exponent)},
			unit: load, said: atLeast(half), cost: .01, run: loadOf(8, 1, fixed(exponent), walk(cuckoo.XOR)), must: seen()}
	}
	first := func(exponent int) part {
		return part{id: fmt.Sprintf("first, 2^%d", exponent),
			of: text{fmt.Sprintf("load at the first refused key with the first slot as victim (b = 4, one byte, 500 kicks, 2^%d slots)", exponent),
				fmt.Sprintf("总踢第一个槽时首次拒绝的装载率（b = 4、1 字节指纹、500 次踢出、2^%d 个槽）", exponent)},
			unit: load, said: atLeast(.795), cost: .4 * float64(int(1)<<exponent) / (1 << 20), run: slotLoad(true, fixed(exponent)), must: seen()}
	}
	return []sentence{{
		id:   "loads",
		says: text{"The table fills to 50, 84, 95 and 98% with 1, 2, 4 and 8 slots a bucket", "每桶 1、2、4、8 个槽时，装载率可达 50%、84%、95%、98%"},
		when: text{"fingerprints wide enough for the table; 8 bits are too few at b = 1", "指纹相对于表要足够宽；b = 1 时 8 位不够"},
		why: text{"A narrow fingerprint leads to few alternate buckets, so small groups of buckets are full long before the table is.",
			"窄指纹只能通向少数几个备选桶，局部的一小群桶早早装满，而整张表还很空。"},
		part: []part{
			said(1, half), said(2, .84), said(4, .95), said(8, .98), narrow(12), narrow(16), narrow(20),
		},
	}, {
		id:   "first-slot",
		says: text{"The victim may as well be the first slot; the table still fills to 80%", "踢谁都一样，每次踢第一个槽也能装到 80%"},
		why:  text{"A walk that has no choice soon comes back to where it was and goes in a circle; a random victim leaves it.", "固定踢同一个槽，很快就会绕回原处，陷入循环；随机选槽才走得出去。"},
		part: []part{
			first(10), first(17), first(20),
			{id: "random", of: text{"the same with a random victim, 2^17 slots", "2^17 个槽的表，随机选槽时"},
				unit: load, cost: .08, run: slotLoad(false, fixed(17)), must: seen()},
		},
	}, {
		id:   "xor-fingerprint",
		says: text{"The alternate bucket may be i xor fp, without hashing the fingerprint", "备选桶用 i xor fp 就行，不必对指纹再做哈希"},
		when: text{"fingerprints of as many bits as the number of a bucket has, or a small table", "指纹不窄于桶编号的位数，或者表很小"},
		why: text{"Both buckets of a key are then less than 2^f apart: the table falls into blocks of 2^f buckets, and the fullest one refuses first.",
			"键的两个候选桶相距不到 2^f：整张表分裂成许多各有 2^f 个桶的小块，最满的一块最先拒绝。"},
		part: append([]part{
			plainLoad(8, 10, cuckoo.PlainXOR, atLeast(.945)), plainLoad(8, 18, cuckoo.PlainXOR, atLeast(.945)), plainLoad(4, 18, cuckoo.PlainXOR, atLeast(.945)),
			plainLoad(16, 18, cuckoo.PlainXOR, atLeast(.945)), plainLoad(8, 18, cuckoo.XOR, nil),
		}, plainCurve()...),
	}}
}

// saidOfPlaces has the sentences about the alternate bucket's arithmetic, and about the time of inserts.
func saidOfPlaces() []sentence {
	return []sentence{{
		id:   "remainder",
		says: text{"(i xor hash(fp)) % N gives the alternate bucket for any N", "备选桶取 (i xor hash(fp)) % N，N 任意"},
		when: text{"N is a power of two", "N 是 2 的幂"},
		why: text{"The remainder is not its own inverse, so a kicked fingerprint goes to a bucket in which nobody looks for its key.",
			"取模之后，这个运算不再是自身的逆运算，被踢走的指纹会落到查询时根本不会看的桶里。"},
		part: []part{
			{id: "power", of: text{"keys denied, N a power of two (load .9)", "N 为 2 的幂时的漏判比例（装载率 0.9）"}, unit: share, said: none, cost: .01, run: remainder(evenly), must: exact(0, byCount)},
			{id: "other", of: text{"keys denied, N = 15/16 of that, less one", "N 取其 15/16 再减一时的漏判比例"}, unit: share, said: none, cost: .01, run: remainder(unevenly), must: seen()},
		},
	}, {
		id:   "power-of-two",
		says: text{"A table must have a power of two of buckets", "桶的数量必须是 2 的幂"},
		when: text{"the placement is i xor something", "备选桶用异或计算"},
		why: text{"c(fp) - i modulo N is its own inverse for every N; rounding up to a power of two costs 39% of memory in the mean, and nearly twice at worst.",
			"c(fp) - i 对 N 取模，对任何 N 都是自身的逆；向上取 2 的幂平均多花 39% 的内存，最坏接近一倍。"},
		part: []part{
			{id: "additive", of: text{"keys denied under c(fp) - i, N no power of two (load .9)", "采用 c(fp) - i、N 不是 2 的幂时的漏判比例（装载率 0.9）"}, unit: share, said: some, cost: .01, run: additive, must: exact(0, byCount)},
			{id: "xor", of: text{"keys denied under i xor hash(fp), the same N", "采用 i xor hash(fp)、N 相同时的漏判比例"}, unit: share, said: some, cost: .01, run: remainder(unevenly), must: seen()},
			{id: "mean price", of: text{"bits of a rounded table over those of one of the right size, mean over 1 to 2 million keys", "100 万到 200 万个键时，取 2 的幂的表与恰好大小的表的位数之比（平均）"},
				unit: figure, runs: 1, run: rounded(1_000_000, 2_000_000, 200), must: within(2*math.Ln2*.985, 2*math.Ln2*1.015, "2 ln 2, the mean of 2/x over an octave")},
			{id: "worst price", of: text{"the same at 1 010 000 keys", "101 万个键时的同一比值"}, unit: figure, runs: 1, run: rounded(1_010_000, 1_010_000, 1), must: within(1.95, 2, "just above a power of two")},
		},
	}, {
		id:   "constant-inserts",
		says: text{"An insert takes constant time", "插入是常数时间"},
		when: text{"the table is not nearly full", "表没有接近装满"},
		why: text{"A kick is needed only if both buckets are full. Near the end the walk is long, and a refused insert walks all 500 kicks for nothing; the chart of insert-time has the nanoseconds.",
			"两个桶都满才需要踢。接近装满时踢的链条很长，被拒绝的插入则白走完 500 次；insert-time 的图给出了纳秒数。"},
		part: []part{
			{id: "50%", of: text{"kicks of an insert at a load of .5 (b = 4, random walk)", "装载率 0.5 时每次插入的踢出次数（b = 4、随机游走）"}, unit: multiple, said: atMost(1), cost: .03, run: kicksAt(50), must: seen()},
			{id: "70%", of: text{"the same at .7", "装载率 0.7 时"}, unit: multiple, said: atMost(1), cost: .03, run: kicksAt(70), must: seen()},
			{id: "95%", of: text{"the same at .95", "装载率 0.95 时"}, unit: multiple, said: atMost(1), cost: .04, run: kicksAt(95), must: seen()},
		},
	}}
}

// plainLoad is the load of a table under a placement.
func plainLoad(f, exponent int, p cuckoo.Placement, said *span) part {
	rule := "i xor fp"
	if p == cuckoo.XOR {
		rule = "i xor hash(fp)"
	}
	return part{id: fmt.Sprintf("%s, f = %d, 2^%d", rule, f, exponent),
		of:   text{fmt.Sprintf("load under %s, b = 4, %d bits, 2^%d slots", rule, f, exponent), fmt.Sprintf("%s、b = 4、%d 位指纹、2^%d 个槽时的装载率", rule, f, exponent)},
		unit: load, said: said, cost: .02, run: loadOf(f, 4, fixed(exponent), walk(p)), must: seen()}
}

// plainExponents are the sizes of the tables of the chart, and plainWidths the widths.
var (
	plainExponents = []int{10, 14, 18}
	plainWidths    = []int{4, 6, 8, 10, 12, 16}
)

// plainCurve are the points of the chart: load by width, for i xor fp by size, and for the hashed fingerprint.
func plainCurve() (ps []part) {
	for _, f := range plainWidths {
		for _, e := range plainExponents {
			ps = append(ps, part{id: plainLine(e), x: lab.Int(f), unit: load, cost: .01, run: loadOf(f, 4, fixed(e), walk(cuckoo.PlainXOR))})
		}
		ps = append(ps, part{id: hashedLine, x: lab.Int(f), unit: load, cost: .01, run: loadOf(f, 4, fixed(plainExponents[2]), walk(cuckoo.XOR))})
	}
	return ps
}
