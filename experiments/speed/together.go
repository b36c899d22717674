package speed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestfilter/nest/experiments/measure"
)

// Goroutines are the numbers of goroutines that are compared, all with the share DefaultWrites of writes.
func Goroutines() []int { return []int{1, 2, 4, 8, 16} }

// Writes are the shares of writes that are compared, with as many goroutines as there are processors.
func Writes() []float64 { return []float64{0, .01, .05, .2, .5} }

// DefaultWrites is the share of writes where goroutines are compared.
const DefaultWrites = .05

// A Point is what several goroutines do with a set: their number, and the share of writes.
type Point struct {
	Goroutines int
	Writes     float64
	// Beside says that there is one more, which only writes and is not counted.
	Beside bool
}

// String says what the point is.
func (p Point) String() string {
	text := fmt.Sprintf("%d goroutines, %v%% writes", p.Goroutines, 100*p.Writes)
	if p.Goroutines == 1 {
		text = fmt.Sprintf("1 goroutine, %v%% writes", 100*p.Writes)
	}
	if p.Beside {
		text += ", beside one that writes"
	}
	return text
}

// points returns what is measured, points of one kind next to each other.
func points() []Point {
	procs := runtime.GOMAXPROCS(0)
	want := []Point{{Goroutines: 1}, {Goroutines: 1, Beside: true}}
	for _, w := range Writes() {
		want = append(want, Point{Goroutines: procs, Writes: w})
	}
	for _, g := range Goroutines() {
		if p := (Point{Goroutines: g, Writes: DefaultWrites}); !slices.Contains(want, p) {
			want = append(want, p)
		}
	}
	return want
}

// handover returns the nanoseconds in which one goroutine sees what another has written, both spinning: how near two
// processors are. It is the least of several times, and NaN where there is one processor or the goroutines do not run
// at once.
func handover() float64 {
	const times, warm = 4000, 200
	if runtime.GOMAXPROCS(0) < 2 {
		return math.NaN()
	}
	least := math.NaN()
	for range 8 {
		var turn atomic.Int64
		var group sync.WaitGroup
		var took [2]float64
		for g := range took {
			group.Go(func() { took[g] = alternate(&turn, int64(g), times, warm) })
		}
		group.Wait()
		if took[0] < least || math.IsNaN(least) {
			least = took[0]
		}
	}
	return least
}

// alternate waits until it is its turn and gives it to the other, so many times, and returns the nanoseconds of each
// after the first ones. It gives up after a hundredth of a second.
func alternate(turn *atomic.Int64, own int64, times, warm int64) float64 {
	end := time.Now().Add(10 * time.Millisecond)
	var start time.Time
	for i := range times {
		for spins := 1; turn.Load() != 2*i+own; spins++ {
			if spins&0xfff == 0 && time.Now().After(end) {
				return math.NaN()
			}
		}
		if i == warm {
			start = time.Now()
		}
		turn.Store(2*i + own + 1)
	}
	return float64(time.Since(start)) / float64(2*(times-warm))
}

// block is the number of operations between two looks at the clock.
const block = 256

// turn has the goroutines of a point use a set for a while and returns the lap of all together.
func turn(s *set, whole bool, p Point, long time.Duration, keys, absent []uint64, seed uint64) (lap measure.Lap, err error) {
	var group sync.WaitGroup
	var ops, lost atomic.Int64
	all := p.Goroutines
	if p.Beside {
		all++
	}
	begin := time.Now()
	end := begin.Add(long)
	for g := range all {
		group.Go(func() {
			w := worker{verbs: s.client(g), whole: whole, keys: keys, absent: absent, first: g, step: all, random: rand.New(rand.NewPCG(seed, uint64(g)))}
			if s.keys != nil {
				w.keys, w.first, w.step = s.keys(g), 0, 1
			}
			done, writes := 0, p.Writes
			if g == p.Goroutines {
				writes = 1
			}
			for again := true; again; again = time.Now().Before(end) {
				done += w.work(writes)
			}
			if g < p.Goroutines {
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
	buffer       [block]uint64
	lost, found  int
}

// work does a block of operations and returns how many. Its keys follow each other in the list, which costs little to
// read, and lie anywhere in the set. The writes are spread over the lookups, unless the set is given a block as a
// whole.
func (w *worker) work(writes float64) int {
	changes := int(writes*block/2 + w.random.Float64()) // each a delete and an insert
	lookups := block/2 - changes                        // of present keys, and as many of absent ones
	own := (len(w.keys) - w.first + w.step - 1) / w.step
	next := w.first + w.step*w.random.IntN(own-block/2+1)
	mine := w.buffer[:block/2]
	for i := range mine {
		mine[i] = w.keys[next]
		next += w.step
	}
	changed, present := mine[:changes], mine[changes:]
	at := w.random.IntN(len(w.absent) - block)
	strange := w.absent[at : at+lookups]
	if w.whole {
		w.lost += len(changed) - w.replace(changed)
		copy(w.buffer[block/2:], strange)
		w.lost += max(0, lookups-w.ask(w.buffer[changes:changes+2*lookups]))
		return block
	}
	pieces := max(1, changes)
	for k := range pieces {
		some := changed[changes*k/pieces : changes*(k+1)/pieces]
		from, to := lookups*k/pieces, lookups*(k+1)/pieces
		w.lost += len(some) - w.replace(some) + to - from - w.ask(present[from:to])
		w.found += w.ask(strange[from:to])
	}
	return block
}
