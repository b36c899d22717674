package measure

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// A Stream yields the digests of one trial: random 64-bit integers that are all different, so that
// what follows the inserted ones is absent for certain.
type Stream struct {
	Next uint64
	Hash hashing.Hasher // nil: the SplitMix64 sequence
	// Of, if set, writes the digests of the keys that stand for consecutive integers, in place of hash.
	Of func(first uint64, buf []uint64)
}

// SplitMixStep is SplitMix64's increment; hashing.Mix64 is its output function.
const SplitMixStep = 0x9e3779b97f4a7c15

// Fill writes the next digests to buf. With a hasher they are those of consecutive integer keys.
func (s *Stream) Fill(buf []uint64) {
	step := uint64(1)
	switch first := s.Next; {
	case s.Of != nil:
		s.Of(first, buf)
	case s.Hash != nil:
		for i := range buf {
			buf[i] = s.Hash.Sum64Uint64(first + uint64(i))
		}
	default:
		step = SplitMixStep
		for i := range buf {
			buf[i] = first + uint64(i)*SplitMixStep
		}
		hashing.MixAll(buf, buf)
	}
	s.Next += step * uint64(len(buf))
}

// Batch is how many digests go through a filter at a time: enough to hide the interface call, few
// enough to stay in the first-level cache.
const Batch = 1024

// Each calls do with the next n digests of the stream, so many at a time. It ends with do's error or the context.
func (s *Stream) Each(ctx context.Context, n, size int, do func(hs []uint64) error) error {
	buf := make([]uint64, min(size, max(n, 0)))
	for done := 0; done < n; done += size {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		part := buf[:min(size, n-done)]
		s.Fill(part)
		if err := do(part); err != nil {
			return err
		}
	}
	return nil
}

// Insert puts digests of the stream into the filter until one is refused or n are in, and returns
// how many are. The stream then stands behind the last digest offered.
func Insert(ctx context.Context, s *Stream, f lab.Instance, n int) (stored int, err error) {
	err = s.Each(ctx, n, Batch, func(hs []uint64) error {
		took, err := f.InsertHashes(hs)
		stored += took
		if err == nil && took != len(hs) {
			err = TookWrong(took, len(hs))
		}
		return err
	})
	return stored, Unfilled(err)
}

// Probe asks the filter for the next n digests of the stream and counts those it reports.
func Probe(ctx context.Context, s *Stream, f lab.Instance, n int) (reported int, err error) {
	dst := make([]bool, Batch)
	err = s.Each(ctx, n, Batch, func(hs []uint64) error {
		f.ContainsHashes(hs, dst)
		reported += CountTrue(dst[:len(hs)])
		return nil
	})
	return reported, err
}

// CountTrue counts the answers that are yes, eight of them by one instruction: one by one they take a third of the time
// of the batch of lookups that gave them.
func CountTrue(answers []bool) (n int) {
	asBytes, _ := memory.AsBytes(answers)
	words, _ := memory.AsWords(asBytes)
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	answers = answers[8*len(words):] // all of them in a build with the tag purego
	for ; len(answers) >= 8; answers = answers[8:] {
		a := (*[8]bool)(answers)
		n += one(a[0]) + one(a[1]) + (one(a[2]) + one(a[3])) + (one(a[4]) + one(a[5]) + (one(a[6]) + one(a[7])))
	}
	for _, yes := range answers {
		n += one(yes)
	}
	return n
}

// one is 1 for true, without a branch.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// CountRate fills a filter with up to n keys, looks each of them up again, and asks for probes keys that are absent.
func CountRate(ctx context.Context, s Stream, f lab.Instance, n, probes int) ([]int, error) {
	again := s
	stored, err := Insert(ctx, &s, f, n)
	if err != nil {
		return nil, err
	}
	found, err := Probe(ctx, &again, f, stored)
	if err != nil {
		return nil, err
	}
	falsePositives, err := Probe(ctx, &s, f, probes)
	if err != nil {
		return nil, err
	}
	return []int{stored, f.SizeBytes(), stored - found, probes, falsePositives}, nil
}

// Cuckoo is a cuckoo filter of any width. A call costs some nanoseconds more than one of a filter whose width is a
// type: time batches, and name the type where a single call is timed.
type Cuckoo = cuckoo.Filter[fingerprint.Any]

// NewCuckoo returns an empty filter whose kicks are seeded by the trial. Its keys come from the same
// seed, through another function.
func NewCuckoo(width int, c cuckoo.Config, seed uint64) (*Cuckoo, error) {
	c.Seed, c.FingerprintBits = hashing.Mix64(^seed), width
	return cuckoo.New[fingerprint.Any](c)
}

// ProbesFor returns the number of probes of each of so many trials that bring about events false positives in all at a
// rate of 1 in oneIn, within the bounds. Integers only: it decides what is stored.
func ProbesFor(events, oneIn, trials, least, most int) int {
	return int(min(max(int64(events)*int64(oneIn)/int64(trials), int64(least)), int64(most)))
}

// Power2 reports which power of two n is, for labels; n must be one.
func Power2(n int) int { return bits.TrailingZeros(uint(n)) }

// TookWrong is the error of an Instance that returns a number of digests which cannot be.
func TookWrong(took, of int) error {
	return fmt.Errorf("InsertHashes took %d of %d digests and returned no error: want all of them, or the error of the "+
		"one refused", took, of)
}
