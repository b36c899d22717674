package nest

import (
	"slices"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

// Kind names a kind of filter. [Kinds] lists them.
type Kind string

// The kinds of filters. Each names the type that [Querier.Unwrap] returns, and that of the view of its files.
const (
	// Best (the default) is the smallest filter that holds the keys at the rate and deletes if it must, unless one that
	// is at most 5% larger touches fewer cache lines. [Plans] has the rule. Without a Capacity it is Scalable.
	Best Kind = "best"
	// Cuckoo is *cuckoo.Filter[fingerprint.Any], of the width that Spec.FingerprintBits says. It deletes, counts up to
	// twice BucketSize copies of a key and can be full. cuckoo.Decode of its file makes a filter whose width is a type,
	// such as *cuckoo.Filter[fingerprint.Bits12]. Its view is *cuckoo.View[fingerprint.Any].
	Cuckoo Kind = "cuckoo"
	// Bloom is *bloom.Filter. It cannot delete and is never full. Its view is *bloom.View, as those of BlockedBloom and
	// SplitBlock are.
	Bloom Kind = "bloom"
	// BlockedBloom is *bloom.Blocked. It cannot delete and is never full.
	BlockedBloom Kind = "blocked-bloom"
	// SplitBlock is *bloom.SplitBlock, Parquet's filter. It cannot delete and is never full.
	SplitBlock Kind = "split-block"
	// Counting is *counting.Filter. It deletes, counts up to 2^CounterBits-1 copies of a key and is never full. Its
	// view is *counting.View.
	Counting Kind = "counting"
	// DLeft is *counting.DLeft. It deletes and counts up to 2^CounterBits copies of a key, in less than half the size
	// of Counting, and can be full. Its view is *counting.View, whose Stats read the counters; those of the filter do
	// not.
	DLeft Kind = "dleft"
	// Scalable is *cuckoo.Scalable[fingerprint.Any], a cuckoo filter that grows: a [Grower]. It deletes, counts, and is
	// full only at MaxBytes or MaxDoublings. Best takes it where no Capacity is given. cuckoo.DecodeScalable of its
	// file makes one whose width is a type. Its view is *cuckoo.ScalableView[fingerprint.Any].
	Scalable Kind = "scalable"
	// ConcurrentCuckoo is *cuckoo.Concurrent[fingerprint.Any], a cuckoo filter that many goroutines use at once. It
	// deletes, counts and can be full as Cuckoo does. Fingerprints have at least 8 bits, and BucketSize follows from
	// their width. Its view is that of Cuckoo, and cuckoo.Decode reads its files too.
	ConcurrentCuckoo Kind = "concurrent-cuckoo"
	// ConcurrentBloom is *bloom.Concurrent, a blocked Bloom filter that many goroutines use at once. It cannot delete
	// and is never full. Its view is that of BlockedBloom, and bloom.DecodeBlocked reads its files too.
	ConcurrentBloom Kind = "concurrent-bloom"
	// Fuse is *fuse.Filter[fingerprint.Any], a binary fuse filter: the smallest, for keys that are all known. [Build]
	// makes it and New does not; inserts return ErrFull, Merge returns ErrMismatch, and it cannot delete. Best never
	// takes it. Its view is *fuse.View[fingerprint.Any].
	Fuse Kind = "fuse"
	// Window is *window.Filter[fingerprint.Any], a cuckoo filter that forgets: an [Advancer]. It remembers a key for a
	// time or for as many other keys, and can be full. It cannot delete. Best never takes it. Its view is
	// *window.View[fingerprint.Any], which answers as of when the file was written.
	Window Kind = "window"
)

// A kind is what the front knows about one kind of filter. It is in the file kind_x.go for kind x, and those of package
// bloom are in kind_bloom.go.
type kind struct {
	name Kind
	// file is the type of the kind's files.
	file    container.Type
	deletes bool
	// concurrent tells whether goroutines may change a filter of the kind at once. Its files say so.
	concurrent bool
	// static tells whether filters of the kind take no key after they are made. Best does not choose them.
	static bool
	// asked tells whether Best does not choose the kind, though its filters take keys at any time.
	asked bool
	// grows tells whether filters of the kind have no size.
	grows bool
	// fields are the fields of Spec that not every kind has and this one does.
	fields []string
	// check reports what is wrong with fields of a Spec of this kind in particular; nil if nothing can be.
	check func(Spec, *config.Problems)
	// validate reports what is wrong with the configuration of a Spec in which nothing else is; nil if nothing can be.
	validate func(Spec) error
	// variants are the specs to plan where Best chooses; nil stands for the Spec as it is.
	variants func(Spec) []Spec
	// plan returns the filter of this kind for a valid Spec. The Hash of its Spec does not matter.
	plan func(Spec) (Plan, error)
	// make returns an empty filter of a resolved Spec and that hash.
	make func(Spec, hashing.Hasher) (Filter, error)
	// build returns a filter that holds the digests, of a resolved Spec and that hash; nil where make and inserts do.
	build func(Spec, hashing.Hasher, []uint64) (Filter, error)
	// load reads a file of this kind.
	load func(s *container.Source) (Filter, error)
	// view opens a view of a file of this kind.
	view func(b []byte, known []hashing.Hasher) (view, error)
}

// kinds are all kinds, in the order in which errors and Kinds list them.
var kinds = []kind{
	cuckooKind, bloomKind, blockedKind, splitBlockKind, countingKind, dleftKind, scalableKind,
	concurrentCuckooKind, concurrentBloomKind, fuseKind, windowKind,
}

// Kinds returns the names of all kinds of filters, Best first. The slice is the caller's.
func Kinds() []Kind {
	return append([]Kind{Best}, kindsThat(func(kind) bool { return true })...)
}

// kind returns what is known about the Kind of s.
func (s Spec) kind() (kind, bool) {
	if s.Kind == "" || s.Kind == Best {
		return kind{name: Best, deletes: true, fields: []string{"Layout"}}, true
	}
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == s.Kind })
	if at < 0 {
		return kind{}, false
	}
	return kinds[at], true
}

// kindOf returns the kind of filter whose files are of that type. The error is that of a file which holds no filter.
func kindOf(t container.Type, concurrent bool) (kind, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.file == t && k.concurrent == concurrent })
	if at < 0 {
		return kind{}, pkg.Errorf(ErrMismatch, "the file holds a %v: open it with its own package", t)
	}
	return kinds[at], nil
}
