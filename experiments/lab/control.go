package lab

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nestfilter/nest/hashing"
)

// A Chase is reads of memory that wait for each other: each line of 64 bytes holds the number of the next one, and all
// lines are one circle in random order.
type Chase []chaseLine

type chaseLine struct {
	next uint32
	_    [60]byte
}

// NewChase lays a circle through so many bytes. It takes a tenth of a microsecond a line.
func NewChase(bytes int) Chase {
	c := make(Chase, max(2, bytes/64))
	for i := range c {
		c[i].next = uint32(i)
	}
	for i := len(c) - 1; i > 0; i-- { // Sattolo's shuffle: one circle
		j := hashing.Mix64(uint64(i)) % uint64(i)
		c[i].next, c[j].next = c[j].next, c[i].next
	}
	return c
}

// Time is how long so many reads take, one after the other.
func (c Chase) Time(reads int) time.Duration {
	at, start := uint32(0), time.Now()
	for range reads {
		at = c[at].next
	}
	took := time.Since(start)
	runtime.KeepAlive(at)
	return took
}

// A control is the fixed loop that is timed before and behind each timed trial: where it is slow, others use the
// machine. It keeps account of the time of trials, so that those made again take a small share of a run.
type control struct {
	chase           Chase
	least           time.Duration
	spent, repeated time.Duration // on trials, and on those made again
}

const (
	controlBytes = 8 << 20 // beyond the caches of one core
	controlReads = 1 << 13 // a quarter of a millisecond, more or less
	controlLaps  = 5       // of which the median counts: what is over within one does not matter
	disturbed    = 1.5     // times the least that the loop took
	mostRepeated = 0.1     // of the time of all timed trials so far
)

var newControl = sync.OnceValue(func() *control {
	c := &control{chase: NewChase(controlBytes), least: math.MaxInt64}
	for range 4 {
		c.slowness()
	}
	return c
})

// slowness is how long the loop takes, as a multiple of the least that it took.
func (c *control) slowness() float64 {
	laps := make([]time.Duration, controlLaps)
	for i := range laps {
		laps[i] = c.chase.Time(controlReads)
	}
	slices.Sort(laps)
	c.least = min(c.least, laps[controlLaps/2])
	return float64(laps[controlLaps/2]) / float64(c.least)
}

// try is a timed trial with the slowness of the loop before or behind it, the larger one.
func (c *control) try(once func() ([][]int, error)) (counts [][]int, slow float64, took time.Duration, err error) {
	before, start := c.slowness(), time.Now()
	counts, err = once()
	took = time.Since(start)
	return counts, max(before, c.slowness()), took, err
}

// undisturbed makes a timed trial once more where the loop was slow, unless too much was made again before. It returns
// the counts of the try at which the loop was the less slow, and how many were made besides.
func (c *control) undisturbed(once func() ([][]int, error)) (counts [][]int, repeats int, err error) {
	counts, slow, took, err := c.try(once)
	c.spent += took
	if err != nil || slow <= disturbed || c.repeated+took > time.Duration(mostRepeated*float64(c.spent)) {
		return counts, 0, err
	}
	runtime.GC()
	again, slower, took, err := c.try(once)
	if c.repeated += took; slower < slow {
		counts = again
	}
	return counts, 1, err
}
