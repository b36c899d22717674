package catalogue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A Loops is a filter as loops over its verbs. Keys are integers and are hashed by hashing.Mix64, those of a batch by
// hashing.MixAll, within the loops, as the paper counts hashing in its times. A loop is compiled for the type of its filter:
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
// functions below, and so is what they are given, which calls the verb: the call is direct.
func insertEach(keys []uint64, insert func(h uint64) error) (int, error) {
	for i, k := range keys {
		if err := insert(hashing.Mix64(k)); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

func countEach(keys []uint64, verb func(h uint64) bool) (n int) {
	for _, k := range keys {
		if verb(hashing.Mix64(k)) {
			n++
		}
	}
	return n
}

// Insert stores keys until one is refused and returns how many it took, with the error of the refusal.
func (s *Loops) Insert(keys []uint64) (int, error) { return s.insert(keys) }

// SizeBytes is the size of the table now: that of a filter that grows changes.
func (s *Loops) SizeBytes() int { return s.verbs.SizeBytes() }

// Batches returns a loop of lookups with ContainsHashes, so many at a time, which hashes them before it looks them up.
func (s *Loops) Batches(size int) func(keys []uint64) int {
	return inBatches(s.verbs.ContainsHashes, size)
}

// inBatches makes a loop of a batch verb. Its buffers are its own.
func inBatches(contains func(hs []uint64, dst []bool), size int) func(keys []uint64) int {
	hs, dst := make([]uint64, size), make([]bool, size)
	return func(keys []uint64) int { return countBatches(keys, hs, dst, contains) }
}

// RemoveBatches returns a loop of deletes with DeleteHashes, so many at a time, which hashes them before it deletes them; nil for filters
// that have no such verb.
func (s *Loops) RemoveBatches(size int) func(keys []uint64) int {
	d, ok := s.verbs.(interface{ DeleteHashes(hs []uint64) int })
	if !ok {
		return nil
	}
	hs := make([]uint64, size)
	return func(keys []uint64) (deleted int) {
		for part := range slices.Chunk(keys, size) {
			hashing.MixAll(part, hs)
			deleted += d.DeleteHashes(hs[:len(part)])
		}
		return deleted
	}
}

// countBatches is the loop: it hashes as many keys as there is room for before it looks them up.
func countBatches(keys, hs []uint64, dst []bool, contains func(hs []uint64, dst []bool)) (found int) {
	for len(keys) > 0 {
		part := keys[:min(len(hs), len(keys))]
		keys = keys[len(part):]
		digests, answers := hs[:len(part)], dst[:len(part)]
		hashing.MixAll(part, digests)
		contains(digests, answers)
		found += measure.CountTrue(answers)
	}
	return found
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
			return insertEach(keys, func(h uint64) error { return f.InsertHash(h) })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		Remove:   func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.DeleteHash(h) }) },
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
			return insertEach(keys, func(h uint64) error { f.InsertHash(h); return nil })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
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
			return insertEach(keys, func(h uint64) error { f.InsertHash(h); return nil })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
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
			return insertEach(keys, func(h uint64) error { f.InsertHash(h); return nil })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
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
			return insertEach(keys, func(h uint64) error { return f.InsertHash(h) })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		Remove:   func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.DeleteHash(h) }) },
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
			return insertEach(keys, func(h uint64) error { return f.InsertHash(h) })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		Remove:   func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.DeleteHash(h) }) },
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
			return insertEach(keys, func(h uint64) error { f.InsertHash(h); return nil })
		},
		Contains: func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.ContainsHash(h) }) },
		Remove:   func(keys []uint64) int { return countEach(keys, func(h uint64) bool { return f.DeleteHash(h) }) },
	}.of(f, nil), nil
}

// refusal is nil for the refusal that ends the filling of a filter without a number of items.
func refusal(err error, items int) error {
	if items == 0 && errors.Is(err, errs.Full) {
		return nil
	}
	return err
}

// chunk is how many keys are timed at a time. They are made outside the time and take 512 KiB.
const chunk = 1 << 16

// A FillSize is what a profile measures of a filter in tables 1 and 2.
type FillSize struct {
	Q      int // 2^q slots
	Trials int
	Probes int // absent keys of a trial
	Traced int // keys, and absent keys, whose reads are counted
}

// build fills an empty filter from the stream, n keys or, if n is 0, until one is refused. It returns how
// many are in and how long that took, the making of the keys not counted.
func (f *Loops) build(ctx context.Context, s *measure.Stream, n int) (stored int, took time.Duration, err error) {
	for n == 0 || stored < n {
		if ctx.Err() != nil {
			return stored, took, ctx.Err()
		}
		part := f.keys
		if n > 0 {
			part = f.keys[:min(chunk, n-stored)]
		}
		s.Fill(part)
		start := time.Now()
		in, err := f.insert(part)
		took += time.Since(start)
		stored += in
		if err != nil {
			return stored, took, refusal(err, n)
		}
	}
	return stored, took, nil
}

