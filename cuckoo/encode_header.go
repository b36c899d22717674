package cuckoo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// file is what the errors of this file begin with.
const file = container.Package("cuckoo")

// The parameters of a file: four bytes, MaxKicks in 4, the number of buckets in 8 and the seed in 8.
const (
	widthAt = iota
	bucketSizeAt
	placementAt
	layoutAt
	maxKicksAt
	bucketsAt = 8
	seedAt    = 16
)

// The layouts of a table.
const (
	layoutPacked   = 0
	layoutSemiSort = 1
)

// imageOf returns a filter as a file.
func imageOf(c *Config, width uint, stored int, t *packed.Table) (m container.Image, err error) {
	if c.Buckets == 0 {
		return m, fmt.Errorf("%w: the zero Filter is none to store", ErrConfig)
	}
	m.Type, m.Len = container.Cuckoo, uint64(stored)
	m.Hash, m.Kick = c.Hash.Recipe(), c.Kick.Recipe()
	p := &m.Params
	p[widthAt], p[bucketSizeAt], p[placementAt] = byte(width), byte(c.BucketSize), byte(c.Placement)
	if c.SemiSort {
		p[layoutAt] = layoutSemiSort
	}
	binary.LittleEndian.PutUint32(p[maxKicksAt:], uint32(c.MaxKicks))
	binary.LittleEndian.PutUint64(p[bucketsAt:], uint64(c.Buckets))
	binary.LittleEndian.PutUint64(p[seedAt:], c.Seed)
	m.Parts = []container.Part{{Bytes: t.Data()}}
	return m, nil
}

// configIn returns the resolved configuration that a header describes, for fingerprints of that width,
// with a nil Kick where none of that recipe is known. MaxBytes is not in a header.
func configIn(h *container.Header, width uint, known []Described) (c Config, err error) {
	if err := h.Want(container.Cuckoo); err != nil {
		return c, err
	}
	p := &h.Params
	if f := uint(p[widthAt]); f != width {
		if f < 1 || f > fingerprint.MaxWidth {
			return c, container.Corrupt(container.ParamsAt+widthAt, "fingerprints of %d bits", f)
		}
		return c, fmt.Errorf("%w: at byte %d: fingerprints of %d bits, want %d", ErrMismatch, container.ParamsAt+widthAt, f, width)
	}
	c.BucketSize, c.Placement = int(p[bucketSizeAt]), Placement(p[placementAt])
	c.SemiSort = p[layoutAt] == layoutSemiSort
	kicks := binary.LittleEndian.Uint32(p[maxKicksAt:])
	buckets := binary.LittleEndian.Uint64(p[bucketsAt:])
	c.Seed = binary.LittleEndian.Uint64(p[seedAt:])
	switch {
	case p[layoutAt] > layoutSemiSort:
		return c, container.Corrupt(container.ParamsAt+layoutAt, "layout %d", p[layoutAt])
	case c.BucketSize == 0:
		return c, container.Corrupt(container.ParamsAt+bucketSizeAt, "buckets of 0 slots")
	case kicks == 0 || kicks > MaxKicksLimit:
		return c, container.Corrupt(container.ParamsAt+maxKicksAt, "MaxKicks is %d", kicks)
	case buckets == 0 || buckets > fingerprint.MaxBuckets:
		return c, container.Corrupt(container.ParamsAt+bucketsAt, "%d buckets", buckets)
	case buckets > math.MaxInt || h.TableBytes > math.MaxInt:
		return c, fmt.Errorf("%w: %d buckets in %d bytes, which do not fit into an int", ErrTooLarge, buckets, h.TableBytes)
	}
	c.MaxKicks, c.Buckets, c.MaxBytes = int(kicks), int(buckets), math.MaxInt
	if c.Hash, err = container.Hasher(h, known); err != nil {
		return c, err
	}
	kickErr := c.parseKick(h.Kick, known)
	return c.checkIn(h, width, kickErr != nil)
}

// checkIn resolves the configuration of a header and compares the sizes.
func (c Config) checkIn(h *container.Header, width uint, noKick bool) (Config, error) {
	resolved, err := c.resolve(width)
	if errors.Is(err, ErrTooLarge) {
		return c, err
	}
	if err != nil {
		return c, container.Corrupt(container.ParamsAt, "%v", err) // no ErrConfig: nobody configured it
	}
	if noKick {
		resolved.Kick = nil // resolve took the default
	}
	size, _ := resolved.size(width, uint64(resolved.Buckets))
	if uint64(size) != h.TableBytes {
		return c, container.Corrupt(container.ParamsAt+bucketsAt, "%d buckets in a table of %d bytes, want %d", resolved.Buckets, h.TableBytes, size)
	}
	if slots := uint64(resolved.Buckets) * uint64(resolved.BucketSize); h.Len > slots {
		return c, container.Corrupt(container.LenAt, "Len is %d, of %d slots", h.Len, slots)
	}
	resolved.MaxBytes = 0
	return resolved, nil
}

// tableOver returns the table of a resolved configuration over its bytes.
func (c Config) tableOver(width uint, data []byte) packed.Table {
	if c.SemiSort {
		return packed.OverSorted(width, uint64(c.Buckets), data, c.HugePages)
	}
	return packed.Over(width, uint(c.BucketSize), uint64(c.Buckets), data, c.HugePages)
}
