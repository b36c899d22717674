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
	make:   blockedFace.make, load: loader(blockedFace), view: bloomViewer(blockedFace),
}

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
