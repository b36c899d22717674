// Package hashing turns keys into the 64-bit digests that filters hold.
//
// A filter uses nothing of a key but its digest: the buckets and the fingerprint, and so the false-positive
// rate, follow from these 64 bits. A [Hasher] makes digests. A filter takes one in its configuration and
// keeps it as a [Digester]. It writes the Hasher's Recipe into its file, so that only the hash that filled
// a filter is used to query it.
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
//   - [FNV1a] when another language must compute the same digests from a few lines of code. One
//     multiplication a byte makes it the slowest on keys of more than some 30 bytes.
//   - [MapHash] for filters that are neither stored nor sent: each call draws a secret seed, and no other
//     process can make the same hash.
//   - [Mix], which is no Hasher, for keys that are integers of any type: filters take its result in
//     their Hash verbs. It costs one or two nanoseconds, and two integers never share a digest. [MixAll] makes
//     digests of many uint64 for the verbs that take many.
//   - [Comparable], which is no Hasher either, for keys of any other comparable type, such as structs, in
//     filters that are neither stored nor sent.
//   - [Digest], which is no Hasher either, for keys that are cryptographic hashes already: it takes their
//     first 8 bytes.
//   - [DigestsOnly] when digests come from elsewhere and key verbs must not be used.
//
// To use a family of your own, implement [Hasher] and pass it wherever a Hasher is taken. It need not be registered.
// [New] and [Names] are for programs that choose a family by name, [Parse] for those that read a filter's file.
//
// # Seeds and chosen keys
//
// Another seed makes other keys false positives. That is of use in repeated experiments, and for a second filter that
// must not have the false positives of the first. A seed does not protect against keys that somebody chooses. XXH3,
// XXH64, MetroHash64 and FNV-1a were not built for that: somebody who knows the seed can compute keys that collide, and
// nobody claims that the seed stays unknown. For MurmurHash64A the seed need not be known: there are keys that collide
// under every seed. A seed that is xored or mixed into a finished digest is worse still, as it changes no collision.
// With keys that collide, somebody can fill one bucket until an insert is refused, or make any key a false positive.
// Only SipHash is built to withstand that, and only while its key stays secret.
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
