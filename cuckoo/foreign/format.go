package foreign

import (
	"fmt"
	"math/bits"

	"github.com/dgryski/go-metro"
)

// A Format names the module whose dumps are meant.
type Format uint8

// The formats.
const (
	// Seiflotfy is github.com/seiflotfy/cuckoofilter: fp = h%255 + 1, and the primary bucket is
	// the low bits of h>>32, h being the digest.
	Seiflotfy Format = 1 + iota
	// Panmari is github.com/panmari/cuckoofilter version 1: fp = (h>>48)%65534 + 1, and the primary
	// bucket is the low bits of h. That module's branch generic_fp_type, which has no version, has another
	// alternate bucket, and a byte before the table.
	Panmari
)

const (
	// slots is the number of slots of a bucket.
	slots = 4
	// seed is the seed of MetroHash64 in both modules, for keys and for fingerprints.
	seed = 1337
	// maxKicks is how many kicks both modules make before an insert fails.
	maxKicks = 500
	// searchLimit is the number of buckets that a breadth-first insert examines: as in package
	// cuckoo, where a search of that many fails with negligible probability at the load it promises.
	searchLimit = 700
	// maxBuckets is the largest table: more than 32 bits of a digest choose no bucket in Seiflotfy.
	maxBuckets = 1 << 32
)

// String returns the name of the module's owner: seiflotfy or panmari.
func (f Format) String() string {
	switch f {
	case Seiflotfy:
		return "seiflotfy"
	case Panmari:
		return "panmari"
	}
	return fmt.Sprintf("format %d", uint8(f))
}

// valid tells whether there is such a format.
func (f Format) valid() bool { return f == Seiflotfy || f == Panmari }

// width returns the bits of a fingerprint.
func (f Format) width() uint {
	if f == Seiflotfy {
		return 8
	}
	return 16
}

// largest returns the largest fingerprint. The smallest is 1.
func (f Format) largest() uint64 {
	if f == Seiflotfy {
		return 255
	}
	return 65534 // 65535 is never made
}

// bucketBytes returns the bytes of a bucket.
func (f Format) bucketBytes() int { return slots * int(f.width()) / 8 }

// split returns the primary bucket and the fingerprint of a digest, mask being the number of
// buckets less one.
func (f Format) split(h, mask uint64) (bucket, fp uint64) {
	if f == Seiflotfy {
		return h >> 32 & mask, h%255 + 1
	}
	return h & mask, (h>>48)%65534 + 1
}

// alternate returns the other bucket of a fingerprint.
func (f Format) alternate(bucket, fp, mask uint64) uint64 {
	b := [2]byte{byte(fp), byte(fp >> 8)}
	return (bucket ^ metro.Hash64(b[:f.width()/8], seed)) & mask
}

// buckets returns the number of buckets that the module makes for a capacity.
func (f Format) buckets(capacity uint64) uint64 {
	if f == Seiflotfy {
		return max(1, nextPowerOfTwo(capacity)/slots)
	}
	if capacity < slots {
		return 1
	}
	m := nextPowerOfTwo(capacity / slots)
	if float64(capacity)/float64(slots*m) > 0.96 {
		m *= 2
	}
	return m
}

// nextPowerOfTwo returns the smallest power of two that is at least n, for n from 1 to 2^63.
func nextPowerOfTwo(n uint64) uint64 { return 1 << bits.Len64(n-1) }
