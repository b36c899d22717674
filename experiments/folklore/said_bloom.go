package folklore

import (
	"context"
	"math"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
)

// sentences returns all of them, in the order of the page.
func sentences() []sentence {
	return slices.Concat(saidOfBloom(), saidOfSpace(), saidOfDeletes(), saidOfTables(), saidOfPlaces(), saidOfHashes())
}

const (
	byCount   = "a count that chance has no part in"
	byFormula = "the formula of the filter's rate"
)

func saidOfBloom() []sentence {
	return []sentence{{
		id:   "clear-bits",
		says: text{"To delete a key from a Bloom filter, clear its bits", "要从布隆过滤器里删除一个键，把它对应的位清零即可"},
		why: text{"Keys share bits, so other keys are denied with the deleted one: a Bloom filter cannot delete.",
			"不同的键共用同一批位，清零会让其他键跟着漏判：布隆过滤器不支持删除。"},
		part: append([]part{
			{id: "others", of: text{"other keys denied for each key cleared (10 bits a key, 7 hashes, at capacity; 0.1% of the keys cleared)",
				"每清掉一个键，另有多少个键被漏判（每键 10 位、7 个哈希、装到设计容量，清掉 0.1% 的键）"},
				unit: multiple, said: none, cost: .05, run: cleared(1, 100, true), must: near(clearedEach(1), .02, "k*k*n/m keys share a bit with a key")},
			{id: "1%", of: text{"keys denied of the others, after 1% of the keys were cleared", "清掉 1% 的键之后，其余键的漏判比例"},
				unit: share, said: none, cost: .05, run: cleared(10, 100, false), must: near(clearedShare(10), .02, "1 - exp(-k*k*d/m) for d cleared keys")},
			{id: "10%", of: text{"the same after 10% were cleared", "清掉 10% 的键之后的漏判比例"},
				unit: share, said: none, cost: .05, run: cleared(100, 100, false), must: near(clearedShare(100), .02, "1 - exp(-k*k*d/m) for d cleared keys")},
		}, clearedCurve()...),
	}, {
		id:   "set-of-deleted",
		says: text{"Keep a Set of the deleted keys beside a Bloom filter, and it can delete", "在布隆过滤器旁边放一个 Set 记录已删除的键，就能支持删除"},
		when: text{"the Set drops a key that comes back, and the filter is built anew before all keys were replaced", "键重新加入时要从 Set 中移除，并且在键全部换过一轮之前重建过滤器"},
		why: text{"The Set holds whole keys, so each deleted key takes more than ten times the bits of a stored one; and the bits of deleted keys stay set.",
			"Set 保存的是完整的键，每个已删除的键所占空间是过滤器中一个键的十倍以上；而且已删除的键留下的位仍然是 1。"},
		part: []part{
			{id: "forgotten", of: text{"deleted keys that come back and are denied, where only the filter is told", "已删除的键重新加入、但只写入过滤器时的漏判比例"},
				unit: share, said: none, cost: .02, run: returning(false), must: exact(1, byCount)},
			{id: "dropped", of: text{"the same where the Set drops the key", "重新加入的同时从 Set 移除时的漏判比例"},
				unit: share, said: none, cost: .02, run: returning(true), must: exact(0, byCount)},
			{id: "set", of: text{"bits that the Set takes for each deleted domain name, at least (16 bytes and the text)", "Set 为每个已删除的域名至少占用的位数（16 字节头加上文本）"},
				unit: figure, runs: 1, cost: .01, run: setBytes, must: within(200, 260, "names of 9 to 16 bytes")},
			{id: "replaced", of: text{"false-positive rate of a filter for 0.8% once each key was deleted and another inserted", "设计误判率 0.8% 的过滤器，在每个键都删掉并换成新键之后的误判率"},
				unit: share, said: atMost(.0095), cost: .03, run: replaced,
				must: near(bloom.PredictRate(bloomBits*100_000, bloomHashes, 200_000), .03, "the predicted rate of twice the keys")},
		},
	}, {
		id:   "one-bit",
		says: text{"A Bloom filter takes one bit a key", "布隆过滤器每个键只占 1 位"},
		why: text{"One bit a key is a filter that says yes to most absent keys; a rate of 3% takes 7.3 bits, 1% takes 9.6.",
			"每键 1 位的布隆过滤器会对大多数不存在的键回答“在”；误判率 3% 需要 7.3 位，1% 需要 9.6 位。"},
		part: []part{
			{id: "3%", of: text{"bits a key for a rate of 3%", "误判率 3% 时每键的位数"}, unit: figure, said: atMost(1), runs: 1, run: bloomBitsFor(.03),
				must: near(law.BloomBits(.03), .01, "log2(1/rate)/ln 2, and the rounding of the number of hashes")},
			{id: "rate", of: text{"false-positive rate of one bit a key and one hash", "每键 1 位、1 个哈希时的误判率"}, unit: share, said: atMost(.03), cost: .02, run: oneBit,
				must: near(1-math.Exp(-1), .01, "1 - 1/e of the bits are set")},
		},
	}}
}

// clearedCurve are the points of the chart: the share of keys denied by load, for 1 and for 10% of the keys cleared.
func clearedCurve() (ps []part) {
	for _, permille := range []int{10, 100} {
		for percent := 10; percent <= 100; percent += 10 {
			ps = append(ps, part{id: clearedLine(permille), x: lab.Int(percent), unit: share, cost: .05, run: cleared(permille, percent, false)})
		}
	}
	return ps
}

