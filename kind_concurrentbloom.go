package nest

import "github.com/nestfilter/nest/bloom"

// concurrentBloomKind has no type of files of its own: they are those of kind BlockedBloom, which Open therefore makes of them.
var concurrentBloomKind = kind{
	name: ConcurrentBloom, concurrent: true,
	fields: []string{"Hashes"},
	plan:   blocked.plan,
	make:   maker(Spec.bloomConfig, bloom.NewConcurrent, wrapConcurrentBloom),
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
