package foreign

import (
	"bytes"
	"encoding/binary"

	"github.com/nestfilter/nest/internal/errs"
)

// Decode returns a filter with the table of a dump that the module's Encode, or [Filter.Encode], made.
// It copies data, and allocates the size of data and little more. Config.Format must be the writer's, as a
// dump does not name it: a table of the wrong format, or of another Hash, finds no keys.
//
// Len is the number of used slots. That is what the writer's count is too, unless the filter
// had an insert that failed.
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
		return nil, pkg.Errorf(errs.Corrupt, "%d bytes end inside the bucket at offset %d", len(data), len(data)/per*per)
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
		for _, fp := range data {
			if fp != 0 {
				n++
			}
		}
		return n, nil
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

// Encode returns the dump of the filter, which the module's Decode reads. It allocates
// [Filter.SizeBytes].
func (f *Filter) Encode() []byte { return bytes.Clone(f.engine.Table.Data()[:f.SizeBytes()]) }
