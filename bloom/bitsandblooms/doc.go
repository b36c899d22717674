// Package bitsandblooms reads, changes and writes filters of the Go module
// github.com/bits-and-blooms/bloom (versions 2 and 3), byte for byte, so that a program can take over
// filters that it has, or share them with programs that keep that module.
//
// A filter of this kind is a classic Bloom filter of m bits and k locations, which it takes from MurmurHash3 (x64, 128
// bits) of the key and of the key with a byte 1 after it. Such a hash has 256 bits, and no 64-bit digest. So there are
// no verbs that take digests, and no batches, and filters cannot be merged with those of package bloom. For filters
// that no other module reads use package bloom, which is faster. Bytes are decoded and encoded as a whole.
//
// # Bytes
//
//	offset  bytes  content, all integers big-endian
//	0       8      m, the number of bits
//	8       8      k, the number of locations of a key
//	16      8      length, the bits of the bit set that follows: m, or m rounded up to whole words
//	24      8*w    the words of the bit set, w = length/64 rounded up; bit i is bit i%64 of word i/64
//
// This is what WriteTo and MarshalBinary of the other module write, unless the program has called LittleEndian of the
// package of its bit set. That call reverses the bytes of each word for the whole process. Decode refuses such bytes.
//
// # Errors
//
// The errors are those of package bloom, and errors.Is works with them: bloom.ErrConfig, ErrMismatch, ErrTooLarge,
// ErrTooShort and ErrCorrupt. They say what is wrong, and where.
package bitsandblooms
