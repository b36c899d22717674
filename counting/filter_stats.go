package counting

import "fmt"

// ScanStats returns counts and rates of the filter as it is now. It reads the whole table once: no
// verb keeps a count of the counters that are not zero, which would slow inserts down.
func (f *Filter) ScanStats() Stats {
	used, saturated, rate := f.t.Measure()
	return Stats{
		Inserted: f.t.Len(), Slots: f.Slots(), Used: int(used), Saturated: int(saturated),
		LoadFactor: f.t.Share(used), FalsePositiveRate: rate,
	}
}

// Len returns the number of keys inserted less the number deleted, duplicates included, and never less than
// 0 or more than math.MaxInt: a delete of a key whose counters are all saturated counts too.
func (f *Filter) Len() int { return f.t.Len() }

// Slots returns the number of counters of the table, m.
func (f *Filter) Slots() int { return int(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *Filter) SizeBytes() int { return f.t.SizeBytes() }

// Config returns the resolved configuration: Counters, Hashes and CounterBits instead of Capacity
// and FalsePositiveRate, and the Hash in use. New makes an empty filter of it that f can be merged
// with.
func (f *Filter) Config() Config {
	return Config{
		Counters: int(f.t.Slots), Hashes: f.t.Hashes, CounterBits: int(f.t.CellBits),
		Hash: f.t.Hash.Hasher(), MaxBytes: f.t.MaxBytes,
	}
}

// String returns a short description: shape and number of keys.
func (f *Filter) String() string {
	return fmt.Sprintf("counting.Filter{%s, len %d, %d bytes}", f.Config(), f.t.Len(), f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *Filter) GoString() string { return f.String() }
