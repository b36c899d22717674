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

// A control is the fixed loop that is timed behind each timed trial: where it is slow, others use the machine. It keeps
// account of the time of trials, so that those made again take a small share of a run.
type control struct {
	chase           Chase
	least           time.Duration
	last            float64       // slowness, behind the trial before
	spent, repeated time.Duration // on trials, with some to begin with, and on those made again
}

const (
	controlBytes = 3 << 20 // beyond the caches of one core: the tables of the quick profile
	controlLaps  = 3       // of which the median counts: what is over within one does not matter
	disturbed    = 1.5     // times the least that the loop took
	mostRepeated = 0.1     // of the time of all timed trials so far
	firstTrials  = 20 * time.Second
)

var newControl = sync.OnceValue(func() *control {
	c := &control{chase: NewChase(controlBytes), least: math.MaxInt64, spent: firstTrials}
	for range 4 {
		c.last = c.slowness()
	}
	return c
})

// slowness is how long the loop takes, as a multiple of the least that it took.
func (c *control) slowness() float64 {
	laps := make([]time.Duration, controlLaps)
	c.chase.Time(len(c.chase)) // brings it back into the caches
	for i := range laps {
		laps[i] = c.chase.Time(len(c.chase))
	}
	slices.Sort(laps)
	c.least = min(c.least, laps[controlLaps/2])
	return float64(laps[controlLaps/2]) / float64(c.least)
}

// A try is what a timed trial counted, and the slowness of the loop before or behind it, the larger one.
type try struct {
	counts [][]int
	slow   float64
}

// try makes a timed trial, for the second time behind a first try, and returns the less disturbed one. It asks for a
// second try later, behind all other trials, where the loop was slow, unless too much is made again already.
func (c *control) try(once func() ([][]int, error), first *try) (now *try, later bool, err error) {
	start := time.Now()
	counts, err := once()
	took, before := time.Since(start), c.last
	c.last = c.slowness()
	now = &try{counts, max(before, c.last)}
	switch {
	case first != nil && first.slow < now.slow:
		return first, false, err
	case first != nil || err != nil:
		return now, false, err
	}
	c.spent += took
	later = now.slow > disturbed && c.repeated+took <= time.Duration(mostRepeated*float64(c.spent))
	if later {
		c.repeated += took
	}
	return now, later, err
}
