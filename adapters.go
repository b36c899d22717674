package nest

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// An adapter embeds the typed filter two levels deep and, one level deep, the methods that must look
// different in a Filter: of two methods of one name Go promotes the shallower. So every verb that
// the typed filter has already is promoted from it, and a call costs one jump more.

// A typed filter is what handle needs of it; T is the filter itself.
type typed[T any] interface {
	decoder
	Clone() T
	Merge(T) error
}

// handle has the methods of a Filter that are about the filter as a whole.
type handle[T typed[T]] struct {
	filter   T
	resolved Spec
	wrap     func(T, Spec) Filter
	describe func(T) Spec
	digester hashing.Digester
}

func handleOf[T typed[T]](f T, s Spec, wrap func(T, Spec) Filter, describe func(T) Spec) handle[T] {
	h, _ := s.hasher() // the filter was made with it
	return handle[T]{f, s, wrap, describe, hashing.NewDigester(h)}
}

// Digester is [Filter.Digester].
func (h *handle[T]) Digester() hashing.Digester { return h.digester }

// Spec is [Filter.Spec].
func (h *handle[T]) Spec() Spec { return h.resolved }

// Unwrap is [Filter.Unwrap].
func (h *handle[T]) Unwrap() any { return h.filter }

// UnmarshalBinary makes the filter another one of its type, as that of the type does. It is here, and so
// is ReadFrom, because the Spec and the Digester become those of the other one too.
func (h *handle[T]) UnmarshalBinary(b []byte) error {
	return h.reload(h.filter.UnmarshalBinary(b))
}

// ReadFrom is UnmarshalBinary from a stream.
func (h *handle[T]) ReadFrom(r io.Reader) (int64, error) {
	n, err := h.filter.ReadFrom(r)
	return n, h.reload(err)
}

// reload follows a decode of the filter that ended with err.
func (h *handle[T]) reload(err error) error {
	if err != nil {
		return fmt.Errorf("nest: %w", err)
	}
	*h = handleOf(h.filter, h.describe(h.filter), h.wrap, h.describe)
	return nil
}

// Clone is [Cloner.Clone].
func (h *handle[T]) Clone() Filter { return h.wrap(h.filter.Clone(), h.resolved) }

// Merge is [Merger.Merge].
func (h *handle[T]) Merge(other Filter) error {
	var from any
	if other != nil {
		from = other.Unwrap()
	}
	g, ok := from.(T)
	if !ok {
		return errorf(ErrMismatch, "%T cannot take in %T", h.filter, from)
	}
	if err := h.filter.Merge(g); err != nil {
		return fmt.Errorf("nest: %w", err)
	}
	return nil
}

// An absorber is a filter whose inserts cannot fail.
type absorber interface {
	InsertHash(h uint64)
	InsertHashes(hs []uint64)
	Insert(key []byte)
	InsertString(key string)
	InsertUnique(key []byte) bool
	InsertUniqueString(key string) bool
	InsertUniqueHash(h uint64) bool
}

// inserts gives an absorber the insert verbs of a Filter.
type inserts[T absorber] struct{ to T }

// Insert is [Filter.Insert].
func (i *inserts[T]) Insert(key []byte) error {
	i.to.Insert(key)
	return nil
}

// InsertString is [Filter.InsertString].
func (i *inserts[T]) InsertString(key string) error {
	i.to.InsertString(key)
	return nil
}

// InsertHash is [Filter.InsertHash].
func (i *inserts[T]) InsertHash(h uint64) error {
	i.to.InsertHash(h)
	return nil
}

// InsertHashes is [Filter.InsertHashes].
func (i *inserts[T]) InsertHashes(hs []uint64) (int, error) {
	i.to.InsertHashes(hs)
	return len(hs), nil
}

// InsertUnique is [Filter.InsertUnique].
func (i *inserts[T]) InsertUnique(key []byte) (bool, error) { return i.to.InsertUnique(key), nil }

// InsertUniqueString is [Filter.InsertUniqueString].
func (i *inserts[T]) InsertUniqueString(key string) (bool, error) {
	return i.to.InsertUniqueString(key), nil
}

