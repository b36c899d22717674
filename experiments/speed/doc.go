// Package speed times filters under one fixed workload: what it costs to fill them, to look keys up
// one by one and in batches, to delete and to build in bulk, from tables that fit the first-level cache to
// tables in memory.
//
// # Terms
//
//   - Subject: a kind of filter with its parameters, made for a number of slots; package catalogue has them.
//   - Bed: one subject at one number of slots, with its keys. Key k is the integer k, which becomes a
//     digest by hashing.Mix64 inside what is timed.
//   - Probes: the keys of timed lookups. A share of them, the hits, is in the filter; hits and misses come
//     in random order, so that no branch can learn it.
//   - Lap: a time and the number of keys behind it.
//   - Stretch: a part of a fill, from one load to the next.
//   - Gather limit: two reads of 8 bytes for each key at random places of an array as large as the table.
//     Any filter that looks into two buckets anywhere in its table reads as much.
//
// # Slots and loads
//
// Subjects are sized by n, the slots of a cuckoo filter, and filled to loads, shares of n. Bloom filters
// have no slots: they are made for the keys of load 0.95 and hold as many keys as the others do.
//
// # What is measured with what
//
// [Run] is the measurement of the command nest bench: filters interleaved, in rounds. The benchmarks of package
// experiments/bench use the same beds.
package speed
