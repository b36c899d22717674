// Package quotient is the quotient filter of Bender et al., "Don't Thrash: How to Cache Your Hash on
// Flash" (VLDB 2012): a baseline that the cuckoo-filter paper compares with. It has what the
// experiments measure, verbs for digests; to filter keys in a program take package cuckoo.
//
// # Layout
//
// The top q+r bits of a digest are the key's fingerprint: a quotient of q bits and a remainder of r.
// The quotient names one of 2^q slots, the canonical slot, and only the remainder is stored. The
// remainders of one quotient stand next to each other in ascending order, a run, and the runs in
// the order of their quotients. A run begins in its canonical slot, or behind the run before it
// if that is longer than the room it had; behind the last slot comes the first. What stands from
// one remainder in its canonical slot up to the next one is a cluster.
//
// Three bits in each slot tell where runs begin:
//
//	occupied      some fingerprint has this slot's number as its quotient
//	continuation  the remainder here is not the first of its run
//	shifted       the remainder here is not in its canonical slot
//
// Eight slots that hold the fingerprints 1.3, 1.7, 2.0, 2.4, 2.4 and 6.1 (quotient.remainder):
//
//	slot            0    1    2    3    4    5    6    7
//	remainder       -    3    7    0    4    4    1    -
//	occupied        .    1    1    .    .    .    1    .
//	continuation    .    .    1    .    1    1    .    .
//	shifted         .    .    1    1    1    1    .    .
//
// A slot of r+3 bits is not rounded up to bytes. In every slot that is free all bits are zero, so
// a multiset of fingerprints has one table, in whatever order its keys came.
//
// # Cost
//
// A lookup walks back to the beginning of a cluster and forward to the key's run; a delete also moves
// back what is behind in the cluster. So the cost rises with the load: clusters hold
// 2.7 remainders on average at load .75, 6.2 at .9, 12 at .95 and any number when the table is full. An insert pushes
// everything up to the next free slot, which is 8.5, 50 and 200 slots away at these loads. The cuckoo-filter paper fills the filter to 90% (its Table 3).
package quotient
