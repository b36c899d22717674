//go:build !amd64 || purego || race

package simd

// Available tells whether there is a kernel for this processor.
const Available = false

// CanPrefetch tells whether Prefetch does anything.
const CanPrefetch = false

func contains(*Probe, []byte, []uint64, []bool) {}

func locate(*Probe, []byte, []uint64, []uint64, []uint64) {}

func containsPrefixes(*PrefixProbe, []byte, []uint64, []bool) {}

func mixAll(*Mixer, []uint64, []uint64) {}

// Prefetch asks the memory for the cache lines of data at the offsets and does not wait.
func Prefetch([]byte, []uint64) {}
