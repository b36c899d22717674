// Package secret draws the keys of hashes that are for keys chosen by others.
//
// It is a package of its own because it imports crypto/rand, which adds a third of a megabyte to a program: a program whose hash
// has no secret, or brings its key, does not link it.
package secret

import (
	"crypto/rand"

	"github.com/nestfilter/nest/hashing"
)

// SipHash returns [hashing.SipHash] under a key that it draws from crypto/rand. A filter that is stored or sent
// can be asked again only under this key, so keep what Key returns, in a place that is as safe as
// passwords need it: not beside the filter. hashing.SipHash of it makes the same Hasher.
func SipHash() hashing.Keyed {
	var key [16]byte
	rand.Read(key[:]) // never fails
	return hashing.SipHash(key).(hashing.Keyed)
}

// New returns the family of a name, one of [hashing.Names]: [SipHash] for "siphash", and for any other what
// [hashing.New] returns with seed 0.
func New(name string) (hashing.Hasher, error) {
	if name == "siphash" {
		return SipHash(), nil
	}
	return hashing.New(name, 0)
}
