//go:build amd64 && !purego && !race

package simd

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/cpu"
	"github.com/nestfilter/nest/internal/memory"
)

// A kernel answers n digests, and a locator finds their lanes. n is a positive multiple of [Lanes]. p points to the
// first field of a probe or of a [Mixer]. Each has a twin: the first is for processors with AVX-512, the second for
// others with AVX2.
type (
	kernel  = func(data *byte, p *uint64, hs *uint64, dst *bool, n int)
	locator = func(data *byte, p *uint64, hs, at, lanes *uint64, n int)
)

// The kernels stand in several variables, so that the linker leaves out those of filters that a program does not have.
var (
	tableKernels = [...][2]kernel{
		{containsXOR512, containsXOR256}, {containsAdditive512, containsAdditive256},
		{wholeXOR512, wholeXOR256}, {wholeAdditive512, wholeAdditive256},
		{pairedXOR512, pairedXOR256}, {pairedAdditive512, pairedAdditive256},
	}
	fuseKernels  = [...][2]kernel{{fuseThree512, fuseThree256}, {fuseFour512, fuseFour256}}
	prefixKernel = [2]kernel{prefix512, prefix256}
	agedKernel   = [2]kernel{aged512, aged256}
	locators     = [...][2]locator{{locateXOR512, locateXOR256}, {locateAdditive512, locateAdditive256}}
	searches     = [...][2]Search{
		{fourXOR512, fourXOR256}, {fourAdditive512, fourAdditive256},
		{eightXOR512, eightXOR256}, {eightAdditive512, eightAdditive256},
	}
	mixers = [2]func(p *uint64, keys, dst *uint64, n int){mix512, mix256}
)

// twin is which kernels this processor has, or -1. It and Available are set before main and changed by tests alone.
var twin = choose(cpu.HasAVX512, cpu.HasAVX2)

// Available tells whether there are kernels for this processor.
var Available = twin >= 0

// choose returns which kernels a processor has.
func choose(has512, has2 bool) int {
	if has512 {
		return 0
	}
	if has2 {
		return 1
	}
	return -1
}

// Escape analysis does not see that a kernel keeps none of its pointers, since it is called through a variable. So
// they are hidden from it: what they point to stays on the caller's stack.

// ask has a kernel answer the first digests of hs, as many as it returns: all but fewer than [Lanes], or none without
// kernels. p is the first field of a probe.
func ask(twins *[2]kernel, p *uint64, data []byte, hs []uint64, dst []bool) (answered int) {
	answered = len(hs) &^ (Lanes - 1)
	if twin < 0 || answered == 0 {
		return 0
	}
	twins[twin](&data[0], memory.HidePointer(p), memory.HidePointer(&hs[0]),
		memory.HidePointer(&dst[:answered][0]), answered)
	return answered
}

// Release sets a lock to 0 after all stores before it. Later loads need not wait for that, as they do for an atomic store.
func Release(lock *uint64) { release(lock) }

// locate finds all of hs, a positive multiple of [Lanes], under an arithmetic other than None.
func locate(p *Probe, data []byte, hs, at, lanes []uint64) {
	locators[p.Arithmetic-XOR][twin](&data[0], memory.HidePointer(&p.Buckets), memory.HidePointer(&hs[0]),
		memory.HidePointer(&at[0]), memory.HidePointer(&lanes[0]), len(hs))
}

// searchOf is SearchOf.
func searchOf(p *Probe) Search {
	if !Available || p.Arithmetic == None {
		return nil
	}
	kind := p.Arithmetic - XOR
	if p.BucketBits != 4*uint64(bits.Len64(p.Scale)) {
		kind += 2
	}
	return searches[kind][twin]
}

// mixAll mixes all of keys, a positive multiple of [Lanes].
func mixAll(m *Mixer, keys, dst []uint64) {
	mixers[twin](memory.HidePointer(&m.Increment), memory.HidePointer(&keys[0]), memory.HidePointer(&dst[0]), len(keys))
}
