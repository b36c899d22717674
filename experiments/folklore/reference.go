package folklore

import (
	"math"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/stat"
)

// A reference is what a part gave in earlier runs: its number, and the standard deviation of that of one run.
type reference struct {
	runs              int
	number, deviation float64
}

// referenced names a part in a profile.
type referenced struct {
	sentence, part string
	profile        lab.Profile
}

// allowed is how far the number of so many runs may be from the reference. A median has pi/2 times the variance of a mean.
func (r reference) allowed(u unit, runs int) float64 {
	chance := r.deviation * math.Sqrt(1/float64(runs)+1/float64(r.runs))
	if u == load {
		chance *= math.Sqrt(math.Pi / 2)
	}
	return stat.Deviations*chance + 1e-5*r.number // and the rounding of the table
}
