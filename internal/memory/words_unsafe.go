//go:build !purego && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm)

package memory

import "unsafe"

// AsBytes returns the memory of values, which is their little-endian bytes, and whether it can: it is false
// on other machines and without package unsafe.
func AsBytes[T uint64 | bool](values []T) ([]byte, bool) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T)))), true
}

// AsWords returns the little-endian words that b consists of, in place and at whatever address b begins, and whether it
// can: it is false on other machines and without package unsafe. Bytes of b behind the last whole word are left out.
func AsWords(b []byte) ([]uint64, bool) {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8), true
}
