//go:build purego

package hashing

import (
	"strings"

	"github.com/dchest/siphash"
)

// bytesOf returns the bytes of s. Inlined into a call of Go code that neither keeps nor writes them, the
// compiler makes no copy.
func bytesOf(s string) []byte { return []byte(s) }

// sipString copies s to the stack if it fits. The library is assembly on some machines in this build
// too, and the compiler, not knowing that it only reads, would copy s to the heap.
func sipString(k0, k1 uint64, s string) uint64 {
	var onStack [256]byte
	if len(s) <= len(onStack) {
		return siphash.Hash(k0, k1, onStack[:copy(onStack[:], s)])
	}
	return siphash.Hash(k0, k1, []byte(s))
}

// hideString returns a copy of s, so that s itself does not escape.
func hideString(s string) string { return strings.Clone(s) }
