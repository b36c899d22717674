//go:build !purego && !race

package simd

// prefetch asks for the cache lines of data at n offsets.
//
//go:noescape
func prefetch(data *byte, offs *uint64, n int)
