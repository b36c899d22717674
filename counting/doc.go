// Package counting holds two filters that can delete keys: the counting Bloom filter, [Filter] (Fan, Cao,
// Almeida and Broder, "Summary cache", IEEE/ACM Transactions on Networking 2000), and the d-left counting
// Bloom filter, [DLeft] (Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, "An improved construction for
// counting Bloom filters", ESA 2006). The sections before DLeft are about Filter.
//
// An attacker who chooses the keys can make other keys false positives, and fill the buckets of a DLeft. To prevent
// that, set Hash to secret.SipHash(), from package hashing/secret.
//
// # Cost
//
// With counters of 4 bits it takes four times the memory of a bloom.Filter of the same rate: 38.4 bits per key at 0.01,
// 57.5 at 0.001. A cuckoo filter deletes too, in about a quarter of that memory. Use this filter if an insert must
// never fail, or as a baseline. A verb touches k counters for a present key, Delete twice, and about 2 for an absent
// one; Insert always touches k. Each is a cache miss on a table larger than the caches. None of these calls allocates.
//
// The terms are those of package bloom, except that the m slots are counters of 2, 4, 8 or 16 bits. A counter at its
// maximum is saturated.
//
// # Saturation
//
// A counter that reached its maximum no longer knows how many keys it stands for. It is sticky: no insert and no delete
// changes it. So a key that is present is always found, as long as only keys that were inserted are deleted. In return,
// a key whose counters are all saturated stays present after its delete. In filters of distinct keys that is rare, as
// [DefaultCounterBits] says; [Filter.ScanStats] tells how many are saturated. One key inserted 15 times saturates all
// its counters of 4 bits. If duplicates are common, use InsertUnique or wider counters.
//
// Where nothing saturates, a filter from which every key was deleted equals an empty one, bit for bit.
//
// # DLeft
//
// A [DLeft] needs about half the memory of a Filter: 17.8 bits per item at 0.01 (for a rate of 0.0057, as a
// remainder has whole bits), and 21.9 at 0.001. But it can be full. It has four tables of buckets of four
// slots. A slot holds the remainder of a digest and a counter, 2 bits wide by default.
//
//	digest -> true fingerprint (bucket, remainder) -> one bucket in each table
//
//	table 0    | r:1 |     |     |     |     insert: into the bucket with the fewest used slots,
//	table 1    | r:1 | r:2 |     |     |             the leftmost of equals, or one more where
//	table 2    | r:1 | r:1 |     |     |             the remainder is already
//	table 3    |     |     |     |     |     lookup: all four buckets
//
// The true fingerprint alone decides the bucket, by one permutation for each table. So equal true fingerprints share a
// bucket in every table, and different ones look alike in none. The filter tells keys apart by their true fingerprints
// only. Each has one slot at most, and a delete cannot take the slot of another. So the false-positive rate is exactly
// the share of true fingerprints that are present: [DLeft.FalsePositiveRate].
//
// A verb touches up to four buckets. No fingerprint is ever moved. So an insert costs the same at any load, but a table
// is full near load .8, while a cuckoo filter reaches .95.
package counting
