package nest

import (
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/container"
)

var concurrentCuckooKind = kind{
	name: ConcurrentCuckoo, file: container.Cuckoo, deletes: true, concurrent: true,
	fields:   []string{"FingerprintBits", "Placement", "MaxKicks"},
	check:    checkCuckoo,
	validate: validator(cuckooConfig),
	variants: cuckooVariants,
	plan:     planCuckoo,
	make:     concurrentFace.make, load: loader(concurrentFace),
	view: viewer(concurrentFace, cuckoo.OpenView[fingerprint.Any], (*cuckoo.View[fingerprint.Any]).Config),
}

// anyConcurrent is of type Any as anyCuckoo is.
type anyConcurrent = cuckoo.Concurrent[fingerprint.Any]

type concurrentVerbs struct{ *anyConcurrent }

// A concurrentFilter is a Filter of kind ConcurrentCuckoo.
type concurrentFilter struct {
	concurrentVerbs
	handle[*anyConcurrent, cuckoo.Config]
}

var concurrentFace = &face[*anyConcurrent, cuckoo.Config]{
	config: cuckooConfig, empty: cuckoo.NewConcurrent[fingerprint.Any], spec: concurrentSpec,
	hash: cuckooHash,
	wrap: func(h handle[*anyConcurrent, cuckoo.Config]) Filter {
		return &concurrentFilter{concurrentVerbs{h.filter}, h}
	},
}

// concurrentSpec is cuckooConfig the other way round. It leaves out what follows from the kind and the width.
func concurrentSpec(c cuckoo.Config) Spec {
	s := cuckooSpec(c)
	s.Kind, s.BucketSize, s.Layout, s.Kick = ConcurrentCuckoo, 0, cuckoo.Packed, ""
	return s
}
