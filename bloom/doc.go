// Package bloom holds the two Bloom filters that cuckoo filters are judged against, the classic
// [Filter] and the cache-line [Blocked], and [SplitBlock], the filter of Parquet files.
//
// A Bloom filter answers whether a key was inserted, with no false negatives and a chosen
// false-positive rate. It cannot delete: see package counting, or cuckoo, for filters that can.
//
// Whoever may choose keys and wants to do harm can make others false positives, unless the hash is under a secret key:
// Config{Hash: hashing.NewSipHash()}.
//
// # Cost
//
// Bits per key at capacity, and cache misses of a verb on a table beyond the caches:
//
//	rate      Filter        Blocked       SplitBlock   misses: present / absent key
//	0.1        4.81  k=3     4.84  k=3     5.99         Filter      k / about 2
//	0.01       9.59  k=7     9.92  k=6    10.53         Blocked     1 / 1
//	0.001     14.38  k=10   15.55  k=9    16.89         SplitBlock  1 / 1
//	0.0001    19.17  k=13   22.03  k=12   26.34
//	0.00001   23.97  k=17   29.67  k=14   40.99
//
// The sizes are what [OptimalBits], [OptimalBlockedBits] and [OptimalSplitBlockBits] say for a million
// keys. No verb allocates. An insert cannot fail; beyond the capacity the rate rises.
//
// Take Blocked unless memory is scarcer than time, and Filter below rates of about 0.0001, where
// blocks grow expensive. At such rates a cuckoo filter is smaller than all. Take SplitBlock at rates
// from 0.1 to 0.001 for speed, as k is a constant and no loop is left of a verb, and for its bytes.
//
// # Terms
//
// A digest is the 64-bit hash of a key; the verbs that end in Hash and Hashes take digests and are
// the fast path. Integers make digests by hashing.Mix64. The table has m slots, each a bit; a key
// sets k of them, at positions that follow from its digest. The load factor is the share of bits
// that are set, and the false-positive rate of a filter is its load factor to the power of k. A
// block is 512 bits, one cache line; a Blocked filter keeps all bits of a key in one block. The blocks of
// a SplitBlock are half as large, of eight lanes of 32 bits, and a key sets one bit in each lane.
//
// # Positions
//
// A position is the high part of the product of a 64-bit state and m, so any m will do and none is
// rounded up to a power of two. The first state is the digest; the next follows by a rotation and a
// multiplication. That is as fast as double hashing behind a cache miss, without its flaw: double
// hashing tells about m^2 cases apart, so that a table of a thousand bits never reaches a
// false-positive rate of 0.0001. In a Blocked filter the high part of digest times number of blocks chooses the
// block, and one further product yields seven positions of 9 bits.
//
// A SplitBlock has the positions of the Parquet format (BloomFilter.md of apache/parquet-format): the
// block is ((h>>32)*blocks)>>32 for the digest h, and in lane i of its eight lanes of 32 bits the bit is
// (uint32(h)*salt[i])>>27, with one odd salt a lane. [SplitBlock.Bitset] has the format's bytes.
//
// The layout is stable: the same keys, Config and hash make the same table in every release and on
// every machine, and [Filter.Config] has the resolved numbers to store beside it. Sizes computed from
// a rate go through logarithms, which may differ in their last digit from one architecture to another;
// exchange the resolved Config rather than the rate.
//
// # Predictions
//
// [Filter.FalsePositiveRate] reads the table and predicts for what it holds. [PredictRate],
// [PredictBlockedRate] and [PredictSplitBlockRate] predict from numbers alone, before there is a
// filter. Tests hold them all against measured rates.
package bloom
