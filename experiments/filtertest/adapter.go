// Package filtertest tests any approximate-membership filter, as testing/fstest tests any file system: an [Adapter]
// of a few lines gives a filter, of this module or of somebody else's, a suite of checks that each look for one
// defect that real filters have had. The package's Example is a whole adapter; [Test] makes it a test, and [Check]
// returns a [Report] with evidence such as "1,046 of 63,500 accepted keys are lost".
//
// # What is checked
//
// Every check works on fresh filters, so that a defect shows in the checks that look for it and not in later ones.
//
//   - capacity: as many keys as announced are taken; load factor at the first refusal.
//   - filling, overfilling: no accepted key is lost, up to the first refusal and long after it.
//   - refusal: a refused insert changes nothing: not Len, not the table, not one answer.
//   - rate: the false-positive rate is the predicted one and at most the claimed one.
//   - delete, operations, duplicates, saturation, absent-delete: the contract of Delete against an exact multiset.
//   - queries, reset, clone: asking changes nothing; a reset filter is a fresh one; clones share nothing.
//   - keys, aliasing: every byte string is a key; keys are neither kept nor changed.
//   - batches, strings: other forms of a verb do what the verb does.
//   - tiny: all of it at capacities 1 to 64.
//   - determinism, allocations.
//
// A panic of the filter is a finding, with its place. A check cannot outlive a filter that never returns, that exhausts
// the memory, or that the runtime kills for a data race.
//
// # Chance
//
// Keys come from [Options.Seed]: a check of a deterministic filter gives the same report every time. What judges a
// rate is a statistical test: it fails a filter that keeps its promise with probability at most [Options.FalseAlarm],
// over the choice of seeds. All other checks are exact: what they fail is wrong.
package filtertest

import "cmp"

// An Adapter says how to make a filter and what the filter promises. Name and New are required; every other zero
// value is right for a filter of which nothing more is known.
type Adapter struct {
	Name string // of the filter, in reports and of its subtest
	// New returns an empty filter for that many keys. It is called many times; the filters must not share state, and
	// behave alike unless Random is set.
	New        func(capacity int) (*Filter, error)
	TargetRate float64 // the false-positive rate that is claimed for a filter filled to capacity; 0 claims none
	Full       Full    // what an insert into a full filter does
	// CapacityIsTarget says that the capacity only sizes the table: a refusal before it is noted and does not fail.
	CapacityIsTarget bool
	// Set says that a key inserted twice is held once, so that one Delete removes it. Else the filter is a multiset.
	Set bool
	// Random says that two filters filled alike may differ, and answer differently for absent keys, never for present
	// ones.
	Random    bool
	AllocFree bool // promises that no verb allocates, a refused insert included
}

// Full says what a filter does with a key for which it has no room.
type Full uint8

const (
	MayRefuse Full = iota // nothing is known: checks of refusals are skipped if none is seen
	Refuses               // a full filter refuses keys, and it is a failure if it takes any number of them
	Absorbs               // no insert is ever refused, and it is a failure if one is
)

// A Filter is one filter under test: functions and no interface, because other filters have other names for their
// verbs. A method value fits where the signature does, a closure of one line elsewhere. Insert and Contains are
// required. The others are nil where the filter lacks the ability; checks that need it are skipped.
type Filter struct {
	// Insert adds a key and tells whether it was accepted. An accepted key must be found until it is deleted; a refused
	// one must have changed nothing.
	Insert   func(key []byte) bool
	Contains func(key []byte) bool // whether a key may have been inserted
	// Delete removes one copy of a key and tells whether there was one. For a filter whose verb returns nothing, return
	// what Contains said before.
	Delete func(key []byte) bool
	// Count returns at least the number of copies of a key that the filter holds, unless its counters are saturated: a
	// result below the number is allowed if it is CountLimit or more.
	Count      func(key []byte) int
	CountLimit int            // the largest number that Count can return, 0 if there is no limit
	Len        func() int     // keys accepted less keys deleted
	Rate       func() float64 // the predicted false-positive rate of the filter as it is now
	Slots      func() int     // of the table, for the load factor
	SizeBytes  func() int     // of the table, for the bits per item
	// State returns a copy of the table, such as the bytes of the filter's file. It proves that an operation changed
	// nothing. An error of it fails the check.
	State   func() ([]byte, error)
	Reset   func()         // empties the filter: it must then be like a fresh one
	Clone   func() *Filter // a copy that shares nothing with the filter
	Strings *Strings
	Hashes  *Hashes
	// OnStack calls the verbs with a key on its stack, f.Insert(key[:]) and so on, for the check of allocations: it
	// allocates if one of them lets the key escape. f must have a concrete type: through an interface every key escapes.
	OnStack func(key [16]byte)
}

// Strings are the verbs of a filter for keys that are strings. Each may be nil. They must do what the verbs of
// [Filter] do for the bytes of the string.
type Strings struct {
	Insert, Contains, Delete func(key string) bool
	Count                    func(key string) int
}

// Hashes are the verbs of a filter for digests: well-mixed 64-bit numbers. Insert and Contains are required. They must
// do what the verbs of [Filter] do for a key with the digest, and batches what single calls in the same order do.
type Hashes struct {
	Digest                   func(key []byte) uint64 // Contains of it and Filter.Contains of the key agree
	Insert, Contains, Delete func(h uint64) bool
	InsertAll                func(hs []uint64) int         // in order until one is refused: how many it inserted
	ContainsAll              func(hs []uint64, dst []bool) // dst[i] is Contains of hs[i]; dst may be longer than hs
	DeleteAll                func(hs []uint64) int         // how many were found
}

// Options say how thoroughly to check. The zero value of a field is a default, which in short mode is the second one.
type Options struct {
	_ struct{}

	// Capacity is the number of keys that filters are made for: 1000, 300. Some defects need large tables, others are
	// found in small ones only: the check tiny goes through capacities 1 to 64.
	Capacity int
	Seed     uint64 // chooses all keys and operations: 1
	Builds   int    // filters, with keys of their own, over which a rate is measured, at least 10: 40, 20
	Queries  int    // absent keys asked for in each build: 8192, 1024
	// Refusals is the number of refused inserts after which a filter is full enough: 200, 50. Filters that refuse nothing
	// are filled to four times their capacity.
	Refusals   int
	FalseAlarm float64  // the probability with which a statistical test may fail a filter that is right: 1e-6
	Only       []string // the checks to make; the default is all of them
}

// resolve returns o with every default filled in. Values out of range count as the nearest in range.
func (o Options) resolve(short bool) Options {
	choose := func(v *int, full, brief, least int) {
		if short {
			full = brief
		}
		*v = max(cmp.Or(*v, full), least)
	}
	choose(&o.Capacity, 1000, 300, 1)
	choose(&o.Builds, 40, 20, 10)
	choose(&o.Queries, 8192, 1024, 1)
	choose(&o.Refusals, 200, 50, 1)
	o.Seed = cmp.Or(o.Seed, 1)
	if o.FalseAlarm <= 0 || o.FalseAlarm >= 1 {
		o.FalseAlarm = 1e-6
	}
	return o
}
