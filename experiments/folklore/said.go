package folklore

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// sentences returns all of them, in the order of the page.
func sentences() []sentence {
	return slices.Concat(
		saidOfBloom(), saidOfSpace(), saidOfDeletes(), saidOfTables(), saidOfPlaces(), saidOfHashes(), saidOfAttacks())
}

const (
	byCount   = "a count that chance has no part in"
	byFormula = "the formula of the filter's rate"
	byShares  = "1 - exp(-k*k*d/m) for d cleared keys"
)

func saidOfBloom() []sentence {
	return []sentence{{
		id: "clear-bits", says: "To delete a key from a Bloom filter, clear its bits",
		why: "Keys share bits, so other keys are denied with the deleted one: a Bloom filter cannot delete.",
		part: append([]part{
			{id: "others", unit: multiple, said: none, run: cleared(1, 100, true),
				of:   "other keys denied for each key cleared (10 bits a key, 7 hashes, at capacity; 0.1% of the keys cleared)",
				must: near(clearedEach(1), .02, "k*k*n/m keys share a bit with a key")},
			{id: "1%", unit: share, said: none, run: cleared(10, 100, false),
				of: "keys denied of the others, after 1% of the keys were cleared", must: near(clearedShare(10), .02, byShares)},
			{id: "10%", of: "the same after 10% were cleared", unit: share, said: none, run: cleared(100, 100, false),
				must: near(clearedShare(100), .02, byShares)},
		}, clearedCurve()...),
	}, {
		id: "set-of-deleted", says: "Keep a Set of the deleted keys beside a Bloom filter, and it can delete",
		when: "the Set drops a key that comes back, and the filter is built anew before all keys were replaced",
		why: "The Set holds whole keys, so each deleted key takes more than ten times the bits of a stored one; and the " +
			"bits of deleted keys stay set.",
		part: []part{
			{id: "forgotten", of: "deleted keys that come back and are denied, where only the filter is told",
				unit: share, said: none, run: returning(false), must: exact(1, byCount)},
			{id: "dropped", of: "the same where the Set drops the key",
				unit: share, said: none, run: returning(true), must: exact(0, byCount)},
			{id: "set", of: "bits that the Set takes for each deleted domain name, at least (16 bytes and the text)",
				unit: figure, run: setBytes, must: within(200, 260, "names of 9 to 16 bytes")},
			{id: "replaced", unit: share, said: atMost(.0095), run: replaced,
				of:   "false-positive rate of a filter for 0.8% once each key was deleted and another inserted",
				must: near(bloom.PredictRate(bloomBits*1e5, bloomHashes, 2e5), .03, "the predicted rate of twice the keys")},
		},
	}, {
		id: "one-bit", says: "A Bloom filter takes one bit a key",
		why: "One bit a key is a filter that says yes to most absent keys; a rate of 3% takes 7.3 bits, 1% takes 9.6.",
		part: []part{
			{id: "3%", of: "bits a key for a rate of 3%", unit: figure, said: atMost(1), run: bloomBitsFor(.03),
				must: near(claims.BloomBits(.03), .01, "log2(1/rate)/ln 2, and the rounding of the number of hashes")},
			{id: "rate", of: "false-positive rate of one bit a key and one hash", unit: share, said: atMost(.03), run: oneBit,
				must: near(1-math.Exp(-1), .01, "1 - 1/e of the bits are set")},
		},
	}}
}

// clearedCurve are the points of the chart: the share of keys denied by load, for 1 and for 10% of the keys cleared.
func clearedCurve() (ps []part) {
	for _, permille := range []int{10, 100} {
		for percent := 10; percent <= 100; percent += 10 {
			id := fmt.Sprintf("%d%% of the keys cleared", permille/10)
			ps = append(ps, part{id: id, x: lab.Int(percent), unit: share, run: cleared(permille, percent, false)})
		}
	}
	return ps
}

