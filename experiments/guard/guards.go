package guard

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// A guard stands before the store.
type guard interface {
	insert(h uint64, key string) error
	delete(h uint64, key string)
	maybe(h uint64, key string) bool // false: the key is not in the store
	bytes() int                      // of its table; what a map takes is measured as a whole
}

// rate is the false-positive rate that all guards are made for.
const rate = 0.01

// A kind is a guard under measurement.
type kind struct {
	name    string
	rebuild int // it is built anew after so many percent of the rows were deleted; 0 is never
	empty   func(rows int) (guard, error)
}

// kinds are all guards, in the order of the tables.
var kinds = []kind{
	{"nothing", 0, func(int) (guard, error) { return open{}, nil }},
	{"stale Bloom", 0, newStale},
	{"Bloom and a Set", 0, newListed},
	{"Bloom, rebuilt", 10, newStale},
	{"counting Bloom", 0, newCounting},
	{"cuckoo", 0, newCuckoo},
	{"Scalable", 0, newScalable},
}

// open lets all queries through.
type open struct{}

func (open) insert(uint64, string) error { return nil }
func (open) delete(uint64, string)       {}
func (open) maybe(uint64, string) bool   { return true }
func (open) bytes() int                  { return 0 }

// stale is a Bloom filter, which keeps what was deleted.
type stale struct{ *bloom.Filter }

func newStale(rows int) (guard, error) {
	f, err := bloom.New(bloom.Config{Capacity: rows, FalsePositiveRate: rate})
	return stale{f}, err
}

func (s stale) insert(h uint64, _ string) error { s.InsertHash(h); return nil }
func (s stale) delete(uint64, string)           {}
func (s stale) maybe(h uint64, _ string) bool   { return s.ContainsHash(h) }
func (s stale) bytes() int                      { return s.SizeBytes() }

// listed is a Bloom filter beside a set of the deleted keys.
type listed struct {
	stale
	deleted map[string]struct{}
}

func newListed(rows int) (guard, error) {
	f, err := bloom.New(bloom.Config{Capacity: rows, FalsePositiveRate: rate})
	return &listed{stale{f}, map[string]struct{}{}}, err
}

func (l *listed) insert(h uint64, key string) error {
	delete(l.deleted, key)
	l.InsertHash(h)
	return nil
}

func (l *listed) delete(_ uint64, key string) { l.deleted[key] = struct{}{} }

func (l *listed) maybe(h uint64, key string) bool {
	if !l.ContainsHash(h) {
		return false
	}
	_, gone := l.deleted[key]
	return !gone
}

// counted is a counting Bloom filter.
type counted struct{ *counting.Filter }

func newCounting(rows int) (guard, error) {
	f, err := counting.New(counting.Config{Capacity: rows, FalsePositiveRate: rate})
	return counted{f}, err
}

func (c counted) insert(h uint64, _ string) error { c.InsertHash(h); return nil }
func (c counted) delete(h uint64, _ string)       { c.DeleteHash(h) }
func (c counted) maybe(h uint64, _ string) bool   { return c.ContainsHash(h) }
func (c counted) bytes() int                      { return c.SizeBytes() }

// cells is a cuckoo filter, growing or not.
type cells struct {
	filter interface {
		InsertHash(h uint64) error
		DeleteHash(h uint64) bool
		ContainsHash(h uint64) bool
		SizeBytes() int
	}
}

// newCuckoo takes the narrowest fingerprints that have the rate: 10 bits, whose rate is .74%.
func newCuckoo(rows int) (guard, error) {
	f, err := cuckoo.New[fingerprint.Bits10](cuckoo.Config{Capacity: rows})
	return cells{f}, err
}

// newScalable knows nothing about the number of rows.
func newScalable(int) (guard, error) {
	c := cuckoo.ScalableConfig{FalsePositiveRate: rate}
	width, err := cuckoo.ScalableWidth(c)
	if err != nil {
		return nil, err
	}
	c.FingerprintBits = int(width)
	f, err := cuckoo.NewScalable[fingerprint.Any](c)
	return cells{f}, err
}

func (c cells) insert(h uint64, _ string) error { return c.filter.InsertHash(h) }
func (c cells) delete(h uint64, _ string)       { c.filter.DeleteHash(h) }
func (c cells) maybe(h uint64, _ string) bool   { return c.filter.ContainsHash(h) }
func (c cells) bytes() int                      { return c.filter.SizeBytes() }
