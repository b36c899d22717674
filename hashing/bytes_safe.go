//go:build purego

package hashing

import (
	"github.com/dchest/siphash"

	"github.com/nestfilter/nest/internal/memory"
)

// bytesOf returns the bytes of s. Inlined into a call of Go code that neither keeps nor writes them, the
// compiler makes no copy.
func bytesOf(s string) []byte { return []byte(s) }

// sipBytes copies key to the stack if it fits: the library is assembly on some machines in this build too, so that the
// compiler would copy every string that comes to Sum64String to the heap.
func sipBytes(k0, k1 uint64, key []byte) uint64 {
	var onStack [256]byte
	if len(key) <= len(onStack) {
		return siphash.Hash(k0, k1, onStack[:copy(onStack[:], key)])
	}
	return siphash.Hash(k0, k1, memory.Hide(key))
}

// hideText returns a copy of key as a string, so that key itself does not escape.
func hideText(key []byte) string { return string(key) }
