package ours

import (
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/fingerprint"
)

// TestRegion_Conforms gives the kit tables for a million keys, which the placement Region needs,
// however few keys it asks for.
func TestRegion_Conforms(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and compares hundreds of tables for a million keys")
	}
	a := Cuckoo[fingerprint.Bits12](cuckoo.Config{Placement: cuckoo.Region, Kick: cuckoo.LookAhead, Seed: 1})
	build := a.New
	a.New = func(capacity int) (*filtertest.Filter, error) { return build(max(capacity, 1_000_000)) }
	filtertest.Test(t, a, filtertest.Options{Capacity: 500})
}

// TestLookAhead_Conforms runs the kit on the walk that looks ahead, at each bucket size.
func TestLookAhead_Conforms(t *testing.T) {
	for _, b := range bucketSizes {
		a := Cuckoo[fingerprint.Bits12](cuckoo.Config{BucketSize: b, Kick: cuckoo.LookAhead, Seed: 1})
		filtertest.Test(t, a, filtertest.Options{})
	}
}
