package memory

import "encoding/binary"

// The portable twins are compiled in every build, so that the fuzz test can hold the machine loads against them.

func load64Portable(b []byte, off uint64) uint64 {
	return binary.LittleEndian.Uint64(b[off:])
}

func load32Portable(b []byte, off uint64) uint64 { return uint64(binary.LittleEndian.Uint32(b[off:])) }

func load16Portable(b []byte, off uint64) uint64 { return uint64(binary.LittleEndian.Uint16(b[off:])) }

func store64Portable(b []byte, off uint64, x uint64) {
	binary.LittleEndian.PutUint64(b[off:], x)
}
