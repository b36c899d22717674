package nest

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

var bloomKind = kind{
	name: Bloom, file: container.Bloom,
	fields: []string{"Hashes"},
	plan:   classic.plan,
	make:   maker(Spec.bloomConfig, bloom.New, wrapBloom),
	load:   loader(wrapBloom, describeBloom),
	view:   bloomViewer(Bloom),
}

// classic are the bits of a Bloom filter.
var classic = cellular{cells: bloom.OptimalBits, hashes: bloom.OptimalHashes, predict: bloom.PredictRate, granule: 1}

type bloomVerbs struct{ *bloom.Filter }

// A bloomFilter is a Filter of kind Bloom.
type bloomFilter struct {
	bloomVerbs
	inserts[*bloom.Filter]
	handle[*bloom.Filter]
}

func wrapBloom(f *bloom.Filter, s Spec) Filter {
	return &bloomFilter{bloomVerbs{f}, inserts[*bloom.Filter]{f}, handleOf(f, bloomRates, s, wrapBloom, describeBloom)}
}

func describeBloom(f *bloom.Filter) Spec { return bloomSpec(Bloom, f.Config()) }

// What follows is for all kinds of package bloom.

// bloomConfig returns the configuration of the Bloom filter that the resolved s describes.
func (s Spec) bloomConfig() (bloom.Config, error) {
	h, err := s.hasher()
	return bloom.Config{Bits: s.Slots, Hashes: s.Hashes, Hash: h, MaxBytes: s.MaxBytes}, err
}

// bloomSpec is bloomConfig the other way round.
func bloomSpec(k Kind, c bloom.Config) Spec {
	return Spec{Kind: k, Slots: c.Bits, Hashes: c.Hashes, MaxBytes: c.MaxBytes}.hashed(c.Hash)
}

// bloomRates returns the load and the rate of a filter or a view, in one pass over its table.
func bloomRates[T interface{ ScanStats() bloom.Stats }](f T) (load, rate float64) {
	s := f.ScanStats()
	return s.LoadFactor, s.FalsePositiveRate
}

// bloomViewer returns what opens views of the files of one kind.
func bloomViewer(k Kind) func([]byte, []hashing.Hasher) (View, error) {
	return func(b []byte, known []hashing.Hasher) (View, error) {
		v, err := bloom.OpenView(b, known...)
		if err != nil {
			return nil, err
		}
		c := v.Config()
		return newView(v, bloomRates, bloomSpec(k, c), c.Hash), nil
	}
}
