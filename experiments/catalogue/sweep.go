package catalogue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// LifeSize is what a profile measures in Table 3 and in figures 5 to 8.
type LifeSize struct {
	Q       int // tables of 2^q slots of 12 bits
	rounds  int
	Lookups int // of one lap
	Probes  int // absent keys, for the false-positive rate
}

// Quick tables take 3 MiB, so that all of it takes about half a minute; the interval of nine rounds leaves out the one that
// was disturbed most on either side. Ten rounds of the paper's size would take an hour; six are the fewest that have an
// interval.
var LifeSizes = map[lab.Profile]LifeSize{
	lab.Tiny: {11, 2, 1 << 8, 1 << 14}, lab.Quick: {21, 9, 1 << 15, 1 << 19}, lab.Paper: {PaperSlots, 6, 1 << 20, 10_000_000},
}

// BreadthFirstSeries is the cuckoo filter under this module's own policy, which the paper does not have.
const BreadthFirstSeries = "CF breadth-first"

// breadthFirstKind is that filter: the paper's in all else.
func breadthFirstKind() Kind {
	k := CuckooKind()
	k.Name, k.Label, k.ns.insert = BreadthFirstSeries, "cuckoo, breadth-first", 165
	k.open = func(q int, seed uint64) (*Loops, error) {
		c := paperCuckoo(q)
		c.Kick = cuckoo.BreadthFirst
		return openCuckoo[fingerprint.Bits12](c, seed)
	}
	return k
}

// room is what occupancy is a share of.
func (k Kind) room(q int) int {
	if k.perItem {
		return k.Items(q)
	}
	return 1 << q
}

// OccupancyStep is the width of a step of occupancy, in thousandths: the paper's.
const OccupancyStep = 50

// Windows are the upper ends of the steps, in thousandths.
func (k Kind) Windows() []int {
	var out []int
	for to := OccupancyStep; to <= k.fullest; to += OccupancyStep {
		out = append(out, to)
	}
	return out
}

// A Sweep is one filter on its way, with its keys. Key i is that of the i-th place in the stream of
// the seed; those behind absentFrom are never inserted.
type Sweep struct {
	*Loops
	next   measure.Stream
	seed   uint64
	room   int
	stored int
	spent  time.Duration // on inserts
	full   bool          // a key was refused
	own    bool          // of one's own: what it denies is counted, and a verdict says so
}

// sweep opens an empty filter.
func (k Kind) sweep(q int, seed uint64) (*Sweep, error) {
	f, err := k.open(q, seed)
	if err != nil {
		return nil, err
	}
	return &Sweep{Loops: f, next: measure.Stream{Next: seed}, seed: seed, room: k.room(q), own: k.Own != nil}, nil
}

// key is the key at a place of the stream.
func (w *Sweep) key(place uint64) uint64 { return hashing.Mix64(w.seed + place*measure.SplitMixStep) }

// fill inserts keys until so many are stored or one is refused, after which it does nothing.
func (w *Sweep) fill(ctx context.Context, upTo int) error {
	if w.full || upTo <= w.stored {
		return nil
	}
	stored, took, err := w.build(ctx, &w.next, upTo-w.stored)
	w.stored, w.spent = w.stored+stored, w.spent+took
	if errors.Is(err, errs.Full) {
		w.full, err = true, nil
	}
	return err
}

// fillPermille fills to an occupancy in thousandths.
func (w *Sweep) fillPermille(ctx context.Context, to int) error {
	return w.fill(ctx, int(int64(w.room)*int64(to)/1000))
}

// A lap is some lookups: how many, how many of them were of stored keys, how many found anything, and how
// long they took.
type lap struct {
	lookups, positives, found int
	took                      time.Duration
}

// A searcher draws the keys of lookups. Each experiment has its own: what it draws does not depend on what else is
// measured.
type searcher struct {
	*Sweep
	draw   *rand.Rand
	absent uint64 // the place of the next key that is not stored
}

// absentFrom is how many places of the stream a searcher has for its absent keys; none of them holds a key that is
// stored, for no table holds so many.
const absentFrom = 1 << 40

