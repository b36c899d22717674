package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/nestfilter/nest/hashing"
)

// chunk is how many keys are timed at a time. They are made outside the time and take 512 KiB.
const chunk = 1 << 16

// A sixSize is what a profile measures of the six filters.
type sixSize struct {
	q      int // 2^q slots
	trials int
	probes int // absent keys of a trial
	traced int // keys, and absent keys, whose reads are counted
}

// build fills an empty filter from the stream, n keys or, if n is 0, until one is refused. It returns how
// many are in and how long that took, the making of the keys not counted.
func (f *sixFilter) build(ctx context.Context, s *stream, n int) (stored int, took time.Duration, err error) {
	for n == 0 || stored < n {
		if ctx.Err() != nil {
			return stored, took, ctx.Err()
		}
		part := f.keys
		if n > 0 {
			part = f.keys[:min(chunk, n-stored)]
		}
		s.fill(part)
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

// count asks for the next n keys of the stream, in batches, and returns how many are found.
func (f *sixFilter) count(ctx context.Context, s *stream, n int, verb func(keys []uint64) int) (found int, err error) {
	for asked := 0; asked < n; asked += chunk {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		part := f.keys[:min(chunk, n-asked)]
		s.fill(part)
		found += verb(part)
	}
	return found, nil
}

// sixCounts are what tables 1 to 3 count of a filter, and what follows from them.
var (
	sixCounts  = []string{"items", "size_bytes", "lost", "probes", "false_positives"}
	sixDerived = []Derived{
		{"bits_per_item", func(r Row) float64 { return quotient(8*r.Count("size_bytes"), r.Count("items")) }},
		{"false_positive_rate", func(r Row) float64 { return r.ratio("false_positives", "probes") }},
		{"predicted_rate", predictedRate},
	}
)

// predictedRate is what the formula of the row's filter says of its items.
func predictedRate(r Row) float64 {
	k, ok := sixNamed(r.Series)
	if !ok {
		return math.NaN()
	}
	return k.predict(power2(r.Param("slots")), r.Count("items"))
}

// touchCounts are the counts of [sixKind.touches], behind sixCounts.
var touchCounts = []string{"traced", "positive_references", "positive_lines", "negative_references", "negative_lines"}

// recall looks n keys that are stored up again, and then keys that are absent, on so many goroutines, and returns the last
// three of sixCounts: it denied so many of the former, and found so many of so many others.
func (f *sixFilter) recall(ctx context.Context, held stream, n int, absent stream, probes, workers int) ([]int, error) {
	found, err := f.countOn(ctx, workers, held, n)
	if err != nil {
		return nil, err
	}
	falsePositives, err := f.countOn(ctx, workers, absent, probes)
	return []int{n - found, probes, falsePositives}, err
}

// countOn asks for n keys of the stream, which has no hash of its own, on so many goroutines, and returns how many
// are found.
func (f *sixFilter) countOn(ctx context.Context, workers int, s stream, n int) (found int, err error) {
	if workers == 1 {
		return f.count(ctx, &s, n, f.batch)
	}
	var wg sync.WaitGroup
	counts, errs := make([]int, workers), make([]error, workers)
	for w := range workers {
		from, to := int(int64(n)*int64(w)/int64(workers)), int(int64(n)*int64(w+1)/int64(workers))
		own := *f // but for its buffers
		own.batch, own.keys = inBatches(f.verbs.ContainsHashes), make([]uint64, chunk)
		part := stream{next: s.next + uint64(from)*splitMixStep}
		wg.Go(func() { counts[w], errs[w] = own.count(ctx, &part, to-from, own.batch) })
	}
	wg.Wait()
	for _, c := range counts {
		found += c
	}
	return found, errors.Join(errs...)
}

// touches fills the filter and counts what lookups read, of keys that it holds and of keys that are absent. What
// a tracer answers must be what the filter does.
func (k sixKind) touches(ctx context.Context, z sixSize, seed uint64) (f *sixFilter, counts []int, err error) {
	f, err = k.open(z.q, seed)
	if err != nil {
		return nil, nil, err
	}
	t := f.trace()
	s := stream{next: seed}
	again := s
	items, _, err := f.build(ctx, &s, k.items(z.q))
	if err != nil {
		return nil, nil, fmt.Errorf("%s of 2^%d slots: %w", k.name, z.q, err)
	}
	if t.note != nil {
		noted := again
		if _, err := f.count(ctx, &noted, items, noteAll(t.note)); err != nil {
			return nil, nil, err
		}
	}
	recalled, err := f.recall(ctx, again, items, s, z.probes, 1)
	if err != nil {
		return nil, nil, err
	}
	counts = append([]int{items, f.sizeBytes}, append(recalled, min(z.traced, items))...)
	for _, from := range []stream{again, s} {
		c, err := f.traceKeys(t, from, min(z.traced, items))
		if err != nil {
			return nil, nil, fmt.Errorf("%s of 2^%d slots: %w", k.name, z.q, err)
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
func (f *sixFilter) traceKeys(t tracer, s stream, n int) (touchCount, error) {
	var c touchCount
	keys := make([]uint64, n)
	s.fill(keys)
	for i, k := range keys {
		c.begin()
		answer := t.reads(hashing.Mix64(k), c.visit)
		if real := f.contains(keys[i:i+1]) == 1; t.answers && answer != real {
			return c, fmt.Errorf("key %#x: the reads that are counted say %t, the filter says %t", k, answer, real)
		}
	}
	return c, nil
}
