package memory

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzLoadStoreAgainstPortable holds the loads and stores against encoding/binary at every
// offset of a small slice.
func FuzzLoadStoreAgainstPortable(f *testing.F) {
	f.Add([]byte("0123456789abcdefghij"), uint8(3), uint64(0x0102030405060708))
	f.Add(make([]byte, 8), uint8(0), ^uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, at uint8, x uint64) {
		if len(b) < 8 {
			return
		}
		off := uint64(at) % uint64(len(b)-7)
		if got, want := Load64(b, off), binary.LittleEndian.Uint64(b[off:]); got != want {
			t.Fatalf("Load64(%x, %d) = %#x, portable %#x", b, off, got, want)
		}
		if got, want := Load32(b, off), uint64(binary.LittleEndian.Uint32(b[off:])); got != want {
			t.Fatalf("Load32(%x, %d) = %#x, portable %#x", b, off, got, want)
		}
		if got, want := Load16(b, off), uint64(binary.LittleEndian.Uint16(b[off:])); got != want {
			t.Fatalf("Load16(%x, %d) = %#x, portable %#x", b, off, got, want)
		}
		c := bytes.Clone(b)
		Store64(b, off, x)
		binary.LittleEndian.PutUint64(c[off:], x)
		if !bytes.Equal(b, c) {
			t.Fatalf("Store64 at %d wrote %x, portable %x", off, b, c)
		}
	})
}
