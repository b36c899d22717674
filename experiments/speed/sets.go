package speed

import (
	"math"
	mathbits "math/bits"
	"runtime"
	"sync"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
)

// verbs are what one goroutine does with a set that it shares, in loops over digests.
type verbs struct {
	// ask returns how many of the digests are there, replace how many it has deleted and inserted again.
	ask, replace func(hs []uint64) int
}

// A set is what goroutines share.
type set struct {
	insert func(hs []uint64) (int, error) // by one goroutine, before the others begin
	// client returns the verbs of a goroutine, by its number.
	client func(g int) verbs
	// keys returns those of the keys that a goroutine may ask for and replace; nil for any.
	keys func(g int) []uint64
	// end ends what the set has running; nil for nothing.
	end func()
}

// A Set is a kind of set.
type Set struct {
	Name  string // of its rows, such as rwmutex
	Label string // in charts and tables
	// whole says that it is asked for a block of digests at a time, and not for one.
	whole bool
	// sorted says that each goroutine has keys of its own, one goroutine for each processor.
	sorted bool
	make   func(n int) (*set, error)
}

// Sets returns the sets that are compared.
func Sets() []Set {
	return []Set{
		{Name: "concurrent", Label: "Concurrent", make: newConcurrent},
		{Name: "rwmutex", Label: "Filter, RWMutex", make: newLocked},
		{Name: "sharded", Label: "64 Filters, Mutex each", make: newSharded},
		{Name: "syncmap", Label: "sync.Map", make: newMap},
		{Name: "cores", Label: "Filter per core, keys sorted", sorted: true, make: newSorted},
		{Name: "concurrent-256", Label: "Concurrent, batches", whole: true, make: newConcurrentBatches},
		{Name: "rwmutex-256", Label: "Filter, RWMutex, batches", whole: true, make: newLockedBatches},
		{Name: "cores-256", Label: "Filter per core, batches sent", whole: true, make: newOwned},
	}
}

// same makes a set of verbs that all goroutines may use.
func same(insert func(hs []uint64) (int, error), v verbs) *set {
	return &set{insert: insert, client: func(int) verbs { return v }}
}

// sharedLoad is the load of the filters which goroutines share, and of those beside them.
const sharedLoad = 0.95

// buckets returns the number of buckets of b slots of a filter for n keys.
func buckets(n, b int) int { return int(float64(n)/sharedLoad)/b + 1 }

type width = fingerprint.Bits12

// batches makes a loop of ContainsHashes, with a buffer of its own.
func batches(contains func(hs []uint64, dst []bool)) func(hs []uint64) int {
	return measure.InBatches(measure.Ready, contains, 2*block)
}

// replaceEach deletes digests and inserts them again one by one. As measure.Each it is small enough to be inlined.
func replaceEach(hs []uint64, remove func(h uint64) bool, insert func(h uint64) error) (n int) {
	for _, h := range hs {
		if remove(h) && insert(h) == nil {
			n++
		}
	}
	return n
}

func concurrent(n int) (*cuckoo.Concurrent[width], func(hs []uint64) int, error) {
	f, err := cuckoo.NewConcurrent[width](cuckoo.Config{Buckets: buckets(n, 5)})
	return f, func(hs []uint64) int {
		return replaceEach(hs, func(h uint64) bool { return f.DeleteHash(h) }, func(h uint64) error { return f.InsertHash(h) })
	}, err
}

// newConcurrent returns a filter for goroutines.
func newConcurrent(n int) (*set, error) {
	f, replace, err := concurrent(n)
	return same(func(hs []uint64) (int, error) {
		return measure.Each(hs, func(h uint64) error { return f.InsertHash(h) })
	}, verbs{
		ask:     func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
		replace: replace,
	}), err
}

// newConcurrentBatches is asked for many digests at a time.
func newConcurrentBatches(n int) (*set, error) {
	f, replace, err := concurrent(n)
	return &set{
		insert: f.InsertHashes,
		client: func(int) verbs { return verbs{ask: batches(f.ContainsHashes), replace: replace} },
	}, err
}

// locked is a filter behind a lock that lookups share.
type locked struct {
	mu sync.RWMutex
	f  *cuckoo.Filter[width]
}

func openLocked(n int) (*locked, error) {
	f, err := cuckoo.New[width](cuckoo.Config{Buckets: buckets(n, 4)})
	return &locked{f: f}, err
}

func (l *locked) insert(h uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.InsertHash(h)
}

func (l *locked) remove(h uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.DeleteHash(h)
}

func (l *locked) contains(h uint64) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.f.ContainsHash(h)
}

// newLocked returns a filter whose lock is taken for each digest.
func newLocked(n int) (*set, error) {
	l, err := openLocked(n)
	return same(func(hs []uint64) (int, error) { return measure.Each(hs, l.insert) }, verbs{
		ask:     func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return l.contains(h) }) },
		replace: func(hs []uint64) int { return replaceEach(hs, l.remove, l.insert) },
	}), err
}

// newLockedBatches returns one whose lock is taken once for many digests.
func newLockedBatches(n int) (*set, error) {
	l, err := openLocked(n)
	return &set{
		insert: l.f.InsertHashes,
		client: func(int) verbs {
			ask := batches(l.f.ContainsHashes)
			return verbs{
				ask: func(hs []uint64) int {
					l.mu.RLock()
					defer l.mu.RUnlock()
					return ask(hs)
				},
				replace: func(hs []uint64) int {
					l.mu.Lock()
					defer l.mu.Unlock()
					return replaceEach(hs, l.f.DeleteHash, l.f.InsertHash)
				},
			}
		},
	}, err
}

// shards is the number of filters of sharded, a power of two.
const shards = 64

