package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

var bloomKind = bloomKindOf(bloomFace, Bloom, container.Bloom, classic)

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

var blockedKind = bloomKindOf(blockedFace, BlockedBloom, container.BlockedBloom, blocked)

// blocked are the bits of a blocked Bloom filter.
var blocked = cellular{
	resolve: bits(blockedFace, bloom.PlanBlocked), predict: bloom.PredictBlockedRate,
	granule: bloomcore.BlockBits, oneLine: true,
}

type blockedVerbs struct{ *bloom.Blocked }

// A blockedFilter is a Filter of kind BlockedBloom.
type blockedFilter struct {
	blockedVerbs
	inserts[*bloom.Blocked]
	bloomHandle[*bloom.Blocked]
}

var blockedFace = bloomFaceOf(BlockedBloom, bloom.NewBlocked, func(h bloomHandle[*bloom.Blocked]) Filter {
	return &blockedFilter{blockedVerbs{h.filter}, inserts[*bloom.Blocked]{h.filter}, h}
})

var splitBlockKind = bloomKindOf(splitBlockFace, SplitBlock, container.SplitBlock, split)

// split are the bits of a split-block Bloom filter.
var split = cellular{
	resolve: bits(splitBlockFace, bloom.PlanSplitBlock),
	predict: func(bits, _, n int) float64 { return bloom.PredictSplitBlockRate(bits, n) },
	granule: bloomcore.SplitBits, oneLine: true,
}

type splitBlockVerbs struct{ *bloom.SplitBlock }

// A splitBlockFilter is a Filter of kind SplitBlock.
type splitBlockFilter struct {
	splitBlockVerbs
	inserts[*bloom.SplitBlock]
	bloomHandle[*bloom.SplitBlock]
}

var splitBlockFace = bloomFaceOf(SplitBlock, bloom.NewSplitBlock, func(h bloomHandle[*bloom.SplitBlock]) Filter {
	return &splitBlockFilter{splitBlockVerbs{h.filter}, inserts[*bloom.SplitBlock]{h.filter}, h}
})

var concurrentBloomKind = bloomKindOf(concurrentBloomFace, ConcurrentBloom, container.BlockedBloom, blocked)

type concurrentBloomVerbs struct{ *bloom.Concurrent }

// A concurrentBloomFilter is a Filter of kind ConcurrentBloom.
type concurrentBloomFilter struct {
	concurrentBloomVerbs
	inserts[*bloom.Concurrent]
	bloomHandle[*bloom.Concurrent]
}

var concurrentBloomFace = bloomFaceOf(ConcurrentBloom, bloom.NewConcurrent,
	func(h bloomHandle[*bloom.Concurrent]) Filter {
		return &concurrentBloomFilter{concurrentBloomVerbs{h.filter}, inserts[*bloom.Concurrent]{h.filter}, h}
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

// bloomKindOf returns a kind whose files have that type and whose tables are such bits.
func bloomKindOf[T interface {
	*F
	typed[T, bloom.Config]
}, F any](f *face[T, bloom.Config], name Kind, file container.Type, bits cellular) kind {
	return kind{
		name: name, file: file, concurrent: name == ConcurrentBloom, fields: []string{"Hashes"}, plan: bits.plan,
		make: f.make, load: loader(f), view: viewer(f, bloom.OpenView, (*bloom.View).Config),
	}
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
