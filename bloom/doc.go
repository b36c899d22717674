// Package bloom implements three Bloom filters: the classic [Filter], the cache-line filter [Blocked], and
// [SplitBlock], the filter of Parquet files. [Concurrent] is a Blocked that many goroutines use at once.
//
// A Bloom filter tells whether a key was inserted, with no false negatives and a chosen false-positive rate. It cannot
// delete: packages counting and cuckoo have filters that can. An attacker who chooses the keys can make other keys
// false positives. To prevent that, set Hash to secret.SipHash(), from package hashing/secret.
//
// # Cost
//
// The table shows bits per key at capacity, and the cache misses of one call on a table larger than the caches:
//
//	rate      Filter        Blocked       SplitBlock   misses: present / absent key
//	0.1        4.81  k=3     4.84  k=3     5.99         Filter      k / about 2
//	0.01       9.59  k=7     9.92  k=6    10.53         Blocked     1 / 1
//	0.001     14.38  k=10   15.55  k=9    16.89         SplitBlock  1 / 1
//	0.0001    19.17  k=13   22.03  k=12   26.34
//	0.00001   23.97  k=17   29.67  k=14   40.99
//
// The sizes are those of [Plan], [PlanBlocked] and [PlanSplitBlock] for a million
// keys. Inserts and lookups allocate nothing. An insert cannot fail; beyond the capacity the rate rises.
//
// Use Blocked unless memory matters more than time. Use Filter for rates below about 0.0001, where
// blocks take much memory; a cuckoo filter is smaller still at such rates. Use SplitBlock for speed at
// rates from 0.1 to 0.001, since its number of hashes is a constant, and to exchange filters with Parquet.
//
// # Zero filters
//
// No method of a filter that no constructor made panics. It is empty, and has no file. The first insert gives a zero
// Filter, Blocked or SplitBlock a table of 512 bits and 8 hashes under the default Hash, whose rate passes 0.01 at some
// fifty keys. A zero Concurrent gets no table: after the first insert it says yes to every key.
//
// # Terms
//
// A digest is the 64-bit hash of a key; the verbs that end in Hash and Hashes take digests and are the fast path.
// Integers make digests by hashing.Mix64. The table has m slots, each a bit; a key sets k of them, at positions that
// follow from its digest. The load factor is the share of bits that are set. A block is 512 bits, one cache line; a
// Blocked filter keeps all bits of a key in one block. The blocks of a SplitBlock are half as large, of eight lanes of
// 32 bits, and a key sets one bit in each lane.
//
// # Positions
//
// A position is the high part of the product of a 64-bit state and m, so m need not be a power of two. The first state
// is the digest; each next one follows from it by a rotation and a multiplication. Double hashing is no faster after a
// cache miss, and can distinguish only about m^2 cases, so that a table of a thousand bits never reaches a
// false-positive rate of 0.0001. In a Blocked filter the high part of the product of digest and number of blocks
// chooses the block, and each further product yields seven positions of 9 bits.
//
// A SplitBlock has the positions of the Parquet format (BloomFilter.md of apache/parquet-format): the
// block is ((h>>32)*blocks)>>32 for the digest h, and in lane i of its eight lanes of 32 bits the bit is
// (uint32(h)*salt[i])>>27, with one odd salt a lane. [SplitBlock.Bitset] has the format's bytes.
//
// The layout is stable: the same keys, Config and hash make the same table in every release and on every machine. Sizes
// that are computed from a rate involve logarithms, whose last digits depend on the architecture: to make equal filters
// on two machines, exchange the resolved configuration, [Filter.Config].
package bloom
