package experiments

import (
	"errors"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A sixFilter is a filter as loops over its verbs. Keys are integers and are hashed by hashing.Mix64
// within the loops, as the paper counts hashing in its times. A loop is compiled for the type of its filter:
// what it calls is what a user's program calls, one by one and without an interface. A sixFilter belongs
// to one goroutine.
type sixFilter struct {
	// insert stores keys until one is refused and returns how many it took. The error is then that of
	// the refusal and wraps cuckoo.ErrFull.
	insert func(keys []uint64) (int, error)
	// contains looks keys up one by one and returns how many are found.
	contains func(keys []uint64) int
	// batch does so with ContainsHashes, hashing a batch of keys before it looks them up.
	batch func(keys []uint64) int
	// remove deletes keys one by one and returns how many were found; nil for filters that cannot.
	remove func(keys []uint64) int
	// trace returns a tracer of the filter, which is empty.
	trace func() tracer
	// used is the share of slots in use, of a filter that has slots; nil for the others.
	used func() float64
	// sizeBytes is the size of the table.
	sizeBytes int
	// clone returns a copy of a filter that is measured at the paper's number of items and then goes on; nil for
	// the others.
	clone func() *sixFilter
	// verbs is the filter itself.
	verbs sixVerbs
	// keys is where those of the next loop are made.
	keys []uint64
}

// insertEach and countEach are the loops of every filter. They are small enough to be inlined into the
// functions below, and so is what they are given, which hashes the key and calls the verb: the call
// is direct.
func insertEach(keys []uint64, insert func(key uint64) error) (int, error) {
	for i, k := range keys {
		if err := insert(k); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

func countEach(keys []uint64, verb func(key uint64) bool) (n int) {
	for _, k := range keys {
		if verb(k) {
			n++
		}
	}
	return n
}

// inBatches makes a loop of a batch verb. Its buffers are its own.
func inBatches(contains func(hs []uint64, dst []bool)) func(keys []uint64) int {
	hs, dst := make([]uint64, batch), make([]bool, batch)
	return func(keys []uint64) (found int) {
		for len(keys) > 0 {
			part := keys[:min(batch, len(keys))]
			keys = keys[len(part):]
			for i, k := range part {
				hs[i] = hashing.Mix64(k)
			}
			contains(hs[:len(part)], dst)
			for _, yes := range dst[:len(part)] {
				if yes {
					found++
				}
			}
		}
		return found
	}
}

// sixVerbs are what the filters have alike and nobody times one by one.
type sixVerbs interface {
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
}

// of completes the loops of a filter, and empties it.
func (s sixFilter) of(f interface {
	sixVerbs
	Reset()
}, used func() float64) *sixFilter {
	f.Reset() // writes to every page of the table, which the first inserts would else pay for
	return s.over(f, used)
}

// over completes the loops of a filter.
func (s sixFilter) over(f sixVerbs, used func() float64) *sixFilter {
	s.batch, s.used, s.sizeBytes, s.verbs, s.keys = inBatches(f.ContainsHashes), used, f.SizeBytes(), f, make([]uint64, chunk)
	return &s
}

// sixCuckoo has the loops of a cuckoo filter.
func sixCuckoo[F fingerprint.Width](c cuckoo.Config, seed uint64) (*sixFilter, error) {
	c.Seed = hashing.Mix64(^seed)
	f, err := cuckoo.New[F](c)
	if err != nil {
		return nil, err
	}
	return sixFilter{
		trace: func() tracer { return traceCuckoo(c, fingerprint.WidthOf[F]()) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}.of(f, f.LoadFactor), nil
}

// sixBloom has the loops of a Bloom filter.
func sixBloom(c bloom.Config) (*sixFilter, error) {
	f, err := bloom.New(c)
	if err != nil {
		return nil, err
	}
	return sixFilter{
		trace: func() tracer { return traceCells(uint64(c.Bits), c.Hashes, 1) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}.of(f, nil), nil
}

// sixBlocked has the loops of a blocked Bloom filter.
func sixBlocked(c bloom.Config) (*sixFilter, error) {
	f, err := bloom.NewBlocked(c)
	if err != nil {
		return nil, err
	}
	return sixFilter{
		trace: func() tracer { return traceBlocks(uint64(c.Bits)) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}.of(f, nil), nil
}

// sixQuotient has the loops of a quotient filter.
func sixQuotient(c quotientfilter.Config) (*sixFilter, error) {
	f, err := quotientfilter.New(c)
	if err != nil {
		return nil, err
	}
	return quotientLoops(f).of(f, f.LoadFactor), nil
}

func quotientLoops(f *quotientfilter.Filter) sixFilter {
	return sixFilter{
		clone: func() *sixFilter {
			c := f.Clone()
			return quotientLoops(c).over(c, c.LoadFactor)
		},
		trace: func() tracer { return tracer{reads: f.Reads, answers: true} },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}
}

// sixDLeft has the loops of a d-left counting Bloom filter.
func sixDLeft(c counting.DLeftConfig) (*sixFilter, error) {
	f, err := counting.NewDLeft(c)
	if err != nil {
		return nil, err
	}
	return sixFilter{
		trace: func() tracer { return traceDLeft(c) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}.of(f, f.LoadFactor), nil
}

// sixCounting has the loops of a counting Bloom filter.
func sixCounting(c counting.Config) (*sixFilter, error) {
	f, err := counting.New(c)
	if err != nil {
		return nil, err
	}
	return sixFilter{
		trace: func() tracer { return traceCells(uint64(c.Counters), c.Hashes, uint64(c.CounterBits)) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}.of(f, nil), nil
}

// refusal is nil for the refusal that ends the filling of a filter without a number of items.
func refusal(err error, items int) error {
	if items == 0 && errors.Is(err, errs.Full) {
		return nil
	}
	return err
}
