package compare

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// A contender is a kind of filter that is sized for every rate.
type contender struct {
	name      string
	kind      string
	b         int
	placement cuckoo.Placement
}

// lineup is every filter of the module, in the order of the tables.
var lineup = []contender{
	{name: "bloom", kind: size.Bloom},
	{name: "blocked bloom", kind: size.Blocked},
	{name: "counting bloom", kind: size.Counting},
	{name: "cuckoo b=2", kind: size.Cuckoo, b: 2},
	{name: "cuckoo b=4", kind: size.Cuckoo, b: 4},
	{name: "cuckoo b=8", kind: size.Cuckoo, b: 8},
	{name: "cuckoo b=4 xor", kind: size.Cuckoo, b: 4, placement: cuckoo.XOR},
}

// An instance is a filter that holds the keys, or is about to.
type instance interface {
	InsertHashes(hs []uint64) (n int, err error)
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
	FalsePositiveRate() float64
}

// bloomLike is a filter whose inserts cannot fail, so that they return nothing.
type bloomLike interface {
	InsertHashes(hs []uint64)
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
	FalsePositiveRate() float64
}

// sure makes an instance of it.
type sure struct{ bloomLike }

// InsertHashes inserts all of hs.
func (s sure) InsertHashes(hs []uint64) (int, error) {
	s.bloomLike.InsertHashes(hs)
	return len(hs), nil
}

// surely wraps what a constructor returned.
func surely[F bloomLike](f F, err error) (instance, error) {
	if err != nil {
		return nil, err
	}
	return sure{f}, nil
}

// A candidate is a contender at one rate: how to make it, and what is known of it.
type candidate struct {
	row  Row
	make func() (instance, error) // empty
	held instance                 // holds the keys

	// The Go map has these instead.
	set map[string]struct{}
}

// A runner is the state of one comparison.
type runner struct {
	ctx        context.Context
	o          Options
	hash       hashing.Digester
	keys       []uint64 // digests, in the order of o.Keys.Keys
	candidates []*candidate
	misses     []string // probes to be timed
}

// batch is the number of keys that are hashed and then handed to a filter together.
const batch = 256

func (r *runner) digests(keys []string) []uint64 {
	hs := make([]uint64, len(keys))
	for i, k := range keys {
		hs[i] = r.hash.Sum64String(k)
	}
	return hs
}

// candidate sizes a contender, fills it with the keys and checks that it holds them all.
func (r *runner) candidate(l contender, fpr float64) (*candidate, error) {
	n := len(r.keys)
	c := &candidate{row: Row{Filter: l.name, Asked: fpr}}
	// The promise of a capacity may fail, for narrow fingerprints sooner: then the table is grown.
	for capacity := n; ; capacity += capacity/50 + 1 {
		if err := c.plan(l, fpr, capacity); err != nil {
			return nil, err
		}
		var err error
		c.held, err = c.make()
		if err == nil {
			_, err = c.held.InsertHashes(r.keys)
		}
		if err == nil {
			if capacity > n {
				c.note("sized for %d keys, because tables for fewer refused these keys", capacity)
			}
			break
		}
		if !errors.Is(err, cuckoo.ErrFull) || capacity > 2*n+100 {
			return nil, fmt.Errorf("compare: %s at %v: %w", l.name, fpr, err)
		}
	}
	c.row.Bytes = c.held.SizeBytes()
	c.row.BitsPerItem = 8 * float64(c.row.Bytes) / float64(n)
	c.row.Predicted = c.held.FalsePositiveRate()
	return c, r.checkLost(c)
}

// plan sizes the candidate: the largest reachable rate that is not above fpr, or else the lowest.
func (c *candidate) plan(l contender, fpr float64, capacity int) (err error) {
	c.row.Note = ""
	if l.kind != size.Cuckoo {
		c.row.Plan, err = size.PlanBloom(l.kind, capacity, fpr)
		c.make = func() (instance, error) { return makeBloom(c.row.Plan, capacity, fpr) }
		return err
	}
	c.row.Plan, err = size.PlanCuckoo(capacity, fpr, l.b, l.placement)
	if errors.Is(err, size.ErrSpec) {
		c.row.Plan, err = size.CuckooOfWidth(capacity, fingerprint.MaxWidth, l.b, l.placement)
		c.note("no width reaches the rate")
	}
	plan := c.row.Plan
	c.make = func() (instance, error) {
		return widths.New(plan.Width, cuckoo.Config{
			Buckets: plan.Buckets, BucketSize: plan.BucketSize, Placement: plan.Placement, Hash: hashing.DigestsOnly,
		})
	}
	return err
}

// note adds something unusual to the row.
func (c *candidate) note(format string, args ...any) {
	if c.row.Note != "" {
		c.row.Note += "; "
	}
	c.row.Note += fmt.Sprintf(format, args...)
}

func makeBloom(p size.Plan, capacity int, fpr float64) (instance, error) {
	switch p.Kind {
	case size.Blocked:
		return surely(bloom.NewBlocked(bloom.Config{Capacity: capacity, FalsePositiveRate: fpr, Hash: hashing.DigestsOnly}))
	case size.Counting:
		return surely(counting.New(counting.Config{Capacity: capacity, FalsePositiveRate: fpr, Hash: hashing.DigestsOnly}))
	default:
		return surely(bloom.New(bloom.Config{Capacity: capacity, FalsePositiveRate: fpr, Hash: hashing.DigestsOnly}))
	}
}

// checkLost looks up every key.
func (r *runner) checkLost(c *candidate) error {
	var lost LostKeyError
	yes := make([]bool, batch)
	for start := 0; start < len(r.keys); start += batch {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		part := r.keys[start:min(start+batch, len(r.keys))]
		c.held.ContainsHashes(part, yes)
		for i := range part {
			if yes[i] {
				continue
			}
			if lost.Lost == 0 {
				lost = LostKeyError{Filter: c.row.Plan.String(), Key: r.o.Keys.Keys[start+i], Of: len(r.keys)}
			}
			lost.Lost++
		}
	}
	if lost.Lost > 0 {
		return &lost
	}
	return nil
}

// goMap makes the exact set and weighs it: by how much the heap grows, and the text of the keys, which
// it keeps alive and a filter does not.
func (r *runner) goMap(result *Result) *candidate {
	c := &candidate{row: Row{Filter: GoMap}}
	before := heapBytes()
	c.set = r.makeMap()
	c.row.Bytes = max(0, heapBytes()-before) + r.o.Keys.KeyBytes()
	c.row.BitsPerItem = 8 * float64(c.row.Bytes) / float64(len(r.keys))
	c.row.Measured.N = result.Probes
	return c
}

func (r *runner) makeMap() map[string]struct{} {
	set := make(map[string]struct{}, len(r.o.Keys.Keys))
	for _, k := range r.o.Keys.Keys {
		set[k] = struct{}{}
	}
	return set
}

func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one may end a collection that was under way
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
