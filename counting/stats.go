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
	// EstimatedCount is the estimated number of distinct keys, or +Inf.
	EstimatedCount float64
	// FalsePositiveRate is the rate to expect now.
	FalsePositiveRate float64
}
