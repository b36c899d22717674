package nest

import (
	"fmt"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// A kind is what the front knows about one kind of filter.
type kind struct {
	name    Kind
	deletes bool
	// fields are the fields of Spec that not every kind has and this one does.
	fields []string
	// plan returns the filter of this kind for a valid Spec.
	plan func(Spec) (Plan, error)
	// check reports what is wrong with fields of a Spec of this kind in particular; nil if nothing is.
	check func(Spec, *problems)
	// variants are the specs to plan where Best chooses; nil stands for the Spec as it is.
	variants func(Spec) []Spec
	// make returns an empty filter of a resolved Spec.
	make func(Spec) (Filter, error)
}

// kinds are all kinds, in the order in which errors and Kinds list them. To add one is a line here,
// the name in spec.go and, in adapters.go, what makes its filter a Filter.
var kinds = []kind{
	{Cuckoo, true, []string{"FingerprintBits", "BucketSize", "SemiSort", "Placement", "Kick", "MaxKicks", "Seed"}, planCuckoo, checkCuckoo, cuckooVariants, makeCuckoo},
	{Bloom, false, []string{"Hashes"}, classic.plan, nil, nil, maker(Spec.bloomConfig, bloom.New, wrapBloom)},
	{BlockedBloom, false, []string{"Hashes"}, blocked.plan, nil, nil, maker(Spec.bloomConfig, bloom.NewBlocked, wrapBlocked)},
	{SplitBlock, false, []string{"Hashes"}, split.plan, nil, nil, maker(Spec.bloomConfig, bloom.NewSplitBlock, wrapSplit)},
	{Counting, true, []string{"Hashes", "CounterBits"}, counters.plan, checkCounting, nil, maker(Spec.countingConfig, counting.New, wrapCounting)},
	{DLeft, true, []string{"FingerprintBits", "CounterBits"}, planDLeft, checkDLeft, nil, maker(Spec.dleftConfig, counting.NewDLeft, wrapDLeft)},
	{Scalable, true, []string{"FingerprintBits", "BucketSize", "SemiSort", "Kick", "MaxKicks", "Seed", "GrowthFactor", "MaxSubFilters"}, planScalable, checkScalable, nil, makeScalable},
}

// grows tells whether filters of the kind have no size.
func (k kind) grows() bool { return k.name == Scalable }

// maker returns the function that makes filters of one type, from what turns a Spec into its Config,
// its constructor and its adapter.
func maker[C, T any](config func(Spec) (C, error), empty func(C) (T, error), wrap func(T, Spec) Filter) func(Spec) (Filter, error) {
	return func(s Spec) (Filter, error) {
		c, err := config(s)
		if err != nil {
			return nil, err
		}
		f, err := empty(c)
		if err != nil {
			return nil, fmt.Errorf("nest: %w", err)
		}
		return wrap(f, s), nil
	}
}

// makeCuckoo makes a cuckoo filter of the width that s says.
func makeCuckoo(s Spec) (Filter, error) { return widths[s.FingerprintBits-1].cuckoo.make(s) }

// makeScalable makes a growing filter of the width that s says.
func makeScalable(s Spec) (Filter, error) { return widths[s.FingerprintBits-1].scalable.make(s) }

// A width is what there is of one width.
type width struct{ cuckoo, scalable model }

// A model is what makes, loads and views filters of one type.
type model struct {
	make func(Spec) (Filter, error)
	load loadFunc
	view viewFunc
}

// ofWidth returns the functions of one width.
func ofWidth[F fingerprint.Width]() width {
	return width{
		cuckoo:   model{maker(Spec.cuckooConfig, cuckoo.New[F], wrapCuckoo[F]), loader(emptyCuckoo[F], wrapCuckoo[F], describeCuckoo[F]), viewCuckoo[F]},
		scalable: model{maker(Spec.scalableConfig, cuckoo.NewScalable[F], wrapScalable[F]), loader(emptyScalable[F], wrapScalable[F], describeScalable[F]), viewScalable[F]},
	}
}

// widths holds width w at index w-1: the one place that instantiates them all.
var widths = [fingerprint.MaxWidth]width{
	ofWidth[fingerprint.Bits1](), ofWidth[fingerprint.Bits2](), ofWidth[fingerprint.Bits3](), ofWidth[fingerprint.Bits4](),
	ofWidth[fingerprint.Bits5](), ofWidth[fingerprint.Bits6](), ofWidth[fingerprint.Bits7](), ofWidth[fingerprint.Bits8](),
	ofWidth[fingerprint.Bits9](), ofWidth[fingerprint.Bits10](), ofWidth[fingerprint.Bits11](), ofWidth[fingerprint.Bits12](),
	ofWidth[fingerprint.Bits13](), ofWidth[fingerprint.Bits14](), ofWidth[fingerprint.Bits15](), ofWidth[fingerprint.Bits16](),
	ofWidth[fingerprint.Bits17](), ofWidth[fingerprint.Bits18](), ofWidth[fingerprint.Bits19](), ofWidth[fingerprint.Bits20](),
	ofWidth[fingerprint.Bits21](), ofWidth[fingerprint.Bits22](), ofWidth[fingerprint.Bits23](), ofWidth[fingerprint.Bits24](),
	ofWidth[fingerprint.Bits25](), ofWidth[fingerprint.Bits26](), ofWidth[fingerprint.Bits27](), ofWidth[fingerprint.Bits28](),
	ofWidth[fingerprint.Bits29](), ofWidth[fingerprint.Bits30](), ofWidth[fingerprint.Bits31](), ofWidth[fingerprint.Bits32](),
}
