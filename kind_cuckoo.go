package nest

import (
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

var cuckooKind = kind{
	name: Cuckoo, file: container.Cuckoo, deletes: true,
	fields:   []string{"FingerprintBits", "BucketSize", "Layout", "Placement", "Kick", "MaxKicks", "Seed"},
	check:    checkCuckoo,
	validate: validator(cuckooConfig),
	variants: cuckooVariants,
	plan:     planCuckoo,
	make:     cuckooFace.make, load: loader(cuckooFace),
	view: viewer(cuckooFace, cuckoo.OpenView[fingerprint.Any], (*cuckoo.View[fingerprint.Any]).Config),
}

// anyCuckoo has a width that is known at run time. With a type for each of the 32 widths this package was
// 4 MB of code and took half a minute to compile, for lookups that are hardly faster.
type anyCuckoo = cuckoo.Filter[fingerprint.Any]

type cuckooVerbs struct{ *anyCuckoo }

// A cuckooFilter is a Filter of kind Cuckoo.
type cuckooFilter struct {
	cuckooVerbs
	handle[*anyCuckoo, cuckoo.Config]
}

var cuckooFace = &face[*anyCuckoo, cuckoo.Config]{
	config: cuckooConfig, empty: cuckoo.New[fingerprint.Any], spec: cuckooSpec,
	hash: cuckooHash,
	wrap: func(h handle[*anyCuckoo, cuckoo.Config]) Filter { return &cuckooFilter{cuckooVerbs{h.filter}, h} },
}

func cuckooHash(c cuckoo.Config) hashing.Hasher { return c.Hash }

// checkCuckoo reports slots that are no whole number of buckets, and fingerprints that are too narrow for words.
func checkCuckoo(s Spec, p *config.Problems) {
	if b := s.bucketSize(); s.Slots%b != 0 {
		p.Wrong("Slots is %d, want a multiple of %d, the slots of a bucket", s.Slots, b)
	}
	if s.Kind == ConcurrentCuckoo && s.FingerprintBits > 0 && s.FingerprintBits < minWordWidth {
		p.Wrong("FingerprintBits is %d, want at least %d for Kind %s", s.FingerprintBits, minWordWidth, s.Kind)
	}
}

// minWidth is the narrowest fingerprint that is planned: fewer bits reach few buckets, so that tables refuse early.
const minWidth = 6

// minWordWidth is the narrowest fingerprint of the layout cuckoo.Words.
const minWordWidth = 8

// bestSizes are the bucket sizes among which Best chooses for a layout.
var bestSizes = map[cuckoo.Layout][]int{
	cuckoo.Packed:      {2, 4, 8},
	cuckoo.SemiSorted:  {4},
	cuckoo.PairedSlots: {4, 8},
	cuckoo.Words:       {0}, // which the width decides
}

// cuckooVariants returns the specs among which Best chooses: packed buckets and the layout of s, or words.
func cuckooVariants(s Spec) (variants []Spec) {
	layouts := []cuckoo.Layout{cuckoo.Packed}
	switch {
	case s.Kind == ConcurrentCuckoo:
		layouts[0] = cuckoo.Words
	case s.Layout != cuckoo.Packed:
		layouts = append(layouts, s.Layout)
	}
	for _, s.Placement = range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, s.Layout = range layouts {
			for _, s.BucketSize = range bestSizes[s.Layout] {
				variants = append(variants, s)
			}
		}
	}
	return variants
}

// planCuckoo returns the best cuckoo filter for s among those with fingerprints of one width.
func planCuckoo(s Spec) (Plan, error) {
	if s.BitsPerItem == 0 {
		return cuckooOfWidth(s)
	}
	narrowest := minWidth
	if s.layout() == cuckoo.Words {
		narrowest = minWordWidth
	}
	return bestWidth(s, narrowest, fingerprint.MaxWidth, cuckooOfWidth)
}

// cuckooOfWidth returns the cuckoo filter for s with fingerprints of its width, of 0 as many bits as the rate takes.
func cuckooOfWidth(s Spec) (Plan, error) {
	rate := func(c cuckoo.Config) float64 { return c.PredictRate(s.Capacity) }
	if s.Kind == ConcurrentCuckoo {
		return concurrentFace.planned(s, cuckoo.PlanConcurrent, 2, rate)
	}
	return cuckooFace.planned(s, cuckoo.Plan, 2, rate)
}

// cuckooConfig returns the configuration of the cuckoo filter that s, which is valid, describes.
func cuckooConfig(s Spec, h hashing.Hasher) cuckoo.Config {
	kick, _ := s.policy()
	return cuckoo.Config{
		Capacity: s.Capacity, Buckets: s.Slots / s.bucketSize(), FalsePositiveRate: s.FalsePositiveRate,
		FingerprintBits: s.FingerprintBits, BucketSize: s.BucketSize, Layout: s.layout(), Placement: s.Placement,
		Hash: h, Kick: kick, MaxKicks: s.MaxKicks, Seed: s.Seed, MaxBytes: s.MaxBytes,
	}
}

// cuckooSpec is cuckooConfig the other way round. A view of a file whose policy is not built in has none.
func cuckooSpec(c cuckoo.Config) Spec {
	return Spec{
		Kind: Cuckoo, Slots: c.Buckets * c.BucketSize, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize,
		Layout: c.Layout, Placement: c.Placement, Hash: recipe(c.Hash), Kick: recipe(c.Kick),
		MaxKicks: c.MaxKicks, Seed: c.Seed, MaxBytes: c.MaxBytes,
	}
}

// layout returns the layout of the buckets.
func (s Spec) layout() cuckoo.Layout {
	if s.Kind == ConcurrentCuckoo {
		return cuckoo.Words
	}
	return s.Layout
}

// bucketSize returns the number of slots of a bucket, never below 1.
func (s Spec) bucketSize() int {
	switch {
	case s.BucketSize != 0:
		return max(s.BucketSize, 1)
	case s.layout() == cuckoo.Words && s.FingerprintBits > 0:
		return max(64/max(s.FingerprintBits, minWordWidth), 1)
	}
	return 4
}
