package bloom

// Stats describes a filter at one moment, from one pass over its table.
type Stats struct {
	// Inserted is the number of inserts, as Len has it.
	Inserted int
	// Slots is the number of bits, Used how many of them are set.
	Slots, Used int
	// LoadFactor is Used as a share of Slots, 0 to 1.
	LoadFactor float64
	// EstimatedCount is the estimated number of distinct keys inserted, from the number of set bits, so that
	// duplicates and merges do not disturb it. In a Filter at its capacity the standard error is below
	// sqrt(bits)/hashes keys. It is +Inf for a filter with every bit set.
	EstimatedCount float64
	// FalsePositiveRate is the rate to expect of the filter as it is now. In a Filter it is the load factor to
	// the power of k, the probability that k independent positions all hit set bits. In a Blocked it is the
	// mean of that over all blocks, and in a SplitBlock the mean of the product of the load factors of a
	// block's lanes. [PredictRate], [PredictBlockedRate] and [PredictSplitBlockRate] need no table.
	//
	// The table of a SplitBlock does not show the keys that agree with a query in block and low digest
	// half, 2^-32 for each key of a block. Only PredictSplitBlockRate counts them.
	FalsePositiveRate float64
}
