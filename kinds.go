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
	{Cuckoo, true, []string{"FingerprintBits", "BucketSize", "SemiSort", "Placement", "Kick", "MaxKicks", "Seed"}, planCuckoo, checkCuckoo, cuckooVariants, maker(Spec.cuckooConfig, cuckoo.New[fingerprint.Any], wrapCuckoo)},
	{Bloom, false, []string{"Hashes"}, classic.plan, nil, nil, maker(Spec.bloomConfig, bloom.New, wrapBloom)},
	{BlockedBloom, false, []string{"Hashes"}, blocked.plan, nil, nil, maker(Spec.bloomConfig, bloom.NewBlocked, wrapBlocked)},
	{SplitBlock, false, []string{"Hashes"}, split.plan, nil, nil, maker(Spec.bloomConfig, bloom.NewSplitBlock, wrapSplit)},
	{Counting, true, []string{"Hashes", "CounterBits"}, counters.plan, checkCounting, nil, maker(Spec.countingConfig, counting.New, wrapCounting)},
	{DLeft, true, []string{"FingerprintBits", "CounterBits"}, planDLeft, checkDLeft, nil, maker(Spec.dleftConfig, counting.NewDLeft, wrapDLeft)},
	{Scalable, true, []string{"FingerprintBits", "BucketSize", "SemiSort", "Kick", "MaxKicks", "Seed", "GrowthFactor", "MaxSubFilters"}, planScalable, checkScalable, nil, maker(Spec.scalableConfig, cuckoo.NewScalable[fingerprint.Any], wrapScalable)},
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
