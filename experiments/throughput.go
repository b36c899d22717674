package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// throughputSize is what a profile measures in Table 3 and in figures 5 to 8.
type throughputSize struct {
	q       int // tables of 2^q slots of 12 bits
	rounds  int
	lookups int // of one lap
	probes  int // absent keys, for the false-positive rate
}

// Quick tables take 3 MiB, so that all of it takes about half a minute; the interval of nine rounds leaves out the one that
// was disturbed most on either side. Ten rounds of the paper's size would take an hour; six are the fewest that have an
// interval.
var throughputSizes = map[Profile]throughputSize{
	Tiny: {11, 2, 1 << 8, 1 << 14}, Quick: {21, 9, 1 << 15, 1 << 19}, Paper: {paperSlots, 6, 1 << 20, 10_000_000},
}

// paperCaches is what the paper leaves open about its machine.
const paperCaches = "The paper gives two sizes of its processor's cache, 12 MB and 20 MB. Its filters of 192 MiB are far larger than either."

// throughputLimits is what must not be concluded from any of the four figures.
var throughputLimits = []string{
	"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. Its points are drawn as multiples of its own cuckoo filter's, so that shapes can be compared.",
	"The quick profile's tables of 3 MiB fit into the caches of most processors, where branches and instructions count and reads of memory do not; the paper's of 192 MiB do not.",
	paperCaches,
}

// throughputMethod is how all of them are measured.
const throughputMethod = " Keys are random 64-bit integers, made beforehand, and one hash of each (hashing.Mix64; the paper: CityHash-64) is counted in the times. " +
	"Filters take turns, on one goroutine and alone on the machine; lines are medians over the rounds, bands their intervals. " + oneLife

// oneLife is what they share with Table 3.
const oneLife = "Within a round a filter is filled once for Table 3 and for figures 5 to 8, and everything is timed by itself on that way." + timedRule

// speedOf is the derived column of a speed.
func speedOf(name, of, by string) Derived {
	return Derived{name, func(r Row) float64 { return 1000 * r.ratio(of, by) }}
}

// million names the column of a speed where there is one.
const million = "million_per_second"

// speedsOf returns the speed of each round, in millions a second.
func speedsOf(g Group, of, by string) []float64 {
	out := g.ratios(of, by)
	for i := range out {
		out[i] *= 1000
	}
	return out
}

// breadthFirstSeries is the cuckoo filter under this module's own policy, which the paper does not have.
const breadthFirstSeries = "CF breadth-first"

// breadthFirstKind is that filter: the paper's in all else.
func breadthFirstKind() sixKind {
	k := cuckooKind()
	k.name, k.label = breadthFirstSeries, "cuckoo, breadth-first"
	k.open = func(q int, seed uint64) (*sixFilter, error) {
		c := paperCuckoo(q)
		c.Kick = cuckoo.BreadthFirst
		return sixCuckoo[fingerprint.Bits12](c, seed)
	}
	return k
}

// stepKinds are the filters as they are filled step by step: in figures 6 and 7 the paper goes on filling the
// quotient filter beyond the 90% of its other figures and of Table 3.
func stepKinds() []sixKind {
	kinds := sixKinds()
	for i := range kinds {
		if kinds[i].name == "QF" {
			kinds[i].open = func(q int, _ uint64) (*sixFilter, error) {
				return sixQuotient(quotientfilter.Config{QuotientBits: q, RemainderBits: sixRemainder, MaxLoad: float64(kinds[i].fullest()) / 1000})
			}
		}
	}
	return kinds
}

// room is what occupancy is a share of: the slots of a filter that has slots, and the items of a Bloom filter or of one's own.
func (k sixKind) room(q int) int {
	if k.name == "BF" || k.name == "blk-BF" || k.own != nil {
		return k.items(q)
	}
	return 1 << q
}

// fullest is the occupancy, in thousandths, up to which a filter is filled step by step, in the paper and
// here. At 1000 those that refuse keys end before.
func (k sixKind) fullest() int {
	switch k.name {
	case "QF":
		return 950
	case "dl-CBF":
		return 800
	}
	return 1000
}

// occupancyStep is the width of a step of occupancy, in thousandths: the paper's.
const occupancyStep = 50

// windows are the upper ends of the steps, in thousandths.
func (k sixKind) windows() []int {
	var out []int
	for to := occupancyStep; to <= k.fullest(); to += occupancyStep {
		out = append(out, to)
	}
	return out
}

// A sixSweep is one filter on its way, with its keys. Key i is that of the i-th place in the stream of
// the seed; those behind absentFrom are never inserted.
type sixSweep struct {
	*sixFilter
	next   stream
	seed   uint64
	room   int
	stored int
	spent  time.Duration // on inserts
	full   bool          // a key was refused
	own    bool          // of one's own: what it denies is counted, and a verdict says so
}

// sweep opens an empty filter.
func (k sixKind) sweep(q int, seed uint64) (*sixSweep, error) {
	f, err := k.open(q, seed)
	if err != nil {
		return nil, err
	}
	return &sixSweep{sixFilter: f, next: stream{next: seed}, seed: seed, room: k.room(q), own: k.own != nil}, nil
}

// key is the key at a place of the stream.
func (w *sixSweep) key(place uint64) uint64 { return hashing.Mix64(w.seed + place*splitMixStep) }

// fill inserts keys until so many are stored or one is refused, after which it does nothing.
func (w *sixSweep) fill(ctx context.Context, upTo int) error {
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
func (w *sixSweep) fillPermille(ctx context.Context, to int) error {
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
	*sixSweep
	draw   *rand.Rand
	absent uint64 // the place of the next key that is not stored
}

// absentFrom is how many places of the stream a searcher has for its absent keys; none of them holds a key that is
// stored, for no table holds so many.
const absentFrom = 1 << 40

// searcher returns one of several, numbered from 1.
func (w *sixSweep) searcher(number uint64) *searcher {
	return &searcher{w, rand.New(rand.NewPCG(w.seed, number)), number * absentFrom}
}

// look times n lookups of a form, a share of which, drawn at random, is of stored keys. Keys are drawn outside the time.
func (w *searcher) look(ctx context.Context, n int, share float64, form int) (lap, error) {
	var l lap
	verb := w.loop(form)
	if w.stored == 0 && share > 0 {
		return l, errEmpty
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
		if form == batch {
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
func (w *sixSweep) loop(batch int) func(keys []uint64) int {
	if batch == 0 {
		return w.contains
	}
	return w.batch
}

// lookupForms are the forms of lookups: one by one, as in the paper, and this module's batches.
var lookupForms = []int{0, batch}

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
func (w *sixSweep) deleteTo(ctx context.Context, order *shuffle, left int) (found int, took time.Duration, err error) {
	for w.stored > left {
		if ctx.Err() != nil {
			return found, took, ctx.Err()
		}
		part := w.keys[:min(chunk, w.stored-left)]
		for i := range part {
			part[i] = w.key(order.next())
		}
		start := time.Now()
		found += w.remove(part)
		took += time.Since(start)
		w.stored -= len(part)
	}
	return found, took, nil
}

// mid is the occupancy in the middle of a step of some keys that ends, or begins, at stored ones.
func mid(stored, keys, room int) float64 {
	return quotient(2*stored-keys, 2*room)
}

// withBatch returns the groups of a series for a form of lookups.
func withBatch(d *Data, series string, batch int) []Group {
	return slices.DeleteFunc(d.Select(series), func(g Group) bool { return g.Param("batch") != batch })
}
