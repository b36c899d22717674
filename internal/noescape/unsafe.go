//go:build !purego

package noescape

import "unsafe"

// Free is true: in this build Bytes costs nothing.
const Free = true

// Bytes returns b under a pointer that escape analysis does not follow.
//
// The address passes through an integer variable. That is safe for the two instructions it lasts:
// nothing is called in between, so the stack cannot grow, and the runtime moves no stack at an
// asynchronous preemption point. The caller's own b keeps the bytes alive.
func Bytes(b []byte) []byte {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), len(b))
}
