package nest

import (
	"io"

	"github.com/nestfilter/nest/hashing"
)

// Filter is a filter of whatever kind and width, for programs that choose at run time. [New] makes
// one. What a verb costs and promises is said where the kind is documented; [Filter.Unwrap] gives
// that filter.
//
// A filter of every kind here is a [Cloner], a [Merger] and a [Storer] too; those that delete are a [Deleter] and
// a [Counter], and one that grows is a [Grower]. A type assertion tells. Set Spec.MustDelete to be sure of a Deleter.
//
// A call through the interface costs less than 3 ns more than one of the concrete type and allocates
// nothing by itself. But a key in a buffer on the caller's stack escapes, as every slice does that
// goes through an interface: the compiler then makes the buffer on the heap, one allocation for each
// buffer. A key that is a string already, or that a reader made on the heap, costs nothing. For keys
// that are built on the stack take the Hash verbs:
//
//	d := f.Digester()
//	ok := f.ContainsHash(d.Sum64(key[:]))
//
// Under hashing.DigestsOnly the verbs that take keys panic. A filter is under it only if its Spec or the caller of
// [Open] said so.
//
// Any number of goroutines may query a filter at once; a change needs the filter to itself.
type Filter interface {
	// Insert adds a key. The error is ErrFull, from kinds Cuckoo, DLeft and, at its limits, Scalable only, and
	// then the filter is as it was.
	Insert(key []byte) error
	// InsertString is Insert of a string.
	InsertString(key string) error
	// InsertHash is Insert of the key with digest h.
	InsertHash(h uint64) error
	// InsertHashes inserts the digests in order: hs[:n] are in the filter and hs[n:] are not. The
	// error is nil exactly if n = len(hs).
	InsertHashes(hs []uint64) (n int, err error)
	// InsertUnique adds a key unless Contains says yes, and tells whether it did. A false positive
	// refuses a new key, with no error.
	InsertUnique(key []byte) (bool, error)
	// InsertUniqueString is InsertUnique of a string.
	InsertUniqueString(key string) (bool, error)
	// InsertUniqueHash is InsertUnique of the key with digest h.
	InsertUniqueHash(h uint64) (bool, error)

	// Contains tells whether a key may have been inserted. False is certain; true is wrong for a
	// share of FalsePositiveRate of the keys that were not inserted.
	Contains(key []byte) bool
	// ContainsString is Contains of a string.
	ContainsString(key string) bool
	// ContainsHash is Contains of the key with digest h.
	ContainsHash(h uint64) bool
	// ContainsHashes writes to dst[i] whether hs[i] is contained. It is the fastest way to ask for
	// many keys. It panics, as copying into an array does, if dst is shorter than hs.
	ContainsHashes(hs []uint64, dst []bool)

	// Len returns the number of inserts that succeeded less the deletes that did.
	Len() int
	// Slots returns the number of slots of the table: of fingerprints, bits or counters.
	Slots() int
	// LoadFactor returns the used slots as a share of all, 0 to 1. Kinds other than Cuckoo, Scalable and
	// DLeft read the whole table for it.
	LoadFactor() float64
	// SizeBytes returns the size of the table in bytes.
	SizeBytes() int
	// FalsePositiveRate returns the rate to expect of the filter as it is now. Kinds other than
	// Cuckoo, Scalable and DLeft read the whole table for it.
	FalsePositiveRate() float64
	// Reset removes every key. The memory is kept, but for what a Scalable has grown by.
	Reset()

	// Digester returns what makes the digests of keys that the Hash verbs take. It allocates nothing,
	// and one digest serves every filter with the same hash.
	Digester() hashing.Digester
	// Spec returns the resolved Spec: New of it makes an empty filter that this one can be merged
	// with. A Hasher and a KickPolicy that no name describes are part of it, so the Spec of a filter with
	// a secret holds the secret.
	Spec() Spec
	// Unwrap returns the filter of the concrete type. It is this filter and no copy. By Kind:
	//
	//	Cuckoo        *cuckoo.Filter[fingerprint.Any]
	//	Scalable      *cuckoo.Scalable[fingerprint.Any]
	//	Bloom         *bloom.Filter
	//	BlockedBloom  *bloom.Blocked
	//	SplitBlock    *bloom.SplitBlock
	//	Counting      *counting.Filter
	//	DLeft         *counting.DLeft
	//
	// The cuckoo filters have whatever width Spec().FingerprintBits says. One whose width is a type, such as
	// *cuckoo.Filter[fingerprint.Bits12], is made of the filter's file: cuckoo.Decode and cuckoo.DecodeScalable.
	Unwrap() any
	// String describes the filter on one line.
	String() string
}

