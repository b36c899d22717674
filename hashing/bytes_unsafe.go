//go:build !purego

package hashing

import (
	"unsafe"

	"github.com/dchest/siphash"

	"github.com/nestfilter/nest/internal/memory"
)

// bytesOf returns the bytes of s without a copy. They must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func sipBytes(k0, k1 uint64, key []byte) uint64 { return siphash.Hash(k0, k1, key) }

// hideText returns key as a string under a pointer that escape analysis does not follow, so that a string
// made for the call, such as string(b), stays on the caller's stack.
func hideText(key []byte) string {
	return unsafe.String(unsafe.SliceData(memory.Hide(key)), len(key))
}
