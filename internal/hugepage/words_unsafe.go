//go:build !purego

package hugepage

import "unsafe"

// bytesOf returns the memory of w.
func bytesOf(w []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 8*len(w))
}
