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

// A set has the kernels that are written with the instructions of one kind of processors. Those in pairs are for XOR
// and Additive.
type set struct {
	contains, whole, paired [2]kernel
	locate                  [2]locator
	prefix, aged            kernel
	fuse                    [2]kernel // of three slots and of four
	mix                     func(p *uint64, keys, dst *uint64, n int)
}

var avx512 = set{
	contains: [2]kernel{containsXOR512, containsAdditive512},
	whole:    [2]kernel{wholeXOR512, wholeAdditive512},
	paired:   [2]kernel{pairedXOR512, pairedAdditive512},
	locate:   [2]locator{locateXOR512, locateAdditive512},
	prefix:   prefix512,
	aged:     aged512,
	fuse:     [2]kernel{fuseThree512, fuseFour512},
	mix:      mix512,
}

var avx2 = set{
	contains: [2]kernel{containsXOR256, containsAdditive256},
	whole:    [2]kernel{wholeXOR256, wholeAdditive256},
	paired:   [2]kernel{pairedXOR256, pairedAdditive256},
	locate:   [2]locator{locateXOR256, locateAdditive256},
	prefix:   prefix256,
	aged:     aged256,
	fuse:     [2]kernel{fuseThree256, fuseFour256},
	mix:      mix256,
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

// contains answers all of hs, a positive multiple of [Lanes], under an arithmetic other than None.
func contains(p *Probe, data []byte, hs []uint64, dst []bool) {
	kind := &kernels.contains
	if p.Paired != nil {
		kind = &kernels.paired
	} else if p.BucketBits%8 == 0 && (p.Arithmetic == Additive || p.Last == p.Buckets-1) {
		kind = &kernels.whole
	}
	kind[p.Arithmetic-XOR](&data[0], memory.HidePointer(&p.Buckets), memory.HidePointer(&hs[0]),
		memory.HidePointer(&dst[0]), len(hs))
}

// locate finds all of hs, a positive multiple of [Lanes], under an arithmetic other than None.
func locate(p *Probe, data []byte, hs, at, lanes []uint64) {
	kernels.locate[p.Arithmetic-XOR](&data[0], memory.HidePointer(&p.Buckets), memory.HidePointer(&hs[0]),
		memory.HidePointer(&at[0]), memory.HidePointer(&lanes[0]), len(hs))
}

// containsPrefixes answers all of hs, a positive multiple of [Lanes].
func containsPrefixes(p *PrefixProbe, data []byte, hs []uint64, dst []bool) {
	kernels.prefix(&data[0], memory.HidePointer(&p.Shift), memory.HidePointer(&hs[0]),
		memory.HidePointer(&dst[0]), len(hs))
}

// containsAged answers all of hs, a positive multiple of [Lanes].
func containsAged(p *AgedProbe, data []byte, hs []uint64, dst []bool) {
	kernels.aged(&data[0], memory.HidePointer(&p.Buckets), memory.HidePointer(&hs[0]),
		memory.HidePointer(&dst[0]), len(hs))
}

// containsFuse answers all of hs, a positive multiple of [Lanes].
func containsFuse(p *FuseProbe, four int, data []byte, hs []uint64, dst []bool) {
	kernels.fuse[four](&data[0], memory.HidePointer(&p.Seed), memory.HidePointer(&hs[0]),
		memory.HidePointer(&dst[0]), len(hs))
}

// mixAll mixes all of keys, a positive multiple of [Lanes].
func mixAll(m *Mixer, keys, dst []uint64) {
	kernels.mix(memory.HidePointer(&m.Increment), memory.HidePointer(&keys[0]), memory.HidePointer(&dst[0]), len(keys))
}
