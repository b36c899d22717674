package counting

import "github.com/nestfilter/nest/internal/bloomcore"

// The filters of this package have their verbs from one type, which has a table of each kind and uses one of them.
// Which one is the length of a type, so that code for a kind has no branch for the other; a View has either.
type (
	eitherKind [0]struct{}
	bloomKind  [1]struct{}
	dleftKind  [2]struct{}
)

type kinds interface {
	eitherKind | bloomKind | dleftKind
}

// reader is what answers queries, of every filter and of a [View]. Its methods are theirs.
type reader[K kinds] struct {
	t bloomcore.Table // of a Filter; its Hash is that of a DLeft too
	dleftTable
}

// isDLeft tells which table is used.
func (f *reader[K]) isDLeft() bool {
	var k K
	return len(k) == len(dleftKind{}) || len(k) == 0 && f.config.Slots != 0
}

// ContainsHash is [Filter.ContainsHash] or [DLeft.ContainsHash].
func (f *reader[K]) ContainsHash(h uint64) bool {
	if f.isDLeft() {
		return f.has(h)
	}
	return f.t.Nonzero(h)
}

// ContainsHashes writes to dst[i] what ContainsHash says of hs[i]. In a Filter where many keys are absent it is faster
// than calls of ContainsHash: it tests one counter of many keys, then the next counter of those that remain. It panics
// if dst is shorter than hs.
func (f *reader[K]) ContainsHashes(hs []uint64, dst []bool) {
	if !f.isDLeft() {
		f.t.HasEach(hs, dst)
		return
	}
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for i, h := range hs {
		dst[i] = f.has(h)
	}
}

// CountHash returns an upper bound of how often the key with digest h is present. It is too large where another key
// looks the same, which happens about as often as a false positive: where every counter of the key in a Filter is hit
// by others, or another key in a DLeft has its true fingerprint. The largest value, 2^CounterBits-1 in a Filter and
// 2^CounterBits in a DLeft, means that number or any larger one. It touches up to k words of a Filter, and up to four
// buckets of a DLeft and a counter.
func (f *reader[K]) CountHash(h uint64) int {
	if f.isDLeft() {
		bucket, lane, ok := f.find(f.classes.of(h))
		if !ok {
			return 0
		}
		return int(f.extras.Get(bucket, lane)) + 1
	}
	words, slots, width, top := f.t.Words, f.t.Slots, uint64(f.t.CellBits), f.t.Top
	least := top // 0 in the zero Filter
	for range f.t.Hashes {
		bit := bloomcore.Reduce(h, slots) * width
		least = min(least, words[bit>>6]>>(bit&63)&top)
		if least == 0 {
			break
		}
		h = bloomcore.Next(h)
	}
	return int(least)
}

// Len returns the number of keys inserted less the number deleted, duplicates included, and never less than 0 or more
// than math.MaxInt: a delete of a key whose counters are all saturated counts too. Of a View it is what the file says.
func (f *reader[K]) Len() int {
	if f.isDLeft() {
		return f.len
	}
	return f.t.Len()
}

// Slots returns the number of slots of the table, or of all four of a DLeft. In a Filter a slot is a counter.
func (f *reader[K]) Slots() int {
	if f.isDLeft() {
		return f.config.Slots
	}
	return int(f.t.Slots)
}

// SizeBytes returns the size in bytes of the table; in a DLeft with 8 bytes of padding after remainders and counters.
func (f *reader[K]) SizeBytes() int {
	if f.isDLeft() {
		return len(f.remainders.Data()) + len(f.extras.Data())
	}
	return f.t.SizeBytes()
}

// Stats describes a [Filter] or a [DLeft] at one moment.
type Stats struct {
	Inserted   int     // keys, as Len has it
	Slots      int     // counters; of a DLeft, places of a true fingerprint and a counter
	Used       int     // slots that hold anything
	Saturated  int     // slots whose counter will not change any more
	LoadFactor float64 // Used as a share of Slots, 0 to 1
	// FalsePositiveRate is the rate to expect of the filter as it is now: in a Filter the load factor to the power of
	// k, which bloom.PredictRate predicts without a table, and [DLeft.FalsePositiveRate] in a DLeft.
	FalsePositiveRate float64
}

// ScanStats returns counts and rates of the filter as it is now. It reads the whole table of a Filter, whose verbs keep
// no count of the counters that are not zero, and of a DLeft all counters, for Saturated.
func (f *reader[K]) ScanStats() Stats {
	if !f.isDLeft() {
		used, saturated, rate := f.t.Measure()
		return Stats{f.Len(), f.Slots(), int(used), int(saturated), f.t.Share(used), rate}
	}
	s := Stats{f.Len(), f.Slots(), f.used, 0, f.load(), f.rate()}
	for bucket := range f.extras.Buckets() {
		s.Saturated += f.extras.Count(bucket, f.top-1)
	}
	return s
}
