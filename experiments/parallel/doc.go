// Package parallel times what several goroutines do with one set of keys at once: a filter for goroutines, filters behind locks, and a
// map.
//
// # What is measured
//
// A set holds n keys at a load of 0.95. Every goroutine looks keys up, half of them present and half absent, and for a share of its
// operations deletes a key of its own and inserts it again. Throughput is the operations of all goroutines in a second. [Run] measures
// all sets at each number of goroutines and at each share of writes, in turns, and takes the median over rounds.
//
// Sets are called through an interface, which costs each of them the same nanosecond or two. Keys are digests. No lookup may deny a key that is
// there, and no insert may fail: a run ends with an error then.
package parallel