// bloomBitsFor is the size of a Bloom filter for a million keys.
func bloomBitsFor(rate float64) trial {
	return func(context.Context, uint64, size) (int, int, error) {
		bits, err := bloom.OptimalBits(1_000_000, rate)
		return bits / 1000, 1000, err // in thousands: logarithms may differ in the last bits between machines
	}
}

func saidOfSpace() []sentence {
	equal := func(f int, layout cuckoo.Layout, en, zh string) part {
		const n = 1 << 19
		stored, compared := f, 4 // bits of a slot, and slots of a bucket that a lookup compares
		switch layout {
		case cuckoo.SemiSorted:
			stored--
		case cuckoo.PairedSlots:
			compared = 2
		}
		_, bytes, err := cuckoo.Plan(cuckoo.Config{Capacity: n, Layout: layout}, uint(f))
		if err != nil {
			bytes = 1 // the trial has the same error
		}
		bits := 8 * bytes
		want := law.ExactRate(float64(f), compared, float64(n*stored)/float64(bits)) / bloom.PredictRate(bits, bloom.OptimalHashes(bits, n), n)
		return part{id: en, of: text{"false positives of " + en + " for each one of a Bloom filter of as many bits", zh + "的误判数与同样大小的布隆过滤器之比"},
			unit: ratio, said: atMost(1), cost: .15, run: equalSpace(f, layout), must: near(want, .04, "the formulas of both rates at the promised load")}
	}
	return []sentence{{
		id:   "eight-bits",
		says: text{"A cuckoo filter takes eight bits a key", "布谷鸟过滤器每个键占 8 位"},
		when: text{"fingerprints of 8 bits, which means a rate of 3%, and a full table", "指纹为 8 位（即误判率约 3%）且表已装满"},
		why:  text{"It takes f bits over the load; the rate decides f.", "每键占用 f 除以装载率；f 由所需的误判率决定。"},
		part: []part{
			{id: "8 bits", of: text{"bits a key with 8-bit fingerprints", "8 位指纹时每键的位数"}, unit: figure, said: between(7.5, 8.5), runs: 1, run: bitsOf(8), must: within(8.3, 8.4, "8 bits over the promised load of .96")},
			{id: "1%", of: text{"bits a key for a rate of 1% (10-bit fingerprints)", "误判率 1%（10 位指纹）时每键的位数"}, unit: figure, said: between(7.5, 8.5), runs: 1, run: bitsOf(10), must: within(10.37, 10.5, "10 bits over the promised load of .96")},
			{id: "0.1%", of: text{"bits a key for a rate of 0.1% (13-bit fingerprints)", "误判率 0.1%（13 位指纹）时每键的位数"}, unit: figure, said: between(7.5, 8.5), runs: 1, run: bitsOf(13), must: within(13.5, 13.65, "13 bits over the promised load of .96")},
		},
	}, {
		id:   "no-false-positives",
		says: text{"A cuckoo filter has no false positives", "布谷鸟过滤器没有误判"},
		why: text{"Absent keys can have the fingerprint of a stored one: about 2b/2^f of them, whatever the hash.",
			"不存在的键可能与某个已存键的指纹相同：无论用什么哈希，比例约为 2b/2^f。"},
		part: []part{
			{id: "8 bits", of: text{"false-positive rate of 8 bits, b = 4, load .95", "8 位指纹、b = 4、装载率 0.95 时的误判率"}, unit: share, said: none, cost: .02, run: rateOf(8), must: near(law.ExactRate(8, 4, .95), .01, byFormula)},
			{id: "12 bits", of: text{"the same of 12 bits", "12 位指纹时的误判率"}, unit: share, said: none, cost: .02, run: rateOf(12), must: near(law.ExactRate(12, 4, .95), .01, byFormula)},
		},
	}, {
		id:   "always-smaller",
		says: text{"A cuckoo filter is always smaller than a Bloom filter", "布谷鸟过滤器总是比布隆过滤器省空间"},
		when: text{"fingerprints of 11 bits and more, that is rates of 0.37% and below; with semi-sorted buckets of 9 bits and more or paired slots of 8 bits and more, 1.5% and below", "指纹不少于 11 位，即误判率不高于 0.37%；采用半排序桶时 9 位起、成对槽时 8 位起（误判率不高于 1.5%）即成立"},
		why: text{"The cuckoo filter loses 3 bits a key to its buckets whatever the rate (2 with either of these layouts), the Bloom filter 44% of all its bits.",
			"布谷鸟过滤器因分桶每键固定多花约 3 位（采用上述两种布局时约 2 位），布隆过滤器则在任何误判率下都多花 44%。"},
		part: []part{
			equal(8, cuckoo.Packed, "8 bits", "8 位指纹"),
			equal(10, cuckoo.Packed, "10 bits", "10 位指纹"),
			equal(11, cuckoo.Packed, "11 bits", "11 位指纹"),
			equal(13, cuckoo.Packed, "13 bits", "13 位指纹"),
			equal(9, cuckoo.SemiSorted, "9 semi-sorted bits", "9 位指纹、半排序桶"),
			equal(8, cuckoo.PairedSlots, "8 bits in paired slots", "8 位指纹、成对槽"),
		},
	}}
}