// sizeOf is the part that measures the bits a key of fingerprints of f bits.
func sizeOf(id, of string, f int, least, most float64) part {
	return part{id: id, of: "bits a key " + of, unit: figure, said: between(7.5, 8.5), run: sized(f),
		must: within(least, most, fmt.Sprintf("%d bits over the promised load of .96", f))}
}

// equalSpace is the part that compares a cuckoo filter with a Bloom filter of as many bits.
func equalSpace(f int, layout cuckoo.Layout, id string) part {
	const n = 1 << 19
	stored, compared := f, 4 // bits of a slot, and slots of a bucket that a lookup compares
	switch layout {
	case cuckoo.SemiSorted:
		stored--
	case cuckoo.PairedSlots:
		compared = 2
	}
	bits := bitsOf(f, cuckoo.Config{Capacity: n, Layout: layout})
	want := claims.ExactRate(float64(f), compared, float64(n*stored)/float64(bits)) /
		bloom.PredictRate(bits, bloom.OptimalHashes(bits, n), n)
	return part{id: id, of: "false positives of " + id + " for each one of a Bloom filter of as many bits",
		unit: ratio, said: atMost(1), cost: 5, run: bothRates(f, layout),
		must: near(want, .04, "the formulas of both rates at the promised load")}
}

func saidOfSpace() []sentence {
	rate := func(f int, of string) part {
		return part{id: fmt.Sprint(f, " bits"), of: of, unit: share, said: none, run: rateOf(f),
			must: near(claims.ExactRate(float64(f), 4, .95), .01, byFormula)}
	}
	return []sentence{{
		id: "eight-bits", says: "A cuckoo filter takes eight bits a key",
		when: "fingerprints of 8 bits, which means a rate of 3%, and a full table",
		why:  "It takes f bits over the load; the rate decides f.",
		part: []part{
			sizeOf("8 bits", "with 8-bit fingerprints", 8, 8.3, 8.4),
			sizeOf("1%", "for a rate of 1% (10-bit fingerprints)", 10, 10.37, 10.5),
			sizeOf("0.1%", "for a rate of 0.1% (13-bit fingerprints)", 13, 13.5, 13.65),
		},
	}, {
		id: "no-false-positives", says: "A cuckoo filter has no false positives",
		why:  "Absent keys can have the fingerprint of a stored one: about 2b/2^f of them, whatever the hash.",
		part: []part{rate(8, "false-positive rate of 8 bits, b = 4, load .95"), rate(12, "the same of 12 bits")},
	}, {
		id: "always-smaller", says: "A cuckoo filter is always smaller than a Bloom filter",
		when: "fingerprints of 11 bits and more, that is rates of 0.37% and below; with semi-sorted buckets of 9 bits and " +
			"more or paired slots of 8 bits and more, 1.5% and below",
		why: "The cuckoo filter loses 3 bits a key to its buckets whatever the rate (2 with either of these layouts), the " +
			"Bloom filter 44% of all its bits.",
		part: []part{
			equalSpace(8, cuckoo.Packed, "8 bits"), equalSpace(10, cuckoo.Packed, "10 bits"),
			equalSpace(11, cuckoo.Packed, "11 bits"), equalSpace(13, cuckoo.Packed, "13 bits"),
			equalSpace(9, cuckoo.SemiSorted, "9 semi-sorted bits"), equalSpace(8, cuckoo.PairedSlots, "8 bits in paired slots"),
		},
	}}
}

// alone is the rule of the rate at which a random fingerprint meets a class of one key, in a table of 8 bits, b = 4, at
// 90%: only then is a key denied when it is removed. Classes hold 2*b*alpha/255 keys in the mean, Poisson distributed.
func alone() rule {
	mean := 2 * 4 * .9 / 255
	return near(mean*math.Exp(-mean), .03, "the rate at which an absent key meets a class of one")
}

