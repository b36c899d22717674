package nest

// Stats describes a [Filter] or a [View] at one moment. Filters of the Bloom kinds and of kind [Counting] keep no count
// of the slots that are used, so they read their whole table once for it. So do their views, and every view that is a
// *counting.View. All others read no table.
type Stats struct {
	// Len, Slots and SizeBytes are what the methods of these names return.
	Len, Slots, SizeBytes int
	// LoadFactor is the used slots as a share of all, 0 to 1.
	LoadFactor float64
	// FalsePositiveRate is the rate to expect of the filter as it is now.
	FalsePositiveRate float64
}

// A sized has the numbers of Stats that cost nothing.
type sized interface {
	Len() int
	Slots() int
	SizeBytes() int
}

// statsOf returns the Stats of a filter or a view.
func statsOf(f sized, load, rate float64) Stats {
	return Stats{Len: f.Len(), Slots: f.Slots(), SizeBytes: f.SizeBytes(), LoadFactor: load, FalsePositiveRate: rate}
}

// keptRates returns the load and the rate of what keeps a count of its used slots.
func keptRates[T interface {
	LoadFactor() float64
	FalsePositiveRate() float64
}](f T) (load, rate float64) {
	return f.LoadFactor(), f.FalsePositiveRate()
}
