package hashing

import "math/bits"

// XXH64 of short keys, as doc/xxhash_spec.md of Cyan4973/xxHash describes it. The library has it, in assembly, which takes its
// arguments on the stack; a fuzz test holds the two together.

// xxh64Word mixes 8 bytes of a key into its digest.
func xxh64Word(h, word uint64) uint64 {
	h ^= bits.RotateLeft64(word*xxhPrime64B, 31) * xxhPrime64A
	return bits.RotateLeft64(h, 27)*xxhPrime64A + xxhPrime64D
}

// xxh64Tail mixes the n bytes behind the last 8, 1 to 7, as a little-endian number.
func xxh64Tail(h, tail, n uint64) uint64 {
	if n >= 4 {
		h = bits.RotateLeft64(h^tail<<32>>32*xxhPrime64A, 23)*xxhPrime64B + xxhPrime64C
		tail >>= 32
	}
	for n %= 4; n > 0; n-- {
		h = bits.RotateLeft64(h^tail<<56>>56*xxhPrime64E, 11) * xxhPrime64A
		tail >>= 8
	}
	return h
}
