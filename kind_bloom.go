package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

var bloomKind = kind{
	name: Bloom, file: container.Bloom,
	fields: []string{"Hashes"},
	plan:   classic.plan,
	make:   bloomFace.make, load: loader(bloomFace), view: bloomViewer(bloomFace),
}

// classic are the bits of a Bloom filter.
var classic = cellular{resolve: bits(bloomFace, bloom.Plan), predict: bloom.PredictRate, granule: 1}

type bloomVerbs struct{ *bloom.Filter }

// A bloomFilter is a Filter of kind Bloom.
type bloomFilter struct {
	bloomVerbs
	inserts[*bloom.Filter]
	bloomHandle[*bloom.Filter]
}

var bloomFace = bloomFaceOf(Bloom, bloom.New, func(h bloomHandle[*bloom.Filter]) Filter {
	return &bloomFilter{bloomVerbs{h.filter}, inserts[*bloom.Filter]{h.filter}, h}
})

// What follows is for all kinds of package bloom.

// A bloomHandle is a handle of a type of package bloom.
type bloomHandle[T typed[T, bloom.Config]] = handle[T, bloom.Config]

// bloomFaceOf returns the face of a type of package bloom.
func bloomFaceOf[T typed[T, bloom.Config]](
	k Kind, empty func(bloom.Config) (T, error), wrap func(bloomHandle[T]) Filter,
) *face[T, bloom.Config] {
	return &face[T, bloom.Config]{
		config: bloomConfig, empty: empty, spec: func(c bloom.Config) Spec { return bloomSpec(k, c) },
		hash: func(c bloom.Config) hashing.Hasher { return c.Hash }, wrap: wrap,
	}
}

// bloomViewer is viewer for a type of package bloom.
func bloomViewer[T typed[T, bloom.Config]](f *face[T, bloom.Config]) func([]byte, []hashing.Hasher) (view, error) {
	return viewer(f, bloom.OpenView, (*bloom.View).Config)
}

// bits returns how a cellular kind is resolved by a Plan function of its package.
func bits[T typed[T, C], C any](f *face[T, C], plan func(C) (C, int, error)) func(Spec) (Plan, error) {
	return func(s Spec) (Plan, error) { return f.planned(s, plan, 0, nil) }
}

// bloomConfig returns the configuration of the Bloom filter that s describes.
func bloomConfig(s Spec, h hashing.Hasher) bloom.Config {
	return bloom.Config{
		Capacity: s.Capacity, FalsePositiveRate: s.FalsePositiveRate, Slots: s.Slots, Hashes: s.Hashes,
		Hash: h, MaxBytes: s.MaxBytes,
	}
}

// bloomSpec is bloomConfig the other way round.
func bloomSpec(k Kind, c bloom.Config) Spec {
	return Spec{Kind: k, Slots: c.Slots, Hashes: c.Hashes, MaxBytes: c.MaxBytes, Hash: recipe(c.Hash)}
}
