// Package maplet is a cuckoo filter that gives values: beside the fingerprint of each key it stores a value of 1 to 40
// bits, such as the place of a record in a file. It does not store keys, so a lookup returns candidates.
//
//	m, err := maplet.New[fingerprint.Bits12](maplet.Config{Capacity: 10_000_000, ValueBits: 36})
//	...
//	err = m.Insert(key, place)            // ErrFull: nothing was lost
//	for place := range m.Lookup(key) {    // read the record there and compare its key
//	}
//	ok, err := m.Update(key, place, moved)
//	ok = m.Delete(key, moved)
//
// # What a lookup gives
//
// The candidates of a key are the values of every pair that is stored under its class: the same two buckets and the
// same fingerprint. The values that were inserted with the key are always among them, in no order. Those of other keys
// are among them by chance: on average [Map.FalsePositiveRate] of them, for a stored key and for an absent one. With
// fingerprints of 12 bits and buckets of 4 that is one in 540 lookups at a load of 95%. Which candidate is the key's
// own, the caller finds out where the value points.
//
// # What a pair is
//
// A Map stores pairs of a class and a value, each as often as it was inserted. So two keys of one class that have the
// same value take two slots, and the delete of one leaves the other. [Map.Update] and [Map.Delete] name the pair by key
// and value and change one copy of exactly that. They cannot tell keys of one class apart: values that differ for
// different keys, as places do, make them exact.
//
// # Layout
//
// A slot is one lane of f + v bits of the packed table of package cuckoo, f of the fingerprint and v of the value, at
// most 57 together. A table takes (f+v)/0.95 bits for each pair at a load of 95%.
//
//	lane:  | value, v bits | fingerprint, f bits |    0: an empty slot, since no fingerprint is 0
//
// The fingerprint alone decides the two buckets of a lane, by the placement cuckoo.Additive. So a slot is moved without
// its key, by the search of cuckoo.BreadthFirst. A class has room for 2b pairs (b where its buckets coincide).
//
// # Growing
//
// A Map does not have the digests of its keys, so it cannot make a larger table by itself. [Map.Grow] makes one and has
// the caller hand over every pair again. The Map is as it was until all of them are in the new table.
//
// # Verbs
//
// Keys come as bytes, as strings or as digests, one by one or, as digests, in batches. No verb allocates.
package maplet