// copies is the part that counts the copies of a key: so many, or half of that where both its buckets are one.
func copies(id, what string, many float64, layout cuckoo.Layout, of string) part {
	p := 1 / float64(copiedBuckets)
	one := p + claims.Deviations*math.Sqrt(p/copiedKeys)
	return part{id: id, of: what, unit: figure, said: between(7.9, 8), run: copiesOf(copiedBuckets, layout),
		must: within(many-many/2*one, many, of+" of keys whose buckets coincide, one in 4096; 4 standard errors of 64 keys")}
}

func saidOfDeletes() []sentence {
	return []sentence{{
		id: "deletes-lose", says: "Deleting from a cuckoo filter loses other keys",
		when: "the deleted key was not inserted, or the program only believes that it was",
		why: "Keys of one class have equal fingerprints in equal buckets, so either may go; a key that was not inserted " +
			"takes away the fingerprint of one that was.",
		part: []part{
			{id: "inserted", unit: share, said: some, runs: 1, cost: 250, run: churn, must: exact(0, byCount),
				of: "keys denied for each delete of a key that was inserted (8 bits, load .9, keys replaced again and again)"},
			{id: "absent", of: "keys denied for each delete of a key that was not inserted",
				unit: share, said: some, run: deniedAfter(deleteAbsent), must: alone()},
			{id: "unique", unit: share, said: some, run: deniedAfter(uniqueThenDelete), must: alone(),
				of: "keys denied for each new key y that goes through InsertUnique(y), which a false positive may refuse, and " +
					"Delete(y)"},
		},
	}, {
		id: "copies", says: "The same key can be inserted 2b times",
		when: "its two buckets differ, and its slots are not paired",
		why: "Each copy takes a slot of the key's two buckets; where they are one bucket there are b slots. With paired " +
			"slots a key may be in two slots of each bucket.",
		part: []part{
			copies("two buckets", "copies that an empty table takes of a key, b = 4", 8, cuckoo.Packed, "4 instead of 8"),
			{id: "one bucket", of: "the same where both buckets are one",
				unit: figure, said: between(7.9, 8), run: copiesOf(1, cuckoo.Packed), must: exact(4, byCount)},
			copies("paired slots", "the same with paired slots, where its buckets differ", 4, cuckoo.PairedSlots,
				"2 instead of 4"),
		},
	}, {
		id: "add-again", says: "Adding the same key again does no harm",
		when: "it is a Bloom filter; or the keys go through InsertUnique",
		why: "A cuckoo filter stores each copy. One that answers a refused copy with another table grows for nothing: a " +
			"Redis filter in the defaults has 32 tables after 125 adds of one key, and then takes no key at all. The growing " +
			"filter of this module grows for room only: it refuses the copy too many, and goes on taking other keys.",
		part: []part{
			{id: "Bloom", of: "bits of a Bloom filter that are set anew when all keys are added a second time",
				unit: share, said: none, runs: 1, run: bloomCopies, must: exact(0, byCount)},
			{id: "unique", unit: share, said: none, runs: 1, run: uniqueCopies, must: exact(0, byCount),
				of: "copies that a cuckoo filter stores beyond the first where each key goes through InsertUnique ten times"},
			{id: "bytes", of: "bytes that a Redis filter in the defaults grows to for each copy of one key",
				unit: figure, said: atMost(1), run: redisCopies(false),
				must: within(255, 275, "1024 bytes for 4 copies, and the server's overhead")},
			{id: "refused", of: "other keys that it refuses after 125 copies",
				unit: share, said: none, runs: 1, run: redisCopies(true), must: exact(1, byCount)},
			{id: "growing", of: "copies of one key that a growing filter of this module takes",
				unit: figure, run: growing(false), must: exact(8, "2b copies")},
			{id: "growing, others", of: "other keys that it refuses then", unit: share, runs: 1, run: growing(true),
				must: within(0, .001, "keys of the same buckets and remainder: one in 8192 while the table is small")},
		},
	}}
}

