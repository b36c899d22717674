package counting

import (
	"fmt"
)

// ScanStats returns counts and rates of the filter as it is now. It reads all counters once, for
// Saturated. LoadFactor and FalsePositiveRate are methods too, which read no table.
func (f *DLeft) ScanStats() Stats {
	saturated := 0
	for bucket := range f.extras.Buckets() {
		saturated += f.extras.Count(bucket, f.top-1)
	}
	return Stats{
		Inserted:          f.len,
		Slots:             f.Slots(),
		Used:              f.used,
		Saturated:         saturated,
		LoadFactor:        f.LoadFactor(),
		FalsePositiveRate: f.FalsePositiveRate(),
	}
}

// Len returns the number of keys inserted less the number deleted, duplicates included, and never less than
// 0 or more than math.MaxInt: a delete of a key whose counter is saturated counts too.
func (f *DLeft) Len() int { return f.len }

// Slots returns the number of slots of the four tables.
func (f *DLeft) Slots() int { return f.config.Buckets * dleftSlots }

// LoadFactor returns the share of slots that are used, 0 to 1.
func (f *DLeft) LoadFactor() float64 { return float64(f.used) / float64(max(1, f.Slots())) }

// SizeBytes returns the size in bytes of the remainders and the counters, with 8 bytes of padding
// behind each.
func (f *DLeft) SizeBytes() int { return len(f.remainders.Data()) + len(f.extras.Data()) }

// FalsePositiveRate returns the share of keys that were not inserted for which Contains says yes, as
// the filter is now: used/(m*(2^RemainderBits-1)), where used is the number of used slots and m the
// number of buckets of a table.
//
// It is exact for keys whose digests are uniform: there are m*(2^RemainderBits-1) true fingerprints,
// each used slot holds one, no two the same, and Contains says yes for those alone. With load alpha
// it is 16*alpha/(2^RemainderBits-1). It costs nothing.
func (f *DLeft) FalsePositiveRate() float64 {
	return float64(f.used) / max(1, float64(f.classes.m)*float64(f.classes.span))
}

// Config returns the configuration with every default filled in, and with Buckets and RemainderBits
// in place of Capacity and FalsePositiveRate. NewDLeft makes an empty filter of it that f can be
// merged with.
func (f *DLeft) Config() DLeftConfig { return f.config }

// String returns a short description: shape and number of keys.
func (f *DLeft) String() string {
	return fmt.Sprintf("counting.DLeft{%s, len %d, %d bytes}", f.config, f.len, f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its tables.
func (f *DLeft) GoString() string { return f.String() }