// searcher returns one of several, numbered from 1.
func (w *Sweep) searcher(number uint64) *searcher {
	return &searcher{w, rand.New(rand.NewPCG(w.seed, number)), number * absentFrom}
}

// look times n lookups of a form, a share of which, drawn at random, is of stored keys. Keys are drawn outside the time.
func (w *searcher) look(ctx context.Context, n int, share float64, form int) (lap, error) {
	var l lap
	verb := w.loop(form)
	if w.stored == 0 && share > 0 {
		return l, ErrEmpty
	}
	for l.lookups < n {
		if ctx.Err() != nil {
			return l, ctx.Err()
		}
		part := w.keys[:min(chunk, n-l.lookups)]
		for i := range part {
			if w.draw.Float64() < share {
				part[i] = w.key(w.draw.Uint64N(uint64(w.stored)))
				l.positives++
			} else {
				part[i] = w.key(w.absent)
				w.absent++
			}
		}
		if form == measure.Batch {
			if err := wake(); err != nil {
				return l, err
			}
		}
		start := time.Now()
		l.found += verb(part)
		l.took += time.Since(start)
		l.lookups += len(part)
	}
	if l.found < l.positives && !w.own {
		return l, fmt.Errorf("%d of %d stored keys are denied", l.positives-l.found, l.positives)
	}
	return l, nil
}

// warm looks absent keys up, untimed: the first keys of a lap would else pay for code and tables that are not in the
// caches yet.
func (w *searcher) warm(ctx context.Context, n, form int) error {
	_, err := w.look(ctx, n, 0, form)
	return err
}

// loop returns the lookups of a form: one by one if batch is 0, else in batches.
func (w *Sweep) loop(batch int) func(keys []uint64) int {
	if batch == 0 {
		return w.Contains
	}
	return w.batch
}

// LookupForms are the forms of lookups: one by one, as in the paper, and this module's batches.
var LookupForms = []int{0, measure.Batch}

// A shuffle visits the numbers below n once each, in an order that looks random, and needs no memory.
type shuffle struct{ n, step, at uint64 }

// newShuffle returns one whose step is about n over the golden ratio, which spreads neighbours far apart, and has
// no common divisor with n.
func newShuffle(n uint64) *shuffle {
	s := &shuffle{n: n, step: n/1000*618 + n%1000*618/1000 + 1}
	for s.n > 1 && gcd(s.step, n) != 1 {
		s.step++
	}
	if n > 0 {
		s.step %= n
	}
	return s
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// next returns the number that follows.
func (s *shuffle) next() uint64 {
	if s.at += s.step; s.at >= s.n {
		s.at -= s.n
	}
	return s.at
}

// deleteTo deletes keys in the order of a shuffle of all that were stored, until so many are left.
func (w *Sweep) deleteTo(ctx context.Context, order *shuffle, left int) (found int, took time.Duration, err error) {
	for w.stored > left {
		if ctx.Err() != nil {
			return found, took, ctx.Err()
		}
		part := w.keys[:min(chunk, w.stored-left)]
		for i := range part {
			part[i] = w.key(order.next())
		}
		start := time.Now()
		found += w.Remove(part)
		took += time.Since(start)
		w.stored -= len(part)
	}
	return found, took, nil
}

// wakeTime is how long batches are asked of a tiny filter, untimed, before those that are timed. Some processors
// run the first 512-bit instructions behind others at half their speed, for about a millisecond: laps of that
// length then fell into two heaps, 89 slow ones of 120 without and 17 with a millisecond (Xeon, 2^21 slots). More
// did not help.
const wakeTime = time.Millisecond

// minute is a filter of 768 bytes, which takes no room in a cache worth speaking of.
var minute = sync.OnceValues(func() (*cuckoo.Filter[fingerprint.Bits12], error) {
	return cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 7})
})

// wake asks for batches until the processor has its full speed for them.
func wake() error {
	f, err := minute()
	if err != nil {
		return err
	}
	hs, dst := make([]uint64, measure.Batch), make([]bool, measure.Batch)
	for i := range hs {
		hs[i] = hashing.Mix64(uint64(i))
	}
	for start := time.Now(); time.Since(start) < wakeTime; {
		f.ContainsHashes(hs, dst)
	}
	return nil
}