// loaded is a part about the load of a table of b slots a bucket and f bits at the first refused key.
func loaded(id, of string, f, b int, slots func(size) int, p cuckoo.Placement, said *span) part {
	return part{id: id, of: of, unit: load, said: said, run: loadOf(f, b, slots, p), must: seen}
}

func saidOfTables() []sentence {
	const half = .495 // what rounds to 50%
	wide := func(b int, least float64) part {
		of := fmt.Sprintf("load at the first refused key, b = %d, 16 bits", b)
		return loaded(fmt.Sprintf("b = %d", b), of, 16, b, largeOf, cuckoo.XOR, atLeast(least))
	}
	narrow := func(exponent int) part {
		of := fmt.Sprintf("load of b = 1 with 8 bits, 2^%d slots", exponent)
		return loaded(fmt.Sprintf("b = 1, 8 bits, 2^%d", exponent), of, 8, 1, fixed(exponent), cuckoo.XOR, atLeast(half))
	}
	first := func(exponent int) part {
		of := "load at the first refused key with the first slot as victim (b = 4, one byte, 500 kicks, 2^%d slots)"
		return part{id: fmt.Sprintf("first, 2^%d", exponent), of: fmt.Sprintf(of, exponent), unit: load, said: atLeast(.795),
			cost: 13 << exponent >> 20, run: slotLoad(true, fixed(exponent)), must: seen}
	}
	plain := func(f, exponent int, p cuckoo.Placement, said *span) part {
		rule := map[cuckoo.Placement]string{cuckoo.PlainXOR: "i xor fp", cuckoo.XOR: "i xor hash(fp)"}[p]
		of := fmt.Sprintf("load under %s, b = 4, %d bits, 2^%d slots", rule, f, exponent)
		return loaded(fmt.Sprintf("%s, f = %d, 2^%d", rule, f, exponent), of, f, 4, fixed(exponent), p, said)
	}
	return []sentence{{
		id: "loads", says: "The table fills to 50, 84, 95 and 98% with 1, 2, 4 and 8 slots a bucket",
		when: "fingerprints wide enough for the table; 8 bits are too few at b = 1",
		why: "A narrow fingerprint leads to few alternate buckets, so small groups of buckets are full long before the " +
			"table is.",
		part: []part{wide(1, half), wide(2, .84), wide(4, .95), wide(8, .98), narrow(12), narrow(16), narrow(20)},
	}, {
		id: "first-slot", says: "The victim may as well be the first slot; the table still fills to 80%",
		why: "A walk that has no choice soon comes back to where it was and goes in a circle; a random victim leaves it.",
		part: []part{first(10), first(17), first(20), {id: "random", of: "the same with a random victim, 2^17 slots",
			unit: load, run: slotLoad(false, fixed(17)), must: seen}},
	}, {
		id: "xor-fingerprint", says: "The alternate bucket may be i xor fp, without hashing the fingerprint",
		when: "fingerprints of as many bits as the number of a bucket has, or a small table",
		why: "Both buckets of a key are then less than 2^f apart: the table falls into blocks of 2^f buckets, and the " +
			"fullest one refuses first.",
		part: append([]part{
			plain(8, 10, cuckoo.PlainXOR, atLeast(.945)), plain(8, 18, cuckoo.PlainXOR, atLeast(.945)),
			plain(4, 18, cuckoo.PlainXOR, atLeast(.945)), plain(16, 18, cuckoo.PlainXOR, atLeast(.945)),
			plain(8, 18, cuckoo.XOR, nil),
		}, plainCurve()...),
	}}
}

