package nest_test

import (
	"slices"
	"testing"

	"github.com/nestfilter/nest"
)

// TestContainsHashes_ShortDstPanics gives every filter and view a dst that is shorter than hs but has spare capacity:
// what lies behind a slice is somebody else's.
func TestContainsHashes_ShortDstPanics(t *testing.T) {
	stored(t, func(name string, f nest.Filter) {
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		v, err := nest.OpenView(b)
		if err != nil {
			t.Fatal(err)
		}
		for what, contains := range map[string]func([]uint64, []bool){"filter": f.ContainsHashes,
			"view": v.ContainsHashes} {
			for _, n := range []int{1, 8, 300} {
				behind := slices.Repeat([]bool{true}, n)
				if !panics(func() { contains(make([]uint64, n), behind[:n-1]) }) || slices.Contains(behind, false) {
					t.Errorf("%s, %s: %d digests fit into %d places", name, what, n, n-1)
				}
			}
		}
	})
}

// panics tells whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
