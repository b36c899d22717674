// Package bitsandblooms reads, changes and writes filters of the Go module
// github.com/bits-and-blooms/bloom (versions 2 and 3), byte for byte, so that a program can take over
// filters that it has, or share them with programs that keep that module.
//
// A filter of this kind is a classic Bloom filter of m bits and k locations, which it takes from
// MurmurHash3 (x64, 128 bits) of the key and of the key with a byte 1 behind it. Such a hash has 256
// bits and no 64-bit digest, so this package has no digest forms of its verbs and no batches, which take digests, and
// its filters cannot be merged with those of package bloom, which is faster and is what a filter of one's own should be.
// There are no views or streams either: bytes are decoded and encoded as a whole.
//
// # Bytes
//
//	offset  bytes  content, all integers big-endian
//	0       8      m, the number of bits
//	8       8      k, the number of locations of a key
//	16      8      length, the bits of the bit set that follows: m, or m rounded up to whole words
//	24      8*w    the words of the bit set, w = length/64 rounded up; bit i is bit i%64 of word i/64
//
// This is what WriteTo and MarshalBinary of the other module write, unless a program has called
// LittleEndian of its bit set's package, which turns the words around for the whole process; such bytes
// are refused.
//
// # Errors
//
// The errors are those of package bloom, and errors.Is works with them: bloom.ErrConfig, ErrMismatch, ErrTooLarge,
// ErrTooShort and ErrCorrupt. They say what is wrong, and where.
package bitsandblooms
