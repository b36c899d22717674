package hashing

import (
	"golang.org/x/exp/constraints"

	"github.com/nestfilter/nest/internal/simd"
)

// The increment of SplitMix64, 2^64 divided by the golden ratio, and the multipliers of its
// finalizer, which is David Stafford's variant 13 of that of MurmurHash3: Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
const (
	mixIncrement = 0x9e3779b97f4a7c15
	mixFactor1   = 0xbf58476d1ce4e5b9
	mixFactor2   = 0x94d049bb133111eb
)

// Mix64 turns an integer key into a digest: the first output of SplitMix64 seeded with k.
//
// It costs two multiplications and is inlined. It is a bijection, so different integers never share
// a digest, and each bit of k flips each bit of the result with probability one half. Mix64(0) is
// 0xe220a8397b1dcdaf; the one integer that gives 0 is 0x61c8864680b583eb.
//
// Mix64(k) is not the digest that a [Hasher] gives to the 8 bytes of k: a filter filled with one
// does not find the other. It has no seed and is easily inverted, so it is no defence against
// chosen keys.
func Mix64(k uint64) uint64 {
	k += mixIncrement
	k = (k ^ k>>30) * mixFactor1
	k = (k ^ k>>27) * mixFactor2
	return k ^ k>>31
}

// Mix turns an integer key of any type, named ones included, into a digest: [Mix64] of the key converted to
// uint64, and as cheap.
//
//	err := f.InsertHash(hashing.Mix(userID))
//
// Equal numbers have one digest whatever their types, so a filter that was filled with int32 keys may be asked for
// int64 keys. A negative key -n, of whatever signed type, has the digest of the uint64 2^64-n. No two keys of one type
// share a digest, nor do two of several types, but for a negative one and the uint64 that it is converted to.
func Mix[K constraints.Integer](k K) uint64 { return Mix64(uint64(k)) }

// MixAll writes to dst[i] what [Mix64] makes of keys[i]: digests for the verbs that take many, such as ContainsHashes.
//
// dst may be keys itself; other slices must not overlap. MixAll panics, as copying into an array does, if dst is
// shorter than keys. Where the processor has AVX-512, it takes a tenth of the time of Mix64 in a loop, with AVX2 a
// third, and elsewhere as long.
func MixAll(keys, dst []uint64) {
	dst = dst[:len(keys):len(dst)] // the third index: spare capacity is not room
	mixed := simd.Mix(&simd.Mixer{Increment: mixIncrement, Factor1: mixFactor1, Factor2: mixFactor2}, keys, dst)
	keys, dst = keys[mixed:], dst[mixed:]
	for i, k := range keys {
		dst[i] = Mix64(k)
	}
}
