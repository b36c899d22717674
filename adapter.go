package nest

import (
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// An adapter embeds the typed filter two levels deep and, one level deep, the methods that must look
// different in a Filter: of two methods of one name Go promotes the shallower. So every verb that
// the typed filter has already is promoted from it, and a call costs one jump more.

// A typed filter is what the front needs of one; T is the filter itself and C its configuration.
type typed[T, C any] interface {
	sized
	Config() C
	Clone() T
	Merge(T) error
	UnmarshalBinary(b []byte) error
	ReadFrom(r io.Reader) (int64, error)
}

// A face is what the front knows of the filters of type T.
type face[T typed[T, C], C any] struct {
	// config returns the configuration of a resolved Spec with that hash, and empty makes the filter of it.
	config func(Spec, hashing.Hasher) C
	empty  func(C) (T, error)
	// spec is config the other way round, and hash the hash of a configuration.
	spec  func(C) Spec
	hash  func(C) hashing.Hasher
	rates func(T) (load, rate float64)
	wrap  func(handle[T, C]) Filter
}

// make returns an empty filter of a resolved Spec.
func (f *face[T, C]) make(s Spec, h hashing.Hasher) (Filter, error) {
	t, err := f.empty(f.config(s, h))
	if err != nil {
		return nil, front.Wrap(err)
	}
	return f.wrap(handleOf(t, f)), nil
}

// loader returns the function that reads files of filters of type *F.
func loader[T interface {
	*F
	typed[T, C]
}, C, F any](f *face[T, C]) func(*container.Source) (Filter, error) {
	return func(s *container.Source) (Filter, error) {
		t := T(new(F))
		if _, err := t.ReadFrom(s); err != nil {
			return nil, front.Wrap(err)
		}
		return f.wrap(handleOf(t, f)), nil
	}
}

// handle has the methods of a Filter that are about the filter as a whole.
type handle[T typed[T, C], C any] struct {
	filter   T
	face     *face[T, C]
	digester hashing.Digester
}

func handleOf[T typed[T, C], C any](t T, f *face[T, C]) handle[T, C] {
	return handle[T, C]{t, f, hashing.NewDigester(f.hash(t.Config()))}
}

// Digester is [Filter.Digester].
func (h *handle[T, C]) Digester() hashing.Digester { return h.digester }

// UnmarshalBinary is [Filter.UnmarshalBinary]. It and ReadFrom are not those of the typed filter, as they change the
// Digester.
func (h *handle[T, C]) UnmarshalBinary(b []byte) error {
	err := h.filter.UnmarshalBinary(b)
	*h = handleOf(h.filter, h.face)
	return front.Wrap(err)
}

// ReadFrom is [Filter.ReadFrom].
func (h *handle[T, C]) ReadFrom(r io.Reader) (int64, error) {
	n, err := h.filter.ReadFrom(r)
	*h = handleOf(h.filter, h.face)
	return n, front.Wrap(err)
}

// ScanStats is [Filter.ScanStats]. It is not that of the typed filter, of which each package has its own.
func (h *handle[T, C]) ScanStats() Stats {
	load, rate := h.face.rates(h.filter)
	return statsOf(h.filter, load, rate)
}

// Spec is [Filter.Spec].
func (h *handle[T, C]) Spec() Spec { return h.face.spec(h.filter.Config()) }

// Unwrap is [Filter.Unwrap].
func (h *handle[T, C]) Unwrap() any { return h.filter }

// Clone is [Filter.Clone].
func (h *handle[T, C]) Clone() Filter { return h.face.wrap(handleOf(h.filter.Clone(), h.face)) }

// Merge is [Filter.Merge].
func (h *handle[T, C]) Merge(other Filter) error {
	var from any
	if other != nil {
		from = other.Unwrap()
	}
	g, ok := from.(T)
	if !ok {
		return errorf(ErrMismatch, "%T cannot take in %T", h.filter, from)
	}
	return front.Wrap(h.filter.Merge(g))
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
