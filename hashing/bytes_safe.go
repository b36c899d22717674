//go:build purego

package hashing

import (
	"github.com/dchest/siphash"

	"github.com/nestfilter/nest/internal/noescape"
)

// bytesOf returns the bytes of s. Inlined into a call of Go code that neither keeps nor writes them, the
// compiler makes no copy.
func bytesOf(s string) []byte { return []byte(s) }

// sipBytes copies key to the stack if it fits. The library is assembly on some machines in this build
// too, and the compiler, not knowing that it only reads, would copy every string that comes to Sum64String to the heap.
func sipBytes(k0, k1 uint64, key []byte) uint64 {
	var onStack [256]byte
	if len(key) <= len(onStack) {
		return siphash.Hash(k0, k1, onStack[:copy(onStack[:], key)])
	}
	return siphash.Hash(k0, k1, noescape.Bytes(key))
}

// userSum64 is the one place where keys go through an interface, as a copy.
func userSum64(h Hasher, key []byte, text bool) uint64 {
	if text {
		return h.Sum64String(string(key))
	}
	return h.Sum64(noescape.Bytes(key))
}
