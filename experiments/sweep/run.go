package sweep

import (
	"context"
	"errors"
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

// Run measures the cells and hands each outcome to emit, in the order of the cells, as soon as all before it are
// done. It stops at the first error of a cell or of emit, which it returns, and soon after the context is
// cancelled. What was measured until then is handed over first, still in order.
func Run(ctx context.Context, cells []Cell, o Options, emit func(Outcome) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if len(cells) > 0 && cells[0].Timed {
		o.Workers = 1
	}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range cells {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	done := make(chan finished)
	var wg sync.WaitGroup
	for range max(o.Workers, 1) {
		wg.Go(func() {
			for i := range next {
				outcome, err := cells[i].measure(ctx)
				lab.GiveBack(int64(cells[i].bytes))
				done <- finished{i, outcome, err}
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	rows := inOrder{cells: cells, waiting: map[int]Outcome{}, emit: emit}
	measured, spent, all := 0, 0.0, 0.0
	for _, c := range cells {
		all += c.cost
	}
	for f := range done {
		if f.err != nil {
			cancel(f.err)
			continue
		}
		rows.waiting[f.cell] = f.outcome
		measured++
		spent += cells[f.cell].cost
		if o.Report != nil {
			o.Report(lab.Progress{Experiment: "sweep", Done: measured, Total: len(cells), Share: min(spent/all, 1)})
		}
		if err := rows.handOver(false); err != nil {
			cancel(err)
		}
	}
	if err := rows.handOver(true); err != nil {
		cancel(err)
	}
	return context.Cause(ctx)
}

// finished is the end of a measurement.
type finished struct {
	cell    int
	outcome Outcome
	err     error
}

// inOrder hands outcomes over in the order of the cells.
type inOrder struct {
	cells   []Cell
	waiting map[int]Outcome
	next    int
	emit    func(Outcome) error
	failed  error // of emit
}

// handOver hands over the outcomes whose turn it is; all of them, if last is set, also those behind a cell that was not
// finished. After an error of emit it hands over nothing.
func (in *inOrder) handOver(last bool) error {
	for ; in.next < len(in.cells) && in.failed == nil; in.next++ {
		outcome, ok := in.waiting[in.next]
		if ok {
			delete(in.waiting, in.next)
			in.failed = in.emit(outcome)
		} else if !last {
			break
		}
	}
	return in.failed
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

// measure makes the filter and counts. A panic of a part of one's own is an error.
func (c Cell) measure(ctx context.Context) (_ Outcome, err error) {
	defer func() {
		if errors.Is(err, lab.ErrPanic) {
			err = fmt.Errorf("sweep: %v: %w", c, err)
		}
	}()
	defer lab.Recovered(&err)
	if ctx.Err() != nil {
		return Outcome{}, context.Cause(ctx)
	}
	fail := func(err error) (Outcome, error) {
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		return Outcome{}, fmt.Errorf("sweep: %v: %w", c, err)
	}
	f, err := c.empty()
	if err != nil {
		return fail(err)
	}
	out := Outcome{Cell: c, Slots: c.Slots}
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
		return fail(err)
	}
	out.Insert, out.Hit, out.Miss = clock.insert, clock.hit, clock.miss
	if isCuckoo {
		out.Stats = native.Stats()
	}
	out.Predicted = predicted(f)
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

// empty returns the filter of the cell.
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

func (c *clock) InsertHashes(hs []uint64) (int, error) {
	start := time.Now()
	n, err := c.Instance.InsertHashes(hs)
	c.insert += time.Since(start)
	c.stored += n
	return n, err
}

func (c *clock) ContainsHashes(hs []uint64, dst []bool) {
	start := time.Now()
	c.Instance.ContainsHashes(hs, dst)
	if took := time.Since(start); c.asked < c.stored {
		c.hit += took
	} else {
		c.miss += took
	}
	c.asked += len(hs)
}
