package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/internal/container"
)

var concurrentBloomKind = kind{
	name: ConcurrentBloom, file: container.BlockedBloom, concurrent: true,
	fields: []string{"Hashes"},
	plan:   blocked.plan,
	make:   concurrentBloomFace.make, load: loader(concurrentBloomFace), view: bloomViewer(concurrentBloomFace),
}

type concurrentBloomVerbs struct{ *bloom.Concurrent }

// A concurrentBloomFilter is a Filter of kind ConcurrentBloom.
type concurrentBloomFilter struct {
	concurrentBloomVerbs
	inserts[*bloom.Concurrent]
	bloomHandle[*bloom.Concurrent]
}

var concurrentBloomFace = bloomFaceOf(ConcurrentBloom, bloom.NewConcurrent, wrapConcurrentBloom)

func wrapConcurrentBloom(h bloomHandle[*bloom.Concurrent]) Filter {
	return &concurrentBloomFilter{concurrentBloomVerbs{h.filter}, inserts[*bloom.Concurrent]{h.filter}, h}
}
