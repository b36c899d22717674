package experiments

import (
	"context"

	"github.com/nestfilter/nest/hashing"
)

// RateCounts are what [MeasureRate] counts.
type RateCounts struct {
	Stored         int // digests that the filter took before it refused one
	SizeBytes      int // of the table, then
	Lost           int // digests among the stored ones that the filter does not report
	Probes         int // absent digests that it was asked for
	FalsePositives int // those of them that it reported
}

// MeasureRate offers n different keys to a filter until one is refused, looks up each one that was taken and
// then so many keys that are absent. Without a hasher the digests are random and different; with one the keys
// are the integers from seed on. Everything follows from the arguments. It costs a call of the filter for every
// 1024 digests, and ends early when the context does, with its error.
func MeasureRate(ctx context.Context, seed uint64, h hashing.Hasher, f Instance, n, probes int) (RateCounts, error) {
	counts, err := measureRate(ctx, stream{next: seed, hash: h}, f, n, probes)
	if err != nil {
		return RateCounts{}, err
	}
	return RateCounts{Stored: counts[0], SizeBytes: counts[1], Lost: counts[2], Probes: counts[3], FalsePositives: counts[4]}, nil
}
