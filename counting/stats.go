package counting

// Stats describes a [Filter] or a [DLeft] at one moment.
type Stats struct {
	// Inserted is the number of keys, as Len has it.
	Inserted int
	// Refused is the number of InsertUnique calls that returned false because Contains said yes.
	Refused int
	// Refusals is the number of inserts that returned ErrFull, a Merge that did counting as one. It is 0 in
	// a Filter, which is never full.
	Refusals int
	// RefusedDeletes is the number of Delete calls that returned false.
	RefusedDeletes int
	// Slots is the number of slots. In a Filter a slot is a counter, in a DLeft it holds a true fingerprint
	// and a counter. Used is how many slots hold anything, and Saturated how many have a counter that will
	// not change any more.
	Slots, Used, Saturated int
	// LoadFactor is Used as a share of Slots, 0 to 1.
	LoadFactor float64
	// EstimatedCount is the estimated number of distinct keys that are present, or +Inf. In a Filter it follows
	// from the number of counters that are not zero, and is +Inf if none is zero. In a DLeft it is one for each used
	// slot, and those that share the true fingerprint of another key on average; it is +Inf if all true fingerprints
	// are present. Duplicates do not disturb it. Saturation makes it too large after deletes.
	EstimatedCount float64
	// FalsePositiveRate is the rate to expect of the filter as it is now. In a Filter it is the load factor to
	// the power of k; bloom.PredictRate, which needs no table, holds for counters as it does for bits. In a
	// DLeft it is [DLeft.FalsePositiveRate].
	FalsePositiveRate float64
}