// Count asks for the next n keys of the stream, in batches, and returns how many are found.
func (f *Loops) Count(ctx context.Context, s *measure.Stream, n int, verb func(keys []uint64) int) (found int, err error) {
	for asked := 0; asked < n; asked += chunk {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		part := f.keys[:min(chunk, n-asked)]
		s.Fill(part)
		found += verb(part)
	}
	return found, nil
}

// FillCounts are what tables 1 to 3 count of a filter, and what follows from them.
var (
	FillCounts  = []string{"items", "size_bytes", "lost", "probes", "false_positives"}
	FillDerived = []lab.Derived{
		{Name: "bits_per_item", Of: func(r lab.Row) float64 { return lab.Quotient(8*r.Count("size_bytes"), r.Count("items")) }},
		{Name: "false_positive_rate", Of: func(r lab.Row) float64 { return r.Ratio("false_positives", "probes") }},
		{Name: "predicted_rate", Of: PredictedRate},
	}
)

// PredictedRate is what the formula of the row's filter says of its items.
func PredictedRate(r lab.Row) float64 {
	k, ok := Find(r.Series)
	if !ok {
		return math.NaN()
	}
	return k.Predict(measure.Power2(r.Param("slots")), r.Count("items"))
}

// TouchCounts are the counts of [Kind.touches], behind FillCounts.
var TouchCounts = []string{"traced", "positive_references", "positive_lines", "negative_references", "negative_lines"}

// recall looks n keys that are stored up again, and then keys that are absent, on so many goroutines, and returns the last
// three of FillCounts: it denied so many of the former, and found so many of so many others.
func (f *Loops) recall(ctx context.Context, held measure.Stream, n int, absent measure.Stream, probes, workers int) ([]int, error) {
	found, err := f.countOn(ctx, workers, held, n)
	if err != nil {
		return nil, err
	}
	falsePositives, err := f.countOn(ctx, workers, absent, probes)
	return []int{n - found, probes, falsePositives}, err
}

// countOn asks for n keys of the stream, which has no hash of its own, on so many goroutines, and returns how many
// are found.
func (f *Loops) countOn(ctx context.Context, workers int, s measure.Stream, n int) (found int, err error) {
	if workers == 1 {
		return f.Count(ctx, &s, n, f.batch)
	}
	var wg sync.WaitGroup
	counts, errs := make([]int, workers), make([]error, workers)
	for w := range workers {
		from, to := int(int64(n)*int64(w)/int64(workers)), int(int64(n)*int64(w+1)/int64(workers))
		own := *f // but for its buffers
		own.batch, own.keys = f.Batches(measure.Batch), make([]uint64, chunk)
		part := measure.Stream{Next: s.Next + uint64(from)*measure.SplitMixStep}
		wg.Go(func() { counts[w], errs[w] = own.Count(ctx, &part, to-from, own.batch) })
	}
	wg.Wait()
	for _, c := range counts {
		found += c
	}
	return found, errors.Join(errs...)
}

// Touches fills the filter and counts what lookups read, of keys that it holds and of keys that are absent. What
// a tracer answers must be what the filter does.
func (k Kind) Touches(ctx context.Context, z FillSize, seed uint64) (f *Loops, counts []int, err error) {
	f, err = k.open(z.Q, seed)
	if err != nil {
		return nil, nil, err
	}
	t := f.trace()
	s := measure.Stream{Next: seed}
	again := s
	items, _, err := f.build(ctx, &s, k.Items(z.Q))
	if err != nil {
		return nil, nil, fmt.Errorf("%s of 2^%d slots: %w", k.Name, z.Q, err)
	}
	if t.note != nil {
		noted := again
		if _, err := f.Count(ctx, &noted, items, noteAll(t.note)); err != nil {
			return nil, nil, err
		}
	}
	recalled, err := f.recall(ctx, again, items, s, z.Probes, 1)
	if err != nil {
		return nil, nil, err
	}
	counts = append([]int{items, f.sizeBytes}, append(recalled, min(z.Traced, items))...)
	for _, from := range []measure.Stream{again, s} {
		c, err := f.traceKeys(t, from, min(z.Traced, items))
		if err != nil {
			return nil, nil, fmt.Errorf("%s of 2^%d slots: %w", k.Name, z.Q, err)
		}
		counts = append(counts, c.references, c.lines)
	}
	return f, counts, nil
}

// noteAll makes a loop of a tracer's note.
func noteAll(note func(digest uint64)) func(keys []uint64) int {
	return func(keys []uint64) int {
		for _, k := range keys {
			note(hashing.Mix64(k))
		}
		return 0
	}
}

// traceKeys counts the reads of the lookups of the next n keys of the stream.
func (f *Loops) traceKeys(t tracer, s measure.Stream, n int) (touchCount, error) {
	var c touchCount
	keys := make([]uint64, n)
	s.Fill(keys)
	for i, k := range keys {
		c.begin()
		answer := t.reads(hashing.Mix64(k), c.visit)
		if real := f.Contains(keys[i:i+1]) == 1; t.answers && answer != real {
			return c, fmt.Errorf("key %#x: the reads that are counted say %t, the filter says %t", k, answer, real)
		}
	}
	return c, nil
}
