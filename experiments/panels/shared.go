// Package panels has experiments on what the paper says in passing, or does not measure.
package panels

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// builtinPolicies are the kick policies of package cuckoo, the default first.
var builtinPolicies = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.LookAhead, cuckoo.RandomWalk, cuckoo.RoundRobin}

// bucketSlots are the bucket sizes of package cuckoo.
var bucketSlots = []int{1, 2, 4, 8}

// policyGrid is tables under all kick policies and placements, and under the policies of a user.
func policyGrid(trials func(lab.Cell) int, policies []lab.Axis, tables ...lab.Axis) lab.Grid {
	return lab.Grid{
		{Series: "{kick}, {placement}", Trials: trials, Axes: slices.Concat(policies, tables)},
		{Series: "{policy}", Trials: trials, Axes: slices.Concat([]lab.Axis{lab.Over("policy", lab.OwnPolicies)}, tables)},
	}
}

// takesKeys is the check that the filters of all groups took so many keys and find them.
func takesKeys(groups []lab.Group, offered func(lab.Group) int) claims.Verdict {
	lost, stored, refused := 0, 0, 0
	for _, g := range groups {
		lost += g.Sum("lost")
		stored += g.Sum("stored")
		refused += offered(g) - g.Sum("stored")
	}
	e := claims.Exactly(float64(lost + refused))
	e.Format, e.Note = "%.0f", fmt.Sprintf("of %d keys: %d refused, %d lost", stored+refused, refused, lost)
	return claims.Claim{ID: "keys", Says: "Every filter takes the keys that it was made for, and finds them", Paper: "-"}.Equal(e, 0, 0, "none")
}

// All returns the experiments of this package, in the order of the report.
func All() []*lab.Experiment {
	return []*lab.Experiment{
		bucketSizes(), copies(), loadByPolicy(), insertCost(), spaceByKeys(), overload(), hashCost(), hashSeeds(), growth(), logReads(), overlappingWindows(),
	}
}
