package hashing

import (
	"encoding/binary"

	"github.com/nestfilter/nest/internal/memory"
)

// Parameters of MurmurHash64A: Austin Appleby, MurmurHash2.cpp of SMHasher, public domain.
const (
	murmurFactor = 0xc6a4a7935bd1e995
	murmurShift  = 47
)

// Murmur64A returns MurmurHash64A with the given seed, on every machine as on a little-endian one. It
// is here for compatibility: seed 0 is what the cuckoo filters of RedisBloom use. With seed 0 the
// digest of the empty key is 0, a digest like any other.
//
// Do not use it for other filters:
//
//   - Its seed is weak. On 8-byte keys it is xored to a key that is mixed already, so that the digest
//     of a key under one seed is that of another key under another seed. For such keys 195 of the 4096
//     pairs of a seed bit and a digest bit do not flip together half of the time, for the empty key 3673.
//   - Colliding keys can be written down that collide under every seed: 2 of 16 bytes, 4 of 32, 2^n of 16*n, in time
//     proportional to their length (Aumasson, Bernstein and Bosslet, "Hash-flooding DoS reloaded", 29C3, 2012).
//   - The bytes behind the last whole 8 are mixed slightly less than the others: of the 3072 pairs of a key bit and a
//     digest bit of 6-byte keys, 3 do not flip together half of the time.
func Murmur64A(seed uint64) Hasher { return builtin{Digester{kind: kindMurmur64A, seed: seed}} }

func murmur64a(seed uint64, key []byte) uint64 {
	n := uint64(len(key))
	h := seed ^ n*murmurFactor
	at := uint64(0)
	for ; n-at >= 8; at += 8 {
		h = (h ^ murmurBlock(memory.Load64(key, at))) * murmurFactor
	}
	if rest := n - at; rest > 0 {
		h = (h ^ murmurTail(key, rest)) * murmurFactor
	}
	h = (h ^ h>>murmurShift) * murmurFactor
	return h ^ h>>murmurShift
}

// murmurBlock mixes 8 bytes of the key, before they meet the state and so the seed.
func murmurBlock(k uint64) uint64 {
	k *= murmurFactor
	return (k ^ k>>murmurShift) * murmurFactor
}

// murmurTail returns the last rest bytes of key, 1 to 7, as a little-endian number. From a key of 8
// bytes and more one load brings them along with bytes before them, which the shift drops. Of a
// shorter key, which is nothing but its tail, the pieces overlap and agree where they do.
func murmurTail(key []byte, rest uint64) uint64 {
	if n := uint64(len(key)); n >= 8 {
		return memory.Load64(key, n-8) >> (64 - 8*rest)
	}
	last := rest - 1
	if rest < 4 {
		middle := rest / 2
		return uint64(key[0]) | uint64(key[middle])<<(8*middle) | uint64(key[last])<<(8*last)
	}
	low, high := binary.LittleEndian.Uint32(key), binary.LittleEndian.Uint32(key[rest-4:])
	return uint64(low) | uint64(high)<<(8*(rest-4))
}
