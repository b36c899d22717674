package ours

import (
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/fingerprint"
)

// anySlot is a user's policy: it kicks a random slot of the alternate bucket and gives up in the middle of a walk, with
// kicks to be taken back.
type anySlot struct{}

func (anySlot) Recipe() string { return "any-slot" }

func (anySlot) Kick(w *cuckoo.Walk) {
	for range 40 {
		_, bucket := w.Homes()
		slot, free := w.Free(bucket)
		if !free {
			slot = w.IntN(w.BucketSize())
		}
		if !w.Swap(bucket, slot) || w.Homeless() == 0 {
			return
		}
	}
}

// Each filter passes every check, and has a name of its own, by which reports and tables tell it from the others.
func TestFilters_Conform(t *testing.T) {
	adapters := append(All(),
		Cuckoo[fingerprint.Bits12](cuckoo.Config{Kick: anySlot{}}),
		Cuckoo[fingerprint.Bits13](cuckoo.Config{Kick: anySlot{}, BucketSize: 2}),
		Cuckoo[fingerprint.Bits13](cuckoo.Config{Kick: anySlot{}, Layout: cuckoo.SemiSorted}))
	for _, b := range bucketSizes {
		adapters = append(adapters, Cuckoo[fingerprint.Bits12](cuckoo.Config{BucketSize: b, Kick: cuckoo.LookAhead, Seed: 1}))
	}
	seen := map[string]bool{}
	for _, a := range adapters {
		if seen[a.Name] {
			t.Errorf("two adapters are named %s", a.Name)
		}
		seen[a.Name] = true
		filtertest.Test(t, a, filtertest.Options{})
	}
}

// A configuration that cannot be built is an error of the adapter.
func TestNew_ReportsErrors(t *testing.T) {
	for _, a := range []filtertest.Adapter{
		Cuckoo[fingerprint.Bits12](cuckoo.Config{BucketSize: 3}), Bloom(2), Blocked(2), SplitBlock(2), Counting(2, 4),
		Counting(0.01, 5), DLeft(2, 2), Quotient(2, 0),
	} {
		if f, err := a.New(100); err == nil || f != nil {
			t.Errorf("%s: New returned %v and error %v", a.Name, f, err)
		}
	}
}
