package window

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

var oracleOps = flag.Int("ops", 100_000, "operations of the test against the oracle, over all configurations")

type filter = Filter[fingerprint.Any]

// A class is the keys that a filter cannot tell apart.
type class struct{ a, b, fp uint64 }

func classOf(f *filter, h uint64) class {
	fp, i, j := f.pair(h)
	return class{min(i, j), max(i, j), fp}
}

// An oracle knows of each class the generation of its latest touch. The answers of a filter are a function of that.
type oracle struct {
	last        map[class]int64
	now, oldest int64
	g           int64
	fresh       int // classes of the present generation
}

func (o *oracle) advance() {
	o.now++
	o.fresh = 0
	o.oldest = max(o.oldest, o.now-o.g)
}

// alive returns how many classes are, and forgets those that were for a long time not.
func (o *oracle) alive() (n int) {
	maps.DeleteFunc(o.last, func(_ class, at int64) bool { return at < o.oldest-1 })
	for _, at := range o.last {
		if at >= o.oldest {
			n++
		}
	}
	return n
}

// check holds every lane of the table, and all counts, to be those of the oracle.
func (o *oracle) check(f *filter) error {
	live, expired := 0, 0
	var counts [maxGenerations + 2]int
	for bucket := range f.engine.Table.Buckets() {
		for lane := range f.engine.Table.Lanes() {
			x := f.engine.Table.Get(bucket, lane)
			if x == 0 {
				continue
			}
			fp := x & (1<<f.lanes.Width - 1)
			generation, alive := f.generation(x)
			if !alive {
				if expired++; bucket < f.swept || f.age(o.oldest-1) != int64(x>>f.lanes.Width) {
					return fmt.Errorf("bucket %d of %d that are swept has a lane of generation %d",
						bucket, f.swept, generation)
				}
				continue
			}
			live++
			counts[x>>f.lanes.Width]++
			other := f.engine.Scheme.Alternate(bucket, fp)
			if last := o.last[class{min(bucket, other), max(bucket, other), fp}]; last != generation {
				return fmt.Errorf("bucket %d, lane %d: of generation %d, want %d", bucket, lane, generation, last)
			}
		}
	}
	if want := o.alive(); live != want || f.Len() != want || expired != f.expired || counts != f.counts {
		return fmt.Errorf("%d live, Len %d, want %d; %d expired, said %d; counts %v, said %v",
			live, f.Len(), want, expired, f.expired, counts, f.counts)
	}
	ages := f.Ages()
	for n, count := range ages {
		if generation := o.now - int64(n); generation >= o.oldest && count != counts[f.age(generation)] {
			return fmt.Errorf("Ages are %v, counts %v, now %d", ages, counts, o.now)
		}
	}
	return nil
}

// tally counts what a run has seen, so that a test can tell that it saw everything.
type tally struct{ ops, added, refreshed, kept, refused, forgot, advances, jumps, files, lookups, checks, kicks int }

// A run is a filter in use, beside an oracle.
type run struct {
	f    *filter
	o    oracle
	r    *rand.Rand
	pool []uint64 // keys that come again
	// recent are keys that were touched, with the generation.
	recent []struct {
		h  uint64
		at int64
	}
	perGeneration, left int
	tally               *tally
}

func newRun(c Config, seed uint64, n *tally) (*run, error) {
	f, err := New[fingerprint.Any](c)
	if err != nil {
		return nil, err
	}
	g := int64(f.Config().Generations)
	x := &run{f: f, o: oracle{map[class]int64{}, 0, -g, g, 0}, r: rand.New(rand.NewPCG(seed, 32)), tally: n}
	load := []float64{.5, .8, .92, .96, 1.05}[x.r.IntN(5)]
	x.perGeneration = max(1, int(float64(f.Slots())*load/float64(g+1)))
	x.pool = make([]uint64, max(4, f.Slots()/2))
	for k := range x.pool {
		x.pool[k] = x.r.Uint64()
	}
	x.left = x.perGeneration
	return x, nil
}

// step makes one operation.
func (x *run) step() error {
	x.tally.ops++
	p := x.r.IntN(1000)
	var err error
	switch {
	case p < 700:
		err = x.touch(p < 550)
	case p < 950:
		err = x.ask()
	case p < 980:
		x.f.Sweep(x.r.IntN(8))
	case p < 983:
		err = x.file()
	case p == 983:
		x.jump(int64(x.r.IntN(int(x.o.g) + 4)))
	case p == 984:
		x.left = 0
	case p < 987:
		x.tally.checks++
		err = x.o.check(x.f)
	}
	if x.left <= 0 && x.f.quota == 0 {
		x.tally.advances++
		x.f.Advance()
		x.o.advance()
		x.left = x.r.IntN(2*x.perGeneration) + 1
	}
	if err == nil && (x.f.now != x.o.now || x.f.oldest != x.o.oldest) {
		err = fmt.Errorf("generations %d to %d, want %d to %d", x.f.oldest, x.f.now, x.o.oldest, x.o.now)
	}
	return err
}

