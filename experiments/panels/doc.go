// Package panels has experiments on what the paper says in passing, or does not measure.
package panels

import "github.com/nestfilter/nest/experiments/lab"

// All returns the experiments of this package, in the order of the report.
func All() []lab.Experiment {
	return []lab.Experiment{
		bucketSizes(), copies(), loadByPolicy(), insertCost(), spaceByKeys(), overload(), hashCost(), hashSeeds(), growth(),
	}
}
