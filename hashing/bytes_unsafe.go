//go:build !purego

package hashing

import (
	"unsafe"

	"github.com/dchest/siphash"

	"github.com/nestfilter/nest/internal/noescape"
)

// bytesOf returns the bytes of s without a copy. They must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func sipBytes(k0, k1 uint64, key []byte) uint64 { return siphash.Hash(k0, k1, key) }

// userSum64 is the one place where keys go through an interface, under a pointer that escape analysis does not follow. So an array or
// a string that was made for the call, such as string(b), stays on the caller's stack.
func userSum64(h Hasher, key []byte, text bool) uint64 {
	hidden := noescape.Bytes(key)
	if text {
		return h.Sum64String(unsafe.String(unsafe.SliceData(hidden), len(hidden)))
	}
	return h.Sum64(hidden)
}
