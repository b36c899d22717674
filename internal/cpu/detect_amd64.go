//go:build amd64 && !purego

package cpu

// HasAVX2 tells whether 256-bit integer instructions may be used, FMA and BMI2 not included.
// HasAVX512 tells whether the 512-bit instructions of the sets F, DQ, BW and VL may be; it implies
// HasAVX2. They are set before main and not changed.
var HasAVX2, HasAVX512 = detect()

// The bits are those of the Intel 64 manual, volume 2A, CPUID, and volume 1, section 13.3 (XCR0).
const (
	leaf1OSXSAVE = 1 << 27 // ecx
	leaf1AVX     = 1 << 28 // ecx

	leaf7AVX2     = 1 << 5 // ebx, as the others below
	leaf7AVX512F  = 1 << 16
	leaf7AVX512DQ = 1 << 17
	leaf7AVX512BW = 1 << 30
	leaf7AVX512VL = 1 << 31
	leaf7AVX512   = leaf7AVX512F | leaf7AVX512DQ | leaf7AVX512BW | leaf7AVX512VL

	saved256 = 1<<1 | 1<<2                   // XMM, and the upper halves of YMM
	saved512 = saved256 | 1<<5 | 1<<6 | 1<<7 // mask registers, upper halves of ZMM0-15, ZMM16-31
)

// cpuid executes CPUID with the leaf in eax and the subleaf in ecx.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns the low half of XCR0. The processor must have OSXSAVE.
func xgetbv() uint32

func detect() (avx2, avx512 bool) {
	avx2, avx512 = features(cpuid, xgetbv)
	return avx2, avx512 && mayAVX512
}

// features is detect for a processor that answers with the two functions.
func features(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32), xgetbv func() uint32) (avx2, avx512 bool) {
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return false, false
	}
	_, _, ecx, _ := cpuid(1, 0)
	if ecx&(leaf1OSXSAVE|leaf1AVX) != leaf1OSXSAVE|leaf1AVX {
		return false, false
	}
	_, ebx, _, _ := cpuid(7, 0)
	saved := xgetbv()
	avx2 = saved&saved256 == saved256 && ebx&leaf7AVX2 != 0
	avx512 = avx2 && saved&saved512 == saved512 && ebx&leaf7AVX512 == leaf7AVX512
	return avx2, avx512
}
