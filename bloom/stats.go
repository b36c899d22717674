package bloom

import "github.com/nestfilter/nest/internal/bloomcore"

// Stats describes a filter at one moment.
type Stats struct {
	// Inserted is the number of inserts, as Len has it.
	Inserted int
	// Refused is the number of InsertUnique calls that returned false.
	Refused int
	// Slots is the number of bits, Used how many of them are set.
	Slots, Used int
	// FullestBlock is the number of set bits in the block that has the most, of 512, or of 256 in a
	// SplitBlock; 0 in a Filter, which has no blocks. If it is much more than the average, digests crowd
	// into few blocks.
	FullestBlock int
	// EstimatedCount is the estimated number of distinct keys, or +Inf.
	EstimatedCount float64
	// FalsePositiveRate is the rate to expect now.
	FalsePositiveRate float64
}

// statsOf returns the Stats of a table of that kind.
func statsOf(k *kind, t *bloomcore.Table) Stats {
	rate, fullest := k.measure(t)
	return Stats{
		Inserted:          t.Len,
		Refused:           t.Refused,
		Slots:             int(t.Slots),
		Used:              int(t.Nonzero()),
		FullestBlock:      fullest,
		EstimatedCount:    k.estimate(t),
		FalsePositiveRate: rate,
	}
}

// loadFactor returns the share of bits that are set.
func loadFactor(t *bloomcore.Table) float64 { return float64(t.Nonzero()) / float64(t.Slots) }
