package nest

import (
	"io"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

// Filter is a filter of any kind and width, for programs that choose at run time. [New] makes an empty one, and [Open]
// and [Read] one from a file. The concrete type of a kind documents what each method costs and promises.
//
// Filters of some kinds do more: they are a [Deleter], a [Counter], a [Grower] or an [Advancer] too. A type assertion
// tells. A filter that was made of a Spec with MustDelete is a Deleter.
//
// A call through the interface costs less than 3 ns more than one of the concrete type and allocates nothing by itself.
// But a key in a buffer on the caller's stack escapes, as every slice does that goes through an interface: the compiler
// then makes the buffer on the heap, one allocation for each buffer. A key that is a string already, or that a reader
// made on the heap, costs nothing. For keys that are built on the stack use the Hash methods:
//
//	d := f.Digester()
//	ok := f.ContainsHash(d.Sum64(key[:]))
//
// Under hashing.DigestsOnly the methods that take keys panic. A filter has that hash only if its Spec or the caller of
// [Open] named it.
//
// Any number of goroutines may query a filter at once. A call that changes the filter must not run beside any other,
// unless the kind is for that, which Spec.Concurrent asks for; then only UnmarshalBinary and ReadFrom need the filter
// to themselves. The file of such a filter opens as one.
type Filter interface {
	Querier
	// String describes the filter on one line.
	String() string

	// Insert adds a key. The error is [ErrFull] where there is no room, and then the filter is as it was. Only kinds
	// that can be full return it; [Kind] says which.
	Insert(key []byte) error
	InsertString(key string) error // Insert of a string
	InsertHash(h uint64) error     // Insert of the key with digest h
	// InsertHashes inserts the digests in order: hs[:n] are in the filter and hs[n:] are not. The
	// error is nil exactly if n = len(hs).
	InsertHashes(hs []uint64) (n int, err error)
	// InsertUnique adds a key unless Contains says yes, and tells whether it did. A false positive
	// refuses a new key, with no error.
	InsertUnique(key []byte) (bool, error)
	InsertUniqueString(key string) (bool, error) // InsertUnique of a string
	InsertUniqueHash(h uint64) (bool, error)     // InsertUnique of the key with digest h

	// Reset removes every key. It keeps the memory, except for what a [Grower] has grown by.
	Reset()

	// Clone returns a copy that shares nothing with the filter.
	Clone() Filter
	// Merge adds every key of the other filter, which does not change. The error is [ErrMismatch] if the filters differ
	// in kind, width, table or hash, and [ErrFull] if there is no room for the sum; then the filter is as it was.
	Merge(other Filter) error

	// AppendBinary appends the filter's file to b. [Open], [Read] and [OpenFile] read it again, and [OpenView] and
	// [MapFile] query it where it is stored. docs/FORMAT.md has the format. The error is [ErrConfig], for a hash
	// whose recipe is longer than 1024 bytes.
	AppendBinary(b []byte) ([]byte, error)
	MarshalBinary() ([]byte, error) // AppendBinary to nothing
	// WriteTo writes the filter's file to w without a copy of the table. [Save] writes a file with it.
	WriteTo(w io.Writer) (int64, error)
	// UnmarshalBinary makes the filter the one in b, of the same kind and of any width. Spec and Digester are
	// then those of the file. The filter's hash is used if the file has its recipe, and its MaxBytes stays in
	// force. The errors are those of [Open], [ErrMismatch] for a file of another kind and [ErrTooLarge] for a
	// table beyond MaxBytes; then the filter is as it was.
	UnmarshalBinary(b []byte) error
	// ReadFrom is UnmarshalBinary of the bytes that it reads from r. It reads one filter, as [Read] does, and
	// no byte after it.
	ReadFrom(r io.Reader) (int64, error)
}

// A Querier answers queries: every [Filter] is one, and every [View].
type Querier interface {
	// Contains tells whether a key may have been inserted. False is certain; true is wrong for a
	// share of [Stats].FalsePositiveRate of the keys that were not inserted.
	Contains(key []byte) bool
	ContainsString(key string) bool // Contains of a string
	ContainsHash(h uint64) bool     // Contains of the key with digest h
	// ContainsHashes writes to dst[i] whether hs[i] is contained. It is the fastest way to ask for
	// many keys. It panics, as copying into an array does, if dst is shorter than hs.
	ContainsHashes(hs []uint64, dst []bool)

	// Len returns the number of inserts that succeeded less the deletes that did, and of an [Advancer] that of the keys
	// that are remembered.
	Len() int
	Slots() int     // the slots of the table: of fingerprints, bits or counters
	SizeBytes() int // the size of the table
	// ScanStats returns the filter's load and the rate to expect of it. It may read the whole table: [Stats] says of
	// which kinds. What Unwrap returns has statistics that tell more.
	ScanStats() Stats

	// Digester returns the filter's hash as a Digester, which makes the digests that the Hash methods take. It
	// allocates nothing, and one digest serves every filter with the same hash. Its Hasher is what New and Open are
	// given for another filter under the same hash; of a SipHash that is a hashing.Keyed, which has the secret key.
	Digester() hashing.Digester
	// Spec returns the resolved Spec: New of it makes an empty filter that this one can be merged with, and Build of it
	// another one of kind Fuse. They need the Hasher too where the hash holds a secret or is your own. Of a View, Kick
	// is empty where the file's kick policy is not built in.
	Spec() Spec
	// Unwrap returns this filter or view, no copy, as its concrete type, which is documented with its [Kind].
	Unwrap() any
}

// A Deleter is a [Filter] from which keys can be deleted.
//
// Delete only keys that were inserted. The filter cannot check that: to delete a false positive can remove another key.
type Deleter interface {
	Filter
	// Delete removes one insert of a key and tells whether it did.
	Delete(key []byte) bool
	DeleteString(key string) bool // Delete of a string
	DeleteHash(h uint64) bool     // Delete of the key with digest h
	// DeleteHashes deletes each of the digests and returns how many were found.
	DeleteHashes(hs []uint64) (n int)
}

// A Counter tells how often a key was inserted, as an upper bound. Every [Deleter] is one, and every [View] of such a
// filter. How high it counts is documented with the [Kind].
type Counter interface {
	// Count returns the number of inserts of a key less its deletes, or more where the filter cannot tell other keys
	// from it. The largest result, which is documented with the [Kind], stands for any larger number too.
	Count(key []byte) int
	CountString(key string) int // Count of a string
	CountHash(h uint64) int     // Count of the key with digest h
}

// A Grower is a [Filter] that grows.
type Grower interface {
	Filter
	// Doublings returns how often its table has doubled since it had its first size.
	Doublings() int
	// Compact gives back memory that deletions have emptied, and returns how many bytes. It costs an insert for each
	// key.
	Compact() (freed int)
}

// New returns an empty filter. It allocates all the memory that the filter will ever use, unless it is a [Grower].
//
// A hash that no name describes, SipHash with a key of yours or a family of your own, is given as known, as [Open] is
// given it: [Spec].Hash says which one is taken, and an empty one the first.
//
// The error is [ErrConfig], which names each field that is wrong, or [ErrTooLarge] for a table beyond
// Spec.MaxBytes; then nothing was allocated.
func New(s Spec, known ...hashing.Hasher) (Filter, error) {
	k, s, h, err := s.best(known)
	if err != nil {
		return nil, err
	}
	return k.make(s, h)
}

// Build returns a filter that holds the digests hs, which the Digester of a filter with that hash makes. Where s has
// neither Capacity nor Slots, the Capacity is len(hs). Of kind [Fuse] it is the only way to a filter: that has the size
// which hs needs, whatever Capacity and Slots say. Of every other kind Build is [New] and InsertHashes.
//
// The known hashers are those of New. The errors are those of New and of InsertHashes, and of Build of package fuse.
func Build(s Spec, hs []uint64, known ...hashing.Hasher) (Filter, error) {
	if s.Capacity == 0 && s.Slots == 0 {
		s.Capacity = max(1, len(hs))
	}
	k, resolved, h, err := s.best(known)
	switch {
	case err != nil:
		return nil, err
	case s.Hash == sipHash && !slices.Contains(known, h):
		return nil, pkg.Errorf(ErrConfig, "Hash is %q, of which no digest was made before its key is drawn: "+
			"give the Hasher", s.Hash)
	case k.build != nil:
		return k.build(resolved, h, hs)
	}
	f, err := k.make(resolved, h)
	if err == nil {
		_, err = f.InsertHashes(hs)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// best returns the kind, the Spec and the hash of the filter that New makes.
func (s Spec) best(known []hashing.Hasher) (k kind, resolved Spec, h hashing.Hasher, err error) {
	plans, err := Plans(s, known...)
	if err != nil {
		return k, s, nil, err
	}
	resolved = plans[0].Spec
	k, _ = resolved.kind() // a plan's kind exists
	h, err = s.hasher(known)
	return k, resolved, h, err
}
