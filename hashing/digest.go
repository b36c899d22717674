package hashing

import (
	"encoding/binary"
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// ErrTooShort reports a sum of fewer than the 8 bytes that a digest is made of.
var ErrTooShort = errs.TooShort

// Digest returns the digest of a key that is a cryptographic hash already, such as the SHA-256 sum of
// a file: its first 8 bytes as a big-endian number, so that the digest in hexadecimal is how the sum
// begins. Nothing is hashed again. Filters take it in their Hash verbs; those that see nothing else
// are configured with [DigestsOnly].
//
// The sum must come from a hash whose first 64 bits are uniform and which nobody can steer there: to find
// inputs whose sums begin with bytes of one's choice must take as long as trying does. SHA-2, SHA-3 and
// BLAKE3 sums are such. A checksum, a UUID with its fixed bits, a counter, a sum in hexadecimal or behind a
// constant prefix are not, and Digest cannot tell. Somebody can still find inputs by trying: to hit a given
// bucket and fingerprint takes about as many attempts as there are pairs of them, and two equal digests
// about 2^32. If somebody who wants to do harm chooses the inputs, and so many attempts are too few, hash
// the sum with [SipHash] instead.
//
// A sum of fewer than 8 bytes is an error that wraps [ErrTooShort]. Digest does not allocate.
func Digest(sum []byte) (uint64, error) {
	if len(sum) < 8 {
		return 0, fmt.Errorf("hashing: digest: %w: a sum of %d bytes, want at least 8", ErrTooShort, len(sum))
	}
	return binary.BigEndian.Uint64(sum), nil
}
