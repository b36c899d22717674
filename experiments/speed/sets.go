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
	insert func(h uint64) error // by one goroutine, before the others begin
	client func(g int) verbs    // those of a goroutine, by its number
	// keys returns those of the keys that a goroutine may ask for and replace; nil for any.
	keys func(g int) []uint64
	end  func() // ends what the set has running; nil for nothing
}

// A kind is one of set.
type kind struct {
	name   string // in charts and tables
	whole  bool   // it is asked for a block of digests at a time, and not for one
	sorted bool   // each goroutine has keys of its own, one goroutine for each processor
	make   func(n int, whole bool) (*set, error)
}

// kinds are the sets that are compared, each with the first behind a lock that is asked as it is.
func kinds() []kind {
	return []kind{
		{name: "Concurrent", make: newConcurrent}, {name: "Filter, RWMutex", make: newLocked},
		{name: "64 Filters, RWMutex each", make: newSharded}, {name: "sync.Map", make: newMap},
		{name: "Filter per core, keys sorted", sorted: true, make: newCores},
		{name: "Concurrent, batches", whole: true, make: newConcurrent},
		{name: "Filter, RWMutex, batches", whole: true, make: newLocked},
		{name: "Filter per core, batches sent", whole: true, make: newCores},
	}
}

// rivals are the sets that others are compared with, one by one and in batches.
var rivals = map[bool]string{false: "Filter, RWMutex", true: "Filter, RWMutex, batches"}

// sharedLoad is the load of the filters which goroutines share, and of those beside them.
const sharedLoad = 0.95

// buckets returns the number of buckets of b slots of a filter for n keys.
func buckets(n, b int) int { return int(float64(n)/sharedLoad)/b + 1 }

type filter = cuckoo.Filter[fingerprint.Bits12]

func newFilter(n int) (*filter, error) {
	return cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: buckets(n, 4)})
}

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

// direct are the verbs of a filter that nobody else uses.
//
//go:noinline
func direct(f *filter) verbs {
	return verbs{
		ask: func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
		replace: func(hs []uint64) int {
			insert := func(h uint64) error { return f.InsertHash(h) }
			return replaceEach(hs, func(h uint64) bool { return f.DeleteHash(h) }, insert)
		},
	}
}

// newConcurrent returns a filter for goroutines.
func newConcurrent(n int, whole bool) (*set, error) {
	f, err := cuckoo.NewConcurrent[fingerprint.Bits12](cuckoo.Config{Buckets: buckets(n, 5)})
	return &set{insert: f.InsertHash, client: func(int) verbs {
		v := verbs{
			ask: func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
			replace: func(hs []uint64) int {
				insert := func(h uint64) error { return f.InsertHash(h) }
				return replaceEach(hs, func(h uint64) bool { return f.DeleteHash(h) }, insert)
			},
		}
		if whole {
			v.ask = batches(f.ContainsHashes)
		}
		return v
	}}, err
}

// locked is a filter behind a lock that lookups share.
type locked struct {
	mu sync.RWMutex
	f  *filter
	_  [32]byte // so that neighbours lie in other cache lines
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

// newLocked returns a filter whose lock is taken for each digest, or once for many.
func newLocked(n int, whole bool) (*set, error) {
	f, err := newFilter(n)
	l := &locked{f: f}
	return &set{insert: l.insert, client: func(int) verbs {
		if !whole {
			return verbs{
				ask:     func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return l.contains(h) }) },
				replace: func(hs []uint64) int { return replaceEach(hs, l.remove, l.insert) },
			}
		}
		ask, one := batches(l.f.ContainsHashes), direct(l.f)
		return verbs{
			ask: func(hs []uint64) int {
				l.mu.RLock()
				defer l.mu.RUnlock()
				return ask(hs)
			},
			replace: func(hs []uint64) int {
				l.mu.Lock()
				defer l.mu.Unlock()
				return one.replace(hs)
			},
		}
	}}, err
}

// newSharded returns filters with a lock each, of which the digest chooses one.
func newSharded(n int, _ bool) (*set, error) {
	filters, err := split(n, 64)
	shards := make([]locked, len(filters))
	for k, f := range filters {
		shards[k].f = f
	}
	of := func(h uint64) *locked { return &shards[part(h, len(shards))] }
	insert := func(h uint64) error { return of(h).insert(h) }
	return &set{insert: insert, client: func(int) verbs {
		return verbs{
			ask:     func(hs []uint64) int { return measure.Count(hs, func(h uint64) bool { return of(h).contains(h) }) },
			replace: func(hs []uint64) int { return replaceEach(hs, func(h uint64) bool { return of(h).remove(h) }, insert) },
		}
	}}, err
}

// split makes filters for n keys together. Each has room for five standard deviations more than its part.
func split(n, of int) (all []*filter, err error) {
	mean := float64(n) / float64(of)
	for len(all) < of && err == nil {
		var f *filter
		f, err = newFilter(int(mean+5*math.Sqrt(mean)) + 64)
		all = append(all, f)
	}
	return all, err
}

// part returns the number of the filter of a digest, of so many.
func part(h uint64, of int) int {
	at, _ := mathbits.Mul64(h*0x9e3779b97f4a7c15, uint64(of))
	return int(at)
}

// newMap returns a map, which stores the digests whole.
func newMap(int, bool) (*set, error) {
	m := new(sync.Map)
	insert := func(h uint64) error { m.Store(h, struct{}{}); return nil }
	return &set{insert: insert, client: func(int) verbs {
		return verbs{
			ask: func(hs []uint64) int {
				return measure.Count(hs, func(h uint64) bool { _, ok := m.Load(h); return ok })
			},
			replace: func(hs []uint64) int {
				return replaceEach(hs, func(h uint64) bool { _, ok := m.LoadAndDelete(h); return ok }, insert)
			},
		}
	}}, nil
}

// newCores returns a filter for each processor. It belongs to one goroutine: that of its keys, or one to which others
// sort their digests and send them.
func newCores(n int, sent bool) (*set, error) {
	filters, err := split(n, runtime.GOMAXPROCS(0))
	keys := make([][]uint64, len(filters))
	s := &set{
		insert: func(h uint64) error {
			at := part(h, len(filters))
			keys[at] = append(keys[at], h)
			return filters[at].InsertHash(h)
		},
		client: func(g int) verbs { return direct(filters[g]) },
	}
	if !sent {
		s.keys = func(g int) []uint64 { return keys[g] }
		return s, err
	}
	var owners []chan request
	for _, f := range filters {
		owner := make(chan request, 2*len(filters))
		owners = append(owners, owner)
		go own(f, owner)
	}
	s.client = func(int) verbs { return sender(owners) }
	s.end = func() {
		for _, o := range owners {
			close(o)
		}
	}
	return s, err
}

// A request asks the owner of a filter about digests, or to replace them, and for the number of those it found.
type request struct {
	hs      []uint64
	replace bool
	found   chan<- int
}

// own answers requests until there are no more.
func own(f *filter, requests <-chan request) {
	ask, one := batches(f.ContainsHashes), direct(f)
	for r := range requests {
		if r.replace {
			r.found <- one.replace(r.hs)
		} else {
			r.found <- ask(r.hs)
		}
	}
}

// sender returns the verbs of a goroutine that sends its digests to their owners and waits for their answers.
func sender(owners []chan request) verbs {
	parts, found := make([][]uint64, len(owners)), make(chan int, len(owners))
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
