package nest

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// An adapter embeds the typed filter two levels deep and, one level deep, the methods that must look
// different in a Filter: of two methods of one name Go promotes the shallower. So every verb that
// the typed filter has already is promoted from it, and a call costs one jump more.

// A typed filter is what handle needs of it; T is the filter itself.
type typed[T any] interface {
	decoder
	sized
	Clone() T
	Merge(T) error
}

// handle has the methods of a Filter that are about the filter as a whole.
type handle[T typed[T]] struct {
	filter   T
	rates    func(T) (load, rate float64)
	resolved Spec
	wrap     func(T, Spec) Filter
	describe func(T) Spec
	digester hashing.Digester
}

func handleOf[T typed[T]](f T, rates func(T) (load, rate float64), s Spec, wrap func(T, Spec) Filter, describe func(T) Spec) handle[T] {
	h, _ := s.hasher() // the filter was made with it
	return handle[T]{f, rates, s, wrap, describe, hashing.NewDigester(h)}
}

// Digester is [Filter.Digester].
func (h *handle[T]) Digester() hashing.Digester { return h.digester }

// Stats is [Filter.Stats]. It is not that of the typed filter, of which each package has its own.
func (h *handle[T]) Stats() Stats {
	return statsOf(h.filter, func() (load, rate float64) { return h.rates(h.filter) })
}

// Spec is [Filter.Spec].
func (h *handle[T]) Spec() Spec { return h.resolved }

// Unwrap is [Filter.Unwrap].
func (h *handle[T]) Unwrap() any { return h.filter }

// UnmarshalBinary is [Filter.UnmarshalBinary]. It and ReadFrom are not those of the typed filter, because they change the
// Spec and the Digester.
func (h *handle[T]) UnmarshalBinary(b []byte) error {
	return h.reload(h.filter.UnmarshalBinary(b))
}

// ReadFrom is [Filter.ReadFrom].
func (h *handle[T]) ReadFrom(r io.Reader) (int64, error) {
	n, err := h.filter.ReadFrom(r)
	return n, h.reload(err)
}

// reload follows a decode of the filter that ended with err.
func (h *handle[T]) reload(err error) error {
	if err != nil {
		return fmt.Errorf("nest: %w", err)
	}
	*h = handleOf(h.filter, h.rates, h.describe(h.filter), h.wrap, h.describe)
	return nil
}

// Clone is [Filter.Clone].
func (h *handle[T]) Clone() Filter { return h.wrap(h.filter.Clone(), h.resolved) }

// Merge is [Filter.Merge].
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

// maker returns the function that makes filters of one type, from what turns a Spec into its Config,
// its constructor and its adapter.
func maker[C, T any](config func(Spec) (C, error), empty func(C) (T, error), wrap func(T, Spec) Filter) func(Spec) (Filter, error) {
	return func(s Spec) (Filter, error) {
		c, err := config(s)
		if err != nil {
			return nil, err
		}
		f, err := empty(c)
		if err != nil {
			return nil, fmt.Errorf("nest: %w", err)
		}
		return wrap(f, s), nil
	}
}

// A decoder is what a stored filter is read into.
type decoder interface {
	UnmarshalBinary(b []byte) error
	ReadFrom(r io.Reader) (int64, error)
}

// loader returns the function that loads filters of type *F from a file.
func loader[F any, T interface {
	*F
	decoder
}](wrap func(T, Spec) Filter, describe func(T) Spec) func(*container.Source) (Filter, error) {
	return func(s *container.Source) (Filter, error) {
		f := T(new(F))
		if _, err := f.ReadFrom(s); err != nil {
			return nil, fmt.Errorf("nest: %w", err)
		}
		return wrap(f, describe(f)), nil
	}
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
