package speed

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// goroutines are the numbers that are compared, all with the share fewWrites of writes.
var goroutines = []int{1, 2, 4, 8, 16}

const fewWrites = .05

// MinKeys is the smallest number of keys that every study takes, goroutines that share them included: each has a block
// of its own.
func MinKeys() int { return 2 * block * max(runtime.GOMAXPROCS(0), slices.Max(goroutines)) }

// A point is what several goroutines do with a set: their number, and the share of writes.
type point struct {
	goroutines int
	writes     float64
	beside     bool // there is one more, which only writes and is not counted
}

// String says what the point is.
func (p point) String() string {
	text := fmt.Sprintf("%d goroutines, %v%% writes", p.goroutines, 100*p.writes)
	if p.goroutines == 1 {
		text = fmt.Sprintf("1 goroutine, %v%% writes", 100*p.writes)
	}
	if p.beside {
		text += ", beside one that writes"
	}
	return text
}

// points returns what is measured: the numbers of goroutines, and shares of writes with one for each processor.
func points() []point {
	all := []point{{1, 0, false}, {1, 0, true}}
	for _, w := range []float64{0, .01, fewWrites, .2, .5} {
		all = append(all, point{runtime.GOMAXPROCS(0), w, false})
	}
	for _, g := range goroutines {
		all = append(all, point{g, fewWrites, false})
	}
	slices.SortStableFunc(all, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.goroutines, b.goroutines), cmp.Compare(a.writes, b.writes))
	})
	return slices.Compact(all)
}

func pointOf(c lab.Cell) point { return c.Of("point").(point) }
func kindOf(c lab.Cell) kind   { return c.Of("set").(kind) }

// turnTime is that of one measurement of throughput.
var turnTime = 40 * time.Millisecond

// together measures what goroutines do with a set that they share.
func together(s study, o Options) (*Timing, error) {
	procs := runtime.GOMAXPROCS(0)
	throughput := Step{Name: "throughput (million operations per second)", Of: mops, Unit: "Mops/s"}
	near := Step{Name: "one processor sees what another has written"}
	over := []lab.Axis{
		lab.Over("point", lab.ListOf(points(), func(p point) lab.Value { return lab.Named(p.String(), p) })),
		lab.Over("set", lab.ListOf(kinds(), func(k kind) lab.Value { return lab.Named(k.name, k) })),
	}
	each := []lab.Axis{lab.Over("what", lab.List(whats([]Step{throughput, near})...))}
	t := o.timing(s, over, each, openField, func(_ context.Context, c lab.Cell, seed uint64) (rows, error) {
		f, p, k := c.Bed.(*field), pointOf(c), kindOf(c)
		l, err := turn(f.sets[k.name], k.whole, p, turnTime, f.keys, f.absent, seed)
		out := rows{throughput.Name: {l.Keys, 0, int(l.Time)}}
		if p == points()[0] {
			l := handover()
			out[near.Name] = [4]int{l.Keys, 0, int(l.Time)}
		}
		return out, err
	})
	t.Method = "Goroutines look keys up, half of them present, and for a share of their operations delete a key of " +
		"their own and insert it again. The reader beside a writer is counted alone. Batches have 256 operations, and " +
		"filters per core are asked by goroutines that sort their digests and wait, or, keys sorted, by their owners."
	t.Params, t.Down, t.Across, t.Benchmark = "n set point what", "set", "point", studyName
	t.Grid[0].Only = func(c lab.Cell) bool {
		return !kindOf(c).sorted || pointOf(c).goroutines == procs && !pointOf(c).beside
	}
	t.Trial.Needs = func(c lab.Cell) (float64, int64) { return 1e6, int64(c.Int("n")) * 200 } // a sync.Map
	t.Only = []string{"what", throughput.Name}
	t.Base = func(g lab.Group) string { return rivals[kindOf(g.Cell).whole] }
	t.Notes = append(t.Notes, fmt.Sprintf("Million operations a second of all together, half of the lookups absent, a "+
		"write being a delete or an insert. %d processors.", procs))
	plot := func(name, by string, x chart.Axis, at func(point) float64, only func(point) bool) lab.Plot {
		p := lab.Plot{Name: name, Title: "Throughput by " + by, Caption: "Throughput of each set, medians and intervals.",
			Edit: func(_ *lab.Data, f *chart.Figure) { f.Below = true }}
		for i, title := range []string{"(a) one by one", "(b) batches of 256"} {
			p.Panels = append(p.Panels, lab.Panel{
				Title: title, X: x, Y: chart.Axis{Label: "million operations per second", Log: true}, Of: median,
				At: func(g lab.Group) float64 { return at(pointOf(g.Cell)) }, Kind: chart.LineMarks, Style: lab.Numbered,
				Only: func(g lab.Group) bool {
					return only(pointOf(g.Cell)) && kindOf(g.Cell).whole == (i == 1) && g.Cell.Text("what") == throughput.Name
				},
			})
		}
		return p
	}
	t.Plots = []lab.Plot{
		plot("", "goroutines", chart.Axis{Label: "goroutines", Log: true, Base: 2},
			func(p point) float64 { return float64(p.goroutines) },
			func(p point) bool { return p.writes == fewWrites && !p.beside }),
		plot("writes", "writes", chart.Axis{Label: "writes (%)"}, func(p point) float64 { return 100 * p.writes },
			func(p point) bool { return p.goroutines == procs && !p.beside }),
	}
	return t, nil
}

