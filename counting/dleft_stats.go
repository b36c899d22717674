package counting

import "fmt"

// DLeftStats describes a [DLeft] at one moment.
type DLeftStats struct {
	// Inserted is the number of keys, as Len has it.
	Inserted int
	// Refused is the number of InsertUnique calls that returned false because Contains said yes.
	Refused int
	// Refusals is the number of inserts that returned ErrFull; a Merge that did counts as one.
	Refusals int
	// RefusedDeletes is the number of Delete calls that returned false.
	RefusedDeletes int
	// Slots is the number of slots, Used how many hold a true fingerprint, which is the number of
	// distinct ones, and Saturated how many have a counter that will not change any more.
	Slots, Used, Saturated int
	// FalsePositiveRate is the rate now.
	FalsePositiveRate float64
}

// Stats returns counts and rates of the filter as it is now. It reads all counters.
func (f *DLeft) Stats() DLeftStats {
	saturated := 0
	for bucket := range f.extras.Buckets() {
		saturated += f.extras.Count(bucket, f.top-1)
	}
	return DLeftStats{
		Inserted:          f.len,
		Refused:           f.refused,
		Refusals:          f.refusals,
		RefusedDeletes:    f.refusedDeletes,
		Slots:             f.Slots(),
		Used:              f.used,
		Saturated:         saturated,
		FalsePositiveRate: f.FalsePositiveRate(),
	}
}

// Len returns the number of keys inserted less the number deleted, duplicates included, and never
// less than 0 or more than math.MaxInt: deletes that only saturated counters answer count too.
func (f *DLeft) Len() int { return f.len }

// Slots returns the number of slots of the four tables.
func (f *DLeft) Slots() int { return f.config.Buckets * dleftSlots }

// LoadFactor returns the share of slots that are used, 0 to 1.
func (f *DLeft) LoadFactor() float64 { return float64(f.used) / float64(f.Slots()) }

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
	return float64(f.used) / (float64(f.classes.m) * float64(f.classes.span))
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
