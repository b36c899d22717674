//go:build !purego

package memory

import "unsafe"

// HidesFree is true: in this build Hide costs nothing.
const HidesFree = true

// Hide returns b under a pointer that escape analysis does not follow, so that a key on the caller's stack stays
// there although a user's Hasher is reached through an interface. The callee must not keep the slice: that is part
// of the contract of hashing.Hasher.
//
// The address passes through an integer variable. That is safe for the two instructions it lasts:
// nothing is called in between, so the stack cannot grow, and the runtime moves no stack at an
// asynchronous preemption point. The caller's own b keeps the bytes alive.
func Hide(b []byte) []byte {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), len(b))
}

// HidePointer returns p as a pointer that escape analysis does not follow, so that a variable on the caller's stack
// stays there although its address is given to a function that is called through a variable. That function must not
// keep it. Of the address holds what [Hide] says.
func HidePointer[T any](p *T) *T {
	address := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&address))
}
