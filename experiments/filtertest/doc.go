// Package filtertest tests any approximate-membership filter, as testing/fstest tests any file
// system: an [Adapter] of a few lines gives a filter, of this module or of somebody else's, a suite
// of checks that each look for one defect that real filters have had.
//
// The package's Example is a whole adapter; [Test] makes it a test.
//
// A [Filter] is a set of functions and not an interface, because other filters have other names
// for their verbs: a method value fits where the signature does, a closure of one line elsewhere.
// Functions that are nil are abilities that the filter lacks; checks that need them are skipped.
//
// [Check] does the same without a *testing.T and returns a [Report]: the findings as data, with
// evidence such as "1,046 of 63,500 accepted keys are lost".
//
// # What is checked
//
// [Checks] lists the names. Every check works on fresh filters, so a defect shows in the checks
// that look for it and not in those that come later.
//
//   - capacity: as many keys as announced are taken; load factor at the first refusal.
//   - filling, overfilling: no accepted key is lost, up to the first refusal and long after it.
//   - refusal: a refused insert changes nothing: not Len, not the table, not one answer.
//   - rate: the false-positive rate is the predicted one and at most the claimed one.
//   - delete, operations, duplicates, saturation, absent-delete: the contract of Delete against an
//     exact multiset.
//   - queries, reset, clone: asking changes nothing; a reset filter is a fresh one; clones share
//     nothing.
//   - keys, aliasing: every byte string is a key; keys are neither kept nor changed.
//   - batches, strings: other forms of a verb do what the verb does.
//   - tiny: all of it at capacities 1 to 64.
//   - determinism, allocations.
//
// A panic of the filter is a finding, with its place. A check cannot outlive a filter that never
// returns, that exhausts the memory, or that the runtime kills for a data race.
//
// # Chance
//
// Keys come from [Options.Seed], so that a check of a deterministic filter gives the same report
// every time. Where a check has to judge a rate, it is a statistical test: it fails a filter that
// keeps its promise with probability at most [Options.FalseAlarm], over the choice of seeds. All
// other checks are exact: what they fail is wrong.
package filtertest
