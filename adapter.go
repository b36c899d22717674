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

// The exported methods of the types here are those of [Filter].

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
	spec func(C) Spec
	hash func(C) hashing.Hasher
	wrap func(handle[T, C]) Filter
}

// make returns an empty filter of a resolved Spec.
func (f *face[T, C]) make(s Spec, h hashing.Hasher) (Filter, error) {
	t, err := f.empty(f.config(s, h))
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	return f.wrap(handleOf(t, f)), nil
}

// planned returns the plan for s of a Plan function of the package of T. A lookup in its filter touches that many cache
// lines, and rate, which may be nil, predicts how often it is wrong.
func (f *face[T, C]) planned(s Spec, plan func(C) (C, int, error), lines int, rate func(C) float64) (Plan, error) {
	c, size, err := plan(f.config(s, nil))
	if err != nil {
		return Plan{}, pkg.Wrap(err)
	}
	p := Plan{Spec: f.spec(c), SizeBytes: size, LinesHit: lines, LinesMiss: lines}
	if rate != nil {
		p.FalsePositiveRate = rate(c)
	}
	return p, nil
}

// loader returns the function that reads files of filters of type *F.
func loader[T interface {
	*F
	typed[T, C]
}, C, F any](f *face[T, C]) func(*container.Source) (Filter, error) {
	return func(s *container.Source) (Filter, error) {
		t := T(new(F))
		if _, err := t.ReadFrom(s); err != nil {
			return nil, pkg.Wrap(err)
		}
		return f.wrap(handleOf(t, f)), nil
	}
}

// viewer returns the function that opens views of files of filters of type T.
func viewer[V concrete, T typed[T, C], C any](
	f *face[T, C], open func([]byte, ...hashing.Hasher) (V, error), config func(V) C,
) func([]byte, []hashing.Hasher) (view, error) {
	return func(b []byte, known []hashing.Hasher) (view, error) {
		v, err := open(b, known...)
		if err != nil {
			return view{}, pkg.Wrap(err)
		}
		c := config(v)
		return view{concrete: v, spec: f.spec(c), digester: hashing.NewDigester(f.hash(c))}, nil
	}
}

// validator returns the function that reports what a constructor would refuse of a Spec's configuration.
func validator[C interface{ Validate() error }](config func(Spec, hashing.Hasher) C) func(Spec) error {
	return func(s Spec) error {
		err := config(s, nil).Validate()
		if err != nil && s.Slots != 0 {
			return fmt.Errorf("nest: Slots %d in buckets of %d: %w", s.Slots, s.bucketSize(), err)
		}
		return pkg.Wrap(err)
	}
}

// handle has the methods of a Filter that are about the filter as a whole. It has UnmarshalBinary and ReadFrom because
// they change the Digester, and ScanStats because each package has its own.
type handle[T typed[T, C], C any] struct {
	filter   T
	face     *face[T, C]
	digester hashing.Digester
}

func handleOf[T typed[T, C], C any](t T, f *face[T, C]) handle[T, C] {
	return handle[T, C]{t, f, hashing.NewDigester(f.hash(t.Config()))}
}

func (h *handle[T, C]) Digester() hashing.Digester { return h.digester }
func (h *handle[T, C]) ScanStats() Stats           { return statsOf(h.filter) }
func (h *handle[T, C]) Spec() Spec                 { return h.face.spec(h.filter.Config()) }
func (h *handle[T, C]) Unwrap() any                { return h.filter }
func (h *handle[T, C]) Clone() Filter              { return h.face.wrap(handleOf(h.filter.Clone(), h.face)) }

func (h *handle[T, C]) UnmarshalBinary(b []byte) error {
	err := h.filter.UnmarshalBinary(b)
	*h = handleOf(h.filter, h.face)
	return pkg.Wrap(err)
}

func (h *handle[T, C]) ReadFrom(r io.Reader) (int64, error) {
	n, err := h.filter.ReadFrom(r)
	*h = handleOf(h.filter, h.face)
	return n, pkg.Wrap(err)
}

func (h *handle[T, C]) Merge(other Filter) error {
	var from any
	if other != nil {
		from = other.Unwrap()
	}
	g, ok := from.(T)
	if !ok {
		return pkg.Errorf(ErrMismatch, "%T cannot take in %T", h.filter, from)
	}
	return pkg.Wrap(h.filter.Merge(g))
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

func (i *inserts[T]) Insert(key []byte) error {
	i.to.Insert(key)
	return nil
}
func (i *inserts[T]) InsertString(key string) error {
	i.to.InsertString(key)
	return nil
}
func (i *inserts[T]) InsertHash(h uint64) error {
	i.to.InsertHash(h)
	return nil
}
func (i *inserts[T]) InsertHashes(hs []uint64) (int, error) {
	i.to.InsertHashes(hs)
	return len(hs), nil
}
func (i *inserts[T]) InsertUnique(key []byte) (bool, error) { return i.to.InsertUnique(key), nil }
func (i *inserts[T]) InsertUniqueString(key string) (bool, error) {
	return i.to.InsertUniqueString(key), nil
}
func (i *inserts[T]) InsertUniqueHash(h uint64) (bool, error) { return i.to.InsertUniqueHash(h), nil }
