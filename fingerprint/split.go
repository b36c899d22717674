package fingerprint

import "math/bits"

// MaxBuckets is the largest number of buckets for which [Bucket] and [Of] draw on disjoint parts of
// a digest: the bucket takes log2(m) high bits and the fingerprint the low 32.
const MaxBuckets = 1 << 32

// Of returns the fingerprint of width bits of a digest: a number from 1 to 2^width-1, each equally likely up to a
// relative error of 2^(width-32). It scales the digest's low 32 bits with one multiplication (Lemire 2019, "Fast random
// integer generation in an interval"), which leaves no value out for the sake of the reserved 0.
//
// The width must be 1..32; it is not checked.
func Of(digest uint64, width uint) uint64 {
	// The mask spares a width that is no constant the test for shifts beyond the word.
	return uint64(uint32(digest))*(1<<(width&63)-1)>>32 + 1
}

// Bucket returns the primary bucket of a digest among m: the high word of digest times m, which is
// uniform for every m and, where m is a power of two, the digest's leading log2(m) bits.
//
// It costs one multiplication. m must be 1..[MaxBuckets]; it is not checked.
func Bucket(digest, m uint64) uint64 {
	i, _ := bits.Mul64(digest, m)
	return i
}
