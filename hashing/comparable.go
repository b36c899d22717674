package hashing

import "hash/maphash"

// processSeed is that of Comparable.
var processSeed = maphash.MakeSeed()

// Comparable returns a digest of a key of any comparable type, such as a struct or an array: keys that are equal by
// == have one digest, and digests are well mixed.
//
//	err := f.InsertHash(hashing.Comparable(point{x, y}))
//
// It is hash/maphash.Comparable under a secret seed that this process draws once. So its digests mean
// nothing to another process, and a filter of them must be neither stored nor sent. Give such a filter a
// [MapHash] as its Hash: no other process can then open its file by mistake. Under [DigestsOnly] one could,
// and would miss every key. To choose the seed call maphash.Comparable, whose result is a digest too.
//
// Ask for a key with the type with which it was inserted: int32(1) and int64(1) may have two digests. For integers use
// [Mix], which is faster and whose digests can be stored. A key that is not equal to itself, as NaN is, has another
// digest at each call and is never found. Comparable panics, as == does, if K is or holds an interface whose value
// cannot be compared.
//
// It does not allocate, but variables that a key points to, other than the bytes of strings, are moved to the heap
// where they are made. Under the build tag purego it allocates, and panics if K is or holds a nil interface: Go 1.26's
// package hash/maphash does.
func Comparable[K comparable](k K) uint64 { return maphash.Comparable(processSeed, k) }
