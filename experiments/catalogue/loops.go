package catalogue

import (
	"errors"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A Loops is a filter as loops over its verbs. Keys are integers and are hashed by hashing.Mix64
// within the loops, as the paper counts hashing in its times. A loop is compiled for the type of its filter:
// what it calls is what a user's program calls, one by one and without an interface. A Loops belongs
// to one goroutine.
type Loops struct {
	// insert stores keys until one is refused and returns how many it took. The error is then that of
	// the refusal and wraps cuckoo.ErrFull.
	insert func(keys []uint64) (int, error)
	// Contains looks keys up one by one and returns how many are found.
	Contains func(keys []uint64) int
	// batch does so with ContainsHashes, hashing a batch of keys before it looks them up.
	batch func(keys []uint64) int
	// Build makes a filter like this one from digests in bulk; nil for filters that cannot.
	Build func(hs []uint64) error
	// Reset empties the filter.
	Reset func()
	// Remove deletes keys one by one and returns how many were found; nil for filters that cannot.
	Remove func(keys []uint64) int
	// trace returns a tracer of the filter, which is empty.
	trace func() tracer
	// used is the share of slots in use, of a filter that has slots; nil for the others.
	used func() float64
	// sizeBytes is the size of the table.
	sizeBytes int
	// clone returns a copy of a filter that is measured at the paper's number of items and then goes on; nil for
	// the others.
	clone func() *Loops
	// verbs is the filter itself.
	verbs verbSet
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

// Insert stores keys until one is refused and returns how many it took, with the error of the refusal.
func (s *Loops) Insert(keys []uint64) (int, error) { return s.insert(keys) }

// SizeBytes is the size of the table.
func (s *Loops) SizeBytes() int { return s.sizeBytes }

// Batches returns a loop of lookups with ContainsHashes, so many at a time, which hashes them before it looks them up.
func (s *Loops) Batches(size int) func(keys []uint64) int {
	return inBatches(s.verbs.ContainsHashes, size)
}

// inBatches makes a loop of a batch verb. Its buffers are its own.
func inBatches(contains func(hs []uint64, dst []bool), size int) func(keys []uint64) int {
	hs, dst := make([]uint64, size), make([]bool, size)
	return func(keys []uint64) (found int) {
		for len(keys) > 0 {
			part := keys[:min(size, len(keys))]
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

// verbSet are what the filters have alike and nobody times one by one.
type verbSet interface {
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
}

// of completes the loops of a filter, and empties it.
func (s Loops) of(f interface {
	verbSet
	Reset()
}, used func() float64) *Loops {
	s.Reset = f.Reset
	f.Reset() // writes to every page of the table, which the first inserts would else pay for
	return s.over(f, used)
}

// over completes the loops of a filter.
func (s Loops) over(f verbSet, used func() float64) *Loops {
	s.batch, s.used, s.sizeBytes, s.verbs, s.keys = inBatches(f.ContainsHashes, measure.Batch), used, f.SizeBytes(), f, make([]uint64, chunk)
	return &s
}

// openCuckoo has the loops of a cuckoo filter.
func openCuckoo[F fingerprint.Width](c cuckoo.Config, seed uint64) (*Loops, error) {
	c.Seed = hashing.Mix64(^seed)
	f, err := cuckoo.New[F](c)
	if err != nil {
		return nil, err
	}
	return Loops{
		trace: func() tracer { return traceCuckoo(c, fingerprint.WidthOf[F]()) },
		Build: func(hs []uint64) error {
			_, err := cuckoo.Build[F](c, hs)
			return err
		},
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}.of(f, f.LoadFactor), nil
}

// openBloom has the loops of a Bloom filter.
func openBloom(c bloom.Config) (*Loops, error) {
	f, err := bloom.New(c)
	if err != nil {
		return nil, err
	}
	return Loops{
		trace: func() tracer { return traceCells(uint64(c.Bits), c.Hashes, 1) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}.of(f, nil), nil
}

// openBlocked has the loops of a blocked Bloom filter.
func openBlocked(c bloom.Config) (*Loops, error) {
	f, err := bloom.NewBlocked(c)
	if err != nil {
		return nil, err
	}
	return Loops{
		trace: func() tracer { return traceBlocks(uint64(c.Bits)) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}.of(f, nil), nil
}

// openSplitBlock has the loops of a split-block Bloom filter, whose reads are not traced.
func openSplitBlock(c bloom.Config) (*Loops, error) {
	f, err := bloom.NewSplitBlock(c)
	if err != nil {
		return nil, err
	}
	return Loops{
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}.of(f, nil), nil
}

// openQuotient has the loops of a quotient filter.
func openQuotient(c quotientfilter.Config) (*Loops, error) {
	f, err := quotientfilter.New(c)
	if err != nil {
		return nil, err
	}
	return quotientLoops(f).of(f, f.LoadFactor), nil
}

func quotientLoops(f *quotientfilter.Filter) Loops {
	return Loops{
		clone: func() *Loops {
			c := f.Clone()
			return quotientLoops(c).over(c, c.LoadFactor)
		},
		trace: func() tracer { return tracer{reads: f.Reads, answers: true} },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}
}

// openDLeft has the loops of a d-left counting Bloom filter.
func openDLeft(c counting.DLeftConfig) (*Loops, error) {
	f, err := counting.NewDLeft(c)
	if err != nil {
		return nil, err
	}
	return Loops{
		trace: func() tracer { return traceDLeft(c) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}.of(f, f.LoadFactor), nil
}

// openCounting has the loops of a counting Bloom filter.
func openCounting(c counting.Config) (*Loops, error) {
	f, err := counting.New(c)
	if err != nil {
		return nil, err
	}
	return Loops{
		trace: func() tracer { return traceCells(uint64(c.Counters), c.Hashes, uint64(c.CounterBits)) },
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
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
