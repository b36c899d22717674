package folklore

import (
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

func saidOfHashes() []sentence {
	multiplied := func(id, en, zh string, one, other split, buckets func(size) int, probes int, must rule) part {
		return part{id: id, of: text{"false positives for each one with independent bits: " + en, "误判数之比（以取互不相关的位为 1）：" + zh},
			unit: ratio, said: atLeast(1.2), cost: .15, run: sharing(one, other, buckets, probes), must: must}
	}
	java := func(id string, name func(uint64) string, en, zh string) []part {
		return []part{
			{id: "rate, " + id, of: text{"false-positive rate at a load of .5, " + en, "装载率 0.5 时的误判率，" + zh}, unit: share, said: atMost(.017), cost: .05, run: javaRate(name, stirred), must: near(law.ExactRate(8, 4, .5), .04, byFormula)},
			{id: "load, " + id, of: text{"load at the first refused key, " + en, "首次拒绝时的装载率，" + zh}, unit: load, said: atLeast(.9), cost: .01, run: javaLoad(name), must: seen()},
		}
	}
	lost := func(run trial) part {
		return part{id: "lost", of: text{"accepted keys that are denied, for each refused one (100 refusals)", "每拒绝一个键，有多少个已接受的键被漏判（共拒绝 100 次）"}, unit: multiple, said: none, cost: .01, run: run,
			must: seen()}
	}
	return []sentence{{
		id:   "two-hashes",
		says: text{"Fingerprint and bucket must not come from the same hash", "指纹和桶号不能来自同一个哈希值"},
		when: text{"they share bits, or the hash has fewer bits than both take together", "两者共用同一批位，或者哈希值的位数不够两者分用"},
		why: text{"What counts is that the bucket says nothing about the fingerprint. Disjoint bits of 64 do, and so do h % 255 and h % 2^k, as 255 and 2^k have no common factor.",
			"关键在于桶号不透露指纹的信息。64 位中互不相交的两段可以；h % 255 与 h % 2^k 也可以，因为 255 与 2^k 互素。"},
		part: []part{
			multiplied("disjoint", "disjoint bits of one 64-bit hash, against two hashes", "同一个 64 位哈希中互不相交的两段，相对于两个哈希", apart, separate, evenly, 1, near(1, .01, "no difference")),
			multiplied("remainders", "h % 255 and h % 2^k of one 64-bit hash", "同一个 64 位哈希的 h % 255 与 h % 2^k", remainders, apart, evenly, 1, near(1, .01, "no difference")),
			multiplied("low bits", "the low 8 bits and h % 2^k", "低 8 位与 h % 2^k", lowBits, apart, evenly, 1, seen()),
			multiplied("32 bits", "16 bits and 2^18 buckets of one 32-bit hash, so that they share 2 bits", "同一个 32 位哈希取 16 位指纹和 2^18 个桶的桶号，重叠 2 位", of32, of64, overlapping, 2, seen()),
		},
	}, {
		id:   "java-class",
		says: text{"A class of a hundred lines of Java on String.hashCode is a cuckoo filter", "一百行 Java、用 String.hashCode 就能写出布谷鸟过滤器"},
		when: text{"the byte is stirred apart from the bucket, and the table is never full", "指纹字节与桶号分别打散，并且表永远不会装满"},
		why: text{"Our model of it: the bucket is hashCode with its halves xored, the fingerprint a stirred byte of the same 32 bits, a random victim, and after 500 kicks the last fingerprint is dropped.",
			"这里用的是我们自己的模型：桶号为 hashCode 高低半异或，指纹为同一 32 位值另行打散后的一个字节，随机踢出，踢 500 次后丢弃手中的指纹。"},
		part: append(append(java("domains", measure.Domain, "domain names", "域名"),
			java("numbers", consecutive, "consecutive texts", "连续编号的字符串")...),
			part{id: "plain", of: text{"the rate for domain names where the fingerprint is the lowest byte of the hash that gives the bucket", "指纹直接取桶号所用哈希值的最低字节时，域名的误判率"}, unit: share, said: atMost(.017), cost: .05,
				run: javaRate(measure.Domain, unstirred), must: seen()},
			lost(javaLost)),
	}, {
		id:   "go-package",
		says: text{"The popular Go package loses nothing when it is full", "常用的那个 Go 包装满时不会丢数据"},
		why: text{"Its refused key stays, and the fingerprint kicked last is dropped: some accepted key is denied. Rate and load are those of the paper.",
			"被拒绝的键留了下来，最后被踢出的指纹却丢了：某个已接受的键从此漏判。误判率和装载率与论文一致。"},
		part: []part{
			{id: "rate", of: text{"false-positive rate at the first refusal (domain names)", "首次拒绝时的误判率（域名）"}, unit: share, cost: .02, run: goRate, must: near(law.ExactRate(8, 4, .966), .01, byFormula)},
			{id: "load", of: text{"load at the first refusal", "首次拒绝时的装载率"}, unit: load, cost: .01, run: goLoad, must: seen()},
			lost(goLost),
		},
	}, {
		id:   "chosen-keys",
		says: text{"Somebody who chooses the keys can make a filter refuse with a few of them", "攻击者只要精心挑选少量键，就能让过滤器拒绝插入"},
		when: text{"the hash has no secret key", "哈希不带密钥"},
		why: text{"MurmurHash64A can be undone, so keys of one bucket and fingerprint are written down without a search. A filter of one table then refuses keys of that class alone, a Redis filter every key. SipHash under a secret spreads the same keys.",
			"MurmurHash64A 可逆，同桶同指纹的键不用搜索就能直接写出来。单表过滤器此后只拒绝同一类的键，Redis 过滤器则拒绝一切；换成带密钥的 SipHash，同样这些键会均匀散开。"},
		part: []part{
			{id: "filter, known hash", of: text{"chosen keys that a filter of 4096 slots takes before it refuses one, MurmurHash64A", "采用 MurmurHash64A、4096 个槽的过滤器，接受多少个精心构造的键后开始拒绝"}, unit: figure, said: atMost(100), runs: 1, run: nestAttack(func(uint64) hashing.Hasher { return hashing.Murmur64A(0) }, true),
				must: exact(8, "2b keys")},
			{id: "filter, others", of: text{"other keys that it refuses then, up to half of its slots", "此后再加入其他键，直到占满一半的槽，其中被拒绝的"}, unit: share, runs: 1, run: nestOthers, must: within(0, .01, "keys of the same class: one in millions")},
			{id: "filter, secret", of: text{"share of its slots that the same keys take under SipHash with a secret", "同样的键，改用带密钥的 SipHash 时占到多少槽才拒绝"}, unit: load, said: atMost(.5), cost: .01, run: nestAttack(secret, false), must: seen()},
			{id: "Redis", of: text{"chosen keys after which a Redis filter in the defaults refuses every key", "默认配置的 Redis 过滤器，加入多少个精心构造的键后拒绝一切插入"}, unit: figure, said: atMost(1000), runs: 1, run: redisAttack,
				must: exact(125, "4 keys in each of 31 tables, and one")},
			{id: "Redis, secret", of: text{"share of the slots of such a filter that the same keys take under SipHash", "同样的键，这种 Redis 过滤器改用 SipHash 后占到多少槽才拒绝"}, unit: load, said: atMost(.01), cost: .01, run: redisKeyed, must: seen()},
		},
	}}
}

// overlapping is a number of buckets of 18 bits; in profile tiny it is a small one.
func overlapping(z size) int { return min(1<<18, 2*z.large) }
