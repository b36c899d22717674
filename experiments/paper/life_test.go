package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
)

// untimed are the counts of an experiment without those that the machine decides.
func untimed(e *lab.Experiment, counts []int) []int {
	out, names := slices.Clone(counts), strings.Fields(e.Trial.Counts)
	for i := range out {
		if slices.Contains(strings.Fields(e.Trial.Timed), names[i%len(names)]) {
			out[i] = 0
		}
	}
	return out
}

// smallLife is a life that takes a few milliseconds.
var smallLife = catalogue.LifeSize{Q: 9, Lookups: 64, Probes: 1 << 10}

// What one experiment counts is the same whichever others a life serves.
func TestLife_CountsDoNotDependOnCompany(t *testing.T) {
	const seed = 11
	all := []*lab.Experiment{SpaceAndSpeed(), LookupByShare(), LookupByOccupancy(), InsertByOccupancy(),
		DeleteByOccupancy()}
	for _, k := range catalogue.WithBreadthFirst() {
		company := all
		if k.Name == "BF" || k.Name == "blk-BF" {
			company = all[:4]
		}
		var names []string
		for _, e := range company {
			names = append(names, e.Name)
		}
		together, err := smallLife.Live(t.Context(), k, seed, names)
		if err != nil {
			t.Fatalf("%s, seed %d: %v", k.Name, seed, err)
		}
		for i, e := range company {
			alone, err := smallLife.Live(t.Context(), k, seed, names[i:i+1])
			if err != nil {
				t.Fatalf("%s, seed %d: %v", k.Name, seed, err)
			}
			if got, want := untimed(e, together[e.Name]), untimed(e, alone[e.Name]); !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s, seed %d, %s: %v together, %v alone", k.Name, seed, e.Name, got, want)
			}
		}
	}
}
