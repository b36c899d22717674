package bloom

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
