//go:build !noavx512

package cpu

// mayAVX512 is false in builds that shall do without the instructions of AVX-512.
const mayAVX512 = true
