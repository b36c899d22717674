//go:build !amd64 || purego

package cpu

// HasAVX2 and HasAVX512 are false: this build has no vector kernels. They are variables, as in the
// builds that have them, so that a caller compiles against either.
var HasAVX2, HasAVX512 = false, false
