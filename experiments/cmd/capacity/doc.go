// Command capacity makes the table of keys that package cuckoo promises to take, from simulation.
//
//	go run ./experiments/cmd/capacity           writes cuckoo/capacity_table.go
//	go run ./experiments/cmd/capacity -doc      writes docs/CAPACITY.md from the compiled table
//
// Both are run from the root of the module, take some minutes on one core, and write the same bytes
// for the same seed.
//
// # Method
//
// A refusal within n keys has three causes, whose probabilities are added up for each number of
// buckets of a grid; the promise is the largest n at which half the allowed probability is not
// exceeded.
//
//   - More than b keys have one bucket only, or more than 2b keys the same two: type crowd counts
//     for the fingerprints that there are how likely that is. It decides small tables, narrow
//     fingerprints and b = 2.
//   - More buckets are crowded, or, in large tables, the load is near the threshold at which
//     cuckoo hashing of b slots ends: simulated, type tail. Below the smallest probability that the
//     trials resolve, its logarithm continues as a straight line, which is above the true one: it
//     falls ever faster as n falls. In tables of at most 64 buckets a union bound over all sets
//     of buckets (func overfull) is taken where it is the better one.
//   - The policy gives up although there is a path. For the search, whose chance of that falls
//     exponentially with MaxKicks, this is nothing at the loads promised; for walks it is a
//     ceiling of its own, simulated in the same way and cut off at a load at which walks stay far
//     from their limit.
//
// Placement Region has no rows: package cuckoo derives its promise from those of XOR for tables of one
// region and of all buckets. A test counts what crowds one or two buckets of such tables.
package main
