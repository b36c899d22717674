package experiments

import (
	"context"
	"errors"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/widths"
	"github.com/nestfilter/nest/hashing"
)

// A stream yields the digests of one trial: random 64-bit integers that are all different, so that
// what follows the inserted ones is absent for certain.
type stream struct {
	next uint64
	hash hashing.Hasher // nil: the SplitMix64 sequence
	// of, if set, writes the digests of the keys that stand for consecutive integers, in place of hash.
	of func(first uint64, buf []uint64)
}

// splitMixStep is SplitMix64's increment; hashing.Mix64 is its output function.
const splitMixStep = 0x9e3779b97f4a7c15

// fill writes the next digests to buf. With a hasher they are those of consecutive integer keys.
func (s *stream) fill(buf []uint64) {
	k := s.next
	if s.of != nil {
		s.of(k, buf)
		k += uint64(len(buf))
	} else if s.hash != nil {
		for i := range buf {
			buf[i] = s.hash.Sum64Uint64(k)
			k++
		}
	} else {
		for i := range buf {
			buf[i] = hashing.Mix64(k)
			k += splitMixStep
		}
	}
	s.next = k
}

// batch is how many digests go through a filter at a time: enough to hide the interface call, few
// enough to stay in the first-level cache.
const batch = 1024

// insert puts digests of the stream into the filter until one is refused or n are in, and returns
// how many are. The stream then stands behind the last digest offered.
func insert(ctx context.Context, s *stream, f Instance, n int) (stored int, err error) {
	buf := make([]uint64, batch)
	for stored < n {
		if ctx.Err() != nil {
			return stored, ctx.Err()
		}
		part := buf[:min(batch, n-stored)]
		s.fill(part)
		took, err := f.InsertHashes(part)
		stored += took
		if errors.Is(err, cuckoo.ErrFull) {
			return stored, nil
		}
		if err == nil && took != len(part) {
			err = tookWrong(took, len(part))
		}
		if err != nil {
			return stored, err
		}
	}
	return stored, nil
}

// probe asks the filter for the next n digests of the stream and counts those it reports.
func probe(ctx context.Context, s *stream, f Instance, n int) (reported int, err error) {
	buf, dst := make([]uint64, batch), make([]bool, batch)
	for asked := 0; asked < n; asked += batch {
		if ctx.Err() != nil {
			return reported, ctx.Err()
		}
		part := buf[:min(batch, n-asked)]
		s.fill(part)
		f.ContainsHashes(part, dst)
		for _, yes := range dst[:len(part)] {
			if yes {
				reported++
			}
		}
	}
	return reported, nil
}

// The counts of measureRate, and what follows from them.
var (
	rateCounts  = []string{"stored", "size_bytes", "lost", "probes", "false_positives"}
	rateDerived = []Derived{
		{"bits_per_item", func(r Row) float64 { return quotient(8*r.Count("size_bytes"), r.Count("stored")) }},
		{"false_positive_rate", func(r Row) float64 { return r.ratio("false_positives", "probes") }},
	}
)

// measureRate fills a filter with up to n keys, looks each of them up again, and asks for probes keys
// that are absent.
func measureRate(ctx context.Context, s stream, f Instance, n, probes int) ([]int, error) {
	again := s
	stored, err := insert(ctx, &s, f, n)
	if err != nil {
		return nil, err
	}
	found, err := probe(ctx, &again, f, stored)
	if err != nil {
		return nil, err
	}
	falsePositives, err := probe(ctx, &s, f, probes)
	if err != nil {
		return nil, err
	}
	return []int{stored, f.SizeBytes(), stored - found, probes, falsePositives}, nil
}

// newCuckoo returns an empty filter whose kicks are seeded by the trial. Its keys come from the same
// seed, through another function.
func newCuckoo(width int, c cuckoo.Config, seed uint64) (widths.Filter, error) {
	c.Seed = hashing.Mix64(^seed)
	return widths.New(uint(width), c)
}

// probesFor returns the number of probes of each of so many trials that bring about events false
// positives in all at a rate of 1 in oneIn, within the bounds. Integers only: it decides what
// is stored.
func probesFor(events, oneIn, trials, least, most int) int {
	return int(min(max(int64(events)*int64(oneIn)/int64(trials), int64(least)), int64(most)))
}

// power2 reports which power of two n is, for labels; n must be one.
func power2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}
