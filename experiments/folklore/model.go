package folklore

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// A table is a [claims.Walk] of the keys that numbers stand for.
type table struct {
	claims.Walk[uint16]
	key func(i int) place
}

const bucketSlots = 4

type partner func(bucket, m int, fp uint16) int

// A place is what a table sees of a key.
type place struct {
	bucket int
	fp     uint16
}

// newTable returns a table of m buckets for keys by their numbers.
func newTable(m int, seed uint64, other partner, key func(i int) place) *table {
	random := rand.New(rand.NewPCG(seed, 0))
	return &table{claims.Walk[uint16]{
		Slots: make([]uint16, bucketSlots*m), Bucket: bucketSlots, Kicks: 500,
		Other:  func(i int, fp uint16) int { return other(i, m, fp) },
		Second: func() bool { return random.IntN(2) == 1 },
		Victim: func() int { return random.IntN(bucketSlots) },
	}, key}
}

// insert reports whether all fingerprints have a place with that of key i. If not, one was dropped.
func (t *table) insert(i int) bool { p := t.key(i); return t.Insert(p.bucket, p.fp) }

// has looks into the two buckets of key i.
func (t *table) has(i int) bool { p := t.key(i); return t.Has(p.bucket, p.fp) }

// fill inserts keys 0 to n-1 until one is refused and returns how many were taken.
func fill(n int, insert func(i int) bool) (taken int) {
	for taken < n && insert(taken) {
		taken++
	}
	return taken
}

// xorHashed is the paper's rule for m buckets, a power of two: i xor hash(fp).
func xorHashed(i, m int, fp uint16) int { return i ^ int(hashing.Mix64(uint64(fp)))&(m-1) }

// xorRemainder is the rule for any number of buckets that is no involution: (i xor hash(fp)) % m.
func xorRemainder(i, m int, fp uint16) int {
	return int((uint64(i) ^ hashing.Mix64(uint64(fp))>>32) % uint64(m))
}

// A split takes bucket and fingerprint from a digest, for m buckets.
type split func(h uint64, m int) place

// keys are those of random digests.
func (s split) keys(seed uint64, m int) func(i int) place {
	return func(i int) place { return s(hashing.Mix64(seed+uint64(i)*measure.SplitMixStep), m) }
}

// byte255 is a fingerprint of one byte by the remainder.
func byte255(h uint64) uint16 { return uint16(h%255) + 1 }

// The splits that sentences are about. All but modulo are for powers of two.
func modulo(h uint64, m int) place { return place{int(h >> 32 % uint64(m)), byte255(h)} }
func apart(h uint64, m int) place  { return place{int(h >> 40 & uint64(m-1)), byte255(h & 0xffff)} }
func separate(h uint64, m int) place {
	return place{int(h >> 40 & uint64(m-1)), byte255(hashing.Mix64(h))}
}
func remainders(h uint64, m int) place { return place{int(h & uint64(m-1)), byte255(h)} }
func lowBits(h uint64, m int) place    { return place{int(h & uint64(m-1)), uint16(max(h&0xff, 1))} }
func of64(h uint64, m int) place       { return place{int(h & uint64(m-1)), max(uint16(h>>48), 1)} }

// of32 takes 16 bits of fingerprint from the top of a 32-bit hash and the bucket from its low bits.
func of32(h uint64, m int) place { return place{int(h >> 32 & uint64(m-1)), max(uint16(h>>48), 1)} }

// A bloomModel is a Bloom filter whose bits can be cleared. Its keys are numbers, which are hashed from the seed on.
type bloomModel struct {
	words  []uint64
	hashes int
	seed   uint64
}

// The Bloom filter of the sentences about clearing bits: 10 bits a key at capacity, 7 of them of each.
const (
	bloomBits   = 10
	bloomHashes = 7
)

// bloom is a Bloom filter of so many bits that holds keys 0 to n-1.
func (r run) bloom(bits, hashes, n int) *bloomModel {
	f := &bloomModel{make([]uint64, (bits+63)/64), hashes, r.seed}
	for i := range n {
		f.each(i, func(word *uint64, bit uint64) bool { *word |= bit; return true })
	}
	return f
}

// each calls a function with the bits of a key until it returns false.
func (f *bloomModel) each(key int, do func(word *uint64, bit uint64) bool) bool {
	h := hashing.Mix64(f.seed + uint64(key))
	for range f.hashes {
		at, _ := bits.Mul64(h, uint64(len(f.words))*64)
		if !do(&f.words[at/64], 1<<(at%64)) {
			return false
		}
		h = hashing.Mix64(h)
	}
	return true
}

// has tells whether all bits of a key are set.
func (f *bloomModel) has(key int) bool {
	return f.each(key, func(word *uint64, bit uint64) bool { return *word&bit != 0 })
}

// count returns how many of the numbers from on up to to has is true of.
func count(has func(i int) bool, from, to int) (yes int) {
	for i := from; i < to; i++ {
		if has(i) {
			yes++
		}
	}
	return yes
}

// cleared clears the bits of some keys of a thousand in a filter at a load in percent, and counts the others that are
// denied: of all others, or for each cleared one.
func cleared(permille, percent int, each bool) trial {
	return func(r run) (int, int) {
		n := r.large * percent / 100
		f, gone := r.bloom(bloomBits*r.large, bloomHashes, n), n*permille/1000
		for i := range gone {
			f.each(i, func(word *uint64, bit uint64) bool { *word &^= bit; return true })
		}
		denied := n - gone - count(f.has, gone, n)
		if each {
			return denied, gone
		}
		return denied, n - gone
	}
}

