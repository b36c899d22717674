//go:build amd64 && !purego && !race

package simd

import (
	"github.com/nestfilter/nest/internal/cpu"
	"github.com/nestfilter/nest/internal/memory"
)

// A kernel answers n digests, and a locator finds their lanes. n is a positive multiple of [Lanes]. p points to the
// first field of a probe or of a [Mixer].
type (
	kernel  = func(data *byte, p *uint64, hs *uint64, dst *bool, n int)
	locator = func(data *byte, p *uint64, hs, at, lanes *uint64, n int)
)

// A set has the kernels that are written with the instructions of one kind of processors: those that answer by their
// numbers, and the locators for XOR and Additive.
type set struct {
	answer [agedKernel + 1]kernel
	locate [2]locator
	mix    func(p *uint64, keys, dst *uint64, n int)
}

var avx512 = set{
	answer: [...]kernel{
		containsXOR512, containsAdditive512, wholeXOR512, wholeAdditive512, pairedXOR512, pairedAdditive512,
		fuseThree512, fuseFour512, prefix512, aged512,
	},
	locate: [2]locator{locateXOR512, locateAdditive512},
	mix:    mix512,
}

var avx2 = set{
	answer: [...]kernel{
		containsXOR256, containsAdditive256, wholeXOR256, wholeAdditive256, pairedXOR256, pairedAdditive256,
		fuseThree256, fuseFour256, prefix256, aged256,
	},
	locate: [2]locator{locateXOR256, locateAdditive256},
	mix:    mix256,
}

// kernels are those of this processor, or nil. They and Available are set before main and changed by tests alone.
var kernels = choose(cpu.HasAVX512, cpu.HasAVX2)

// Available tells whether there are kernels for this processor.
var Available = kernels != nil

// choose returns the kernels of a processor.
func choose(has512, has2 bool) *set {
	if has512 {
		return &avx512
	}
	if has2 {
		return &avx2
	}
	return nil
}

// Escape analysis does not see that a kernel keeps none of its pointers, since it is called through a variable. So
// they are hidden from it: what they point to stays on the caller's stack.

// ask has a kernel answer the first digests of hs, as many as it returns: all but fewer than [Lanes], or none without
// kernels. p is the first field of a probe.
func ask(kind int, p *uint64, data []byte, hs []uint64, dst []bool) (answered int) {
	answered = len(hs) &^ (Lanes - 1)
	if kernels == nil || answered == 0 {
		return 0
	}
	kernels.answer[kind](&data[0], memory.HidePointer(p), memory.HidePointer(&hs[0]),
		memory.HidePointer(&dst[:answered][0]), answered)
	return answered
}

// locate finds all of hs, a positive multiple of [Lanes], under an arithmetic other than None.
func locate(p *Probe, data []byte, hs, at, lanes []uint64) {
	kernels.locate[p.Arithmetic-XOR](&data[0], memory.HidePointer(&p.Buckets), memory.HidePointer(&hs[0]),
		memory.HidePointer(&at[0]), memory.HidePointer(&lanes[0]), len(hs))
}

// mixAll mixes all of keys, a positive multiple of [Lanes].
func mixAll(m *Mixer, keys, dst []uint64) {
	kernels.mix(memory.HidePointer(&m.Increment), memory.HidePointer(&keys[0]), memory.HidePointer(&dst[0]), len(keys))
}
