package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

var splitBlockKind = kind{
	name: SplitBlock, file: container.SplitBlock,
	fields: []string{"Hashes"},
	plan:   split.plan,
	make:   splitBlockFace.make, load: loader(splitBlockFace), view: bloomViewer(splitBlockFace),
}

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
