package hashing

import (
	"testing"

	"github.com/cespare/xxhash/v2"
)

// checkXXH64 holds both forms of a key against the library.
func checkXXH64(t *testing.T, key []byte) {
	t.Helper()
	var d Digester
	want := xxhash.Sum64(key)
	if got := d.Sum64(key); got != want {
		t.Fatalf("Sum64(%x) = %#x, the library has %#x", key, got, want)
	}
	if got := d.Sum64String(string(key)); got != want {
		t.Fatalf("Sum64String(%x) = %#x, the library has %#x", key, got, want)
	}
}

// TestXXH64_IsThatOfTheLibrary has every length around those that are written out here, at every place of a word.
func TestXXH64_IsThatOfTheLibrary(t *testing.T) {
	const longest = 70
	buffer := []byte(sanityBuffer(longest + 8))
	for from := range 8 {
		for n := range longest + 1 {
			checkXXH64(t, buffer[from:from+n:from+n])
		}
	}
	for n := range longest + 1 { // bytes with the high bit, which no sign may spread
		key := make([]byte, n)
		for i := range key {
			key[i] = 0xff
		}
		checkXXH64(t, key)
	}
}

func FuzzXXH64AgainstLibrary(f *testing.F) {
	for _, n := range []int{0, 3, 7, 8, 12, 15, 16, 23, 24, 31, 32, 64} {
		f.Add([]byte(sanityBuffer(n)))
	}
	f.Fuzz(func(t *testing.T, key []byte) { checkXXH64(t, key) })
}
