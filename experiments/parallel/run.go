package parallel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/stat"
)

// ErrLost reports a key that was denied although it was there, or one that found no room.
var ErrLost = errors.New("a set lost a key")

// Options say what to measure.
type Options struct {
	// Keys is the number of keys of a set, at least MinKeys.
	Keys int
	// Rounds is how often everything is timed.
	Rounds int
	// Turn is the time of one measurement.
	Turn time.Duration
	Seed uint64
	// Report is called after each turn; it may be nil.
	Report func(lab.Progress)
}

// MinKeys are enough for every goroutine to have a block of its own.
const MinKeys = 16 * block

// DefaultTurn is long beside what the scheduler gives a goroutine.
const DefaultTurn = 40 * time.Millisecond

// Goroutines are the numbers of goroutines of the first comparison, all with the share DefaultWrites of writes.
func Goroutines() []int { return []int{1, 2, 4, 8, 16} }

// Writes are the shares of writes of the second one, with as many goroutines as there are processors.
func Writes() []float64 { return []float64{0, .01, .05, .2, .5} }

// DefaultWrites is the share of writes where goroutines are compared.
const DefaultWrites = .05

// A Point is what was measured: a set, a number of goroutines and a share of writes.
type Point struct {
	Subject    string
	Goroutines int
	Writes     float64
}

// A Result has the throughput of each round of a point, in million operations a second.
type Result struct {
	Options  Options
	Procs    int
	Subjects []Subject
	Points   []Point
	Rounds   map[Point][]float64
}

// points returns what is measured of each subject.
func points(procs int) (all []Point) {
	seen := map[Point]bool{}
	add := func(p Point) {
		if !seen[p] {
			seen[p] = true
			all = append(all, p)
		}
	}
	for _, s := range Subjects() {
		for _, g := range Goroutines() {
			add(Point{s.Name, g, DefaultWrites})
		}
		for _, w := range Writes() {
			add(Point{s.Name, procs, w})
		}
	}
	slices.SortStableFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Writes, b.Writes), cmp.Compare(a.Goroutines, b.Goroutines))
	})
	return all
}

// Run measures every point in every round. The error is [ErrLost], or that of the context.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Options: o, Procs: runtime.GOMAXPROCS(0), Subjects: Subjects(), Rounds: map[Point][]float64{}}
	r.Points = points(r.Procs)
	random := rand.New(rand.NewPCG(o.Seed, 0x70617261))
	keys, absent := make([]uint64, o.Keys), make([]uint64, 1<<16)
	for k := range keys {
		keys[k] = random.Uint64()
	}
	for k := range absent {
		absent[k] = random.Uint64()
	}
	sets := map[string]Set{}
	for _, s := range r.Subjects {
		set, err := s.Make(o.Keys)
		if err != nil {
			return nil, err
		}
		for _, h := range keys {
			if !set.Insert(h) {
				return nil, fmt.Errorf("%w: no room in %s", ErrLost, s.Label)
			}
		}
		sets[s.Name] = set
	}
	for round := range o.Rounds {
		for n, p := range r.Points {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rate, err := turn(sets[p.Subject], p, o, keys, absent, uint64(round*len(r.Points)+n))
			if err != nil {
				return nil, fmt.Errorf("%s with %d goroutines: %w", p.Subject, p.Goroutines, err)
			}
			r.Rounds[p] = append(r.Rounds[p], rate)
			if o.Report != nil {
				done, total := round*len(r.Points)+n+1, o.Rounds*len(r.Points)
				o.Report(lab.Progress{Experiment: "goroutines", Done: done, Total: total, Share: float64(done) / float64(total)})
			}
		}
	}
	return r, nil
}

// block is the number of operations between two looks at the clock.
const block = 256

// turn has the goroutines of a point use a set for a while and returns their throughput.
func turn(s Set, p Point, o Options, keys, absent []uint64, seed uint64) (mops float64, err error) {
	var group sync.WaitGroup
	var ops, lost atomic.Int64
	begin := time.Now()
	end := begin.Add(o.Turn)
	for g := range p.Goroutines {
		group.Go(func() {
			w := worker{set: s, keys: keys, absent: absent, first: g, step: p.Goroutines, random: rand.New(rand.NewPCG(seed, uint64(g)))}
			for time.Now().Before(end) {
				ops.Add(int64(w.work(p.Writes)))
			}
			lost.Add(int64(w.lost))
		})
	}
	group.Wait()
	if n := lost.Load(); n > 0 {
		return 0, fmt.Errorf("%w: %s", ErrLost, stat.Count(int(n), "time"))
	}
	return float64(ops.Load()) / time.Since(begin).Seconds() / 1e6, nil
}

// A worker is a goroutine with keys of its own, which are those whose number is first modulo step.
type worker struct {
	set          Set
	keys, absent []uint64
	first, step  int
	random       *rand.Rand
	lost, found  int
}

// work does a block of operations and returns how many. Its keys follow each other in the list, which costs little to read, and lie
// anywhere in the set.
func (w *worker) work(writes float64) int {
	own := (len(w.keys) - w.first + w.step - 1) / w.step
	next := w.first + w.step*w.random.IntN(own-block+1)
	changes := int(writes*block/2 + w.random.Float64()) // each a delete and an insert
	for range changes {
		if h := w.keys[next]; !w.set.Delete(h) || !w.set.Insert(h) {
			w.lost++
		}
		next += w.step
	}
	lookups := block/2 - changes
	at := w.random.IntN(len(w.absent) - block)
	for _, h := range w.absent[at : at+lookups] {
		if !w.set.Contains(w.keys[next]) {
			w.lost++
		}
		if w.set.Contains(h) {
			w.found++
		}
		next += w.step
	}
	return 2 * (changes + lookups)
}
