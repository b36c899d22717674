// Package nest makes approximate-membership filters of every kind in this module, chosen at run time. A filter is a set
// of keys in a few bits each. It answers "is this key in the set?" with no false negatives, and with false positives
// at a rate that you choose.
//
// # Contents
//
//   - Making a filter: a [Spec], with its [Kind], says what to make. [New] makes it, [Plans] says what it would be.
//   - Using it: [Filter] and, of filters that can do more, [Deleter], [Counter], [Grower] and [Advancer]. [Stats] says
//     how full it is. Code that only queries takes a [Querier].
//   - Files: [Save], [Open], [Read] and [OpenFile]; [View], [OpenView] and [MapFile] query a file without loading it;
//     [Inspect] and [InspectFile] say what it holds.
//
// The filters themselves are in the packages below this one:
//
//   - cuckoo: Filter is a cuckoo filter, generic over the width of its fingerprints. It deletes. With fingerprints of
//     11 bits or more, at a rate of 0.37% or less, it is smaller than a Bloom filter of the same rate.
//     Scalable grows with its keys, for programs that do not know how many there will be. Concurrent is for goroutines
//     that insert, delete and query at once.
//   - bloom: Filter is the classic Bloom filter of any size. Blocked touches one cache line a key. SplitBlock is the
//     filter of Parquet files. Concurrent is a Blocked for goroutines that insert and query at once. They cannot delete
//     and are never full.
//   - counting: Filter is a counting Bloom filter. It deletes, at 4 times the size of a Bloom filter. DLeft deletes at
//     less than twice that size, and can be full.
//   - bloom/fuse: Filter is a binary fuse filter, for keys that are all known: the smallest, at 1.08 bits a key for
//     each halving of the rate. Nothing is inserted or deleted later.
//   - cuckoo/window: Filter is a cuckoo filter that forgets, for "was this key here in the last ten minutes?".
//   - cuckoo/maplet: Map is a cuckoo filter with a value beside each key. It is no [Kind].
//
// Two packages serve all filters: hashing turns keys into 64-bit digests, and fingerprint cuts digests into what a
// cuckoo filter stores. Package experiments and the command experiments/cmd/nest reproduce the figures of the
// cuckoo-filter paper, compare the filters on your keys and say which filter to take for a size and a rate.
//
// # Choosing at run time
//
// If you choose the filter when you write the program, import its package alone. If a flag or a configuration file
// chooses, use this package: a [Spec], which reads and writes text and JSON, says what to make, and [New] makes a
// [Filter]:
//
//	f, err := nest.New(nest.Spec{Capacity: 1_000_000, FalsePositiveRate: 0.001, MustDelete: true})
//
// The default kind is the best one for the number of keys, the rate and the deletes, as [Plans] ranks them; without a
// Capacity it is a filter that grows. Every Filter can be copied, merged and stored, and [Querier.Unwrap] returns the
// filter of the concrete type.
//
// The interface adds 0.4 to 1.3 ns to a lookup and 0.5 to 2.1 ns to an insert, by kind (go test -bench Overhead,
// medians of 1500 differences, three runs, AMD EPYC, Go 1.26). It allocates nothing, but a key in a buffer on the
// caller's stack escapes through it: [Filter] says what to do. The cuckoo filters here are of type fingerprint.Any, one
// type for all widths; docs/PERFORMANCE.md compares its speed with that of a width that is a type.
//
// A program that imports this package has 5 MB, one with a single cuckoo.Filter 3 MB (linux/amd64, Go 1.26), since
// it holds every kind of filter and encoding/json. Compiling it takes two to three seconds of one core.
//
// # What all packages share
//
// The filters have methods of the same names: Insert, Contains and InsertUnique, and those that delete also Delete and
// Count. Each takes keys as bytes, as strings and, fastest, as digests. Inserts, lookups and deletes also take batches
// of digests. Inserts that cannot fail, those of the Bloom and the counting Bloom filters, return no error; those of a
// [Filter] of this package all do. The packages share their sentinel errors: errors.Is with one package's ErrConfig
// works on an error from any. No insert, lookup or delete allocates, except that a filter that grows does, and the
// first kicks of a Concurrent do. Any number of goroutines may query a filter at once. A call that changes it must not
// run beside any other, unless the filter is a Concurrent.
//
// # Keys that others choose
//
// If somebody who wants to do harm may choose keys, set Spec{Hash: "siphash"}. Under the other hashes a handful of
// keys, computed in microseconds, fills both buckets of any key, or makes a key of their choice a false positive. New
// draws a secret key, which the filter's Digester has. Keep it: without it the filter's files cannot be queried.
//
// docs/CHOOSING.md says which filter to take. docs/FORMAT.md has the format of files, which is the same on every
// machine. docs/GLOSSARY.md defines the terms. docs/DESIGN.md has the design and the measurements behind it.
package nest
