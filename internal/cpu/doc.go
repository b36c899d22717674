// Package cpu tells which vector instructions the kernels of this module may use. Outside amd64, and
// under the build tag purego, the answer is none.
//
// An answer takes both the processor, which CPUID describes, and the operating system, which has to
// save the wide registers: XGETBV says what it saves.
package cpu
