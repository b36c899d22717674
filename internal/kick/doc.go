// Package kick inserts fingerprints into a packed table by partial-key cuckoo hashing: it knows
// which two buckets a fingerprint may live in and how to make room when both are full.
//
// A [Scheme] is the rule that pairs the buckets. An [Engine] is a table with a scheme and a kick policy; it is the only
// kick loop in the module, and every cuckoo filter, native or foreign, uses it with a scheme of its own.
//
// # The contract of a refused insert
//
// Nothing is lost. The breadth-first search reads only, and moves fingerprints when it has found the whole cuckoo path.
// A walk moves as it goes, journals each kick and takes all of them back unless the homeless fingerprint found a slot.
// So after a refusal the table is, byte for byte, what it was before, whichever policy ran, and whoever wrote it.
package kick
