// Package speed declares the timed experiments: the filters of nest bench at many sizes and loads, and the studies,
// which set one filter beside another. Each is a lab.Experiment whose cells are filters and sizes, and whose rows are
// the steps of a script over package measure: lab runs it in rounds that rotate, and one table shows it.
//
// A [Timing] is nest bench itself, with integer keys that are hashed inside what is timed, or the study kinds, paired,
// growth or shared of filters of one goroutine, with digests; or the study together of sets that goroutines share, by
// throughput. [Sweep] has cuckoo filters over a grid of parameters, which is counted and, if it is to be, timed.
package speed