// InsertUniqueHash is [Filter.InsertUniqueHash].
func (i *inserts[T]) InsertUniqueHash(h uint64) (bool, error) { return i.to.InsertUniqueHash(h), nil }

// The cuckoo filters have a width that is known at run time. With a type for each of the 32 widths this package was
// 4 MB of code and took half a minute to compile, for lookups that are hardly faster.
type (
	anyCuckoo   = cuckoo.Filter[fingerprint.Any]
	anyScalable = cuckoo.Scalable[fingerprint.Any]
)

// The levels in between, for promotion.
type (
	cuckooVerbs   struct{ *anyCuckoo }
	scalableVerbs struct{ *anyScalable }
	bloomVerbs    struct{ *bloom.Filter }
	blockedVerbs  struct{ *bloom.Blocked }
	splitVerbs    struct{ *bloom.SplitBlock }
	countingVerbs struct{ *counting.Filter }
	dleftVerbs    struct{ *counting.DLeft }
)

// The adapters.
type (
	cuckooFilter struct {
		cuckooVerbs
		handle[*anyCuckoo]
	}
	scalableFilter struct {
		scalableVerbs
		handle[*anyScalable]
	}
	bloomFilter struct {
		bloomVerbs
		inserts[*bloom.Filter]
		handle[*bloom.Filter]
	}
	blockedFilter struct {
		blockedVerbs
		inserts[*bloom.Blocked]
		handle[*bloom.Blocked]
	}
	splitFilter struct {
		splitVerbs
		inserts[*bloom.SplitBlock]
		handle[*bloom.SplitBlock]
	}
	countingFilter struct {
		countingVerbs
		inserts[*counting.Filter]
		handle[*counting.Filter]
	}
	dleftFilter struct {
		dleftVerbs
		handle[*counting.DLeft]
	}
)

func wrapCuckoo(f *anyCuckoo, s Spec) Filter {
	return &cuckooFilter{cuckooVerbs{f}, handleOf(f, s, wrapCuckoo, describeCuckoo)}
}

func wrapScalable(f *anyScalable, s Spec) Filter {
	return &scalableFilter{scalableVerbs{f}, handleOf(f, s, wrapScalable, describeScalable)}
}

func wrapBloom(f *bloom.Filter, s Spec) Filter {
	return &bloomFilter{bloomVerbs{f}, inserts[*bloom.Filter]{f}, handleOf(f, s, wrapBloom, describeBloom)}
}

func wrapBlocked(f *bloom.Blocked, s Spec) Filter {
	return &blockedFilter{blockedVerbs{f}, inserts[*bloom.Blocked]{f}, handleOf(f, s, wrapBlocked, describeBlocked)}
}

func wrapSplit(f *bloom.SplitBlock, s Spec) Filter {
	return &splitFilter{splitVerbs{f}, inserts[*bloom.SplitBlock]{f}, handleOf(f, s, wrapSplit, describeSplit)}
}

func wrapCounting(f *counting.Filter, s Spec) Filter {
	return &countingFilter{countingVerbs{f}, inserts[*counting.Filter]{f}, handleOf(f, s, wrapCounting, describeCounting)}
}

func wrapDLeft(f *counting.DLeft, s Spec) Filter {
	return &dleftFilter{dleftVerbs{f}, handleOf(f, s, wrapDLeft, describeDLeft)}
}

// exact is what filters that delete offer.
type exact interface {
	Storer
	Deleter
	Counter
	Merger
	Cloner
}

// growing is what filters that grow offer.
type growing interface {
	exact
	Grower
}

// plain is what every filter offers.
type plain interface {
	Storer
	Merger
	Cloner
}

var (
	_ exact   = (*cuckooFilter)(nil)
	_ growing = (*scalableFilter)(nil)
	_ plain   = (*bloomFilter)(nil)
	_ plain   = (*blockedFilter)(nil)
	_ plain   = (*splitFilter)(nil)
	_ exact   = (*countingFilter)(nil)
	_ exact   = (*dleftFilter)(nil)
)
