package nest

import (
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// Spec says which filter to make, for a program that learns it at run time: from a flag, a
// configuration file or a request. Its text form is key=value pairs joined by slashes. Its JSON form is
// an object with the same keys. Each field below names its key; both forms leave out fields that are zero.
//
// There are two ways to size a filter:
//
//   - Set Capacity and one of FalsePositiveRate, BitsPerItem and, for Cuckoo, DLeft and Fuse, FingerprintBits.
//   - Set Slots, the size of the table, and FingerprintBits for those three, or Hashes for every other kind. The Spec
//     of a filter that was made has this form. Best does not take it.
//
// Scalable, which grows, needs neither. It takes the Capacity to begin with, FalsePositiveRate and FingerprintBits, all of
// them optional; with a rate and a width it refuses keys rather than exceed the rate. The Spec of a Scalable that was made
// has all three.
//
// The zero Spec is a growing filter with fingerprints of 16 bits.
type Spec struct {
	_ struct{}

	// Kind is the kind of filter; empty means Best. Key: kind.
	Kind Kind
	// Capacity is the number of distinct keys that the filter is to hold. What happens beyond it
	// depends on the kind. Cuckoo and DLeft return ErrFull; in rare cases they do so a little earlier, as
	// cuckoo.Filter.Capacity and counting.DLeft.Capacity state. Scalable grows; where this is 0, it begins with 1024. The
	// others take more keys at a rising rate. Key: capacity.
	Capacity int
	// Slots is the number of slots of the table: of a cuckoo filter a multiple of BucketSize, of
	// a d-left filter of 16, of the others the number of bits or counters. Key: slots.
	Slots int
	// FalsePositiveRate is the highest share of absent keys that the filter may report as present when it
	// holds Capacity keys: above 0 and below 1. The rate of Cuckoo and DLeft can be as low as half of it,
	// because fingerprints have a whole number of bits. Above 0.1 that of Cuckoo can be lower still, because
	// New takes at least 6 bits. Scalable keeps the rate however many keys it holds. Key: fpr.
	FalsePositiveRate float64
	// BitsPerItem is the size of the table for each of the Capacity keys, in bits. The filter has
	// the lowest rate that fits. Bloom tables round up to whole 8-byte words. Scalable has no such size. Key: bitsperitem.
	BitsPerItem float64
	// MustDelete says that keys will be deleted again. Best then takes a kind that can, and a kind
	// that cannot is ErrConfig. Key: mustdelete.
	MustDelete bool
	// Concurrent says that goroutines will use the filter at once and change it. Best then takes a kind for that, and another
	// kind is ErrConfig. None of them grows, so Capacity or Slots is needed. Key: concurrent.
	Concurrent bool

	// FingerprintBits is the width of a cuckoo filter's fingerprints, 1 to 32, of Scalable 8 to 32, or of the part of one that a slot of
	// a d-left filter holds, counting.DLeftConfig.RemainderBits, 4 to 32, or of those of Fuse, 1 to 32. Key: f.
	FingerprintBits int
	// BucketSize is the number of slots of a cuckoo filter's bucket: 1, 2, 4 (default) or 8, of Scalable 4 or 8. Leave it 0 for
	// Best, which chooses it, and for the layout cuckoo.Words and the kind ConcurrentCuckoo, where the width decides. Key: b.
	BucketSize int
	// Layout is the way in which a cuckoo filter stores a bucket: cuckoo.Packed (default);
	// cuckoo.PairedSlots, which has half the rate and a lower load, and which Scalable does not have; or
	// cuckoo.SemiSorted, which saves one bit of each fingerprint, is slower and needs buckets of 4 slots. Best
	// always considers packed filters, and those of another layout only where it is set. Scalable has none. Key: layout.
	Layout cuckoo.Layout
	// Placement pairs the buckets of a cuckoo filter. The default is cuckoo.Additive. Key: placement.
	Placement cuckoo.Placement
	// Kick names a built-in kick policy of the cuckoo filter: breadth-first (default), random-walk,
	// round-robin or look-ahead. Key: kick.
	Kick string
	// KickPolicy is a policy of your own. It has no key; text and JSON have its recipe as the kick. A Spec that was
	// read from text needs its KickPolicy set, and Kick must be the recipe of that policy.
	KickPolicy cuckoo.KickPolicy
	// MaxKicks bounds the buckets examined for one insert into a cuckoo filter; 0 is the policy's
	// default. Key: maxkicks.
	MaxKicks int
	// Seed starts the generator of kick policies that kick at random. The seed of the hash is part of Hash. Key: seed.
	Seed uint64
	// MaxDoublings bounds how often the table of Scalable doubles; 0 is as often as the rate and the width permit.
	// Key: maxdoublings.
	MaxDoublings int

	// Segments is the number of slots that a key of Fuse has: 4 (default) or 3. Key: segments.
	Segments int
	// Hashes is the number of bits or counters of a key, 1 to bloom.MaxHashes. Key: hashes.
	Hashes int
	// CounterBits is the width of a counter: of Counting 2, 4 (default), 8 or 16, of DLeft 1 to 16,
	// 2 by default. Key: counterbits.
	CounterBits int

	// Hash names the hash family, with its seed unless that is 0: "xxh64" (default), "metro64:1337".
	// The names are those of hashing.Names; "digests" is hashing.DigestsOnly. "siphash" is for keys that others may
	// choose: New draws a secret key, and the Spec of the filter has it, as its Hasher. Key: hash.
	Hash string
	// Hasher makes the digests where no name describes the hash: SipHash with a key, or a family of
	// your own. It has no key; text and JSON have its recipe as the hash. A Spec that was read from text needs its Hasher
	// set, and Hash must be the recipe of that Hasher, or just "siphash". So a wrong secret is noticed. Where New drew the
	// secret, Hasher.(hashing.Keyed).Key() returns it; keep it, and hashing.SipHash of it is the Hasher again.
	Hasher hashing.Hasher
	// MaxBytes is the largest table, in bytes, that may be allocated. Beyond it New returns ErrTooLarge. It bounds the
	// table that Scalable grows to; an insert that needs a larger one returns ErrFull. The default, 0, is 16 GiB, and 1 GiB where int has
	// 32 bits. Key: maxbytes.
	MaxBytes int
}

// sipHash is the name of the family that draws its key, but a Hasher has one.
const sipHash = "siphash"

// hasher returns the Hasher that s describes, at each call another one where s has it draw a secret. The error is
// ErrConfig and says which names there are.
func (s Spec) hasher() (hashing.Hasher, error) {
	switch {
	case s.Hasher != nil && s.Hash == sipHash && s.Hasher.Name() == sipHash:
		return s.Hasher, nil
	case s.Hasher != nil && s.Hash != "" && s.Hash != s.Hasher.Recipe():
		return nil, errorf(ErrConfig, "Hash is %q and Hasher is %q: set one, or make them agree", s.Hash, s.Hasher.Recipe())
	case s.Hasher != nil:
		return s.Hasher, nil
	case s.Hash == "":
		return hashing.XXH64(0), nil
	}
	parse := hashing.Parse
	if s.Hash != hashing.DigestsOnly.Recipe() && !strings.Contains(s.Hash, ":") {
		parse = secret.New
	}
	h, err := parse(s.Hash)
	if err != nil {
		return nil, errorf(ErrConfig, "Hash is %q (set Hasher for families that hold a secret): %w", s.Hash, err)
	}
	return h, nil
}

// named returns s with the recipes of its hash and of its kick policy, if it says one, and with the Hasher and the
// KickPolicy only where the recipe cannot make them: so that resolved specs can be compared and written. s must be
// valid.
func (s Spec) named() (Spec, error) {
	h, err := s.hasher()
	if err != nil {
		return s, err
	}
	s.Hash, s.Hasher = h.Recipe(), nil
	if _, err := hashing.Parse(s.Hash); err != nil {
		s.Hasher = h
	}
	if s.KickPolicy != nil {
		s.Kick = s.KickPolicy.Recipe()
		if _, err := builtInKick(s.Kick); err == nil {
			s.KickPolicy = nil
		}
	}
	return s, nil
}

// hashed returns s with that hash, and its kick policy, as a resolved Spec has them.
func (s Spec) hashed(h hashing.Hasher) Spec {
	s.Hasher = h
	s, _ = s.named() // fails for a Hash beside a Hasher only
	return s
}

// builtInKick returns the built-in policy of that name. The error lists the names.
func builtInKick(name string) (cuckoo.KickPolicy, error) {
	var c cuckoo.Config
	err := c.UnmarshalText([]byte("kick=" + strings.ReplaceAll(name, "/", "%2F")))
	return c.Kick, err
}

// kickPolicy returns the policy that s describes, nil where it says none. The error is ErrConfig.
func (s Spec) kickPolicy() (cuckoo.KickPolicy, error) {
	switch {
	case s.KickPolicy != nil && s.Kick != "" && s.Kick != s.KickPolicy.Recipe():
		return nil, errorf(ErrConfig, "Kick is %q and KickPolicy is %q: set one, or make them agree", s.Kick, s.KickPolicy.Recipe())
	case s.KickPolicy != nil:
		return s.KickPolicy, nil
	case s.Kick == "":
		return nil, nil
	}
	p, err := builtInKick(s.Kick)
	if err != nil {
		return nil, errorf(ErrConfig, "Kick is %q, want a built-in one, or KickPolicy for one of your own: %w", s.Kick, err)
	}
	return p, nil
}
