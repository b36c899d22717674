// Package counting holds the counting Bloom filter, [Filter]: a Bloom filter that can delete (Fan,
// Cao, Almeida and Broder, "Summary cache", IEEE/ACM Transactions on Networking 2000).
//
// # Cost
//
// With counters of 4 bits it takes four times the memory of a bloom.Filter of the same rate: 38.4
// bits per key at 0.01, 57.5 at 0.001. A cuckoo filter deletes too, in about a quarter of that; take
// this one when an insert must never fail, or as the baseline that it is.
//
//	verb       counters touched
//	Insert     k
//	Contains   k for a present key, about 2 for an absent one
//	Delete     k, twice, for a present key; about 2 for an absent one
//	Count      k for a present key, about 2 for an absent one
//
// Each is a cache miss on a table beyond the caches. No verb allocates.
//
// # Terms
//
// A digest is the 64-bit hash of a key; the verbs that end in Hash and Hashes take digests and are
// the fast path. The table has m slots, each a counter of 2, 4, 8 or 16 bits; a key has k positions,
// which follow from its digest as in package bloom. The load factor is the share of counters that
// are not zero. A counter at its maximum is saturated.
//
// # Saturation
//
// A counter that reached its maximum no longer knows how many keys it stands for. It is sticky: no
// insert and no delete changes it. So a key that is present is always found, whatever was deleted,
// as long as only keys that were inserted are deleted. The price is that a key whose counters are
// all saturated stays present after its delete. In filters of distinct keys that is rare:
// [PredictSaturated] tells how rare, and [Filter.Stats] how many counters are saturated. One key
// inserted 15 times saturates all its counters of 4 bits; where duplicates are common, use
// InsertUnique or wider counters.
//
// Where nothing saturates, inserts and deletes are exact inverses: a filter from which every key was
// deleted equals an empty one, bit for bit.
package counting