// sharded are filters with a lock each, chosen by a hash of the digest.
type sharded [shards]struct {
	locked mutexed
	_      [48]byte
}

type mutexed struct {
	mu sync.Mutex
	f  *cuckoo.Filter[width]
}

func (s *sharded) of(h uint64) *mutexed { return &s[part(h, shards)].locked }

// part returns the number of the filter of a digest, of so many.
func part(h uint64, of int) int {
	at, _ := mathbits.Mul64(h*0x9e3779b97f4a7c15, uint64(of))
	return int(at)
}

// partKeys is the number of keys that a filter has room for which gets one of so many parts of n: five standard
// deviations more.
func partKeys(n, of int) int {
	mean := float64(n) / float64(of)
	return int(mean+5*math.Sqrt(mean)) + 64
}

func (s *sharded) insert(h uint64) error {
	p := s.of(h)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.f.InsertHash(h)
}

func (s *sharded) remove(h uint64) bool {
	p := s.of(h)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.f.DeleteHash(h)
}

func (s *sharded) contains(h uint64) bool {
	p := s.of(h)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.f.ContainsHash(h)
}

func newSharded(n int) (*set, error) {
	s := new(sharded)
	filters, err := split(n, shards)
	if err != nil {
		return nil, err
	}
	for k := range s {
		s[k].locked.f = filters[k]
	}
	return same(func(hs []uint64) (int, error) { return measure.Each(hs, s.insert) }, verbs{
		ask:     func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return s.contains(h) }) },
		replace: func(hs []uint64) int { return replaceEach(hs, s.remove, s.insert) },
	}), nil
}

// split makes filters for n keys together.
func split(n, of int) ([]*cuckoo.Filter[width], error) {
	all := make([]*cuckoo.Filter[width], of)
	for k := range all {
		f, err := cuckoo.New[width](cuckoo.Config{Buckets: buckets(partKeys(n, of), 4)})
		if err != nil {
			return nil, err
		}
		all[k] = f
	}
	return all, nil
}

// newMap returns a map, which stores the digests whole.
func newMap(int) (*set, error) {
	m := new(sync.Map)
	insert := func(h uint64) error { m.Store(h, struct{}{}); return nil }
	return same(func(hs []uint64) (int, error) { return measure.Each(hs, insert) }, verbs{
		ask: func(hs []uint64) int {
			return measure.Count(hs, func(h uint64) bool { _, ok := m.Load(h); return ok })
		},
		replace: func(hs []uint64) int {
			return replaceEach(hs, func(h uint64) bool { _, ok := m.LoadAndDelete(h); return ok }, insert)
		},
	}), nil
}

// cores are a filter for each processor, with the keys that it owns.
type cores struct {
	filters []*cuckoo.Filter[width]
	keys    [][]uint64
}

func openCores(n int) (*cores, error) {
	p := runtime.GOMAXPROCS(0)
	filters, err := split(n, p)
	return &cores{filters, make([][]uint64, p)}, err
}

func (c *cores) insert(hs []uint64) (int, error) {
	return measure.Each(hs, func(h uint64) error {
		at := part(h, len(c.filters))
		c.keys[at] = append(c.keys[at], h)
		return c.filters[at].InsertHash(h)
	})
}

// newSorted returns filters of which each goroutine has one to itself: its keys come to it and to no other.
func newSorted(n int) (*set, error) {
	c, err := openCores(n)
	return &set{
		insert: c.insert, keys: func(g int) []uint64 { return c.keys[g] },
		client: func(g int) verbs {
			f := c.filters[g]
			return verbs{
				ask: func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
				replace: func(hs []uint64) int {
					return replaceEach(hs, func(h uint64) bool { return f.DeleteHash(h) }, func(h uint64) error { return f.InsertHash(h) })
				},
			}
		},
	}, err
}

// A request asks the owner of a filter about digests, or to replace them, and for the number of those it found.
type request struct {
	hs      []uint64
	replace bool
	found   chan<- int
}

// newOwned returns filters whose owners are goroutines. Others sort their digests by owner and send them.
func newOwned(n int) (*set, error) {
	c, err := openCores(n)
	if err != nil {
		return nil, err
	}
	owners := make([]chan request, len(c.filters))
	for k, f := range c.filters {
		owners[k] = make(chan request, 2*len(c.filters))
		go own(f, owners[k])
	}
	return &set{
		insert: c.insert, client: func(int) verbs { return sender(owners) },
		end: func() {
			for _, o := range owners {
				close(o)
			}
		},
	}, nil
}

// own answers requests until there are no more.
func own(f *cuckoo.Filter[width], requests <-chan request) {
	ask := batches(f.ContainsHashes)
	for r := range requests {
		if r.replace {
			r.found <- replaceEach(r.hs, func(h uint64) bool { return f.DeleteHash(h) }, func(h uint64) error { return f.InsertHash(h) })
		} else {
			r.found <- ask(r.hs)
		}
	}
}

// sender returns the verbs of a goroutine that sends its digests to their owners and waits for their answers.
func sender(owners []chan request) verbs {
	parts := make([][]uint64, len(owners))
	found := make(chan int, len(owners))
	send := func(hs []uint64, replace bool) (n int) {
		for k := range parts {
			parts[k] = parts[k][:0]
		}
		for _, h := range hs {
			at := part(h, len(parts))
			parts[at] = append(parts[at], h)
		}
		sent := 0
		for k, p := range parts {
			if len(p) > 0 {
				owners[k] <- request{p, replace, found}
				sent++
			}
		}
		for range sent {
			n += <-found
		}
		return n
	}
	return verbs{
		ask:     func(hs []uint64) int { return send(hs, false) },
		replace: func(hs []uint64) int { return send(hs, true) },
	}
}
