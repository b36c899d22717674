package folklore

import (
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/stat"
)

// alone is the rate at which a random fingerprint meets a class of exactly one key, in a table of 8 bits, b = 4, at 90%: only then is a
// key denied when that fingerprint is removed. Classes hold 2*b*alpha/255 keys in the mean, Poisson distributed.
func alone() float64 {
	mean := 2 * 4 * .9 / 255
	return mean * math.Exp(-mean)
}

// coincide is the share of copiedKeys whose buckets may be one in a table of so many buckets: the mean, and some standard errors.
func coincide(buckets int) float64 {
	p := 1 / float64(buckets)
	return p + stat.Deviations*math.Sqrt(p/copiedKeys)
}

func saidOfDeletes() []sentence {
	return []sentence{{
		id:   "deletes-lose",
		says: text{"Deleting from a cuckoo filter loses other keys", "在布谷鸟过滤器中删除一个键会误删其他键"},
		when: text{"the deleted key was not inserted, or the program only believes that it was", "被删除的键从未真正插入，或者程序误以为插入过"},
		why: text{"Keys of one class have equal fingerprints in equal buckets, so either may go; a key that was not inserted takes away the fingerprint of one that was.",
			"同一类的键指纹相同、候选桶也相同，删掉哪一份都一样；而删除一个没有插入过的键，拿走的是别人的指纹。"},
		part: []part{
			{id: "inserted", of: text{"keys denied for each delete of a key that was inserted (8 bits, load .9, keys replaced again and again)",
				"删除确实插入过的键时，每次删除造成的误删数（8 位指纹、装载率 0.9，键反复更替）"},
				unit: share, said: some, runs: 1, cost: 8, run: churn, must: exact(0, byCount)},
			{id: "absent", of: text{"keys denied for each delete of a key that was not inserted", "删除从未插入的键时，每次删除造成的误删数"},
				unit: share, said: some, cost: .02, run: deniedAfter(deleteAbsent), must: near(alone(), .03, "the rate at which an absent key meets a class of one")},
			{id: "unique", of: text{"keys denied for each new key y that goes through InsertUnique(y), which a false positive may refuse, and Delete(y)",
				"新键 y 先 InsertUnique(y)（可能因误判而未插入）再 Delete(y)，每个 y 造成的误删数"},
				unit: share, said: some, cost: .02, run: deniedAfter(uniqueThenDelete), must: near(alone(), .03, "the rate at which an absent key meets a class of one")},
		},
	}, {
		id:   "copies",
		says: text{"The same key can be inserted 2b times", "同一个键最多可以插入 2b 次"},
		when: text{"its two buckets differ, and its slots are not paired", "两个候选桶不是同一个桶，且没有采用成对槽"},
		why: text{"Each copy takes a slot of the key's two buckets; where they are one bucket there are b slots. With paired slots a key may be in two slots of each bucket.",
			"每一份占用候选桶中的一个槽；两个候选桶重合时只有 b 个槽。采用成对槽时，一个键在每个桶里只能用两个槽。"},
		part: []part{
			{id: "two buckets", of: text{"copies that an empty table takes of a key, b = 4", "b = 4 的空表能容纳同一个键的份数"}, unit: figure, said: between(7.9, 8), runs: 1, run: copiesOf(1<<12, cuckoo.Packed), must: within(8-4*coincide(1<<12), 8, "4 instead of 8 of keys whose buckets coincide, one in 4096; 4 standard errors of 64 keys")},
			{id: "one bucket", of: text{"the same where both buckets are one", "两个候选桶重合时的份数"}, unit: figure, said: between(7.9, 8), runs: 1, run: copiesOf(1, cuckoo.Packed), must: exact(4, byCount)},
			{id: "paired slots", of: text{"the same with paired slots, where its buckets differ", "采用成对槽、两个候选桶不同时的份数"}, unit: figure, said: between(7.9, 8), runs: 1, run: copiesOf(1<<12, cuckoo.PairedSlots), must: within(4-2*coincide(1<<12), 4, "2 instead of 4 of keys whose buckets coincide, one in 4096; 4 standard errors of 64 keys")},
		},
	}, {
		id:   "add-again",
		says: text{"Adding the same key again does no harm", "重复添加同一个键没有害处"},
		when: text{"it is a Bloom filter; or the keys go through InsertUnique", "布隆过滤器；或者用 InsertUnique 插入"},
		why: text{"A cuckoo filter stores each copy. One that answers a refused copy with another table grows for nothing: a Redis filter in the defaults has 32 tables after 125 adds of one key, and then takes no key at all. " +
			"The growing filter of this module grows for room only: it refuses the copy too many, and goes on taking other keys.",
			"布谷鸟过滤器会把每一份都存下来。若一拒绝就再开一张表，增长就是白费：默认配置的 Redis 过滤器把同一个键加 125 次就有了 32 张表，此后什么键都不再接受。" +
				"本项目的可增长过滤器只为腾出空间而增长：多余的那一份会被拒绝，其他键照常接受。"},
		part: []part{
			{id: "Bloom", of: text{"bits of a Bloom filter that are set anew when all keys are added a second time", "把所有键再加一遍时，布隆过滤器中新置位的位"}, unit: share, said: none, runs: 1, run: bloomCopies, must: exact(0, byCount)},
			{id: "unique", of: text{"copies that a cuckoo filter stores beyond the first where each key goes through InsertUnique ten times", "每个键用 InsertUnique 加 10 次，布谷鸟过滤器多存的份数"}, unit: share, said: none, runs: 1, run: uniqueCopies, must: exact(0, byCount)},
			{id: "bytes", of: text{"bytes that a Redis filter in the defaults grows to for each copy of one key", "默认配置的 Redis 过滤器，为同一个键的每一份平均占用的字节数"}, unit: figure, said: atMost(1), runs: 1, run: redisCopies, must: within(255, 275, "1024 bytes for 4 copies, and the server's overhead")},
			{id: "refused", of: text{"other keys that it refuses after 125 copies", "加满 125 份之后，被拒绝的其他键的比例"}, unit: share, said: none, runs: 1, run: redisOthers, must: exact(1, byCount)},
			{id: "growing", of: text{"copies of one key that a growing filter of this module takes", "本项目的可增长过滤器能接受同一个键的份数"}, unit: figure, runs: 1, run: growingTaken, must: exact(8, "2b copies")},
			{id: "growing, others", of: text{"other keys that it refuses then", "此后被它拒绝的其他键"}, unit: share, runs: 1, run: growingOthers, must: within(0, .001, "keys of the same buckets and remainder: one in 8192 while the table is small")},
		},
	}}
}
