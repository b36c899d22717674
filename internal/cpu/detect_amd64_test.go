//go:build amd64 && !purego

package cpu

import "testing"

// TestFeatures_NeedsProcessorAndSystem asks made-up processors: each lacks one thing.
func TestFeatures_NeedsProcessorAndSystem(t *testing.T) {
	const all7 = leaf7AVX2 | leaf7AVX512
	for _, c := range []struct {
		name              string
		top, ecx1, ebx7   uint32
		xcr0              uint32
		wantAVX2, want512 bool
	}{
		{"all", 7, leaf1OSXSAVE | leaf1AVX, all7, saved512, true, true},
		{"no leaf 7", 6, leaf1OSXSAVE | leaf1AVX, all7, saved512, false, false},
		{"no XGETBV", 7, leaf1AVX, all7, saved512, false, false},
		{"no AVX", 7, leaf1OSXSAVE, all7, saved512, false, false},
		{"no AVX2", 7, leaf1OSXSAVE | leaf1AVX, leaf7AVX512, saved512, false, false},
		{"no AVX512BW", 7, leaf1OSXSAVE | leaf1AVX, all7 &^ leaf7AVX512BW, saved512, true, false},
		{"system saves 256 bits", 7, leaf1OSXSAVE | leaf1AVX, all7, saved256, true, false},
		{"system saves 128 bits", 7, leaf1OSXSAVE | leaf1AVX, all7, 1 << 1, false, false},
	} {
		avx2, avx512 := features(func(leaf, _ uint32) (eax, ebx, ecx, edx uint32) {
			return c.top, c.ebx7, c.ecx1, 0
		}, func() uint32 { return c.xcr0 })
		if avx2 != c.wantAVX2 || avx512 != c.want512 {
			t.Errorf("%s: AVX2 %v, AVX-512 %v, want %v, %v", c.name, avx2, avx512, c.wantAVX2, c.want512)
		}
	}
}
