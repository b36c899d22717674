//go:build !purego && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm)

package memory

import (
	"unsafe"

	"github.com/nestfilter/nest/internal/invariants"
)

// Load64 returns the little-endian word that starts at byte off of b.
func Load64(b []byte, off uint64) uint64 {
	if invariants.Enabled {
		return load64Portable(b, off)
	}
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off)))
}

// Load32 returns the 4 bytes from byte off of b on, as [Load64] does 8.
func Load32(b []byte, off uint64) uint64 {
	if invariants.Enabled {
		return load32Portable(b, off)
	}
	return uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))))
}

// Load16 returns the 2 bytes from byte off of b on, as [Load64] does 8.
func Load16(b []byte, off uint64) uint64 {
	if invariants.Enabled {
		return load16Portable(b, off)
	}
	return uint64(*(*uint16)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))))
}

// Load8 returns byte off of b, as [Load64] does 8.
func Load8(b []byte, off uint64) uint64 {
	if invariants.Enabled {
		return uint64(b[off])
	}
	return uint64(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))))
}

// Store64 writes x as a little-endian word that starts at byte off of b.
func Store64(b []byte, off uint64, x uint64) {
	if invariants.Enabled {
		store64Portable(b, off, x)
		return
	}
	*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), uintptr(off))) = x
}

// AsBytes returns the memory of words, which is their little-endian bytes, and whether it can: it is false
// on other machines and without package unsafe.
func AsBytes(words []uint64) ([]byte, bool) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words)), true
}

// AsWords returns the little-endian words that b consists of, in place and at whatever address b begins, and whether it
// can: it is false on other machines and without package unsafe. Bytes of b behind the last whole word are left out.
func AsWords(b []byte) ([]uint64, bool) {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8), true
}
