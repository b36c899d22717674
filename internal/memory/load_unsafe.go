//go:build !purego && !race && !invariants && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm)

package memory

import "unsafe"

// Load64 returns the little-endian word that starts at byte off of b.
func Load64(b []byte, off uint64) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off)))
}

// Load32 returns the 4 bytes from byte off of b on, as [Load64] does 8.
func Load32(b []byte, off uint64) uint64 {
	return uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))))
}

// Load16 returns the 2 bytes from byte off of b on, as [Load64] does 8.
func Load16(b []byte, off uint64) uint64 {
	return uint64(*(*uint16)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))))
}

// Load8 returns byte off of b, as [Load64] does 8.
func Load8(b []byte, off uint64) uint64 {
	return uint64(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))))
}

// Store64 writes x as a little-endian word that starts at byte off of b.
func Store64(b []byte, off uint64, x uint64) {
	*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))) = x
}
