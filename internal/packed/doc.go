// Package packed is a table of buckets of small lanes, packed bit by bit: the storage under every
// filter that keeps fingerprints in buckets.
//
// # Layout
//
// Lane s of bucket i occupies the bits from (i*b+s)*w on, w being the lane width and b the lanes of
// a bucket; bit t of the table is bit t%8 of byte t/8. Nothing is rounded up but the end of the
// table, which has [Padding] bytes of zeros behind it so that a word may be loaded at any lane.
//
//	w = 12, b = 4:  |  0 |  1 |  2 |  3 |  4 |  5 |  6 | ...   bytes
//	                |lane 0|lane 1|lane 2|lane 3|lane 0|...    bucket 0, bucket 1
//
// A word load at byte t/8, shifted right by t%8, therefore holds the bucket that starts at bit t
// whenever b*w plus the largest such shift is at most 64: the layout [Word]. Wider buckets are read in groups of
// lanes, each group by one load: w = 32, b = 8 takes four groups of two lanes. That is the layout [Wide].
//
// A table of kind [SemiSorted] has the layout [Sorted]: its buckets of 4 lanes are semi-sorted, which
// saves a bit a lane and has the lanes in order. sorted.go has that layout. The methods that say "of any
// kind" work on both, and the queries do.
//
// # Cost
//
// Everything here is plain arithmetic on a few fields of the table: no division, no allocation
// after [New] and no call that the compiler cannot see through.
//
// Semi-sorted buckets take some sixty instructions to take apart, and as many to put together.
//
// Zero means an empty lane. The table does not know what lanes mean beyond that.
package packed
