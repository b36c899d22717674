package container

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// A Shape is what every file of a table of fingerprints says: in the first two parameters, somewhere in those of its
// type, and by the recipe of its hash.
type Shape struct {
	FingerprintBits, BucketSize, Buckets int
	Hash                                 hashing.Hasher
}

// Shape returns the shape that a header of that type describes, for fingerprints of the width wanted or, where that is
// 0, any. The caller has read the number of buckets. That and the bytes of the table fit into an int.
func (h *Header) Shape(t Type, wanted uint, buckets uint64) (s Shape, err error) {
	width, slots := uint(h.Params[0]), int(h.Params[1])
	switch {
	case h.Type != t:
		return s, h.Want(t)
	case width < 1 || width > fingerprint.MaxWidth:
		return s, Corrupt(ParamsAt, "fingerprints of %d bits", width)
	case wanted != 0 && width != wanted:
		return s, fmt.Errorf("%w: at byte %d: fingerprints of %d bits, want %d", errs.Mismatch, ParamsAt, width, wanted)
	case slots == 0:
		return s, Corrupt(ParamsAt+1, "buckets of 0 slots")
	case buckets == 0 || buckets > fingerprint.MaxBuckets:
		return s, Corrupt(ParamsAt+8, "%d buckets", buckets) // of the types that can be wrong here
	case buckets > math.MaxInt || h.TableBytes > math.MaxInt:
		return s, fmt.Errorf("%w: %d buckets in %d bytes, more than an int counts", errs.TooLarge, buckets, h.TableBytes)
	}
	hash, err := h.Hasher()
	return Shape{FingerprintBits: int(width), BucketSize: slots, Buckets: int(buckets), Hash: hash}, err
}

// Fits returns an error about a file unless err is nil, which says what is wrong with its configuration, and the table
// has that size, and no fewer slots than Len.
func (h *Header) Fits(buckets, bucketSize, size int, err error) error {
	switch slots := uint64(buckets) * uint64(bucketSize); {
	case err != nil:
		return Unconfigured(err)
	case uint64(size) != h.TableBytes:
		return Corrupt(tableAt, "%d buckets in a table of %d bytes, want %d", buckets, h.TableBytes, size)
	case h.Len > slots:
		return Corrupt(LenAt, "Len is %d, of %d slots", h.Len, slots)
	}
	return nil
}
