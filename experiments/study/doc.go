// Package study measures filters beside others of the same job: what a layout, growth, or sharing among goroutines costs, as ratios of
// what was timed in turns. The tables in docs come from it.
//
// # Studies
//
//   - paired: a filter with paired slots, and a semi-sorted one, beside a plain filter of one bit more and the same rate.
//   - growth: a filter that has grown from 1024 keys beside one of the right size.
//   - shared: a filter for goroutines beside one for a single goroutine, and beside other ways to share keys.
//
// # What is measured
//
// Keys are random digests, which are ready: hashing is not in the times. What one goroutine does is a [measure.Contest], in loops that are compiled
// for the type of each filter. What several do is throughput, the operations of all of them in a second: they look keys up, half of them present and
// half absent, and for a share of their operations delete a key of their own and insert it again. Everything is measured in each round,
// in turns; a value is the median over the rounds, and a ratio the median of the ratios within a round.
//
// No filter may deny a key that it holds, and none may refuse one that it promises to take: a study ends with an error then.
package study
