// Package cpu tells which vector instructions the kernels of this module may use. Outside amd64, and
// under the build tag purego, the answer is none; under the tag noavx512 it is AVX2 at most.
//
// An answer takes both the processor, which CPUID describes, and the operating system, which has to
// save the wide registers: XGETBV says what it saves.
package cpu
