package guard

import (
	"runtime"
	"strings"
	"time"

	"github.com/nestfilter/nest"
)

// A kind is a guard under measurement.
type kind struct {
	name    string
	spec    nest.Spec // without its capacity; the zero Spec lets all queries through
	keep    keeping   // of what is deleted, beside the filter
	unsized bool      // it is not told how many rows there are
	rebuild int       // it is built anew after so many percent of the rows were deleted; 0 is never
}

// keeping is what a guard keeps of deleted keys.
type keeping int

const (
	nothing keeping = iota
	texts           // a set of the keys
	digests         // a set of their digests; a key of the same digest would be denied, which nobody will see
)

// rate is the false-positive rate that guards are made for, but for Bloom filters. These have the bytes of the cuckoo
// filter, whose fingerprints are the narrowest that have the rate: 10 bits, whose rate is .74%.
const rate = 0.01

var ofCuckoo = nest.Spec{Kind: nest.Cuckoo, FingerprintBits: 10}

// kinds are all guards, in the order of the tables.
var kinds = []kind{
	{name: "nothing"},
	{name: "stale Bloom", spec: nest.Spec{Kind: nest.Bloom}},
	{name: "Bloom and a Set", spec: nest.Spec{Kind: nest.Bloom}, keep: texts},
	{name: "Bloom and digests", spec: nest.Spec{Kind: nest.Bloom}, keep: digests},
	{name: "Bloom, rebuilt", spec: nest.Spec{Kind: nest.Bloom}, rebuild: 10},
	{name: "counting Bloom", spec: nest.Spec{Kind: nest.Counting, FalsePositiveRate: rate}},
	{name: "cuckoo", spec: ofCuckoo},
	{name: "Scalable", spec: nest.Spec{Kind: nest.Scalable, FalsePositiveRate: rate}, unsized: true},
}

// A guard stands before the store.
type guard struct {
	kind
	filter   nest.Filter  // nil lets all queries through
	deleter  nest.Deleter // the filter, if keys are deleted from it; a Bloom filter keeps what was deleted
	texts    map[string]struct{}
	digests  map[uint64]struct{}
	setBytes int

	deletes, rebuilt, riding time.Duration // since the last measurement; riding is the part of rebuilt that is no scan
}

// empty makes the guard anew, for so many rows.
func (g *guard) empty(rows int) (err error) {
	g.texts, g.digests = map[string]struct{}{}, map[uint64]struct{}{}
	spec := g.spec
	if spec.Kind == "" {
		return nil
	}
	if !g.unsized {
		spec.Capacity = rows
	}
	if spec.Kind == nest.Bloom {
		like := ofCuckoo
		like.Capacity = rows
		f, err := nest.New(like)
		if err != nil {
			return err
		}
		spec.BitsPerItem = 8 * float64(f.SizeBytes()) / float64(rows)
	}
	g.filter, err = nest.New(spec)
	g.deleter, _ = g.filter.(nest.Deleter)
	return err
}

// insert tells the guard that the store has a key.
func (g *guard) insert(h uint64) error {
	if g.filter == nil {
		return nil
	}
	return g.filter.InsertHash(h)
}

// delete tells it that the store no longer has it.
func (g *guard) delete(h uint64, key string) {
	switch {
	case g.keep == texts:
		g.texts[key] = struct{}{}
	case g.keep == digests:
		g.digests[h] = struct{}{}
	case g.deleter != nil:
		g.deleter.DeleteHash(h)
	}
}

// maybe is false if the key is not in the store.
func (g *guard) maybe(h uint64, key string) bool {
	if g.filter != nil && !g.filter.ContainsHash(h) {
		return false
	}
	gone := false
	switch g.keep {
	case texts:
		_, gone = g.texts[key]
	case digests:
		_, gone = g.digests[h]
	}
	return !gone
}

// setSize is what a copy of the set takes.
func (g *guard) setSize() int {
	if g.keep == nothing {
		return 0
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one only empties pools
	runtime.ReadMemStats(&before)
	keys, hs := make(map[string]struct{}), make(map[uint64]struct{})
	for key := range g.texts {
		keys[strings.Clone(key)] = struct{}{}
	}
	for h := range g.digests {
		hs[h] = struct{}{}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(keys)
	runtime.KeepAlive(hs)
	return max(0, int(after.HeapAlloc)-int(before.HeapAlloc))
}

// bytes is the size of the table; what a map takes is measured as a whole.
func (g *guard) bytes() int {
	if g.filter == nil {
		return 0
	}
	return g.filter.SizeBytes()
}
