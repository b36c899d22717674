package bitsandblooms

// Stats describes a filter at one moment, from one pass over its table.
type Stats struct {
	// Inserted is the number of inserts, as Len has it.
	Inserted int
	// Slots is the number of bits, Used how many of them are set.
	Slots, Used int
	// LoadFactor is Used as a share of Slots, 0 to 1.
	LoadFactor float64
	// FalsePositiveRate is the rate to expect of the filter as it is now: the load factor to the power of k.
	// The k locations come from four words and are not quite independent, which shows in small tables only.
	FalsePositiveRate float64
}

// ScanStats returns counts and rates of the filter as it is now. It reads the whole table once.
func (f *Filter) ScanStats() Stats {
	used, _, rate := f.t.Measure()
	return Stats{
		Inserted: f.t.Len(), Slots: f.Slots(), Used: int(used), LoadFactor: f.t.Share(used),
		FalsePositiveRate: rate,
	}
}
