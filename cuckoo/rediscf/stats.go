package rediscf

import "math"

// Stats describes a filter at one moment, from one pass over its tables. [Info] has what a server says of it.
type Stats struct {
	// Slots is the number of slots of all sub-filters, Used how many hold a fingerprint.
	Slots, Used int
	// LoadFactor is Used as a share of Slots, 0 to 1.
	LoadFactor float64
	// FalsePositiveRate predicts the rate at which ExistsHash says yes of keys that were not added, at the
	// present load: 1 - exp(-sum of 2*used/(255*buckets) over the sub-filters), from the 255 fingerprints
	// that are equally likely.
	FalsePositiveRate float64
}

// ScanStats returns counts and rates of the filter as it is now. It counts the fingerprints of each sub-filter, so it
// reads all tables once.
func (f *Filter) ScanStats() (s Stats) {
	matches := 0.0 // expected in the two buckets of a key, over all sub-filters
	for k := range f.subs {
		sub := &f.subs[k]
		used := sub.items()
		s.Slots, s.Used = s.Slots+sub.size(), s.Used+used
		matches += 2 * float64(used) / (255 * float64(sub.mask+1))
	}
	s.LoadFactor = float64(s.Used) / float64(max(1, s.Slots))
	s.FalsePositiveRate = -math.Expm1(-matches)
	return s
}
