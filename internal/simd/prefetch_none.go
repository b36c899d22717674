//go:build !(amd64 || arm64) || purego || race

package simd

// CanPrefetch tells whether Prefetch does anything.
const CanPrefetch = false

// Prefetch asks the memory for the cache lines of data at the offsets and does not wait.
func Prefetch([]byte, []uint64) {}
