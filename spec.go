package nest

import (
	"strings"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// Spec says which filter to make, for a program that learns it at run time: from a flag, a
// configuration file or a request. Its text form is key=value pairs joined by slashes. Its JSON form is
// an object with the same keys. Each field below names its key; both forms leave out fields that are zero. No field
// holds a secret, and specs can be compared.
//
// There are two ways to size a filter:
//
//   - Set Capacity and one of FalsePositiveRate, BitsPerItem and, for Cuckoo, DLeft, Fuse and Window, FingerprintBits.
//   - Set Slots, the size of the table, and FingerprintBits for those four, or Hashes for every other kind. The Spec
//     of a filter that was made has this form. Best does not take it.
//
// Scalable, which grows, needs neither. It takes the Capacity to begin with, FalsePositiveRate and FingerprintBits, all
// of them optional; with a rate and a width it refuses keys rather than exceed the rate. The Spec of a Scalable that
// was made has all three.
//
// The zero Spec is a growing filter with fingerprints of 16 bits: who does not know how many keys there will be needs
// to set nothing.
type Spec struct {
	_ struct{}

	// Kind is the kind of filter; empty means Best. Key: kind.
	Kind Kind
	// Capacity is the number of distinct keys that the filter is to hold. What happens beyond it depends on the kind.
	// Cuckoo and DLeft return ErrFull; in rare cases they do so a little earlier, as cuckoo.Filter.Capacity and
	// counting.DLeft.Capacity state. Scalable grows; where this is 0, it begins with 1024. The others take more keys at
	// a rising rate. Of Window it is the number of distinct keys in each window; where it and Slots are 0, it is Keys.
	// Key: capacity.
	Capacity int
	// Slots is the number of slots of the table: of a cuckoo filter a multiple of BucketSize, of
	// a d-left filter of 16, of the others the number of bits or counters. Key: slots.
	Slots int
	// FalsePositiveRate is the highest share of absent keys that the filter may report as present when it
	// holds Capacity keys: above 0 and below 1. The rate of Cuckoo and DLeft can be as low as half of it,
	// because fingerprints have a whole number of bits. Above 0.1 that of Cuckoo can be lower still, because
	// New takes at least 6 bits. Scalable keeps the rate however many keys it holds. Key: fpr.
	FalsePositiveRate float64
	// BitsPerItem is the size of the table for each of the Capacity keys, in bits. The filter has the lowest rate that
	// fits. Bloom tables round up to whole 8-byte words. Scalable has no such size. Key: bitsperitem.
	BitsPerItem float64
	// MustDelete says that keys will be deleted again. Best then takes a kind that can, and a kind
	// that cannot is ErrConfig. Key: mustdelete.
	MustDelete bool
	// Concurrent says that goroutines will use the filter at once and change it. Best then takes a kind for that, and
	// another kind is ErrConfig. None of them grows, so Capacity or Slots is needed. Key: concurrent.
	Concurrent bool

	// FingerprintBits is the width of a fingerprint: 1 to 32 bits, for Scalable 8 to 32. For DLeft it is the part that
	// a slot holds, counting.DLeftConfig.RemainderBits, 4 to 32. Key: f.
	FingerprintBits int
	// BucketSize is the number of slots of a cuckoo filter's bucket: 1, 2, 4 (default) or 8, of Scalable 4 or 8, of
	// Window as of a cuckoo filter. Leave it 0 for Best, which chooses it, and for the layout cuckoo.Words and the kind
	// ConcurrentCuckoo, where the width decides. Key: b.
	BucketSize int
	// Layout is the way in which a cuckoo filter stores a bucket: cuckoo.Packed (default); cuckoo.PairedSlots, which
	// has half the rate and a lower load, and which Scalable does not have; or cuckoo.SemiSorted, which saves one bit
	// of each fingerprint, is slower and needs buckets of 4 slots. Best always considers packed filters, and those of
	// another layout only where it is set. Scalable has none. Key: layout.
	Layout cuckoo.Layout
	// Placement pairs the buckets of a cuckoo filter. The default is cuckoo.Additive. Key: placement.
	Placement cuckoo.Placement
	// Kick names the kick policy of the cuckoo filter: breadth-first (default), random-walk, round-robin or
	// look-ahead. For a policy of your own make a filter of package cuckoo. Key: kick.
	Kick string
	// MaxKicks bounds the buckets examined for one insert into a cuckoo filter; 0 is the policy's
	// default. Key: maxkicks.
	MaxKicks int
	// Seed starts the generator of kick policies that kick at random. The seed of the hash is part of Hash. Key: seed.
	Seed uint64
	// MaxDoublings bounds how often the table of Scalable doubles; 0 is as often as the rate and the width permit.
	// Key: maxdoublings.
	MaxDoublings int

	// Generations is the number of parts of a window, 1 to 14; the default is 14 or 6, as window.Config says. Key:
	// generations.
	Generations int
	// Window is the time for which Window remembers a key. Key: window.
	Window time.Duration
	// Keys is the number of other keys for which Window remembers a key, in place of a time. Key: keys.
	Keys int
	// ForgetEarly has a full Window forget its oldest generation instead of refusing a key. Key: forgetearly.
	ForgetEarly bool

	// Segments is the number of slots that a key of Fuse has: 4 (default) or 3. Key: segments.
	Segments int
	// Hashes is the number of bits or counters of a key, 1 to bloom.MaxHashes. Key: hashes.
	Hashes int
	// CounterBits is the width of a counter: of Counting 2, 4 (default), 8 or 16, of DLeft 1 to 16,
	// 2 by default. Key: counterbits.
	CounterBits int

	// Hash names the hash: a family of hashing.Names, with its seed unless that is 0, such as "xxh3" or "metro64:1337",
	// or "digests", which is hashing.DigestsOnly; or the recipe of a Hasher that [New] is given. Where it is empty, the
	// hash is the one that New is given or, without one, xxh3, and of SplitBlock xxh64, which Parquet has.
	//
	// "siphash" is for keys that others may choose. New draws a secret key unless it is given a SipHash; the filter's
	// Digester has it. Key: hash.
	Hash string
	// MaxBytes is the largest table, in bytes, that may be allocated. Beyond it New returns ErrTooLarge. It bounds the
	// table that Scalable grows to; an insert that needs a larger one returns ErrFull. The default, 0, is 16 GiB, and 1
	// GiB where int has 32 bits. Key: maxbytes.
	MaxBytes int
}

// sipHash is the name of the family that draws its key.
const sipHash = "siphash"

// hasher returns the hash of s: one of known or a built-in one, another one at each call where it draws a secret.
func (s Spec) hasher(known []hashing.Hasher) (hashing.Hasher, error) {
	for _, h := range known {
		if h != nil && (s.Hash == "" || s.Hash == h.Recipe() || s.Hash == sipHash && h.Name() == sipHash) {
			return h, nil
		}
	}
	switch {
	case s.Hash == "" && s.Kind == SplitBlock:
		return hashing.XXH64(0), nil
	case s.Hash == "":
		return hashing.XXH3(0), nil
	}
	parse := hashing.Parse
	if s.Hash != hashing.DigestsOnly.Recipe() && !strings.Contains(s.Hash, ":") {
		parse = secret.New
	}
	h, err := parse(s.Hash)
	if err != nil {
		return nil, pkg.Errorf(ErrConfig, "Hash is %q, and no Hasher that was given has this recipe: %w", s.Hash, err)
	}
	return h, nil
}

// policy returns the kick policy that s names, nil where it names none. The error is ErrConfig and lists the names.
func (s Spec) policy() (cuckoo.KickPolicy, error) {
	if s.Kick == "" {
		return nil, nil
	}
	var c cuckoo.Config
	if err := c.UnmarshalText([]byte("kick=" + strings.ReplaceAll(s.Kick, "/", "%2F"))); err != nil {
		return nil, pkg.Errorf(ErrConfig, "Kick is %q: %w", s.Kick, err)
	}
	return c.Kick, nil
}

// recipe returns the recipe of a hash or a kick policy, or nothing where there is none.
func recipe(part interface{ Recipe() string }) string {
	if part == nil {
		return ""
	}
	return part.Recipe()
}
