package hashing

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"golang.org/x/exp/constraints"

	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/simd"
)

// Digests of keys that need no Hasher: integers, comparable values, and cryptographic hashes.

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
// It costs two multiplications and is inlined. It is a bijection, so different integers never share a digest, and each
// bit of k flips each bit of the result with probability one half. Mix64(0) is 0xe220a8397b1dcdaf. It is not the digest
// that a [Hasher] gives to the 8 bytes of k. It has no seed and is easily inverted, so it is no defence against chosen
// keys.
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
// int64 keys. No two different numbers share one, except for a negative -n and the uint64 2^64-n.
func Mix[K constraints.Integer](k K) uint64 { return Mix64(uint64(k)) }

// MixAll writes to dst[i] what [Mix64] makes of keys[i]: digests for the verbs that take many, such as ContainsHashes.
//
// dst may be keys itself; other slices must not overlap. MixAll panics if dst is shorter than keys. With AVX-512 it
// takes a tenth of the time of Mix64 in a loop, with AVX2 a third, and elsewhere as long.
func MixAll(keys, dst []uint64) {
	dst = dst[:len(keys):len(dst)] // the third index: spare capacity is not room
	mixed := simd.Mix(&simd.Mixer{Increment: mixIncrement, Factor1: mixFactor1, Factor2: mixFactor2}, keys, dst)
	keys, dst = keys[mixed:], dst[mixed:]
	for i, k := range keys {
		dst[i] = Mix64(k)
	}
}

// processSeed is that of Comparable.
var processSeed = maphash.MakeSeed()

// Comparable returns a digest of a key of any comparable type, such as a struct or an array: keys that are equal by
// == have one digest, and digests are well mixed.
//
//	err := f.InsertHash(hashing.Comparable(point{x, y}))
//
// It is hash/maphash.Comparable under a secret seed that this process draws once. So its digests mean nothing to
// another process, and a filter of them must be neither stored nor sent. Give such a filter a [MapHash] as its Hash: no
// other process can then open its file by mistake. To choose the seed call maphash.Comparable, whose result is a digest
// too.
//
// Ask for a key with the type with which it was inserted: int32(1) and int64(1) may have two digests. A key that is not
// equal to itself, as NaN is, has another digest at each call and is never found. Comparable panics, as == does, if K
// is or holds an interface whose value cannot be compared.
//
// It does not allocate, but variables that a key points to, other than the bytes of strings, are moved to the heap
// where they are made. Under the build tag purego it allocates, and panics if K is or holds a nil interface: Go 1.26's
// package hash/maphash does.
func Comparable[K comparable](k K) uint64 { return maphash.Comparable(processSeed, k) }

// ErrTooShort reports a sum of fewer than the 8 bytes that a digest is made of.
var ErrTooShort = errs.TooShort

// Digest returns the digest of a key that is a cryptographic hash already, such as the SHA-256 sum of a file: its first
// 8 bytes as a big-endian number, so that the digest in hexadecimal is how the sum begins. Nothing is hashed again.
// Filters take it in their Hash verbs; those that see nothing else are configured with [DigestsOnly].
//
// The sum must come from a hash whose first 64 bits are uniform and which nobody can steer there, as SHA-2, SHA-3 and
// BLAKE3 are. A checksum, a UUID with its fixed bits, a counter, a sum in hexadecimal or behind a constant prefix are
// not, and Digest cannot tell. Somebody can still find inputs by trying: to hit a given bucket and fingerprint takes
// about as many attempts as there are pairs of them, and two equal digests about 2^32. If somebody who wants to do harm
// chooses the inputs, and so many attempts are too few, hash the sum with [SipHash] instead.
//
// A sum of fewer than 8 bytes is an error that wraps [ErrTooShort]. Digest does not allocate.
func Digest(sum []byte) (uint64, error) {
	if len(sum) < 8 {
		return 0, fmt.Errorf("hashing: digest: %w: a sum of %d bytes, want at least 8", ErrTooShort, len(sum))
	}
	return binary.BigEndian.Uint64(sum), nil
}
