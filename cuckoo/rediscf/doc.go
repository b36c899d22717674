// Package rediscf is the cuckoo filter behind the CF.* commands of Redis, in process: the same answers to the same
// commands, and the same bytes in a dump. A filter built here is shipped to a server with CF.LOADCHUNK; one that a
// server dumped with CF.SCANDUMP is loaded here and queried without a connection.
//
// # Which filter to take
//
// Take this one if a server must understand the bytes. Otherwise take one of package cuckoo. The
// fingerprints here have 8 bits. The hash is MurmurHash64A with seed 0, for which anybody can find keys
// that collide. The filter grows as a chain of sub-filters, and a lookup visits each of them.
//
// # How it works
//
// The digest h of a key is its MurmurHash64A with seed 0. The fingerprint is h%255 + 1, the primary
// bucket h modulo N and the alternate bucket (h xor fingerprint*0x5bd1e995) modulo N, where N is the
// number of buckets of a sub-filter, a power of two. A sub-filter is N*BucketSize bytes, a slot each.
//
//	oldest                              newest
//	| sub-filter 0 | sub-filter 1 | ... | sub-filter n-1 |
//	  N buckets      N*e buckets          N*e^(n-1) buckets      e: the expansion
//
// Adds look for a free slot from the newest sub-filter to the oldest, then kick in the newest, in turn,
// for at most MaxIterations kicks. If that finds no slot it is undone, and the filter grows by a
// sub-filter, or, with [NoGrowth], is full. Deletes look from the newest to the oldest too, lookups the
// other way. When more than a tenth of the items has been deleted, a delete moves fingerprints from the
// newest sub-filters into free slots of older ones ([Filter.Compact] does so on request).
//
// The table and the kicks are those of every other cuckoo filter of this module; only the split of the
// digest, the pairing of buckets and the chain are of this package.
//
// # Verbs
//
// They have the names of the commands: Add, AddNX, Insert, Exists, Del, Count,
// Compact, Info, Scan and Load. Keys are bytes, strings or digests; [Digest] makes a digest. Nothing on
// the way of Add, AddNX, Exists, Del and Count allocates, except when the filter grows.
//
// A Filter may be read by several goroutines at once while nobody changes it; Add, AddNX, Insert,
// Del, Compact and Reserve change it.
//
// # Limits
//
// The server lets one key that is added again and again grow a filter without end, and lets 38 bytes of a dump ask for
// any amount of memory. Here [Limits] bound both. The caller sets them, and they have defaults.
package rediscf
