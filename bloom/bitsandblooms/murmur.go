package bitsandblooms

import (
	"encoding/binary"
	"math/bits"
)

// Parameters of MurmurHash3 for x64 with 128 bits: Austin Appleby, MurmurHash3.cpp of SMHasher, public domain.
const (
	factor1, factor2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	add1, add2       = 0x52dce729, 0x38495ab5
	final1, final2   = 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53
)

// blockBytes is the number of bytes that the hash takes at once.
const blockBytes = 16

// state is the running hash.
type state struct{ a, b uint64 }

// mixed returns the state with two words xored in, as the last words of a key are. A zero word changes nothing.
func (s state) mixed(x, y uint64) state {
	s.a ^= bits.RotateLeft64(x*factor1, 31) * factor2
	s.b ^= bits.RotateLeft64(y*factor2, 33) * factor1
	return s
}

// block returns the state after 16 bytes of a key.
func (s state) block(x, y uint64) state {
	t := s.mixed(x, 0)
	t.a = (bits.RotateLeft64(t.a, 27)+t.b)*5 + add1
	t = t.mixed(0, y)
	t.b = (bits.RotateLeft64(t.b, 31)+t.a)*5 + add2
	return t
}

// sum returns the hash of a key of that length of which s has seen all.
func (s state) sum(length uint64) (uint64, uint64) {
	a, b := s.a^length, s.b^length
	a += b
	b += a
	a, b = finished(a), finished(b)
	a += b
	return a, b + a
}

func finished(x uint64) uint64 {
	x = (x ^ x>>33) * final1
	x = (x ^ x>>33) * final2
	return x ^ x>>33
}

// base is the hash of a key, from which its locations come.
type base [4]uint64

// baseOf returns the hash of key and that of key with a byte 1 after it.
func baseOf(key []byte) base {
	var s state
	length := uint64(len(key))
	for ; len(key) >= blockBytes; key = key[blockBytes:] {
		s = s.block(binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:]))
	}
	var rest [blockBytes]byte
	copy(rest[:], key)
	var h base
	h[0], h[1] = s.mixed(binary.LittleEndian.Uint64(rest[:]), binary.LittleEndian.Uint64(rest[8:])).sum(length)

	rest[len(key)] = 1
	x, y := binary.LittleEndian.Uint64(rest[:]), binary.LittleEndian.Uint64(rest[8:])
	if len(key) == blockBytes-1 {
		s = s.block(x, y)
	} else {
		s = s.mixed(x, y)
	}
	h[2], h[3] = s.sum(length + 1)
	return h
}

// location returns location i of a key before it is reduced to the table.
func (h *base) location(i uint64) uint64 { return h[i&1] + i*h[2+(i+i&1)&3>>1] }
