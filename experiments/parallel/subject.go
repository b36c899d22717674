package parallel

import (
	"sync"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// A Set is what goroutines share. Its methods may be called by any number of them.
type Set interface {
	// Insert adds a key and tells whether there was room.
	Insert(h uint64) bool
	// Delete removes a key and tells whether it was there.
	Delete(h uint64) bool
	// Contains tells whether a key is there.
	Contains(h uint64) bool
}

// A Subject is a kind of set.
type Subject struct {
	Name  string // of its rows, such as rwmutex
	Label string // in charts and tables
	// Make returns an empty set for n keys.
	Make func(n int) (Set, error)
}

// Subjects returns the sets that are compared, that without locks first.
func Subjects() []Subject {
	return []Subject{
		{"concurrent", "cuckoo.Concurrent", func(n int) (Set, error) { return newShared(n) }},
		{"rwmutex", "cuckoo.Filter, RWMutex", func(n int) (Set, error) { return newLocked(n) }},
		{"sharded", "64 cuckoo.Filters, Mutex each", func(n int) (Set, error) { return newSharded(n) }},
		{"syncmap", "sync.Map", func(int) (Set, error) { return new(exact), nil }},
	}
}

// load is that of the filters.
const load = 0.95

// buckets returns the number of buckets of b slots of a filter for n keys.
func buckets(n, b int) int { return int(float64(n)/load)/b + 1 }

type bits = fingerprint.Bits12

// shared is a filter for goroutines.
type shared struct{ f *cuckoo.Concurrent[bits] }

func newShared(n int) (*shared, error) {
	f, err := cuckoo.NewConcurrent[bits](cuckoo.Config{Buckets: buckets(n, 5)})
	return &shared{f}, err
}

func (s *shared) Insert(h uint64) bool   { return s.f.InsertHash(h) == nil }
func (s *shared) Delete(h uint64) bool   { return s.f.DeleteHash(h) }
func (s *shared) Contains(h uint64) bool { return s.f.ContainsHash(h) }

// locked is a filter behind a lock that lookups share.
type locked struct {
	mu sync.RWMutex
	f  *cuckoo.Filter[bits]
}

func newLocked(n int) (*locked, error) {
	f, err := cuckoo.New[bits](cuckoo.Config{Buckets: buckets(n, 4)})
	return &locked{f: f}, err
}

func (l *locked) Insert(h uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.InsertHash(h) == nil
}

func (l *locked) Delete(h uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.DeleteHash(h)
}

func (l *locked) Contains(h uint64) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.f.ContainsHash(h)
}

// shards is the number of filters of sharded, a power of two.
const shards = 64

// sharded are filters with a lock each, chosen by a hash of the digest.
type sharded struct {
	parts [shards]struct {
		mu sync.Mutex
		f  *cuckoo.Filter[bits]
		_  [48]byte
	}
}

func newSharded(n int) (*sharded, error) {
	s := new(sharded)
	for k := range s.parts {
		// A shard can get more keys than its part of n: five standard deviations are room enough.
		f, err := cuckoo.New[bits](cuckoo.Config{Buckets: buckets(n/shards+n/shards/25+64, 4)})
		if err != nil {
			return nil, err
		}
		s.parts[k].f = f
	}
	return s, nil
}

// part returns the number of the filter of a digest.
func part(h uint64) uint64 { return h * 0x9e3779b97f4a7c15 >> 58 }

func (s *sharded) Insert(h uint64) bool {
	p := &s.parts[part(h)]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.f.InsertHash(h) == nil
}

func (s *sharded) Delete(h uint64) bool {
	p := &s.parts[part(h)]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.f.DeleteHash(h)
}

func (s *sharded) Contains(h uint64) bool {
	p := &s.parts[part(h)]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.f.ContainsHash(h)
}

// exact is a map, which stores the digests whole.
type exact struct{ m sync.Map }

func (e *exact) Insert(h uint64) bool {
	e.m.Store(h, struct{}{})
	return true
}

func (e *exact) Delete(h uint64) bool {
	_, ok := e.m.LoadAndDelete(h)
	return ok
}

func (e *exact) Contains(h uint64) bool {
	_, ok := e.m.Load(h)
	return ok
}
