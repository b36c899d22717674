// Package hashing turns keys into the 64-bit digests that filters hold.
//
// A filter never sees a key after its digest: everything it knows, the bucket, the fingerprint and
// so the false-positive rate, comes out of these 64 bits. A [Hasher] makes them. Filters take one in
// their configuration, keep it as a [Digester], and write its Recipe into their files, so that a
// filter is only ever asked with the hash that filled it.
//
// # Which family
//
//   - [XXH64] is the default, and right unless one of the following is needed. It is fast at every
//     length, passes every quality test here, and is what Parquet Bloom filters use (seed 0).
//   - [SipHash] when somebody who wants to do harm chooses the keys. Package hashing/secret draws its key.
//   - [Metro64] to read or to imitate filters of seiflotfy/cuckoofilter and its relatives (seed 1337).
//   - [Murmur64A] to read or to imitate the cuckoo filters of RedisBloom (seed 0), and no others.
//   - [FNV1a] when another language must compute the same digests from a few lines of code. One
//     multiplication a byte makes it the slowest on keys of more than some 30 bytes.
//   - [MapHash] for filters that live and die in this process: each call draws a secret seed, and
//     nothing can rebuild it.
//   - [Mix], which is no Hasher, for keys that are integers of any type: filters take its result in
//     their Hash verbs. It costs one or two nanoseconds, and two integers never share a digest.
//   - [Comparable], which is none either, for keys of any other comparable type, such as structs, in
//     filters of this process.
//   - [Digest], likewise, for keys that are cryptographic hashes already: it takes their
//     first 8 bytes.
//   - [DigestsOnly] when digests come from elsewhere and key verbs must not be used.
//
// A family of one's own implements [Hasher] and is passed where a Hasher is taken; there is no
// table to register it in. [New] and [Names] are for programs that choose by name, [Parse] for those
// that read a filter's file.
//
// # Seeds and chosen keys
//
// A seed gives another layout: another choice of which keys are false positives, for repeated
// experiments or for a second filter that must not share the first one's mistakes. It is no defence.
// XXH64, MetroHash64 and FNV-1a were not built to resist: whoever knows the
// seed makes colliding keys at will, and nobody claims that the seed stays unknown. For MurmurHash64A
// one need not know it: there are keys that collide under every seed. Xoring or mixing a seed into a
// finished digest is worse still: it changes the layout but not the collisions. Whoever may choose
// keys can then fill one bucket until an insert is refused, or make any key a false positive. Only
// SipHash is built to withstand that, and only while its key stays secret.
//
// # Cost
//
// Through a Digester built-in families are called directly. None allocates, keys on the caller's
// stack stay there, and strings are read in place. Rough nanoseconds a key, on a shared 2-core Xeon
// (go test -bench Sum64, Go 1.26); a user's family costs a call through an interface besides:
//
//	bytes          4    8   16   32   64  256
//	xxh64, seed 0  4    4    4    6    8   20
//	other seeds    7    8    9   11   12   22
//	metro64        3    3    5    6    8   21
//	fnv1a          3    7   10   19   44  228
//	siphash        9   10   14   19   31  101
//	maphash        4    4    3    4    5   16
//	Mix                 2
//
// Under the build tag purego this package does without unsafe. A key on its way to a user's own
// Hasher is then copied, one allocation, and so may be a string of more than 256 bytes for SipHash.
// [Comparable] allocates too. All else still allocates nothing.
package hashing
