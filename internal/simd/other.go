//go:build !amd64 || purego || race

package simd

import "sync/atomic"

// Available tells whether there is a kernel for this processor.
const Available = false

// There are no kernels: nothing calls what stands here for them.
var (
	tableKernels             [6]struct{}
	fuseKernels              [2]struct{}
	prefixKernel, agedKernel struct{}
)

func ask(*struct{}, *uint64, []byte, []uint64, []bool) int { return 0 }

// Release sets a lock to 0 after all stores before it.
func Release(lock *uint64) { atomic.StoreUint64(lock, 0) }

func locate(*Probe, []byte, []uint64, []uint64, []uint64) {}

func searchOf(*Probe) Search { return nil }

func mixAll(*Mixer, []uint64, []uint64) {}
