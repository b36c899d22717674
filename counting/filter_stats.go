package counting

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// Stats returns counts and rates of the filter as it is now. It reads the whole table.
func (f *Filter) Stats() Stats {
	used := f.t.Nonzero()
	return Stats{
		Inserted:          f.t.Len,
		Refused:           f.t.Refused,
		RefusedDeletes:    f.refusedDeletes,
		Slots:             f.Slots(),
		Used:              int(used),
		Saturated:         int(f.t.Full()),
		EstimatedCount:    f.estimate(used),
		FalsePositiveRate: f.rate(used),
	}
}

// Len returns the number of keys inserted less the number deleted, duplicates included, and never
// less than 0 or more than math.MaxInt: deletes that only saturated counters answer count too.
func (f *Filter) Len() int { return f.t.Len }

// EstimatedCount returns an estimate of the number of distinct keys that are present, from the
// number of counters that are not zero. Duplicates do not disturb it; saturation makes it too large
// after deletes. It is +Inf for a filter without a zero. It reads the whole table.
func (f *Filter) EstimatedCount() float64 { return f.estimate(f.t.Nonzero()) }

func (f *Filter) estimate(used uint64) float64 {
	return bloomcore.EstimateKeys(used, f.t.Slots, f.t.Hashes, 1)
}

// Slots returns the number of counters of the table, m.
func (f *Filter) Slots() int { return int(f.t.Slots) }

// Hashes returns the number of counters of a key, k.
func (f *Filter) Hashes() int { return f.t.Hashes }

// LoadFactor returns the share of counters that are not zero, 0 to 1. It reads the whole table.
func (f *Filter) LoadFactor() float64 { return f.t.Share(f.t.Nonzero()) }

// SizeBytes returns the size of the table in bytes.
func (f *Filter) SizeBytes() int { return f.t.SizeBytes() }

// FalsePositiveRate returns the rate to expect of the filter as it is now: the load factor to the
// power of k. It reads the whole table; bloom.PredictRate, which needs none, holds for counters as
// it does for bits.
func (f *Filter) FalsePositiveRate() float64 { return f.rate(f.t.Nonzero()) }

func (f *Filter) rate(used uint64) float64 {
	if used == 0 {
		return 0 // of the zero filter, which has no hashes, too
	}
	return math.Pow(f.t.Share(used), float64(f.t.Hashes))
}

// Config returns the resolved configuration: Counters, Hashes and CounterBits instead of Capacity
// and FalsePositiveRate, and the Hash in use. New makes an empty filter of it that f can be merged
// with.
func (f *Filter) Config() Config {
	return Config{
		Counters: int(f.t.Slots), Hashes: f.t.Hashes, CounterBits: int(f.t.CellBits),
		Hash: f.t.Hash.Hasher(), MaxBytes: f.t.MaxBytes, HugePages: HugePages(f.t.HugePages),
	}
}

// String returns a short description: shape and number of keys.
func (f *Filter) String() string {
	return fmt.Sprintf("counting.Filter{%s, len %d, %d bytes}", f.Config(), f.t.Len, f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *Filter) GoString() string { return f.String() }
