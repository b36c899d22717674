package counting

// Stats describes a [Filter] or a [DLeft] at one moment.
type Stats struct {
	// Inserted is the number of keys, as Len has it.
	Inserted int
	// Slots is the number of slots. In a Filter a slot is a counter, in a DLeft it holds a true fingerprint
	// and a counter. Used is how many slots hold anything, and Saturated how many have a counter that will
	// not change any more.
	Slots, Used, Saturated int
	// LoadFactor is Used as a share of Slots, 0 to 1.
	LoadFactor float64
	// FalsePositiveRate is the rate to expect of the filter as it is now. In a Filter it is the load factor to
	// the power of k; bloom.PredictRate, which needs no table, holds for counters as it does for bits. In a
	// DLeft it is [DLeft.FalsePositiveRate].
	FalsePositiveRate float64
}
