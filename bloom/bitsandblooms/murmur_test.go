package bitsandblooms

import (
	"bytes"
	"testing"
)

// TestMurmur_Published compares with well-known values of MurmurHash3_x64_128 under seed 0.
func TestMurmur_Published(t *testing.T) {
	for key, want := range map[string][2]uint64{
		"":      {0, 0},
		"hello": {0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19},
		"The quick brown fox jumps over the lazy dog": {0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347},
	} {
		if h := baseOf([]byte(key)); h[0] != want[0] || h[1] != want[1] {
			t.Errorf("%q: %016x%016x, want %016x%016x", key, h[0], h[1], want[0], want[1])
		}
	}
}

// TestBase_SecondHalfIsHashOfLongerKey checks the hash of key and 1 at every length of the rest.
func TestBase_SecondHalfIsHashOfLongerKey(t *testing.T) {
	for n := range 70 {
		key := bytes.Repeat([]byte{byte(n), 0xff, 3}, n)[:n]
		short, long := baseOf(key), baseOf(append(bytes.Clone(key), 1))
		if short[2] != long[0] || short[3] != long[1] {
			t.Errorf("length %d: %x, of the longer key %x", n, short, long)
		}
	}
}

// TestLocation_AsTheFormula compares with h[i%2] + i*h[2 + ((i + i%2) % 4) / 2].
func TestLocation_AsTheFormula(t *testing.T) {
	h := base{3, 1 << 63, 1<<64 - 59, 0x123456789abcdef1}
	for i := range uint64(100) {
		if got, want := h.location(i), h[i%2]+i*h[2+((i+i%2)%4)/2]; got != want {
			t.Errorf("location %d is %#x, want %#x", i, got, want)
		}
	}
}
