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

// sentences returns all of them, in the order of the page. Their words are in texts.txt.
func sentences() []sentence {
	return slices.Concat(saidOfBloom(), saidOfDeletes(), saidOfTables(), saidOfPlaces(), saidOfHashes())
}

const (
	byCount   = "a count that chance has no part in"
	byFormula = "the formula of the filter's rate"
	byShares  = "1 - exp(-k*k*d/m) for d cleared keys"
)

// saidOfBloom has the sentences about Bloom filters, and about the space and the rates of either kind.
func saidOfBloom() []sentence {
	size := func(id string, f int, least, most float64) part {
		return part{id: id, unit: figure, said: between(7.5, 8.5), run: sized(f),
			must: within(least, most, fmt.Sprintf("%d bits over the promised load of .96", f))}
	}
	return []sentence{
		{"clear-bits", "others", append([]part{
			{id: "others", unit: multiple, said: none, run: cleared(1, 100, true),
				must: near(clearedShare(1)*999, .02, "k*k*n/m keys share a bit with a key")},
			{id: "1%", unit: share, said: none, run: cleared(10, 100, false), must: near(clearedShare(10), .02, byShares)},
			{id: "10%", unit: share, said: none, run: cleared(100, 100, false), must: near(clearedShare(100), .02, byShares)},
		}, clearedCurve()...)},
		{"set-of-deleted", "replaced", []part{
			{id: "forgotten", unit: share, said: none, run: returning(false), must: exact(1, byCount)},
			{id: "dropped", unit: share, said: none, run: returning(true), must: exact(0, byCount)},
			{id: "set", unit: figure, run: setBytes, must: within(200, 260, "names of 9 to 16 bytes")},
			{id: "replaced", unit: share, said: atMost(.0095), run: replaced,
				must: near(bloom.PredictRate(bloomBits*1e5, bloomHashes, 2e5), .03, "the predicted rate of twice the keys")},
		}},
		{"eight-bits", "1%", []part{size("8 bits", 8, 8.3, 8.4), size("1%", 10, 10.37, 10.5), size("0.1%", 13, 13.5, 13.65)}},
		{"always-smaller", "11 bits", []part{
			equalSpace(8, cuckoo.Packed, "8 bits"), equalSpace(10, cuckoo.Packed, "10 bits"),
			equalSpace(11, cuckoo.Packed, "11 bits"), equalSpace(13, cuckoo.Packed, "13 bits"),
			equalSpace(9, cuckoo.SemiSorted, "9 semi-sorted bits"), equalSpace(8, cuckoo.PairedSlots, "8 bits in paired slots"),
		}},
	}
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
		bloom.PredictRate(bits, hashesOf(bits, n), n)
	return part{id: id, unit: ratio, said: atMost(1), cost: 5, run: bothRates(f, layout),
		must: near(want, .04, "the formulas of both rates at the promised load")}
}

// copies is the part that counts the copies of a key: so many, or half of that where both its buckets are one.
func copies(id string, many float64, layout cuckoo.Layout, of string) part {
	p := 1 / float64(copiedBuckets)
	one := p + claims.Deviations*math.Sqrt(p/copiedKeys)
	return part{id: id, unit: figure, said: between(7.9, 8), run: copiesOf(copiedBuckets, layout),
		must: within(many-many/2*one, many, of+" of keys whose buckets coincide, one in 4096; 4 standard errors of 64 keys")}
}

func saidOfDeletes() []sentence {
	// The rate at which a random fingerprint meets a class of one key, in a table of 8 bits, b = 4, at 90%: only then
	// is a key denied when it is removed. Classes hold 2*b*alpha/255 keys in the mean, Poisson distributed.
	const mean = 2 * 4 * .9 / 255
	alone := near(mean*math.Exp(-mean), .03, "the rate at which an absent key meets a class of one")
	return []sentence{
		{"deletes-lose", "absent", []part{
			{id: "inserted", unit: share, said: some, runs: 1, cost: 250, run: churn, must: exact(0, byCount)},
			{id: "absent", unit: share, said: some, run: deniedAfter(deleteAbsent), must: alone},
			{id: "unique", unit: share, said: some, run: deniedAfter(uniqueThenDelete), must: alone},
		}},
		{"copies", "two buckets", []part{
			copies("two buckets", 8, cuckoo.Packed, "4 instead of 8"),
			{id: "one bucket", unit: figure, said: between(7.9, 8), run: copiesOf(1, cuckoo.Packed), must: exact(4, byCount)},
			copies("paired slots", 4, cuckoo.PairedSlots, "2 instead of 4"),
		}},
		{"add-again", "refused", []part{
			{id: "Bloom", unit: share, said: none, runs: 1, run: bloomCopies, must: exact(0, byCount)},
			{id: "unique", unit: share, said: none, runs: 1, run: uniqueCopies, must: exact(0, byCount)},
			{id: "bytes", unit: figure, said: atMost(1), run: redisCopies(false),
				must: within(255, 275, "1024 bytes for 4 copies, and the server's overhead")},
			{id: "refused", unit: share, said: none, runs: 1, run: redisCopies(true), must: exact(1, byCount)},
			{id: "growing", unit: figure, run: growing(false), must: exact(8, "2b copies")},
			{id: "growing, others", unit: share, runs: 1, run: growing(true),
				must: within(0, .001, "keys of the same buckets and remainder: one in 8192 while the table is small")},
		}},
	}
}

