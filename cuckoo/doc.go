// Package cuckoo is a cuckoo filter: a set of keys in a few bits each, which answers "is this key
// in the set?" without ever missing one, says yes of others at a rate that was chosen, and can
// delete.
//
// At b = 4 slots a bucket, fingerprints of f bits and 95% load it spends f/0.95 bits per item, for
// a false-positive rate of about 7.6/2^f; a lookup touches two buckets, which is two cache lines at
// most places. f = 12 gives 12.6 bits per item and 0.19%.
//
//	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: 1_000_000})
//	...
//	err = f.Insert(key)   // ErrFull: nothing was lost
//	ok := f.Contains(key)
//	ok = f.Delete(key)
//
// A program that learns the width at run time takes fingerprint.Any, and says it in Config.FingerprintBits.
//
// # Terms
//
//   - Digest: the 64-bit hash of a key. See package hashing.
//   - Fingerprint: f bits of the digest, never 0. The filter stores nothing else of a key.
//   - Slot: a cell of f bits that holds a fingerprint, or 0 where it is empty.
//   - Bucket: b slots. The table is m buckets, packed bit by bit.
//   - Primary and alternate bucket: the two buckets that a fingerprint may live in. The digest
//     gives the first; the first and the fingerprint give the second.
//   - Placement: the rule that pairs the buckets. From either bucket and the fingerprint alone the
//     other follows, so a fingerprint can be moved without its key: partial-key cuckoo hashing.
//   - Kick: moving one fingerprint to its alternate bucket. Cuckoo path: the kicks of one insert.
//   - Load factor: used slots as a share of all.
//   - Class: an unordered pair of buckets and a fingerprint. A filter cannot tell the keys of one
//     class apart.
//
// # Inserting
//
// A key goes into a free slot of either bucket. If there is none, the [KickPolicy] looks for a
// cuckoo path that ends in a free slot:
//
//	              kick            kick
//	key --> [a b c d] --c--> [e f g h] --f--> [i j . k]
//	         bucket 17        bucket 4         bucket 90
//
// [BreadthFirst] finds a shortest one before anything moves, reaches a load of 97% at b = 4 and is
// the default; [LookAhead] walks and comes close to it; [RandomWalk] is the algorithm of the paper and
// stops near 96%.
//
// # Semi-sorted buckets
//
// [Config].SemiSort keeps the four fingerprints of a bucket in order (b = 4, f from 5 on). The order of four
// things carries information that nobody asks for; leaving it out saves one bit of each: 12.6 bits per item
// at 95% load buy f = 13, and a rate of 0.093%, where plain buckets have 0.19%. What fits is the same. Every
// operation takes a bucket apart, and those that change it put it together again. Measured at f = 13
// against plain buckets of f = 12, which are as large (XOR, 2^17 slots, one core of an Intel Xeon, Go
// 1.26, median of 7 rounds): lookup 6.7 ns against 3.7, insert below half load 14.8 against 5.0 and from
// 85% to 95% load 128 against 79, delete 25.5 against 6.7. Lookups of many digests at once are no faster
// than single ones.
//
// # A refused insert loses nothing
//
// Where there is no path the insert returns [ErrFull], and the table is byte for byte as it was,
// whichever policy ran. Many implementations of the paper's algorithm keep the new key at that
// point and drop the victim that was last in hand: a key that had been accepted is then denied.
//
// # What it cannot do
//
//   - Deleting a key that was never inserted may remove another's fingerprint, if both are of one
//     class; nothing can check that.
//   - A key can be inserted 2b times (b times where its buckets coincide), then it is ErrFull at any
//     load. Use InsertUnique for sets.
//   - A Filter does not grow; [Scalable] does. Choose a Capacity, or see what [Filter.Capacity] promises of a
//     table.
//   - Whoever can choose keys can make them collide, so that inserts are refused or a key of their choice is a false
//     positive, unless the hash is under a secret key: Config{Hash: hashing.NewSipHash()}.
//   - The predicted rate is for digests that are well mixed. Integers are digests through
//     hashing.Mix, not as they are; other comparable keys through hashing.Comparable, in this process.
//
// # Source
//
// Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom", CoNEXT 2014.
// Semi-sorted buckets are its section 5.2, after Bonomi et al. 2006. The placement [Additive], which takes any
// number of buckets, and the undo of refused walks are not in the paper.
package cuckoo
