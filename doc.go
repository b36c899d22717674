// Package nest is the front of a toolkit of approximate-membership filters: sets of keys in a few
// bits each, which answer "is this key in the set?" with no false negatives, ever, and with false
// positives at a rate that was chosen.
//
// The filters are in the packages below this one:
//
//   - cuckoo: Filter, a cuckoo filter generic over the width of its fingerprints. It deletes, and
//     from 11-bit fingerprints on, a rate of 0.37%, it is smaller than a Bloom filter of its rate.
//     Scalable is one that grows with its keys, for whoever does not know how many there will be.
//   - bloom: Filter, the classic Bloom filter of any size, Blocked, which touches one cache line a
//     key, and SplitBlock, the filter of Parquet files. They cannot delete and are never full.
//   - counting: Filter, a counting Bloom filter, which deletes at 4 times the size, and DLeft, which
//     does so at less than twice the size and can be full.
//
// Under them are hashing, which turns keys into 64-bit digests, and fingerprint, which cuts digests
// into what a cuckoo filter stores. Package experiments and the command experiments/cmd/nest
// reproduce the figures of the cuckoo-filter paper, compare the filters on keys of your own and say
// which filter to take for a size and a rate.
//
// # Chosen at run time
//
// A program whose types say which filter it uses imports that package alone. One that learns it from
// a flag or a configuration file says what it wants in a [Spec], which reads and writes text and JSON,
// and gets a [Filter] from [New]:
//
//	f, err := nest.New(nest.Spec{Capacity: 1_000_000, FalsePositiveRate: 0.001, MustDelete: true})
//
// The kind is one of [Kinds]; by default it is the best for the keys, the rate and the deletes, as
// [Plans] ranks them; without a Capacity it is a filter that grows. Type assertions to [Deleter],
// [Counter] and [Grower] tell what else a filter can do, and [Filter.Unwrap] gives the filter of the concrete type.
//
// The interface adds up to 0.7 ns to a lookup and 0.3 to 1.3 ns to an insert (go test -bench Overhead,
// the median of differences on a shared 2-core Xeon, Go 1.26; with both cores at other work, 3 at
// most). It allocates nothing, but a key in a buffer on the caller's stack escapes through it: [Filter]
// says what to do. The cuckoo filters here are of type fingerprint.Any, one for all widths: docs/PERFORMANCE.md has what
// that costs beside a width that is a type.
//
// A program that imports this package is 0.65 MB larger than one with a single cuckoo.Filter (3.4 and 2.8 MB, linux/amd64,
// Go 1.26), since it holds every kind of filter and encoding/json. Compiling it takes two to three seconds of one core.
// The commands that measure both are in docs/HACKING.md.
//
// # Which filter to take
//
//	                          take
//	number of keys unknown    cuckoo.Scalable, at 1.4 to 2.8 times the size; if the keys can be read again,
//	                          cuckoo.Filter, and one of twice the size at ErrFull
//	keys are deleted again    cuckoo.Filter
//	rate of 0.37% or less     cuckoo.Filter: 12 bits of fingerprint give 0.19% in 12.5 bits per item
//	rate above, no deletes    bloom.Filter for space, bloom.Blocked for speed
//	counts matter             counting.DLeft, whose counters may be 16 bits wide, in half the size of
//	                          counting.Filter, which is never full; cuckoo.Filter counts to 2b
//
// # Common ground
//
// The packages speak the same verbs: Insert, Contains, Delete, Count and InsertUnique, each for keys
// as bytes, as strings and, fastest, as digests, and in batches. They share their sentinel errors,
// so errors.Is with one package's ErrConfig works on an error from any. No verb allocates.
// Queries may run in parallel; a change needs the filter to itself.
//
// # Keys that others choose
//
// Where somebody who wants to do harm may choose keys, set Spec{Hash: "siphash"}: under the other hashes a handful of keys,
// computed in microseconds, fills both buckets of any key, or makes a key of their choice a false positive. The Spec of the filter
// has the key that was drawn, which has to be kept: see [Spec].
//
// The terms are defined in docs/GLOSSARY.md, and the design, with what was measured, is in
// docs/DESIGN.md.
package nest
