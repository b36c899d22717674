package bloom

import "github.com/nestfilter/nest/internal/bloomcore"

// reader is what answers queries, of every filter and of a [View]. Its methods are theirs.
type reader[L bloomcore.Layouts] struct {
	t bloomcore.Table
}

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true is wrong for a
// share of [Stats].FalsePositiveRate of the keys that were not inserted.
//
// It is that of the filter in a View; that of a Concurrent touches one cache line, and takes the same time whatever the
// answer.
func (f *reader[L]) ContainsHash(h uint64) bool { return bloomcore.Has[L](&f.t, h) }

// ContainsHashes writes to dst[i] what ContainsHash says of hs[i]. On tables larger than the caches it is faster than
// calls of ContainsHash, because the cache misses of many keys overlap; in a Filter it is where most keys are absent.
// The batches of a Concurrent are no faster. It panics if dst is shorter than hs.
func (f *reader[L]) ContainsHashes(hs []uint64, dst []bool) { f.t.HasEach(hs, dst) }

// Len returns the number of inserts: calls of the Insert verbs, digests of InsertHashes, and calls of the InsertUnique
// verbs that returned true. A key inserted twice by Insert counts twice. Len ends at math.MaxInt. In a Concurrent, an
// insert that runs meanwhile may be in it or not; of a View it is what the file says.
func (f *reader[L]) Len() int { return f.t.Len() }

// Slots returns the number of bits of the table, m.
func (f *reader[L]) Slots() int { return int(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *reader[L]) SizeBytes() int { return f.t.SizeBytes() }

// Config returns the resolved configuration: Slots and Hashes instead of Capacity and FalsePositiveRate, and the Hash
// in use. The constructor makes an empty filter of it that f can be merged with.
func (f *reader[L]) Config() Config { return configOf(&f.t) }

// Stats describes a filter at one moment.
type Stats struct {
	Inserted   int     // inserts, as Len has it
	Slots      int     // bits
	Used       int     // bits that are set
	LoadFactor float64 // Used as a share of Slots, 0 to 1
	// FalsePositiveRate is the rate to expect of the filter as it is now. In a Filter it is the load factor to the
	// power of k, in a Blocked the mean of that over all blocks, and in a SplitBlock the mean of the product of the
	// load factors of a block's lanes; what [PredictSplitBlockRate] says of digest halves is not in it.
	FalsePositiveRate float64
}

// ScanStats returns counts and rates of the filter as it is now. It reads the whole table: no verb keeps a count of the
// set bits, which would slow inserts down.
func (f *reader[L]) ScanStats() Stats {
	used, _, rate := f.t.Measure()
	return Stats{f.t.Len(), f.Slots(), int(used), f.t.Share(used), rate}
}
