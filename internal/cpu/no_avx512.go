//go:build noavx512

package cpu

const mayAVX512 = false