// saidOfPlaces has the sentences about the alternate bucket's arithmetic, and about the time of inserts.
func saidOfPlaces() []sentence {
	kicks := func(percent int, of string) part {
		return part{id: fmt.Sprint(percent, "%"), of: of, unit: multiple, said: atMost(1), run: kicksAt(percent), must: seen}
	}
	return []sentence{{
		id: "remainder", says: "(i xor hash(fp)) % N gives the alternate bucket for any N",
		when: "N is a power of two",
		why: "The remainder is not its own inverse, so a kicked fingerprint goes to a bucket in which nobody looks for its " +
			"key.",
		part: []part{
			{id: "power", of: "keys denied, N a power of two (load .9)",
				unit: share, said: none, run: remainder(evenly), must: exact(0, byCount)},
			{id: "other", of: "keys denied, N = 15/16 of that, less one",
				unit: share, said: none, run: remainder(unevenly), must: seen},
		},
	}, {
		id: "power-of-two", says: "A table must have a power of two of buckets",
		when: "the placement is i xor something",
		why: "c(fp) - i modulo N is its own inverse for every N; rounding up to a power of two costs 39% of memory in the " +
			"mean, and nearly twice at worst.",
		part: []part{
			{id: "additive", of: "keys denied under c(fp) - i, N no power of two (load .9)",
				unit: share, said: some, run: additive, must: exact(0, byCount)},
			{id: "xor", of: "keys denied under i xor hash(fp), the same N",
				unit: share, said: some, run: remainder(unevenly), must: seen},
			{id: "mean price", unit: figure, run: rounded(1_000_000, 2_000_000, 200),
				of:   "bits of a rounded table over those of one of the right size, mean over 1 to 2 million keys",
				must: within(2*math.Ln2*.985, 2*math.Ln2*1.015, "2 ln 2, the mean of 2/x over an octave")},
			{id: "worst price", of: "the same at 1 010 000 keys", unit: figure, run: rounded(1_010_000, 1_010_000, 1),
				must: within(1.95, 2, "just above a power of two")},
		},
	}, {
		id: "constant-inserts", says: "An insert takes constant time",
		when: "the table is not nearly full",
		why: "A kick is needed only if both buckets are full. Near the end the walk is long, and a refused insert walks " +
			"all 500 kicks for nothing; the chart of insert-time has the nanoseconds.",
		part: []part{
			kicks(50, "kicks of an insert at a load of .5 (b = 4, random walk)"),
			kicks(70, "the same at .7"), kicks(95, "the same at .95"),
		},
	}}
}

// plainCurve are the points of the chart: load by width, for i xor fp by size, and for the hashed fingerprint.
func plainCurve() (ps []part) {
	add := func(id string, f, exponent int, p cuckoo.Placement) {
		ps = append(ps, part{id: id, x: lab.Int(f), unit: load, run: loadOf(f, 4, fixed(exponent), p)})
	}
	for _, f := range []int{4, 6, 8, 10, 12, 16} {
		for _, e := range []int{10, 14, 18} {
			add(fmt.Sprintf("i xor fp, 2^%d slots", e), f, e, cuckoo.PlainXOR)
		}
		add("i xor hash(fp), 2^18 slots", f, 18, cuckoo.XOR)
	}
	return ps
}

