package compare

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// lineup is every filter of the module, in the order of the tables: the kinds of package nest, the
// cuckoo filter in several forms.
var lineup = contenders()

func contenders() []size.Form {
	var cuckoos []size.Form
	for _, b := range []int{2, 4, 8} {
		cuckoos = append(cuckoos, size.Form{Name: fmt.Sprintf("cuckoo b=%d", b), Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: b}})
	}
	cuckoos = append(cuckoos, size.Form{Name: "cuckoo b=4 xor", Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: 4, Placement: cuckoo.XOR}})
	return size.Forms(append(cuckoos, size.Layouts()...)...)
}

// A candidate is a filter of the lineup at one rate: what is known of it, and how it is timed.
type candidate struct {
	row   Row
	held  nest.Filter // holds the keys until they are timed; nil for the Go map
	timed *measure.Entrant
}

// A runner is the state of one comparison.
type runner struct {
	ctx        context.Context
	o          Options
	hash       hashing.Digester
	keys       []uint64 // digests, in the order of o.Keys.Keys
	candidates []*candidate
	misses     []string // probes to be timed
	texts      measure.Texts
}

// batch is the number of digests that are handed to a filter together.
const batch = measure.ContestBatch

func (r *runner) candidate(l size.Form, fpr float64) (*candidate, error) {
	n := len(r.keys)
	c := &candidate{row: Row{Filter: l.Name, Asked: fpr}}
	// The promise of a capacity may fail, for narrow fingerprints sooner: then the table is grown.
	for capacity := n; ; capacity += capacity/50 + 1 {
		err := c.plan(l, fpr, capacity)
		if err == nil {
			if c.held, err = nest.New(c.row.Plan.Spec); err == nil {
				_, err = c.held.InsertHashes(r.keys)
			}
		}
		if err == nil && capacity > n {
			c.note("sized for %d keys, because tables for fewer refused these keys", capacity)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, nest.ErrFull) || capacity > 2*n+100 {
			return nil, fmt.Errorf("compare: %s at %v: %w", l.Name, fpr, err)
		}
	}
	stats := c.held.Stats()
	c.row.Bytes, c.row.Predicted = stats.SizeBytes, stats.FalsePositiveRate
	c.row.BitsPerItem = 8 * float64(c.row.Bytes) / float64(n)
	c.timed = c.row.Plan.Entrant(&r.texts)
	return c, r.checkLost(c)
}

// plan sizes the candidate: the largest reachable rate that is not above fpr, or else the lowest.
func (c *candidate) plan(l size.Form, fpr float64, capacity int) error {
	c.row.Note = ""
	s := l.Spec
	s.Capacity, s.FalsePositiveRate, s.Hash = capacity, fpr, hashing.DigestsOnly.Recipe()
	plans, err := nest.Plans(s)
	if errors.Is(err, nest.ErrConfig) {
		s.FalsePositiveRate, s.FingerprintBits = 0, fingerprint.MaxWidth
		if widest, widestErr := nest.Plans(s); widestErr == nil {
			plans, err = widest, nil
			c.note("no width reaches the rate")
		}
	}
	if err != nil {
		return err
	}
	c.row.Plan = size.Of(plans[0], capacity)
	return nil
}

func (c *candidate) note(format string, args ...any) {
	if c.row.Note != "" {
		c.row.Note += "; "
	}
	c.row.Note += fmt.Sprintf(format, args...)
}

// checkLost asks for every key that the candidate holds. The error is a [*LostKeyError].
func (r *runner) checkLost(c *candidate) error {
	lost := LostKeyError{Filter: c.row.Plan.String(), Of: len(r.keys)}
	yes := make([]bool, batch)
	for start := 0; start < len(r.keys); start += batch {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		part := r.keys[start:min(start+batch, len(r.keys))]
		c.held.ContainsHashes(part, yes)
		for i := range part {
			if !yes[i] && lost.Lost == 0 {
				lost.Key = r.o.Keys.Keys[start+i]
			}
			if !yes[i] {
				lost.Lost++
			}
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
	set := make(exact, len(r.o.Keys.Keys))
	for _, key := range r.o.Keys.Keys {
		set[key] = struct{}{}
	}
	c.row.Bytes = max(0, heapBytes()-before) + r.o.Keys.KeyBytes()
	runtime.KeepAlive(set)
	c.row.BitsPerItem = 8 * float64(c.row.Bytes) / float64(len(r.keys))
	c.row.Measured.N = result.Probes
	c.timed = &measure.Entrant{Name: GoMap, Bytes: c.row.Bytes, Open: func() (*measure.Loops, error) {
		return make(exact, len(r.keys)).loops(r.texts.All), nil
	}}
	return c
}

type exact map[string]struct{}

// loops are those of a map, which has no batches. Keys are numbers of texts.
func (e exact) loops(texts []string) *measure.Loops {
	return &measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			for _, k := range keys {
				e[texts[k]] = struct{}{}
			}
			return len(keys), nil
		},
		Contains: func(keys []uint64) (found int) {
			for _, k := range keys {
				if _, ok := e[texts[k]]; ok {
					found++
				}
			}
			return found
		},
	}
}

func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one may end a collection that was under way
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
