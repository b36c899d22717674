package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

var blockedKind = kind{
	name: BlockedBloom, file: container.BlockedBloom,
	fields: []string{"Hashes"},
	plan:   blocked.plan,
	make:   maker(Spec.bloomConfig, bloom.NewBlocked, wrapBlocked),
	load:   loader(wrapBlocked, describeBlocked),
	view:   bloomViewer(BlockedBloom),
}

// blocked are the bits of a blocked Bloom filter.
var blocked = cellular{
	cells: bloom.OptimalBlockedBits, hashes: bloom.OptimalBlockedHashes, predict: bloom.PredictBlockedRate,
	granule: bloomcore.BlockBits, oneLine: true, most: bloomcore.MaxBlocks * bloomcore.BlockBits,
}

type blockedVerbs struct{ *bloom.Blocked }

// A blockedFilter is a Filter of kind BlockedBloom.
type blockedFilter struct {
	blockedVerbs
	inserts[*bloom.Blocked]
	handle[*bloom.Blocked]
}

func wrapBlocked(f *bloom.Blocked, s Spec) Filter {
	return &blockedFilter{blockedVerbs{f}, inserts[*bloom.Blocked]{f}, handleOf(f, bloomRates, s, wrapBlocked, describeBlocked)}
}

func describeBlocked(f *bloom.Blocked) Spec { return bloomSpec(BlockedBloom, f.Config()) }
