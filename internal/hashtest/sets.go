package hashtest

import (
	"encoding/binary"
	"iter"
)

// A KeySet is a regular set of different keys: what real keys look like, and what bad hashes map
// regularly. The slice is reused from one key to the next.
type KeySet struct {
	Name string
	Size int // in bytes
	Keys func(n int) iter.Seq[[]byte]
}

// counted makes the set of the keys that fill writes for 0, 1, ..., n-1.
func counted(name string, size int, fill func(key []byte, i uint64)) KeySet {
	return KeySet{name, size, func(n int) iter.Seq[[]byte] {
		return func(yield func([]byte) bool) {
			key := make([]byte, size)
			for i := range n {
				if fill(key, uint64(i)); !yield(key) {
					return
				}
			}
		}
	}}
}

// cyclic writes the 4 bytes of i over and over.
func cyclic(key []byte, i uint64) {
	for at := 0; at < len(key); at += 4 {
		binary.LittleEndian.PutUint32(key[at:], uint32(i))
	}
}

// sparse yields the first n integers with few bits set: those with none, one, two and so on.
func sparse(n int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var key [8]byte
		for ones := 0; ones <= 64; ones++ {
			k := uint64(1)<<ones - 1
			for {
				binary.LittleEndian.PutUint64(key[:], k)
				if n--; n < 0 || !yield(key[:]) {
					return
				}
				// The next integer with as many ones: Gosper, HAKMEM item 175.
				low := k & -k
				ripple := k + low
				if k == 0 || ripple < k {
					break
				}
				k = ripple | (k^ripple)/low>>2
			}
		}
	}
}

// KeySets are the sets.
var KeySets = []KeySet{
	counted("sequential", 8, func(key []byte, i uint64) { binary.LittleEndian.PutUint64(key, i) }),
	counted("sequential in the middle", 8, func(key []byte, i uint64) { binary.LittleEndian.PutUint64(key, i<<24) }),
	counted("sequential at the top", 8, func(key []byte, i uint64) { binary.LittleEndian.PutUint64(key, i<<46) }),
	counted("cyclic of 8 bytes", 8, cyclic),
	counted("cyclic of 24 bytes", 24, cyclic),
	counted("cyclic of 64 bytes", 64, cyclic),
	counted("text", 13, func(key []byte, i uint64) { copy(key, "user-"); decimal(key[5:], i) }),
	{"sparse", 8, sparse},
}

// decimal fills digits with the decimal form of i, zeros in front.
func decimal(digits []byte, i uint64) {
	for at := len(digits) - 1; at >= 0; at-- {
		digits[at] = '0' + byte(i%10)
		i /= 10
	}
}

// Views are the 12 bits that are tested: what a filter of 4096 buckets takes for the bucket, for a
// fingerprint from the low 32 bits, the lowest bits, and bucket and fingerprint together.
var Views = []struct {
	Name string
	Of   func(h uint64) uint64
}{
	{"top 12 bits", func(h uint64) uint64 { return h >> 52 }},
	{"top 12 of the low 32 bits", func(h uint64) uint64 { return h >> 20 & 0xfff }},
	{"lowest 12 bits", func(h uint64) uint64 { return h & 0xfff }},
	{"6 bits of each half", func(h uint64) uint64 { return h>>58<<6 | h>>26&0x3f }},
}

// Distribution returns the chi-square statistic of each view of the digests of n keys of a set.
func Distribution(sum func(key []byte) uint64, set KeySet, n int) []float64 {
	bins := make([][4096]int, len(Views))
	for key := range set.Keys(n) {
		h := sum(key)
		for v := range Views {
			bins[v][Views[v].Of(h)]++
		}
	}
	scores := make([]float64, len(Views))
	for v := range Views {
		scores[v] = Chi2Uniform(bins[v][:], n)
	}
	return scores
}

// Chi2Uniform is the chi-square statistic of n balls in bins that should be equally likely.
func Chi2Uniform(bins []int, n int) (chi2 float64) {
	expected := float64(n) / float64(len(bins))
	for _, c := range bins {
		d := float64(c) - expected
		chi2 += d * d / expected
	}
	return chi2
}
