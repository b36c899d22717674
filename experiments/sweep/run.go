package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/hashing"
)

// Options say how to run cells.
type Options struct {
	// Workers is how many cells are measured at a time, at least 1. Rows do not depend on it, times do: where
	// cells are timed, one is measured at a time.
	Workers int
	// Report is called after each cell, from one goroutine at a time; it may be nil.
	Report func(lab.Progress)
}

// ahead is how many cells may be measured behind one that takes long.
const ahead = 1 << 12

// Run measures the cells and hands each outcome to emit, in the order of the cells, as soon as all before it are
// done. It stops at the first error of a cell or of emit, which it returns, and soon after the context is
// cancelled. What was measured until then is handed over first, still in order.
func Run(ctx context.Context, cells []Cell, o Options, emit func(Outcome) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers, all := max(o.Workers, 1), 0.0
	if len(cells) > 0 && cells[0].Timed {
		workers = 1
	}
	for _, c := range cells {
		all += c.cost
	}
	var mu sync.Mutex // of what Report is told
	measured, spent := 0, 0.0
	report := func(c Cell) {
		mu.Lock()
		defer mu.Unlock()
		measured++
		if spent += c.cost; o.Report != nil {
			o.Report(lab.Progress{Experiment: "sweep", Done: measured, Total: len(cells), Share: min(spent/all, 1)})
		}
	}
	queue := make(chan chan Outcome, ahead) // in the order of the cells; a channel is closed when its cell is done
	go func() {
		defer close(queue)
		free := make(chan struct{}, workers)
		for _, c := range cells {
			free <- struct{}{}
			if ctx.Err() != nil {
				return
			}
			done := make(chan Outcome, 1)
			queue <- done
			go func() {
				defer func() { close(done); <-free }()
				outcome, err := c.measure(ctx)
				lab.GiveBack(int64(c.bytes))
				if err != nil {
					cancel(err)
				} else {
					report(c)
					done <- outcome
				}
			}()
		}
	}()
	var failed error // of emit
	for done := range queue {
		if outcome, ok := <-done; ok && failed == nil {
			if failed = emit(outcome); failed != nil {
				cancel(failed)
			}
		}
	}
	return context.Cause(ctx)
}

// An Outcome is what a cell counted.
type Outcome struct {
	Cell Cell
	measure.RateCounts
	// Slots is the number of slots of the table and Offered that of the keys for it.
	Slots, Offered int
	// Stats are those of a cuckoo filter.
	Stats cuckoo.Stats
	// Predicted is the filter's own rate, if it has one.
	Predicted *float64
	// Insert, Hit and Miss are what the inserts and the lookups of present and absent keys took.
	Insert, Hit, Miss time.Duration
}

// measure fills and asks the filter of the cell. The error names the cell, unless the sweep is to end.
func (c Cell) measure(ctx context.Context) (out Outcome, err error) {
	defer func() {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if err != nil {
			err = fmt.Errorf("sweep: %v: %w", c, err)
		}
	}()
	defer lab.Recovered(&err)
	if ctx.Err() != nil {
		return out, nil
	}
	f, err := c.empty()
	if err != nil {
		return out, err
	}
	out = Outcome{Cell: c, Slots: c.Slots}
	native, isCuckoo := f.(widths.Filter)
	if isCuckoo {
		out.Slots = native.Slots()
	}
	out.Offered = int(c.Load * float64(out.Slots))
	if c.Load == 1 && isCuckoo {
		out.Offered++ // one more than there is room for
	}
	clock := &clock{Instance: f}
	if out.RateCounts, err = measure.MeasureRate(ctx, c.Seed>>1, c.Hash.Hasher, clock, out.Offered, c.Probes); err != nil {
		return out, err
	}
	out.Insert, out.Hit, out.Miss, out.Predicted = clock.insert, clock.hit, clock.miss, predicted(f)
	if isCuckoo {
		out.Stats = native.Stats()
	}
	return out, nil
}

// predicted returns the rate that a filter expects of itself, by a method or in its Stats; nil if it has none.
func predicted(f lab.Instance) *float64 {
	var rate float64
	switch f := f.(type) {
	case interface{ FalsePositiveRate() float64 }:
		rate = f.FalsePositiveRate()
	case interface{ Stats() nest.Stats }:
		rate = f.Stats().FalsePositiveRate
	case interface{ Stats() bloom.Stats }:
		rate = f.Stats().FalsePositiveRate
	case interface{ Stats() counting.Stats }:
		rate = f.Stats().FalsePositiveRate
	default:
		return nil
	}
	return &rate
}

func (c Cell) empty() (lab.Instance, error) {
	if c.setting != nil {
		return c.setting.New(c.Slots, c.Seed)
	}
	config := c.Config
	config.Seed = hashing.Mix64(^c.Seed) // kicks and keys come from one seed through different functions
	return widths.New(uint(c.Width), config)
}

// A clock measures how long a filter takes, without what makes the digests. Every key that was taken is looked
// up first, then absent ones.
type clock struct {
	lab.Instance
	stored, asked     int
	insert, hit, miss time.Duration
}

func (c *clock) InsertHashes(hs []uint64) (n int, err error) {
	c.insert += measure.Timed(len(hs), func() { n, err = c.Instance.InsertHashes(hs) }).Time
	c.stored += n
	return n, err
}

func (c *clock) ContainsHashes(hs []uint64, dst []bool) {
	lap := measure.Timed(len(hs), func() { c.Instance.ContainsHashes(hs, dst) })
	if c.asked < c.stored {
		c.hit += lap.Time
	} else {
		c.miss += lap.Time
	}
	c.asked += len(hs)
}
