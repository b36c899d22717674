package memory

import "sync/atomic"

// stripes is the number of parts of a counter, each in a cache line of its own: 4 KiB.
const stripes = 64

// Counter is a number in parts, so that few goroutines that add to it at once meet in one cache line. The zero Counter
// is 0. It must not be copied.
type Counter struct {
	parts [stripes]struct {
		n atomic.Int64
		_ [56]byte
	}
}

// Add adds n in the part that at chooses: it should be spread as evenly as a digest.
func (c *Counter) Add(at uint64, n int64) { c.parts[at%stripes].n.Add(n) }

// Sum returns the number. Of the calls of Add that run meanwhile, any may be in it.
func (c *Counter) Sum() (n int64) {
	for k := range c.parts {
		n += c.parts[k].n.Load()
	}
	return n
}

// Set makes the number n. No other goroutine may use c meanwhile.
func (c *Counter) Set(n int64) {
	for k := range c.parts {
		c.parts[k].n.Store(0)
	}
	c.parts[0].n.Store(n)
}
