package bloom

import "github.com/nestfilter/nest/internal/bloomcore"

// Stats describes a filter at one moment.
type Stats struct {
	// Inserted is the number of inserts, as Len has it.
	Inserted int
	// Refused is the number of InsertUnique calls that returned false.
	Refused int
	// Slots is the number of bits, SetBits how many of them are set.
	Slots, SetBits int
	// FullestBlock is the number of set bits in the block that has the most, of 512, or of 256 in a
	// SplitBlock; 0 in a Filter, which has no blocks. Much more than the average says that digests crowd into few blocks.
	FullestBlock int
	// EstimatedCount is the estimated number of distinct keys, or +Inf.
	EstimatedCount float64
	// FalsePositiveRate is the rate to expect now.
	FalsePositiveRate float64
}

func statsOf(t *bloomcore.Table, rate, estimate float64) Stats {
	return Stats{
		Inserted:          t.Len,
		Refused:           t.Refused,
		Slots:             int(t.Slots),
		SetBits:           int(t.Nonzero()),
		EstimatedCount:    estimate,
		FalsePositiveRate: rate,
	}
}

// merge makes t the union of t and u.
func merge(t, u *bloomcore.Table) error {
	if err := t.Match(pkg, u); err != nil {
		return err
	}
	for i, w := range u.Words {
		t.Words[i] |= w
	}
	t.Count(u.Len)
	return nil
}
