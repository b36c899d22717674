package catalogue

import (
	"sort"

	"github.com/nestfilter/nest/cuckoo"
)

// panelWidth is the width of the fingerprints of the panels of space and of overload, and panelRate
// the rate for which the other filters there are made: that of such a cuckoo filter at load .95, b = 4.
const (
	PanelWidth = 12
	PanelRate  = 0.001855
)

// MostKeys returns the largest Capacity of a cuckoo filter of so many slots, under XOR.
func MostKeys(slots int) (int, error) {
	var failed error
	n := sort.Search(slots, func(n int) bool {
		c, _, err := cuckoo.Plan(cuckoo.Config{Capacity: n + 1, Placement: cuckoo.XOR}, PanelWidth)
		if err != nil {
			failed = err
		}
		return 4*c.Buckets > slots
	})
	return n, failed
}