// A field is the sets of a number of keys.
type field struct {
	sets         map[string]*set
	keys, absent []uint64
}

// openField fills the sets.
func openField(_ context.Context, c lab.Cell) (any, func(), error) {
	n := c.Int("n")
	all := make([]uint64, n+1<<16)
	for i := range all {
		all[i] = hashing.Mix64(uint64(n)<<32 + uint64(i))
	}
	f := &field{map[string]*set{}, all[:n:n], all[n:]}
	end := func() {
		for _, s := range f.sets {
			if s.end != nil {
				s.end()
			}
		}
	}
	for _, k := range kinds() {
		s, err := k.make(n, k.whole)
		if err == nil {
			f.sets[k.name] = s
			_, err = measure.Each(f.keys, s.insert)
		}
		if err != nil {
			end()
			return nil, nil, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return f, end, nil
}

// handover is the fastest lap in which two goroutines that spin see what the other has written: how near two processors
// are. It is of no keys where there is one processor or they do not run at once.
func handover() (best measure.Lap) {
	const times = 4000
	for range 8 * min(1, runtime.GOMAXPROCS(0)-1) {
		var turn atomic.Int64
		var group sync.WaitGroup
		end := time.Now().Add(10 * time.Millisecond)
		l := measure.Timed(0, func() {
			for own := range int64(2) {
				group.Go(func() {
					for i := own; i < times; i += 2 {
						for spins := 1; turn.Load() != i; spins++ {
							if spins&0xfff == 0 && time.Now().After(end) {
								return
							}
						}
						turn.Store(i + 1)
					}
				})
			}
			group.Wait()
		})
		if l.Keys = int(turn.Load()); l.Keys == times && (best.Keys == 0 || l.PerKey() < best.PerKey()) {
			best = l
		}
	}
	return best
}

// block is the number of operations between two looks at the clock.
const block = 256

// turn has the goroutines of a point use a set for a while and returns the lap of all together.
func turn(
	s *set, whole bool, p point, long time.Duration, keys, absent []uint64, seed uint64,
) (lap measure.Lap, err error) {
	var group sync.WaitGroup
	var ops, lost atomic.Int64
	all := p.goroutines
	if p.beside {
		all++
	}
	begin := time.Now()
	end := begin.Add(long)
	for g := range all {
		group.Go(func() {
			w := worker{verbs: s.client(g), whole: whole, keys: keys, absent: absent, first: g, step: all}
			w.random = rand.New(rand.NewPCG(seed, uint64(g)))
			if s.keys != nil {
				w.keys, w.first, w.step = s.keys(g), 0, 1
			}
			done, writes := 0, p.writes
			if g == p.goroutines {
				writes = 1
			}
			for again := true; again; again = time.Now().Before(end) {
				done += w.work(writes)
			}
			if g < p.goroutines {
				ops.Add(int64(done))
			}
			lost.Add(int64(w.lost))
		})
	}
	group.Wait()
	if n := lost.Load(); n > 0 {
		return lap, fmt.Errorf("%w: %d times", measure.ErrLost, n)
	}
	return measure.Lap{Time: time.Since(begin), Keys: int(ops.Load())}, nil
}

// A worker is a goroutine with keys of its own, which are those whose number is first modulo step.
type worker struct {
	verbs
	whole        bool
	keys, absent []uint64
	first, step  int
	random       *rand.Rand
	mine         [block / 2]uint64
	asked        [block]uint64
	lost         int
}

// work does a block of operations and returns how many. Its keys follow each other in the list, which costs little to
// read, and lie anywhere in the set. The writes are spread over the lookups, unless the set is given a block as a
// whole.
func (w *worker) work(writes float64) int {
	changes := int(writes*block/2 + w.random.Float64()) // each a delete and an insert
	lookups := block/2 - changes                        // of present keys, and as many of absent ones
	own := (len(w.keys) - w.first + w.step - 1) / w.step
	next := w.first + w.step*w.random.IntN(own-block/2+1)
	for i := range w.mine {
		w.mine[i] = w.keys[next]
		next += w.step
	}
	at, pieces := w.random.IntN(len(w.absent)-block), max(1, changes)
	if w.whole {
		pieces = 1
	}
	changed, present, strange := w.mine[:changes], w.mine[changes:], w.absent[at:at+lookups]
	for k := range pieces {
		some := changed[changes*k/pieces : changes*(k+1)/pieces]
		from, to := lookups*k/pieces, lookups*(k+1)/pieces
		asked := append(append(w.asked[:0], present[from:to]...), strange[from:to]...)
		w.lost += len(some) - w.replace(some)
		w.lost += max(0, to-from-w.ask(asked))
	}
	return block
}