func saidOfTables() []sentence {
	const half = .495 // what rounds to 50%
	loaded := func(id string, f, b int, slots func(size) int, p cuckoo.Placement, said span) part {
		return part{id: id, unit: load, said: said, run: loadOf(f, b, slots, p), must: seen}
	}
	wide := func(b int, least float64) part {
		return loaded(fmt.Sprintf("b = %d", b), 16, b, largeOf, cuckoo.XOR, atLeast(least))
	}
	narrow := func(exponent int) part {
		return loaded(fmt.Sprintf("b = 1, 8 bits, 2^%d", exponent), 8, 1, fixed(exponent), cuckoo.XOR, atLeast(half))
	}
	first := func(exponent int) part {
		return part{id: fmt.Sprintf("first, 2^%d", exponent), unit: load, said: atLeast(.795), cost: 13 << exponent >> 20,
			run: slotLoad(true, fixed(exponent)), must: seen}
	}
	plain := func(f, exponent int) part {
		id := fmt.Sprintf("i xor fp, f = %d, 2^%d", f, exponent)
		return loaded(id, f, 4, fixed(exponent), cuckoo.PlainXOR, atLeast(.945))
	}
	return []sentence{
		{"loads", "b = 4", []part{wide(1, half), wide(2, .84), wide(4, .95), wide(8, .98),
			narrow(12), narrow(16), narrow(20)}},
		{"first-slot", "first, 2^17", []part{first(10), first(17), first(20),
			{id: "random", unit: load, run: slotLoad(false, fixed(17)), must: seen}}},
		{"xor-fingerprint", "i xor fp, f = 8, 2^18", append([]part{plain(8, 10), plain(8, 18), plain(4, 18), plain(16, 18),
			loaded("i xor hash(fp), f = 8, 2^18", 8, 4, fixed(18), cuckoo.XOR, nil)}, plainCurve()...)},
	}
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

// saidOfPlaces has the sentences about the alternate bucket's arithmetic, and about the time of inserts.
func saidOfPlaces() []sentence {
	kicks := func(percent int) part {
		return part{id: fmt.Sprint(percent, "%"), unit: multiple, said: atMost(1), run: kicksAt(percent), must: seen}
	}
	return []sentence{
		{"remainder", "other", []part{
			{id: "power", unit: share, said: none, run: remainder(evenly), must: exact(0, byCount)},
			{id: "other", unit: share, said: none, run: remainder(unevenly), must: seen},
		}},
		{"power-of-two", "additive", []part{
			{id: "additive", unit: share, said: some, run: additive, must: exact(0, byCount)},
			{id: "xor", unit: share, said: some, run: remainder(unevenly), must: seen},
			{id: "mean price", unit: figure, run: rounded(1_000_000, 2_000_000, 200),
				must: within(2*math.Ln2*.985, 2*math.Ln2*1.015, "2 ln 2, the mean of 2/x over an octave")},
			{id: "worst price", unit: figure, run: rounded(1_010_000, 1_010_000, 1),
				must: within(1.95, 2, "just above a power of two")},
		}},
		{"constant-inserts", "95%", []part{kicks(50), kicks(70), kicks(95)}},
	}
}

// saidOfHashes has the sentences about hashes, about libraries, and about chosen keys.
func saidOfHashes() []sentence {
	multiplied := func(id string, one, other split, buckets func(size) int, probes int, must rule) part {
		return part{id: id, unit: ratio, said: atLeast(1.2), cost: 5, run: sharing(one, other, buckets, probes), must: must}
	}
	rate := func(id string, name func(uint64) string) part {
		return part{id: "rate, " + id, unit: share, said: atMost(.017), run: javaClass(name, stirred).rate(true),
			must: near(claims.ExactRate(8, 4, .5), .04, byFormula)}
	}
	full := func(id string, name func(uint64) string) part {
		return part{id: "load, " + id, unit: load, said: atLeast(.9), run: javaClass(name, stirred).load, must: seen}
	}
	lost := func(of library) part { return part{id: "lost", unit: multiple, said: none, run: of.lost, must: seen} }
	alike := near(1, .01, "no difference")
	return []sentence{
		{"two-hashes", "disjoint", []part{
			multiplied("disjoint", apart, separate, evenly, 1, alike),
			multiplied("remainders", remainders, apart, evenly, 1, alike),
			multiplied("low bits", lowBits, apart, evenly, 1, seen),
			multiplied("32 bits", of32, of64, overlapping, 2, seen),
		}},
		{"java-class", "lost", []part{
			rate("domains", measure.Domain), full("domains", measure.Domain),
			rate("numbers", consecutive), full("numbers", consecutive),
			{id: "plain", unit: share, said: atMost(.017), run: javaClass(measure.Domain, unstirred).rate(true), must: seen},
			lost(javaClass(measure.Domain, stirred)),
		}},
		{"chosen-keys", "filter, known hash", []part{
			{id: "filter, known hash", unit: figure, said: atMost(100), run: nestAttack(false), must: exact(8, "2b keys")},
			{id: "filter, others", unit: share, runs: 1, run: nestOthers,
				must: within(0, .01, "keys of the same class: one in millions")},
			{id: "filter, secret", unit: load, said: atMost(.5), run: nestAttack(true), must: seen},
			{id: "Redis", unit: figure, said: atMost(1000), run: redisAttack(false),
				must: exact(125, "4 keys in each of 31 tables, and one")},
			{id: "Redis, secret", unit: load, said: atMost(.01), run: redisAttack(true), must: seen},
		}},
	}
}