// A Deleter is a [Filter] from which keys can be deleted.
//
// Only keys that were inserted may be deleted, which cannot be checked: the delete of a key that
// never was, but is a false positive, can make the filter lose another key.
type Deleter interface {
	Filter
	// Delete removes one insert of a key and tells whether it did.
	Delete(key []byte) bool
	// DeleteString is Delete of a string.
	DeleteString(key string) bool
	// DeleteHash is Delete of the key with digest h.
	DeleteHash(h uint64) bool
	// DeleteHashes deletes each of the digests and returns how many were found.
	DeleteHashes(hs []uint64) (n int)
}

// A Counter is a [Filter] that tells how often a key was inserted, as an upper bound. How high it
// counts depends on the kind: a cuckoo filter holds up to twice BucketSize copies of a key, a
// counting filter's counters end at 2^CounterBits-1, and those of a d-left filter at 2^CounterBits.
type Counter interface {
	Filter
	// Count returns at least the number of inserts less deletes of a key, up to that limit, and more
	// where other keys cannot be told from it.
	Count(key []byte) int
	// CountString is Count of a string.
	CountString(key string) int
	// CountHash is Count of the key with digest h.
	CountHash(h uint64) int
}

// A Merger is a [Filter] that can take in another one.
type Merger interface {
	Filter
	// Merge adds every key of the other filter, which is not changed. Filters of another kind, width,
	// table or hash are ErrMismatch, and a filter that has no room for the sum is ErrFull; then the filter is
	// as it was.
	Merge(other Filter) error
}

// A Cloner is a [Filter] that can be copied.
type Cloner interface {
	Filter
	// Clone returns a copy that shares nothing with the filter.
	Clone() Filter
}

// A Grower is a [Filter] that grows: cuckoo.Scalable.
type Grower interface {
	Filter
	// SubFilters returns the number of its sub-filters, which a lookup asks one after the other.
	SubFilters() int
	// Compact gives back memory that deletions have emptied, and returns how many bytes. It costs an insert for each
	// key that it moves.
	Compact() (freed int)
}

// A Storer is a [Filter] that can be stored. [Open], [Read] and [OpenFile] read it again, [OpenView] and
// [MapFile] query it where it is stored, and [Save] writes a file. The format is in docs/FORMAT.md.
type Storer interface {
	Filter
	// AppendBinary appends the filter's file to b: cuckoo.Filter.AppendBinary says more.
	AppendBinary(b []byte) ([]byte, error)
	// MarshalBinary returns the filter's file.
	MarshalBinary() ([]byte, error)
	// WriteTo writes the filter's file to w without a copy of the table.
	WriteTo(w io.Writer) (int64, error)
}

// New returns an empty filter. All the memory that it will ever use, unless it is a [Grower], is allocated here.
//
// The error is [ErrConfig], naming each field that is wrong, or [ErrTooLarge] for a table beyond
// Spec.MaxBytes, of which nothing was allocated.
func New(s Spec) (Filter, error) {
	plans, err := Plans(s)
	if err != nil {
		return nil, err
	}
	s = plans[0].Spec
	k, _ := s.kind() // a plan's kind exists
	return k.make(s)
}
