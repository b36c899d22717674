package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/dgryski/go-metro"

	"github.com/nestfilter/nest/internal/errs"
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
	// maxBuckets is the largest table: more than 32 bits of a digest choose no bucket in Seiflotfy.
	maxBuckets = 1 << 32
)

// String returns the name of the module's owner: seiflotfy or panmari.
func (f Format) String() string {
	names := [...]string{Seiflotfy: "seiflotfy", Panmari: "panmari"}
	if f < Seiflotfy || f > Panmari {
		return fmt.Sprintf("format %d", uint8(f))
	}
	return names[f]
}

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

// split returns the primary bucket and the fingerprint of a digest, mask being the number of buckets less one.
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

// Decode returns a filter with the table of a dump that the module's Encode, or [Filter.Encode], made.
// It copies data, and allocates the size of data and little more. Config.Format must be the writer's, as a
// dump does not name it: a table of the wrong format, or of another Hash, finds no keys.
//
// Len is the number of used slots. That is what the writer's count is too, unless the filter had an insert that failed.
//
// Data shorter than a bucket, of 4 or 8 bytes, is cuckoo.ErrTooShort. A length that is no power of two
// of buckets is cuckoo.ErrCorrupt, and so is the fingerprint 65535 in Panmari, which that module
// never makes; the error has its offset. Other errors are cuckoo.ErrConfig, cuckoo.ErrMismatch for Buckets that are
// not the dump's, and cuckoo.ErrTooLarge. Nothing was allocated for any of the errors.
func Decode(data []byte, c Config) (*Filter, error) {
	if problems := c.problems(); !problems.None() {
		return nil, problems.Err()
	}
	if c.Capacity != 0 {
		return nil, pkg.Errorf(errs.Config, "Capacity is %d, but a dump has its own size", c.Capacity)
	}
	per := c.Format.bucketBytes()
	buckets := uint64(len(data) / per)
	switch {
	case len(data) < per:
		return nil, pkg.Errorf(errs.TooShort, "%d bytes, want at least a bucket of %d", len(data), per)
	case len(data)%per != 0:
		return nil, pkg.Errorf(errs.Corrupt, "%d bytes end inside the bucket at offset %d", len(data), int(buckets)*per)
	case buckets&(buckets-1) != 0:
		return nil, pkg.Errorf(errs.Corrupt, "%d bytes are %d buckets, which is no power of two", len(data), buckets)
	case c.Buckets != 0 && uint64(c.Buckets) != buckets:
		return nil, pkg.Errorf(errs.Mismatch, "Buckets is %d, the dump has %d", c.Buckets, buckets)
	}
	used, err := c.Format.used(data)
	if err != nil {
		return nil, err
	}
	f, err := build(c, buckets)
	if err != nil {
		return nil, err
	}
	copy(f.engine.Table.Data(), data)
	f.len = used
	return f, nil
}

// used returns the number of used slots of a dump.
func (f Format) used(data []byte) (n int, err error) {
	if f == Seiflotfy {
		return len(data) - bytes.Count(data, []byte{0}), nil
	}
	for at := 0; at < len(data); at += 2 {
		fp := binary.LittleEndian.Uint16(data[at:])
		if uint64(fp) > f.largest() {
			return 0, pkg.Errorf(errs.Corrupt, "fingerprint %d at offset %d, the largest is %d", fp, at, f.largest())
		}
		if fp != 0 {
			n++
		}
	}
	return n, nil
}

// Encode returns the dump of the filter, which the module's Decode reads. It allocates [Filter.SizeBytes].
func (f *Filter) Encode() []byte { return bytes.Clone(f.engine.Table.Data()[:f.SizeBytes()]) }
