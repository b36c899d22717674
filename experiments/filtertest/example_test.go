package filtertest_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/nestfilter/nest/experiments/filtertest"
)

// set is somebody else's filter: an exact set, with verbs and results of its own.
type set map[string]struct{}

func (s set) Add(key []byte)           { s[string(key)] = struct{}{} }
func (s set) Has(key []byte) bool      { _, ok := s[string(key)]; return ok }
func (s set) Discard(key []byte) error { delete(s, string(key)); return nil }

// setAdapter is all that the kit needs to know of it.
var setAdapter = filtertest.Adapter{
	Name: "set",
	Full: filtertest.Absorbs,
	Set:  true, // a key added twice is held once
	New: func(capacity int) (*filtertest.Filter, error) {
		s := make(set, capacity)
		return &filtertest.Filter{
			Insert:   func(key []byte) bool { s.Add(key); return true },
			Contains: s.Has,
			Delete:   func(key []byte) bool { had := s.Has(key); _ = s.Discard(key); return had },
			Len:      func() int { return len(s) },
			Rate:     func() float64 { return 0 },
			State:    func() ([]byte, error) { return fmt.Append(nil, s), nil },
		}, nil
	},
}

func TestSet_Conforms(t *testing.T) {
	filtertest.Test(t, setAdapter, filtertest.Options{Capacity: 300})
}

// An adapter of a few lines gives a filter the whole suite. In a test, call filtertest.Test(t,
// setAdapter, filtertest.Options{}); here the findings are printed.
func Example() {
	report := filtertest.Check(setAdapter, filtertest.Options{Only: []string{"overfilling", "delete", "operations",
		"clone"}})
	fmt.Print(report)
	// Output:
	// set (capacity 1,000, seed 1)
	//   overfilling    passed   no key is lost among 4,000 accepted, after 0 refusals
	//   delete         passed   750 keys are deleted, and those that remain are found
	//   operations     passed   8,000 inserts and deletes agree with an exact multiset
	//   clone          skipped  the filter has no Clone
}

// A filter that keeps 16 bits of every key in one of its slots, and overwrites what is there.
func ExampleCheck() {
	lossy := filtertest.Adapter{
		Name: "lossy",
		New: func(capacity int) (*filtertest.Filter, error) {
			slots := make([]uint16, 2*capacity)
			find := func(key []byte) (slot *uint16, fingerprint uint16) {
				h := fnv.New64a()
				h.Write(key)
				digest := h.Sum64()
				return &slots[digest>>16%uint64(len(slots))], uint16(digest) | 1
			}
			return &filtertest.Filter{
				Insert:   func(key []byte) bool { slot, fp := find(key); *slot = fp; return true },
				Contains: func(key []byte) bool { slot, fp := find(key); return *slot == fp },
			}, nil
		},
	}
	for _, f := range filtertest.Check(lossy, filtertest.Options{Capacity: 10_000}).Failed() {
		fmt.Println(f)
	}
	// Output:
	// filling        failed   1 of 312 accepted keys are lost, with none refused
	// overfilling    failed   22,762 of 40,000 accepted keys are lost after 0 refusals
	// tiny           failed   capacity 3: 1 of 2 keys are lost
}
