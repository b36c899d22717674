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
	make:   maker(Spec.bloomConfig, bloom.NewSplitBlock, wrapSplitBlock),
	load:   loader(wrapSplitBlock, describeSplitBlock),
	view:   bloomViewer(SplitBlock),
}

// split are the bits of a split-block Bloom filter.
var split = cellular{
	cells:   bloom.OptimalSplitBlockBits,
	hashes:  func(_, _ int) int { return bloomcore.SplitLanes },
	predict: func(bits, _, n int) float64 { return bloom.PredictSplitBlockRate(bits, n) },
	granule: bloomcore.SplitBits, oneLine: true, fixed: bloomcore.SplitLanes, most: bloomcore.MaxBlocks * bloomcore.SplitBits,
}

type splitBlockVerbs struct{ *bloom.SplitBlock }

// A splitBlockFilter is a Filter of kind SplitBlock.
type splitBlockFilter struct {
	splitBlockVerbs
	inserts[*bloom.SplitBlock]
	handle[*bloom.SplitBlock]
}

func wrapSplitBlock(f *bloom.SplitBlock, s Spec) Filter {
	return &splitBlockFilter{splitBlockVerbs{f}, inserts[*bloom.SplitBlock]{f}, handleOf(f, bloomRates, s, wrapSplitBlock, describeSplitBlock)}
}

func describeSplitBlock(f *bloom.SplitBlock) Spec { return bloomSpec(SplitBlock, f.Config()) }
