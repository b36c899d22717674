package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
)

// Stats describes a [Filter] or a [View] at one moment. Filters of the Bloom kinds and of the kinds [Counting] and
// [ConcurrentCuckoo] keep no count of the slots that are used, so they read their whole table for it. So do views of the
// first two, and every view that is a *counting.View. All others read no table.
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

// statsOf returns the Stats of a filter or a view of the packages below.
func statsOf(f sized) Stats {
	s := Stats{Len: f.Len(), Slots: f.Slots(), SizeBytes: f.SizeBytes()}
	switch f := f.(type) {
	case interface { // it keeps a count of its used slots
		LoadFactor() float64
		FalsePositiveRate() float64
	}:
		s.LoadFactor, s.FalsePositiveRate = f.LoadFactor(), f.FalsePositiveRate()
	case interface{ ScanStats() bloom.Stats }:
		scan := f.ScanStats()
		s.LoadFactor, s.FalsePositiveRate = scan.LoadFactor, scan.FalsePositiveRate
	case interface{ ScanStats() counting.Stats }:
		scan := f.ScanStats()
		s.LoadFactor, s.FalsePositiveRate = scan.LoadFactor, scan.FalsePositiveRate
	}
	return s
}
