package catalogue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

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