func saidOfHashes() []sentence {
	multiplied := func(id, of string, one, other split, buckets func(size) int, probes int, must rule) part {
		return part{id: id, of: "false positives for each one with independent bits: " + of,
			unit: ratio, said: atLeast(1.2), cost: 5, run: sharing(one, other, buckets, probes), must: must}
	}
	rate := func(id string, name func(uint64) string, of string) part {
		return part{id: "rate, " + id, of: "false-positive rate at a load of .5, " + of, unit: share, said: atMost(.017),
			run: javaClass(name, stirred).rate(true), must: near(claims.ExactRate(8, 4, .5), .04, byFormula)}
	}
	full := func(id string, name func(uint64) string, of string) part {
		return part{id: "load, " + id, of: "load at the first refused key, " + of, unit: load, said: atLeast(.9),
			run: javaClass(name, stirred).load, must: seen}
	}
	lost := func(of library) part {
		return part{id: "lost", of: "accepted keys that are denied, for each refused one (100 refusals)",
			unit: multiple, said: none, run: of.lost, must: seen}
	}
	alike := near(1, .01, "no difference")
	return []sentence{{
		id: "two-hashes", says: "Fingerprint and bucket must not come from the same hash",
		when: "they share bits, or the hash has fewer bits than both take together",
		why: "What counts is that the bucket says nothing about the fingerprint. Disjoint bits of 64 do, and so do h % 255 " +
			"and h % 2^k, as 255 and 2^k have no common factor.",
		part: []part{
			multiplied("disjoint", "disjoint bits of one 64-bit hash, against two hashes", apart, separate, evenly, 1, alike),
			multiplied("remainders", "h % 255 and h % 2^k of one 64-bit hash", remainders, apart, evenly, 1, alike),
			multiplied("low bits", "the low 8 bits and h % 2^k", lowBits, apart, evenly, 1, seen),
			multiplied("32 bits", "16 bits and 2^18 buckets of one 32-bit hash, so that they share 2 bits",
				of32, of64, overlapping, 2, seen),
		},
	}, {
		id: "java-class", says: "A class of a hundred lines of Java on String.hashCode is a cuckoo filter",
		when: "the byte is stirred apart from the bucket, and the table is never full",
		why: "Our model of it: the bucket is hashCode with its halves xored, the fingerprint a stirred byte of the same 32 " +
			"bits, a random victim, and after 500 kicks the last fingerprint is dropped.",
		part: []part{
			rate("domains", measure.Domain, "domain names"), full("domains", measure.Domain, "domain names"),
			rate("numbers", consecutive, "consecutive texts"), full("numbers", consecutive, "consecutive texts"),
			{id: "plain", unit: share, said: atMost(.017), run: javaClass(measure.Domain, unstirred).rate(true), must: seen,
				of: "the rate for domain names where the fingerprint is the lowest byte of the hash that gives the bucket"},
			lost(javaClass(measure.Domain, stirred)),
		},
	}, {
		id: "go-package", says: "The popular Go package loses nothing when it is full",
		why: "Its refused key stays, and the fingerprint kicked last is dropped: some accepted key is denied. Rate and " +
			"load are those of the paper.",
		part: []part{
			{id: "rate", of: "false-positive rate at the first refusal (domain names)",
				unit: share, run: library(goPackage).rate(false), must: near(claims.ExactRate(8, 4, .966), .01, byFormula)},
			{id: "load", of: "load at the first refusal", unit: load, run: library(goPackage).load, must: seen},
			lost(goPackage),
		},
	}}
}

func saidOfAttacks() []sentence {
	return []sentence{{
		id: "chosen-keys", says: "Somebody who chooses the keys can make a filter refuse with a few of them",
		when: "the hash has no secret key",
		why: "MurmurHash64A can be undone, so keys of one bucket and fingerprint are written down without a search. A " +
			"filter of one table then refuses keys of that class alone, a Redis filter every key. SipHash under a secret " +
			"spreads the same keys.",
		part: []part{
			{id: "filter, known hash", unit: figure, said: atMost(100), run: nestAttack(false), must: exact(8, "2b keys"),
				of: "chosen keys that a filter of 4096 slots takes before it refuses one, MurmurHash64A"},
			{id: "filter, others", of: "other keys that it refuses then, up to half of its slots", unit: share, runs: 1,
				run: nestOthers, must: within(0, .01, "keys of the same class: one in millions")},
			{id: "filter, secret", of: "share of its slots that the same keys take under SipHash with a secret",
				unit: load, said: atMost(.5), run: nestAttack(true), must: seen},
			{id: "Redis", of: "chosen keys after which a Redis filter in the defaults refuses every key", unit: figure,
				said: atMost(1000), run: redisAttack(false), must: exact(125, "4 keys in each of 31 tables, and one")},
			{id: "Redis, secret", of: "share of the slots of such a filter that the same keys take under SipHash",
				unit: load, said: atMost(.01), run: redisAttack(true), must: seen},
		},
	}}
}
