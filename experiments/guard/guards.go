package guard

import (
	"time"

	"github.com/nestfilter/nest"
)

// A kind is a guard under measurement.
type kind struct {
	name    string
	spec    nest.Spec // without its capacity; the zero Spec lets all queries through
	set     bool      // what is deleted is kept in a set beside the filter
	unsized bool      // it is not told how many rows there are
	rebuild int       // it is built anew after so many percent of the rows were deleted; 0 is never
}

// rate is the false-positive rate that all guards are made for.
const rate = 0.01

// kinds are all guards, in the order of the tables. The cuckoo filter has the narrowest fingerprints that have the
// rate: 10 bits, whose rate is .74%.
var kinds = []kind{
	{name: "nothing"},
	{name: "stale Bloom", spec: nest.Spec{Kind: nest.Bloom, FalsePositiveRate: rate}},
	{name: "Bloom and a Set", spec: nest.Spec{Kind: nest.Bloom, FalsePositiveRate: rate}, set: true},
	{name: "Bloom, rebuilt", spec: nest.Spec{Kind: nest.Bloom, FalsePositiveRate: rate}, rebuild: 10},
	{name: "counting Bloom", spec: nest.Spec{Kind: nest.Counting, FalsePositiveRate: rate}},
	{name: "cuckoo", spec: nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 10}},
	{name: "Scalable", spec: nest.Spec{Kind: nest.Scalable, FalsePositiveRate: rate}, unsized: true},
}

// A guard stands before the store.
type guard struct {
	kind
	filter           nest.Filter         // nil lets all queries through
	deleter          nest.Deleter        // the filter, if keys are deleted from it; a Bloom filter keeps what was deleted
	deleted          map[string]struct{} // the set
	setBytes         int
	deletes, rebuilt time.Duration // since the last measurement
}

// empty makes the guard anew, for so many rows.
func (g *guard) empty(rows int) (err error) {
	if g.set {
		g.deleted = map[string]struct{}{}
	}
	spec := g.spec
	if spec.Kind == "" {
		return nil
	}
	if !g.unsized {
		spec.Capacity = rows
	}
	g.filter, err = nest.New(spec)
	g.deleter, _ = g.filter.(nest.Deleter)
	return err
}

// insert tells the guard that the store has a key.
func (g *guard) insert(h uint64, key string) error {
	delete(g.deleted, key)
	if g.filter == nil {
		return nil
	}
	return g.filter.InsertHash(h)
}

// delete tells it that the store no longer has it.
func (g *guard) delete(h uint64, key string) {
	if g.deleted != nil {
		g.deleted[key] = struct{}{}
	} else if g.deleter != nil {
		g.deleter.DeleteHash(h)
	}
}

// maybe is false if the key is not in the store.
func (g *guard) maybe(h uint64, key string) bool {
	if g.filter != nil && !g.filter.ContainsHash(h) {
		return false
	}
	_, gone := g.deleted[key]
	return !gone
}

// bytes is the size of the table; what a map takes is measured as a whole.
func (g *guard) bytes() int {
	if g.filter == nil {
		return 0
	}
	return g.filter.SizeBytes()
}
