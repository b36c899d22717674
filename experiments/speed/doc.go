// Package speed declares the timed experiments: the filters of nest bench at many sizes and loads, and the studies,
// which set one filter beside another. Each is a lab.Experiment whose cells are filters and sizes, and whose rows are
// the steps of a script over package measure: lab runs it in rounds that rotate, and one table shows it.
//
//   - [Bench]: filters of n slots, filled to loads, with integer keys that are hashed inside what is timed; beside them the gather
//     limit, two reads of 8 bytes for each key at random places of an array as large as the table.
//   - [Study] paired, growth, shared: filters of one goroutine, by measure.Contest, with digests.
//   - [Sweep]: cuckoo filters over a grid of parameters, which is counted and, if it is to be, timed.
//   - [Study] together: sets that goroutines share, by throughput.
package speed
