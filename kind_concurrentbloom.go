package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/internal/container"
)

var concurrentBloomKind = kind{
	name: ConcurrentBloom, file: container.BlockedBloom, concurrent: true,
	fields: []string{"Hashes"},
	plan:   blocked.plan,
	make:   maker(Spec.bloomConfig, bloom.NewConcurrent, wrapConcurrentBloom),
	load:   loader(wrapConcurrentBloom, describeConcurrentBloom),
	view:   bloomViewer(ConcurrentBloom),
}

type concurrentBloomVerbs struct{ *bloom.Concurrent }

// A concurrentBloomFilter is a Filter of kind ConcurrentBloom.
type concurrentBloomFilter struct {
	concurrentBloomVerbs
	inserts[*bloom.Concurrent]
	handle[*bloom.Concurrent]
}

func wrapConcurrentBloom(f *bloom.Concurrent, s Spec) Filter {
	return &concurrentBloomFilter{
		concurrentBloomVerbs{f}, inserts[*bloom.Concurrent]{f}, handleOf(f, bloomRates, s, wrapConcurrentBloom, describeConcurrentBloom),
	}
}

func describeConcurrentBloom(f *bloom.Concurrent) Spec { return bloomSpec(ConcurrentBloom, f.Config()) }
