package paper

import (
	"slices"

	"github.com/nestfilter/nest/experiments/lab"
)

// paperCaches is what the paper leaves open about its machine.
const paperCaches = "The paper gives two sizes of its processor's cache, 12 MB and 20 MB. Its filters of 192 MiB are far larger than either."

// throughputLimits is what must not be concluded from any of the four figures.
var throughputLimits = []string{
	"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. Its points are drawn as multiples of its own cuckoo filter's, so that shapes can be compared.",
	"The quick profile's tables of 3 MiB fit into the caches of most processors, where branches and instructions count and reads of memory do not; the paper's of 192 MiB do not.",
	paperCaches,
}

// throughputMethod is how all of them are measured.
const throughputMethod = " Keys are random 64-bit integers, made beforehand, and one hash of each (hashing.Mix64; the paper: CityHash-64) is counted in the times. " +
	"Filters take turns, on one goroutine and alone on the machine; lines are medians over the rounds, bands their intervals. " + oneLife

// oneLife is what they share with Table 3.
const oneLife = "Within a round a filter is filled once for Table 3 and for figures 5 to 8, and everything is timed by itself on that way." + timedRule

// speedOf is the derived column of a speed.
func speedOf(name, of, by string) lab.Derived {
	return lab.Derived{Name: name, Of: func(r lab.Row) float64 { return 1000 * r.Ratio(of, by) }}
}

// million names the column of a speed where there is one.
const million = "million_per_second"

// speedsOf returns the speed of each round, in millions a second.
func speedsOf(g lab.Group, of, by string) []float64 {
	out := g.Ratios(of, by)
	for i := range out {
		out[i] *= 1000
	}
	return out
}

// mid is the occupancy in the middle of a step of some keys that ends, or begins, at stored ones.
func mid(stored, keys, room int) float64 {
	return lab.Quotient(2*stored-keys, 2*room)
}

// withBatch returns the groups of a series for a form of lookups.
func withBatch(d *lab.Data, series string, batch int) []lab.Group {
	return slices.DeleteFunc(d.Select(series), func(g lab.Group) bool { return g.Param("batch") != batch })
}