// clearedShare is the share of keys that are denied then: a key survives if none of the bits that were cleared is one
// of its own.
func clearedShare(permille float64) float64 {
	return 1 - math.Exp(-bloomHashes*bloomHashes*permille/1000/bloomBits)
}

// returning asks a Bloom filter beside a set of deleted keys for those that came back, which the set may have dropped.
func returning(drops bool) trial {
	return func(r run) (denied, back int) {
		f, n := r.bloom(bloomBits*r.slots, bloomHashes, r.slots), r.slots/10
		return n - count(func(i int) bool { return f.has(i) && drops }, 0, n), n
	}
}

// replaced asks for absent keys when each key was deleted and another one inserted: the bits stay.
func replaced(r run) (int, int) {
	f, n := r.bloom(bloomBits*r.slots, bloomHashes, 2*r.slots), 2*r.slots
	return count(f.has, n, n+r.probes), r.probes
}

// setBytes is the least that a set of strings takes for each of them: a header of two words and the bytes.
func setBytes(r run) (bits, n int) {
	for i := range r.slots {
		bits += 8 * (16 + len(measure.Domain(uint64(i))))
	}
	return bits, r.slots
}

// slotLoad fills a table of the model to the first refusal, with victims at random or always in the first slot.
func slotLoad(first bool, slots func(size) int) trial {
	return func(r run) (int, int) {
		m := slots(r.size) / bucketSlots
		t := newTable(m, r.seed, xorHashed, split(modulo).keys(r.seed, m))
		if first {
			t.Victim = func() int { return 0 }
		}
		return fill(len(t.Slots), t.insert), len(t.Slots)
	}
}

// remainder counts the keys denied in a table at 90% under i xor hash(fp) modulo the number of buckets.
func remainder(buckets func(z size) int) trial {
	return func(r run) (int, int) {
		m := buckets(r.size)
		t := newTable(m, r.seed, xorRemainder, split(modulo).keys(r.seed, m))
		taken := fill(bucketSlots*m/100*90, t.insert)
		return taken - count(t.has, 0, taken), taken
	}
}

// sharing counts the false positives of a table at 90% whose places come from one split, and of one with another.
func sharing(one, other split, buckets func(size) int, probes int) trial {
	return func(r run) (int, int) {
		var yes [2]int
		m := buckets(r.size)
		for i, s := range []split{one, other} {
			t := newTable(m, r.seed, xorHashed, s.keys(r.seed, m))
			n := fill(bucketSlots*m/100*90, t.insert)
			yes[i] = count(t.has, n, n+probes*max(r.probes, 1<<15))
		}
		return yes[0], yes[1]
	}
}

// javaHash is Java's String.hashCode of a text of ASCII.
func javaHash(s string) (h uint32) {
	for i := range len(s) {
		h = 31*h + uint32(s[i])
	}
	return h
}

// stirred is a mixer of 32 bits of the kind that Java texts print, and unstirred takes the lowest byte as it is.
func stirred(h uint32) uint32 {
	h += ^(h << 15)
	h ^= h >> 10
	h += h << 3
	h ^= h >> 6
	h += h<<2 + h<<14
	return h ^ h>>16
}

func unstirred(h uint32) uint32 { return h ^ h>>16 }

// consecutive returns texts with numbers that follow each other.
func consecutive(i uint64) string { return fmt.Sprintf("user%07d", i) }

// name is the number of a name, so that trials have names of their own.
func (r run) name(i int) uint64 { return r.seed%(1<<25) + uint64(i) }

// A library is a filter of texts as others write it.
type library func(r run) (insert, has func(i int) bool)

// javaClass is one as Java texts print it: the bucket is String.hashCode with its halves xored, the fingerprint a byte
// of the same 32 bits, and 40 in place of 0. The alternate bucket is i xor the stirred fingerprint.
func javaClass(name func(uint64) string, half func(h uint32) uint32) library {
	return func(r run) (insert, has func(i int) bool) {
		m := evenly(r.size)
		partner := func(i, m int, fp uint16) int { return i ^ int(stirred(uint32(fp)))&(m-1) }
		t := newTable(m, r.seed, partner, func(i int) place {
			h := javaHash(name(r.name(i)))
			fp := uint16(half(h) & 0xff)
			if fp == 0 {
				fp = 40
			}
			return place{int(h^h>>16) & (m - 1), fp}
		})
		return t.insert, t.has
	}
}

// rate counts false positives: at a load of one half, which is below what stops a table, or at the first refusal.
func (l library) rate(half bool) trial {
	return func(r run) (yes, probes int) {
		insert, has := l(r)
		if half {
			n := fill(r.slots/2, insert)
			return count(has, n, n+r.probes), r.probes
		}
		n := fill(r.slots, insert) + 1
		return count(has, n, n+r.probes), r.probes
	}
}

// load fills to the first refusal.
func (l library) load(r run) (stored, slots int) {
	insert, _ := l(r)
	return fill(r.slots, insert), r.slots
}

// lost goes on until a hundred keys were refused, and counts the others that are denied.
func (l library) lost(r run) (lost, refused int) {
	insert, has := l(r)
	var all []int
	for i := 0; refused < 100; i++ {
		if insert(i) {
			all = append(all, i)
		} else {
			refused++
		}
	}
	return count(func(at int) bool { return !has(all[at]) }, 0, len(all)), refused
}
