package nest

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

var concurrentCuckooKind = kind{
	name: ConcurrentCuckoo, file: container.Cuckoo, deletes: true, concurrent: true,
	fields:   []string{"FingerprintBits", "Placement", "MaxKicks"},
	check:    checkConcurrent,
	validate: validateConcurrent,
	variants: concurrentVariants,
	plan:     planConcurrent,
	make:     maker(Spec.concurrentConfig, cuckoo.NewConcurrent[fingerprint.Any], wrapConcurrent),
	load:     loader(wrapConcurrent, describeConcurrent),
	view:     viewConcurrent,
}

// anyConcurrent is of type Any as anyCuckoo is.
type anyConcurrent = cuckoo.Concurrent[fingerprint.Any]

type concurrentVerbs struct{ *anyConcurrent }

// A concurrentFilter is a Filter of kind ConcurrentCuckoo.
type concurrentFilter struct {
	concurrentVerbs
	handle[*anyConcurrent]
}

func wrapConcurrent(f *anyConcurrent, s Spec) Filter {
	return &concurrentFilter{concurrentVerbs{f}, handleOf(f, keptRates, s, wrapConcurrent, describeConcurrent)}
}

func describeConcurrent(f *anyConcurrent) Spec { return concurrentSpec(f.Config()) }

func viewConcurrent(b []byte, known []hashing.Hasher) (View, error) {
	return newCuckooView(b, known, concurrentSpec)
}

// concurrentSpec is concurrentConfig the other way round. It leaves out what follows from the kind and the width.
func concurrentSpec(c cuckoo.Config) Spec {
	s := cuckooSpec(c)
	s.Kind, s.BucketSize, s.Layout, s.Kick, s.KickPolicy = ConcurrentCuckoo, 0, cuckoo.Packed, "", nil
	return s
}

// words returns s with the layout of a Concurrent, by which slots and buckets are counted.
func (s Spec) words() Spec {
	s.Layout = cuckoo.Words
	return s
}

// checkConcurrent reports slots that are no whole number of words.
func checkConcurrent(s Spec, p *problems) {
	if b := s.words().bucketSize(); s.Slots%b != 0 {
		p.wrong("Slots is %d, want a multiple of %d, which is how many fingerprints of %d bits a word has", s.Slots, b, s.FingerprintBits)
	}
	if s.FingerprintBits > 0 && s.FingerprintBits < minWordWidth {
		p.wrong("FingerprintBits is %d, want at least %d for Kind %s", s.FingerprintBits, minWordWidth, ConcurrentCuckoo)
	}
}

// validateConcurrent reports what cuckoo.NewConcurrent would refuse.
func validateConcurrent(s Spec) error { return validateCuckoo(s.words()) }

// concurrentVariants returns the specs among which Best chooses.
func concurrentVariants(s Spec) (variants []Spec) {
	s.Layout = cuckoo.Packed // a wish that is for another kind
	for _, s.Placement = range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		variants = append(variants, s)
	}
	return variants
}

// planConcurrent returns the best filter for s among those with fingerprints of one width.
func planConcurrent(s Spec) (Plan, error) {
	if s.BitsPerItem == 0 {
		return concurrentOfWidth(s, s.FingerprintBits)
	}
	return bestWidth(s, minWordWidth, fingerprint.MaxWidth, concurrentOfWidth)
}

// concurrentOfWidth returns the filter for s with fingerprints of width bits or, where that is 0, those that its rate takes.
func concurrentOfWidth(s Spec, width int) (Plan, error) {
	s.FingerprintBits = width
	c, err := s.concurrentConfig()
	if err != nil {
		return Plan{}, err
	}
	c, size, err := cuckoo.PlanConcurrent(c)
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	p := Plan{
		Spec: s.resolved(c.Buckets * c.BucketSize), SizeBytes: size, LinesHit: 2, LinesMiss: 2,
		FalsePositiveRate: c.PredictRate(s.Capacity),
	}
	p.Spec.FingerprintBits, p.Spec.MaxKicks = c.FingerprintBits, c.MaxKicks
	return p, nil
}

// concurrentConfig returns the configuration of the filter that s describes.
func (s Spec) concurrentConfig() (cuckoo.Config, error) { return s.words().cuckooConfig() }
