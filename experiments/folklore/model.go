package folklore

import (
	"math/bits"
	"math/rand/v2"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// A table is a cuckoo filter as texts print it: it makes room by a random walk, and drops the fingerprint that has no place after so
// many kicks. The key that was refused is then in the table, and another one may be lost.
type table struct {
	slots    []uint16 // 0 is empty
	buckets  int
	b        int
	kicks    int
	partner  func(bucket int, fp uint16) int
	first    bool // the victim is always the first slot; otherwise a random one
	generate *rand.Rand
}

// A place is what a table sees of a key.
type place struct {
	bucket int
	fp     uint16
}

// newTable returns a table of so many buckets of four slots.
func newTable(buckets int, seed uint64, partner func(bucket int, fp uint16) int) *table {
	return &table{
		slots: make([]uint16, 4*buckets), buckets: buckets, b: 4, kicks: 500, partner: partner,
		generate: rand.New(rand.NewPCG(seed, 0)),
	}
}

// put stores the fingerprint in a free slot of the bucket, if there is one.
func (t *table) put(p place) bool {
	for i := range t.bucket(p.bucket) {
		if t.bucket(p.bucket)[i] == 0 {
			t.bucket(p.bucket)[i] = p.fp
			return true
		}
	}
	return false
}

func (t *table) bucket(i int) []uint16 { return t.slots[i*t.b : (i+1)*t.b] }

// insert reports whether all fingerprints have a place. If not, one was dropped.
func (t *table) insert(p place) bool {
	other := place{t.partner(p.bucket, p.fp), p.fp}
	if t.put(p) || t.put(other) {
		return true
	}
	if t.generate.IntN(2) == 1 {
		p = other
	}
	for range t.kicks {
		victim := 0
		if !t.first {
			victim = t.generate.IntN(t.b)
		}
		slot := &t.bucket(p.bucket)[victim]
		p.fp, *slot = *slot, p.fp
		p.bucket = t.partner(p.bucket, p.fp)
		if t.put(p) {
			return true
		}
	}
	return false
}

// has looks into the two buckets of a place.
func (t *table) has(p place) bool {
	for _, i := range []int{p.bucket, t.partner(p.bucket, p.fp)} {
		for _, fp := range t.bucket(i) {
			if fp == p.fp {
				return true
			}
		}
	}
	return false
}

// xorHashed is the paper's rule for m buckets, a power of two: i xor hash(fp).
func xorHashed(m int) func(int, uint16) int {
	return func(i int, fp uint16) int { return i ^ int(hashing.Mix64(uint64(fp)))&(m-1) }
}

// xorRemainder is the rule for any number of buckets that is no involution: (i xor hash(fp)) % m.
func xorRemainder(m int) func(int, uint16) int {
	return func(i int, fp uint16) int { return int((uint64(i) ^ hashing.Mix64(uint64(fp))>>32) % uint64(m)) }
}

// keys yields the places of the keys from the first on, by their numbers.
type keys func(i int) place

// digests are the places of random digests, by a function that splits one.
func digests(seed uint64, split func(h uint64) place) keys {
	return func(i int) place { return split(hashing.Mix64(seed + uint64(i)*measure.SplitMixStep)) }
}

// fill inserts keys 0 to n-1 until one is refused and returns how many were taken.
func (t *table) fill(of keys, n int) int {
	for i := range n {
		if !t.insert(of(i)) {
			return i
		}
	}
	return n
}

// count returns how many of the keys from on up to to the table reports.
func (t *table) count(of keys, from, to int) (yes int) {
	for i := from; i < to; i++ {
		if t.has(of(i)) {
			yes++
		}
	}
	return yes
}

// log2 is the exponent of a power of two.
func log2(m int) int { return bits.TrailingZeros(uint(m)) }

// byte255 is a fingerprint of one byte by the remainder.
func byte255(h uint64) uint16 { return uint16(h%255) + 1 }

// A bloomModel is a Bloom filter whose bits can be cleared.
type bloomModel struct {
	words  []uint64
	hashes int
}

func newBloom(bits, hashes int) *bloomModel { return &bloomModel{make([]uint64, (bits+63)/64), hashes} }

// each calls a function with the bits of a key until it returns false.
func (f *bloomModel) each(h uint64, do func(word *uint64, bit uint64) bool) bool {
	for range f.hashes {
		at, _ := bits.Mul64(h, uint64(len(f.words))*64)
		if !do(&f.words[at/64], 1<<(at%64)) {
			return false
		}
		h = hashing.Mix64(h)
	}
	return true
}

func (f *bloomModel) insert(h uint64) {
	f.each(h, func(word *uint64, bit uint64) bool { *word |= bit; return true })
}

func (f *bloomModel) clear(h uint64) {
	f.each(h, func(word *uint64, bit uint64) bool { *word &^= bit; return true })
}

func (f *bloomModel) has(h uint64) bool {
	return f.each(h, func(word *uint64, bit uint64) bool { return *word&bit != 0 })
}
