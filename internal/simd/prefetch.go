//go:build (amd64 || arm64) && !purego && !race

package simd

// CanPrefetch tells whether Prefetch does anything.
const CanPrefetch = true

// Prefetch asks the memory for the cache lines of data at the offsets and does not wait.
func Prefetch(data []byte, offs []uint64) {
	if len(offs) > 0 {
		prefetch(&data[0], &offs[0], len(offs))
	}
}