func (x *run) touch(refresh bool) error {
	h := x.r.Uint64()
	if x.r.IntN(2) == 0 {
		h = x.pool[x.r.IntN(len(x.pool))]
	}
	at := classOf(x.f, h)
	last, known := x.o.last[at]
	seen := known && last >= x.o.oldest
	live := x.f.Len()
	var before []byte // where nothing is swept, a refusal changes no byte
	if x.tally.ops%8 == 0 && x.f.expired == 0 {
		before = bytes.Clone(x.f.engine.Table.Data())
	}
	verb := x.f.InsertUniqueHash
	if refresh {
		verb = x.f.TouchHash
	}
	added, err := verb(h)
	x.left--
	if x.f.oldest > x.o.oldest && x.f.config.ForgetEarly && live >= x.f.floor && !seen {
		x.tally.forgot++
		x.o.oldest = x.f.oldest
	}
	switch {
	case err != nil && (seen || !errors.Is(err, ErrFull) || added):
		return fmt.Errorf("a key that is remembered, %v, gives %v, %w", seen, added, err)
	case err != nil && x.f.expired == 0 && !x.f.config.ForgetEarly && x.f.Len() != live:
		return fmt.Errorf("a refusal changed Len from %d to %d", live, x.f.Len())
	case err != nil && before != nil && x.f.oldest == x.o.oldest && !x.f.config.ForgetEarly &&
		!bytes.Equal(before, x.f.engine.Table.Data()):
		return errors.New("a refusal changed the table")
	case err != nil:
		x.tally.refused++
		return nil
	case added == seen:
		return fmt.Errorf("added is %v; last touched in %d, now %d, alive from %d", added, last, x.o.now, x.o.oldest)
	case added:
		x.tally.added++
	case refresh:
		x.tally.refreshed++
	default:
		x.tally.kept++
		return nil
	}
	if !known || last != x.o.now {
		x.o.fresh++
	}
	x.o.last[at] = x.o.now
	x.recent = append(x.recent, struct {
		h  uint64
		at int64
	}{h, x.o.now})
	if x.f.quota > 0 && x.o.fresh >= x.f.quota {
		x.tally.advances++
		x.o.advance()
	}
	return nil
}

// ask looks a key up, and one that was touched within the window.
func (x *run) ask() error {
	h := x.r.Uint64()
	if x.r.IntN(2) == 0 {
		h = x.pool[x.r.IntN(len(x.pool))]
	}
	x.tally.lookups++
	last, known := x.o.last[classOf(x.f, h)]
	want := known && last >= x.o.oldest
	batch := [9]bool{}
	x.f.ContainsHashes([]uint64{h, 1, h, 2, h, 3, h, 4, h}, batch[:])
	if got := x.f.ContainsHash(h); got != want || batch[0] != want || batch[8] != want {
		return fmt.Errorf("contained: %v, %v; last touched in %d, now %d, alive from %d",
			got, batch, last, x.o.now, x.o.oldest)
	}
	if len(x.recent) == 0 {
		return nil
	}
	if q := x.recent[max(0, len(x.recent)-1-x.r.IntN(2*x.f.Slots()))]; q.at >= x.o.oldest && !x.f.ContainsHash(q.h) {
		return fmt.Errorf("denied: touched in %d, now %d", q.at, x.o.now)
	}
	return nil
}

// file goes on with a filter that was stored.
func (x *run) file() error {
	x.tally.files++
	x.tally.kicks += int(x.f.Stats().Kicks)
	b, err := x.f.MarshalBinary()
	if err != nil {
		return err
	}
	read, err := Decode[fingerprint.Any](b, hashing.DigestsOnly)
	if err != nil || !read.Equal(x.f) {
		return fmt.Errorf("%v was read: %w", read, err)
	}
	full := x.f.full
	x.f = read
	x.f.full = full
	return nil
}

func (x *run) jump(n int64) {
	x.tally.jumps++
	x.f.advanceBy(n)
	for range n {
		x.o.advance()
	}
}

// configs are the shapes: generations, bucket sizes, widths, buckets of one word, several, and some that begin within a
// byte.
func configs(yield func(Config) bool) {
	for _, g := range []int{1, 2, 3, 6, 14} {
		for _, b := range []int{1, 2, 4, 8} {
			for _, width := range []int{2, 4, 8, 10, 11, 12, 13, 16, 20, 24} {
				for _, buckets := range []int{1, 3, 61, 256} {
					for mode := range 3 {
						c := Config{Buckets: buckets, BucketSize: b, Generations: g, FingerprintBits: width,
							ForgetEarly: mode == 1, Hash: hashing.DigestsOnly}
						if mode == 2 {
							c.Keys = max(1, buckets*b*9/10/(g+1)*g)
						}
						if !yield(c) {
							return
						}
					}
				}
			}
		}
	}
}

// TestFilter_IsTheOracle holds filters of all shapes to answer in both directions what the generation of the latest
// touch says: nothing denied within the window, nothing remembered beyond it. Advances, jumps, sweeps and files come at
// any moment.
func TestFilter_IsTheOracle(t *testing.T) {
	var n tally
	failed, k, total := 0, 0, 0
	each := func(c Config) int { return 300 + 8*c.Buckets*c.BucketSize } // several generations fill the table
	configs(func(c Config) bool {
		total += each(c)
		return true
	})
	stride := max(1, total/max(1, *oracleOps)) | 1 // of few operations, some shapes have enough and the others none
	configs(func(c Config) bool {
		if k++; k%stride != 0 {
			return true
		}
		x, err := newRun(c, uint64(k), &n)
		if err != nil {
			t.Fatal(err)
		}
		for range each(c) * max(1, *oracleOps/total) {
			if err = x.step(); err != nil {
				break
			}
		}
		if err == nil {
			err = x.o.check(x.f)
		}
		if err != nil {
			t.Errorf("%v: %v", c, err)
			failed++
		}
		return failed < 5
	})
	t.Logf("%+v", n)
	if n.refused == 0 || n.forgot == 0 || n.refreshed == 0 || n.kept == 0 || n.kicks == 0 || n.jumps == 0 {
		t.Errorf("not all was tried: %+v", n)
	}
}
