// Package cuckoo is a cuckoo filter: a set that stores a few bits of each key and answers "is this key
// in the set?". It never denies a key that is in the set. It says yes to other keys at a false-positive
// rate that you choose. Keys can be deleted.
//
// With b = 4 slots in a bucket, fingerprints of f bits and a load of 95%, it takes f/0.95 bits per
// item, and the false-positive rate is about 7.6/2^f. f = 12 gives 12.6 bits per item and 0.19%. A
// lookup reads two buckets, which lie in two cache lines in most cases.
//
//	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: 1_000_000})
//	...
//	err = f.Insert(key)   // ErrFull: nothing was lost
//	ok := f.Contains(key)
//	ok = f.Delete(key)
//
// If the program learns the width at run time, use fingerprint.Any and set Config.FingerprintBits, or a
// Config.FalsePositiveRate, from which the width follows.
//
// # What there is
//
//   - [Filter], made with [New] or, faster from many digests, with [Build]; [Plan] tells its size before.
//   - [Scalable] grows: [NewScalable], [PlanScalable].
//   - [Concurrent] is for many goroutines: [NewConcurrent], [PlanConcurrent].
//   - [Decode], [DecodeScalable] and [DecodeConcurrent] read their files; UnmarshalBinary and ReadFrom of each do too.
//   - [OpenView] and [OpenScalableView] answer from the bytes of a file, such as one that is mapped into memory.
//   - A [KickPolicy] makes room, a [Placement] pairs buckets, a [Layout] stores them.
//
// A key is bytes, a string, or a digest of 64 bits: Insert, InsertString, InsertHash. InsertHashes takes many digests.
// Inserts return an error, unlike those of a Bloom filter, because a cuckoo filter can be full. The examples have
// integers, UUIDs and structs.
//
// # Terms
//
//   - Digest: the 64-bit hash of a key. See package hashing.
//   - Fingerprint: f bits made from the digest, never 0. The filter stores nothing else of a key.
//   - Slot: a cell of f bits. It holds a fingerprint, or 0 if it is empty.
//   - Bucket: b slots. The table is m buckets, packed bit by bit.
//   - Primary and alternate bucket: the two buckets that a fingerprint may be in. The digest gives the first; the first
//     and the fingerprint give the second.
//   - Placement: the rule that pairs the buckets. Either bucket and the fingerprint give the other bucket, so a
//     fingerprint can be moved without its key: partial-key cuckoo hashing.
//   - Kick: moving one fingerprint to its alternate bucket. Cuckoo path: the kicks of one insert.
//   - Load factor: used slots as a share of all.
//   - Class: an unordered pair of buckets and a fingerprint. A filter cannot tell the keys of one class apart.
//
// # Inserting
//
// A key goes into a free slot of either bucket. If there is none, the [KickPolicy] looks for a cuckoo
// path that ends in a free slot:
//
//	             kick            kick
//	key --> [a b c d] --c--> [e f g h] --f--> [i j . k]
//	         bucket 17        bucket 4         bucket 90
//
// [BreadthFirst], the default, finds a shortest path before it moves anything, and reaches a load of 97% at b = 4.
// [LookAhead] walks, and comes close to that. [RandomWalk] is the algorithm of the paper and stops near 96%.
//
// # Semi-sorted buckets
//
// With the layout [SemiSorted] the four fingerprints of a bucket are kept in order (b = 4, f from 5 on). A filter does
// not need to know their order, and not storing it saves one bit of each. At 95% load, 12.6 bits per item then hold f =
// 13 instead of 12, and the rate is 0.093% instead of 0.19%. A table takes as many keys as a plain one.
//
// Every operation is slower: lookups take 1.5 to 1.8 times as long as in plain buckets, inserts and deletes 2 to 4 times,
// and lookups in batches 4 to 6 times (docs/PERFORMANCE.md). A batch is no faster than single lookups.
//
// # A refused insert loses nothing
//
// If there is no path, the insert returns [ErrFull], and the table is byte for byte as it was, under
// every policy. Many implementations of the paper's algorithm store the new key at that point and drop
// the fingerprint that was kicked last. They then deny a key that they had accepted.
//
// # Goroutines
//
// Any number of goroutines may ask a [Filter] at once, but an insert or a delete needs it to itself. A [Concurrent]
// takes inserts, deletes and lookups of any number of goroutines at once. Its lookups take no lock.
//
// # What it cannot do
//
//   - Deleting a key that was never inserted may remove the fingerprint of another key of its class. The filter cannot
//     check that.
//   - A key can be inserted 2b times (b times if its buckets coincide). After that it is ErrFull at any load.
//     InsertUnique stores one copy, and is for keys that are never deleted.
//   - A Filter does not grow; [Scalable] does. Choose a Capacity, or see what [Filter.Capacity] promises of a table.
//   - Somebody who chooses the keys can make them collide, so that inserts are refused or a chosen key is a false
//     positive. A hash under a secret key prevents that: Config{Hash: secret.SipHash()}, from package hashing/secret.
//   - The predicted rate is for well-mixed digests. Integers are not digests: hashing.Mix makes digests of them, and
//     hashing.Comparable of other comparable keys, for this process only.
//
// # Source
//
// Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom", CoNEXT 2014.
// Semi-sorted buckets are its section 5.2, after Bonomi et al. 2006. The placement [Additive], which
// takes any number of buckets, and the undo of refused walks are not in the paper.
package cuckoo
