// Package nest is the front of a toolkit of approximate-membership filters: sets of keys in a few
// bits each, which answer "is this key in the set?" with no false negatives, ever, and with false
// positives at a rate that was chosen.
//
// The filters are in the packages below this one:
//
//   - cuckoo: Filter, a cuckoo filter generic over the width of its fingerprints. It deletes, and
//     from 11-bit fingerprints on, a rate of 0.37%, it is smaller than a Bloom filter of its rate.
//   - bloom: Filter, the classic Bloom filter of any size, and Blocked, which touches one cache
//     line a key. They cannot delete and are never full.
//   - counting: Filter, a counting Bloom filter. It deletes, at 3 to 4 times the size.
//
// Under them are hashing, which turns keys into 64-bit digests, and fingerprint, which cuts digests
// into what a cuckoo filter stores. Package experiments and the command experiments/cmd/nest
// reproduce the figures of the cuckoo-filter paper, compare the filters on keys of your own and say
// which filter to take for a size and a rate.
//
// # Which filter to take
//
//	                          take
//	keys are deleted again    cuckoo.Filter
//	rate of 0.37% or less     cuckoo.Filter: 12 bits of fingerprint give 0.19% in 12.5 bits per item
//	rate above, no deletes    bloom.Filter for space, bloom.Blocked for speed
//	counts matter             counting.Filter; cuckoo.Filter counts up to 2b copies of a key
//
// # Common ground
//
// The packages speak the same verbs: Insert, Contains, Delete, Count and InsertUnique, each for keys
// as bytes, as strings and, fastest, as digests, and in batches. They share their sentinel errors,
// so errors.Is with one package's ErrConfig works on an error from any. No verb allocates.
// Queries may run in parallel; a change needs the filter to itself.
//
// The terms are defined in docs/GLOSSARY.md, and the design, with what was measured, is in
// docs/DESIGN.md.
package nest
