package rediscf

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// Filter is a cuckoo filter as CF.* commands make it. The zero Filter is like a key that the server does
// not have yet: lookups find nothing in it, and the first Add or Insert reserves it with the server's
// defaults. A Filter must not be copied.
type Filter struct {
	subs   []sub       // oldest first
	engine kick.Engine // of the newest sub-filter; one for all, because its journal is as long as MaxIterations

	items, deletes uint64
	used           uint64 // of Limits.Bytes
	shape          header // the parameters; its counts are not kept up to date
	limits         Limits
}

// sub is one sub-filter.
type sub struct {
	table packed.Table
	mask  uint64 // the number of buckets less 1
	start int64  // bytes of the tables of all older sub-filters
}

// size returns the bytes of the table without padding.
func (s *sub) size() int { return len(s.table.Data()) - packed.Padding }

// data returns the table without padding: the slots, a byte each.
func (s *sub) data() []byte { return s.table.Data()[:s.size()] }

// items returns the number of fingerprints, which it counts.
func (s *sub) items() int { return s.size() - bytes.Count(s.data(), []byte{0}) }

// New returns an empty filter of that configuration, as CF.RESERVE makes it. A parameter out of the server's range is
// [ErrConfig], and more than Config.Limits permit is [ErrTooLarge]; nothing was allocated then.
func New(c Config) (*Filter, error) {
	f := new(Filter)
	if err := f.Reserve(c); err != nil {
		return nil, err
	}
	return f, nil
}

// Reserve is [New] for a Filter that is there already. One that was reserved, or was added to, is
// [ErrExists]: it is unchanged.
func (f *Filter) Reserve(c Config) error {
	if len(f.subs) > 0 {
		return fmt.Errorf("rediscf: reserve: %w", ErrExists)
	}
	if err := c.Validate(); err != nil {
		return err
	}
	return f.create(c.header(), c.Limits.withDefaults())
}

// create makes f the filter of a header that was checked, with empty tables.
func (f *Filter) create(h header, l Limits) error {
	buckets, used, err := h.sizes(l)
	if err != nil {
		return err
	}
	*f = Filter{shape: h, limits: l, items: h.items, deletes: h.deletes, used: used}
	for _, n := range buckets {
		f.push(n)
	}
	newest := &f.subs[len(f.subs)-1]
	f.engine.Init(newest.table, newest.scheme(), kick.RoundRobin, int(h.maxIterations), 0)
	return nil
}

// push appends an empty sub-filter of n buckets; the engine does not know of it yet.
func (f *Filter) push(n uint64) {
	f.subs = append(f.subs, sub{packed.Plain.New(width, uint(f.shape.bucketSize), n), n - 1, f.bytes()})
}

// bytes returns the bytes of all tables.
func (f *Filter) bytes() int64 {
	if len(f.subs) == 0 {
		return 0
	}
	newest := &f.subs[len(f.subs)-1]
	return newest.start + int64(newest.size())
}

// locate returns the sub-filter and the place in it of the byte at an offset, not negative, of all tables, if any.
func (f *Filter) locate(offset int64) (k, at int, ok bool) {
	if offset >= f.bytes() {
		return 0, 0, false
	}
	k = sort.Search(len(f.subs), func(k int) bool { return f.subs[k].start > offset }) - 1
	return k, int(offset - f.subs[k].start), true
}

// focus lets the engine kick in the newest sub-filter.
func (f *Filter) focus() {
	newest := &f.subs[len(f.subs)-1]
	f.engine.Table, f.engine.Scheme = newest.table, newest.scheme()
}

// grow appends the next sub-filter, if the limits permit one.
func (f *Filter) grow() error {
	k := len(f.subs)
	n := f.shape.next(f.subs[k-1].mask + 1)
	used, err := f.shape.admit(f.limits, k, n, f.used)
	if err != nil {
		return err
	}
	f.used = used
	f.push(n)
	f.focus()
	return nil
}

// shrink drops the newest sub-filter of several.
func (f *Filter) shrink() {
	last := len(f.subs) - 1
	f.used -= uint64(f.subs[last].size()) + perFilter
	f.subs[last] = sub{} // so that its table is collected
	f.subs = f.subs[:last]
	f.focus()
}

// header returns the header of a dump of the filter as it is.
func (f *Filter) header() header {
	h := f.shape
	h.items, h.deletes, h.filters = f.items, f.deletes, uint64(len(f.subs))
	return h
}

// Len returns the number of items: of adds that were stored, less deletes that found something.
func (f *Filter) Len() int { return int(f.items) }

// LimitedBytes returns the memory that [Limits.Bytes] bounds.
func (f *Filter) LimitedBytes() int { return int(f.used) }

// Info is what CF.INFO says of a filter.
type Info struct {
	// Size is the bytes that the server reports: the tables, 16 for each sub-filter and 40. It is not
	// the memory that a Filter takes here; that has up to 576 bytes for a sub-filter and MaxIterations*16.
	Size          uint64
	Buckets       uint64 // of the first sub-filter
	Filters       int    // the number of sub-filters
	Items         uint64 // inserted and not deleted
	Deletes       uint64 // since the last compaction
	BucketSize    int    // slots of a bucket
	Expansion     int    // the factor of growth as rounded to a power of two, 0 with NoGrowth
	MaxIterations int    // the limit on kicks
}

// Info returns the filter's state, all zero for one that was not reserved. It does not touch the tables.
func (f *Filter) Info() Info {
	if len(f.subs) == 0 {
		return Info{}
	}
	h := f.header()
	const perServer, perServerFilter = 40, 16 // by CF.INFO of a server
	return Info{
		Size:    uint64(perServer+perServerFilter*len(f.subs)) + uint64(f.bytes()),
		Buckets: h.buckets, Filters: len(f.subs), Items: h.items, Deletes: h.deletes,
		BucketSize: int(h.bucketSize), Expansion: int(h.expansion), MaxIterations: int(h.maxIterations),
	}
}

// String returns the line of CF.DEBUG.
func (i Info) String() string {
	return fmt.Sprintf("bktsize:%d buckets:%d items:%d deletes:%d filters:%d max_iterations:%d expansion:%d",
		i.BucketSize, i.Buckets, i.Items, i.Deletes, i.Filters, i.MaxIterations, i.Expansion)
}
