// Package price answers which filter is cheapest to ask. It measures the filters of package nest on
// this machine, prices a lookup of each as the time that it takes plus the work that its false
// positives waste, and finds where the answer would change.
//
// # Terms
//
//   - Workload: what the lookups are like, and the cost of a miss: the time that one false positive wastes.
//   - Family: one kind of filter, or one placement of cuckoo filters.
//   - Rung: a whole number of bits per item. The rungs from [MinBits] to [MaxBits] are a family's ladder.
//   - Cost: what was measured of one filter.
//   - Price: nanoseconds of one lookup under a workload.
//
// # The price
//
// With a share q of lookups for absent keys, a false-positive rate eps and a cost M of a miss,
//
//	price = q*(absent + eps*M) + (1-q)*present
//
// where absent and present are the measured times. The work behind a true positive is not wasted, so it
// is no part of the price. This is the measure of Lang, Neumann, Kemper and Boncz,
// "Performance-Optimal Filtering: Bloom Overtakes Cuckoo at High Throughput", VLDB 2019, where q = 1.
// Having no filter is one more choice, at the price q*M.
//
// As there, memory is not priced: each family takes the rung at which its own price is lowest. A price is a straight line
// in M, so the winners are the lower envelope of lines and every break-even cost is exact. All but [Subject.Measure] is
// deterministic.
package price
