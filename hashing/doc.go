// Package hashing turns keys into the 64-bit digests that filters hold.
//
// A filter uses nothing of a key but its digest: the buckets and the fingerprint, and so the false-positive rate,
// follow from these 64 bits. A [Hasher] makes digests. A filter takes one in its configuration, keeps it as a
// [Digester], and writes its Recipe into its file, so that only the hash that filled a filter is used to query it.
//
// # Which family
//
//   - [XXH3] with seed 0 is the default, and right unless one of the following is needed. It passes every quality
//     test here, and is the fastest for keys of up to 240 bytes.
//   - [XXH64] for filters that programs share which have no XXH3, such as those of Parquet (seed 0), and for keys of
//     more than 240 bytes.
//   - [SipHash] when somebody who wants to do harm chooses the keys. Package hashing/secret draws its key.
//   - [Metro64] to read or to imitate filters of seiflotfy/cuckoofilter and its relatives (seed 1337).
//   - [Murmur64A] to read or to imitate the cuckoo filters of RedisBloom (seed 0), and no others.
//   - [FNV1a] when another language must compute the same digests from a few lines of code.
//   - [MapHash] for filters that are neither stored nor sent, as no other process can make the same hash.
//   - [DigestsOnly] when digests come from elsewhere and key verbs must not be used.
//
// Three functions are no Hasher. Filters take what they return in their Hash verbs: [Mix] for keys that are integers,
// two of which never share a digest; [Comparable] for keys of any other comparable type, such as structs, in filters
// that are neither stored nor sent; and [Digest] for keys that are cryptographic hashes already.
//
// To use a family of your own, implement [Hasher] and pass it wherever a Hasher is taken. It need not be registered.
// [New] and [Names] are for programs that choose a family by name, [Parse] for those that read a filter's file.
//
// # Seeds and chosen keys
//
// Another seed makes other keys false positives. That is of use in repeated experiments, and for a second filter that
// must not have the false positives of the first. A seed does not protect against keys that somebody chooses: who knows
// the seed of XXH3, XXH64, MetroHash64 or FNV-1a can compute keys that collide, and keys of MurmurHash64A can collide
// under every seed. With such keys, somebody can fill one bucket until an insert is refused, or make any key a false
// positive. Only SipHash is built to withstand that, and only while its key stays secret.
//
// # Cost
//
// A Digester calls built-in families directly. None allocates, keys on the caller's stack stay there, and
// strings are read in place. A family of your own costs a call through an interface besides. The table has
// rough nanoseconds a key, the least of 4 runs on a busy 2-core AMD EPYC (go test -bench Sum64, Go 1.26):
//
//	bytes          4    8   16   32   64  256
//	xxh3           4    3    3    6   12   39
//	xxh64, seed 0  7    5    5   10   13   25
//	other seeds   10   13   19   16   28   36
//	metro64       12    5    6    8   10   23
//	fnv1a          4    6   13   25   57  267
//	siphash       11   13   16   26   32   98
//	maphash        6    6    6    6    6   15
//	Mix                 2
//
// Under the build tag purego this package does without unsafe. A key on its way to a user's own
// Hasher is then copied, one allocation, and so is a key of more than 256 bytes for SipHash.
// [Comparable] allocates too. All else still allocates nothing.
package hashing
