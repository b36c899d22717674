package nest

import (
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

var concurrentCuckooKind = kind{
	name: ConcurrentCuckoo, file: container.Cuckoo, deletes: true, concurrent: true,
	fields:   []string{"FingerprintBits", "Placement", "MaxKicks"},
	check:    checkConcurrent,
	validate: validateCuckoo,
	variants: concurrentVariants,
	plan:     planCuckoo,
	make:     concurrentFace.make, load: loader(concurrentFace), view: viewConcurrent,
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
	hash: cuckooHash, rates: keptRates[*anyConcurrent],
	wrap: func(h handle[*anyConcurrent, cuckoo.Config]) Filter {
		return &concurrentFilter{concurrentVerbs{h.filter}, h}
	},
}

func viewConcurrent(b []byte, known []hashing.Hasher) (View, error) {
	return newCuckooView(b, known, concurrentSpec)
}

// checkConcurrent reports slots that are no whole number of words.
func checkConcurrent(s Spec, p *config.Problems) {
	if b := s.bucketSize(); s.Slots%b != 0 {
		p.Wrong("Slots is %d, want a multiple of %d, which is how many fingerprints of %d bits a word has",
			s.Slots, b, s.FingerprintBits)
	}
	if s.FingerprintBits > 0 && s.FingerprintBits < minWordWidth {
		p.Wrong("FingerprintBits is %d, want at least %d for Kind %s", s.FingerprintBits, minWordWidth, ConcurrentCuckoo)
	}
}

// concurrentVariants returns the specs among which Best chooses.
func concurrentVariants(s Spec) (variants []Spec) {
	for _, s.Placement = range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		variants = append(variants, s)
	}
	return variants
}

// concurrentSpec is cuckooConfig the other way round. It leaves out what follows from the kind and the width.
func concurrentSpec(c cuckoo.Config) Spec {
	s := cuckooSpec(c)
	s.Kind, s.BucketSize, s.Layout, s.Kick = ConcurrentCuckoo, 0, cuckoo.Packed, ""
	return s
}
