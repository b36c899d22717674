package counting

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// Filter is a counting Bloom filter: a Bloom filter with a small counter in place of every bit, so that keys can be
// deleted. An insert adds 1 to the k counters of the key, a delete subtracts 1. A counter at its maximum is saturated,
// and only Reset changes it: see the package documentation.
//
// Make one with [New]: the zero Filter is empty, and gets 128 counters of 4 bits with its first key, 8 hashes a key.
//
// Any number of goroutines may read a Filter at once, but none while another one changes it.
type Filter struct{ base[bloomKind] }

// New returns an empty filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was allocated.
func New(c Config) (*Filter, error) {
	t, _, err := bloomcore.Counting.Resolve(c.sizing())
	if err != nil {
		return nil, err
	}
	return filterOf(bloomcore.Counting.New(t)), nil
}

// Plan returns what [New] would make of c, without making it: [Filter.Config] and SizeBytes of that filter. It takes
// some hundred microseconds at most. The errors are those of New.
func Plan(c Config) (resolved Config, sizeBytes int, err error) {
	t, sizeBytes, err := bloomcore.Counting.Resolve(c.sizing())
	if err != nil {
		return c, 0, err
	}
	return configOf(&t), sizeBytes, nil
}

// filterOf returns the filter over a table.
func filterOf(t bloomcore.Table) *Filter {
	return &Filter{base[bloomKind]{reader[bloomKind]{t: t}}}
}

// Decode returns the filter in b, as [Filter.UnmarshalBinary] does. Hashers that are not built in, or that hold a
// secret, are found by their recipe among known. So is hashing.DigestsOnly, under which verbs that take keys panic: it
// is used only if known has it.
func Decode(b []byte, known ...hashing.Hasher) (*Filter, error) {
	return container.Decoded(pkg, b, (*Filter).read, known)
}

// InsertHash inserts the key with digest h. It cannot fail, so unlike that of a [DLeft] or a cuckoo filter it
// returns no error: beyond its capacity a filter takes keys at a rising false-positive rate. It touches k words.
//
// Where two of a key's k positions coincide, that counter counts it twice, and a delete takes both back.
func (f *Filter) InsertHash(h uint64) { f.t.Count(h) }

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Filter) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.t.Count(h)
	}
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did. A false positive
// refuses a new key, which must then not be deleted: see [Filter.DeleteHash]. It costs what [Filter.InsertHash] does.
func (f *Filter) InsertUniqueHash(h uint64) bool {
	added := !f.ContainsHash(h)
	if added {
		f.InsertHash(h)
	}
	return added
}

// ContainsHash reports whether the key with digest h may be present. False is certain; true is wrong for a share of
// [Stats].FalsePositiveRate of the keys that were not inserted. It touches k words for a key that is present and stops
// at the first counter of zero for one that is absent, after two words on average at the best k.
func (f *Filter) ContainsHash(h uint64) bool { return f.t.Nonzero(h) }

// Config returns the resolved configuration: Slots, Hashes and CounterBits instead of Capacity and FalsePositiveRate,
// and the Hash in use. New makes an empty filter of it that f can be merged with.
func (f *Filter) Config() Config { return configOf(&f.t) }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter { return filterOf(f.t.Clone()) }

// Equal tells whether f and g have the same counters, hashes, widths, hash and table, so that they answer alike. Len
// may differ where counters are saturated, and MaxBytes may too.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge adds every counter of g to that of f, as if every key of g had been inserted into f; g is not changed. Sums
// that do not fit saturate. Filters of different counters, hashes, widths or hash give [ErrMismatch], and f is as it
// was.
func (f *Filter) Merge(g *Filter) error { return f.t.Sum(pkg, &g.t) }
