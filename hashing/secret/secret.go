// Package secret makes the hashes of filters whose keys others may choose: it draws their secret keys.
//
// It imports crypto/rand, which adds a third of a megabyte to a program. A program that needs no secret
// key, or has one already, needs package hashing only.
package secret

import (
	"crypto/rand"

	"github.com/nestfilter/nest/hashing"
)

// SipHash returns [hashing.SipHash] under a key that it draws from crypto/rand. Querying a filter that was
// stored or sent requires this key. Keep what Key returns as safely as a password, and not beside the
// filter. hashing.SipHash of it makes the same Hasher.
func SipHash() hashing.Keyed {
	var key [16]byte
	rand.Read(key[:]) // never fails
	return hashing.SipHash(key)
}

// New returns the family of that name, one of [hashing.Names]. For "siphash" it returns [SipHash], and for
// any other name what [hashing.New] returns with seed 0, an error included.
func New(name string) (hashing.Hasher, error) {
	if name == "siphash" {
		return SipHash(), nil
	}
	return hashing.New(name, 0)
}
