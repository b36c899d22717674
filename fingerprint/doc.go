// Package fingerprint makes fingerprints from digests.
//
// A cuckoo filter stores, of every key, only its fingerprint: f bits of the key's 64-bit digest. This package has
//
//   - widths as types. [Bits1] to [Bits32] are array types of no size whose length is the width, so that a filter
//     generic over [Width] is compiled once per width and its masks are constants. [Any] is the width that is known at
//     run time only: one instantiation serves all 32.
//   - the split of a digest into a bucket and a fingerprint: [Bucket] and [Of]. The bucket comes from the digest's high
//     part, the fingerprint from its low 32 bits. The same bits would make most fingerprints of a bucket equal.
//
// A fingerprint is never 0: 0 marks an empty slot. The values 1..2^f-1 are equally likely.
//
// # Limits
//
// [Of] and [Bucket] use disjoint parts of the digest as long as there are at most [MaxBuckets] buckets. Digests must be
// well mixed: small integers used as digests would all fall into bucket 0. Pass integers through hashing.Mix64.
package fingerprint
