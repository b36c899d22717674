// Package window is a cuckoo filter that forgets. It answers "was this key here in the last ten minutes?".
//
//	f, err := window.New[fingerprint.Bits12](window.Config{PerWindow: 1_000_000, Window: 10 * time.Minute})
//	...
//	f.AdvanceTo(time.Now())         // the time, which no other verb reads
//	added, err := f.Touch(key)      // false: touched within the window. Its time begins anew
//	added, err = f.InsertUnique(key) // the same, but its time goes on
//
// # What it promises
//
// A key that was touched within the window is never denied. A key that is not touched again is forgotten by the window
// and one generation: by W(1+1/g). Of g generations, a window of ten minutes at the default of 14 forgets after 10 to
// 10.7 minutes. In between, and at the rate of false positives for keys that were never touched, the answer can be yes.
//
// In generations this is exact: a key is alive through g calls of [Filter.Advance] and gone with the next one. Keys
// that the filter cannot tell apart, which have the same two buckets and the same fingerprint, share a slot and the
// time of the latest touch. That can make a key live longer and never shorter.
//
// # What ends a generation
//
//   - [Config].Window: [Filter.AdvanceTo], every g-th part of the window. A touch counts as made at the time of the
//     latest AdvanceTo. So call it before each verb, or each batch of them: it costs a comparison. From a ticker of
//     period p, the promise is W-p.
//   - [Config].Keys: the touches themselves. A key is not denied before Keys other keys were
//     touched, where one that is touched in several generations counts in each.
//   - [Filter.Advance], where you say when.
//
// # Size
//
// [Config].Capacity is the number of distinct keys that are touched in g+1 successive generations. A constant stream of
// n keys a window needs n(1+1/g), which follows from Config.PerWindow. If one generation of a burst has x times the
// keys of the others, it needs n(1+x/g). A table takes (f+k)/.96 bits for each of these keys at b = 4, where k is 2
// bits for up to 2 generations, 3 up to 6, and 4 up to 14. Bits for each key of a window, as measured, beside two plain
// cuckoo filters in turn, which forget after W to 2W:
//
//	rate    g=1   g=2   g=6   g=14    two filters
//	1%      25.0  18.8  15.8  15.6    22.9
//	0.19%   29.2  21.9  18.2  17.9    27.1
//	0.1%    31.3  23.4  19.5  19.0    29.2
//
// # When it is full
//
// A new key that finds no room is refused with [ErrFull]. All keys and ages stay as they are; the key is not
// remembered. With [Config].ForgetEarly the filter forgets its oldest generation instead, as long as it holds the keys
// that its Capacity promises or more.
//
// # How it works
//
// A slot is a lane of k + f bits, and the fingerprint alone decides its two buckets, by the placement cuckoo.Additive:
//
//	lane:  | age, k bits | fingerprint, f bits |    0: an empty slot, since no fingerprint is 0
//
// An age is the number of a generation modulo g+2. Those of g+1 generations are alive, and one is that of expired
// lanes. For lookups and inserts an expired lane is an empty one. Inserts overwrite expired lanes and sweep a few
// buckets each. What is left of them is swept when a generation ends, before the next one takes their age.
//
// # Goroutines
//
// Any number of goroutines may look up at once. A touch needs the filter to itself: take a mutex, or several filters
// with a mutex each, of which the highest bits of the digest choose one. The example Shards says what that gains.
package window
