package cuckoo

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// file is what the errors of this file begin with.
const file = container.Package(pkg)

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

// regionPlacement is the number in files of a placement that is no more. No other placement may have it.
const regionPlacement = 3

// imageOf returns a filter as a file.
func imageOf(c *Config, stored int, t *packed.Table) (m container.Image, err error) {
	if c.Buckets == 0 {
		return m, errZero
	}
	m.Type, m.Len = container.Cuckoo, uint64(stored)
	putShape(&m.Header, c)
	m.Params[placementAt] = byte(c.Placement)
	binary.LittleEndian.PutUint64(m.Params[bucketsAt:], uint64(c.Buckets))
	m.Parts = []container.Part{{Bytes: t.Data()}}
	return m, nil
}

// errZero says that a filter was never made.
var errZero = fmt.Errorf("%w: the zero Filter is none to store", ErrConfig)

// putShape writes the recipes and the parameters that both types of cuckoo filters have.
func putShape(h *container.Header, c *Config) {
	h.Hash, h.Kick = c.Hash.Recipe(), c.Kick.Recipe()
	p := &h.Params
	p[widthAt], p[bucketSizeAt], p[layoutAt] = byte(c.FingerprintBits), byte(c.BucketSize), byte(c.Layout)
	binary.LittleEndian.PutUint32(p[maxKicksAt:], uint32(c.MaxKicks))
	binary.LittleEndian.PutUint64(p[seedAt:], c.Seed)
}

// shapeIn reads what putShape wrote, for fingerprints of the width wanted or, where that is 0, any, into a
// configuration that needs the number of buckets yet. The hash and the kick policy of own, which may be zero, serve
// where their recipes are those of the header. Kick is nil where the policy is neither that nor built in.
func shapeIn(h *container.Header, wanted uint, own Config) (c Config, err error) {
	p := &h.Params
	switch f := uint(p[widthAt]); {
	case f < 1 || f > fingerprint.MaxWidth:
		return c, container.Corrupt(container.ParamsAt+widthAt, "fingerprints of %d bits", f)
	case wanted != 0 && f != wanted:
		return c, fmt.Errorf("%w: at byte %d: fingerprints of %d bits, want %d", ErrMismatch, container.ParamsAt+widthAt, f, wanted)
	}
	c.FingerprintBits, c.BucketSize = int(p[widthAt]), int(p[bucketSizeAt])
	c.Layout = Layout(p[layoutAt])
	kicks := binary.LittleEndian.Uint32(p[maxKicksAt:])
	c.Seed = binary.LittleEndian.Uint64(p[seedAt:])
	switch {
	case c.Layout >= layouts:
		return c, container.Corrupt(container.ParamsAt+layoutAt, "layout %d", p[layoutAt])
	case c.BucketSize == 0:
		return c, container.Corrupt(container.ParamsAt+bucketSizeAt, "buckets of 0 slots")
	case kicks == 0 || kicks > maxKicksLimit:
		return c, container.Corrupt(container.ParamsAt+maxKicksAt, "MaxKicks is %d", kicks)
	case h.TableBytes > math.MaxInt:
		return c, fmt.Errorf("%w: a table of %d bytes, which do not fit into an int", ErrTooLarge, h.TableBytes)
	}
	c.MaxKicks, c.MaxBytes = int(kicks), math.MaxInt
	h.Know(own.Hash)
	if c.Hash, err = h.Hasher(); err != nil {
		return c, err
	}
	if own.Kick != nil && own.Kick.Recipe() == h.Kick {
		c.Kick = own.Kick
	} else {
		c.Kick, _ = policyNamed(h.Kick) // whether that is an error, the caller knows
	}
	return c, nil
}

// wantKick returns an error if the kick policy of a header is not known.
func wantKick(h *container.Header, k KickPolicy) error {
	if k != nil {
		return nil
	}
	return fmt.Errorf("%w: at byte %d: kick policy %q is not built in: call UnmarshalBinary or ReadFrom of a filter that was made with it",
		ErrMismatch, container.RecipesAt+len(h.Hash), h.Kick)
}

// configIn returns the resolved configuration that a header describes, for fingerprints and own as in shapeIn,
// with a nil Kick where there is no such policy. MaxBytes is not in a header.
func configIn(h *container.Header, wanted uint, own Config) (c Config, err error) {
	if err := h.Want(container.Cuckoo); err != nil {
		return c, err
	}
	if c, err = shapeIn(h, wanted, own); err != nil {
		return c, err
	}
	if c.Placement = Placement(h.Params[placementAt]); c.Placement == regionPlacement {
		return c, fmt.Errorf("%w: at byte %d: placement region, which was removed", ErrVersion, container.ParamsAt+placementAt)
	}
	buckets := binary.LittleEndian.Uint64(h.Params[bucketsAt:])
	switch {
	case h.Concurrent && (c.Layout != Words || h.Kick != BreadthFirst.Recipe() || c.Seed != 0):
		return c, container.Corrupt(container.ParamsAt, "layout %v, kick policy %q and seed %d of a filter for goroutines, want %v, %q and 0",
			c.Layout, h.Kick, c.Seed, Words, BreadthFirst.Recipe())
	case buckets == 0 || buckets > fingerprint.MaxBuckets:
		return c, container.Corrupt(container.ParamsAt+bucketsAt, "%d buckets", buckets)
	case buckets > math.MaxInt:
		return c, fmt.Errorf("%w: %d buckets, which do not fit into an int", ErrTooLarge, buckets)
	}
	c.Buckets = int(buckets)
	return c.checkIn(h)
}

// checkIn resolves the configuration of a header and compares the sizes.
func (c Config) checkIn(h *container.Header) (Config, error) {
	resolved, err := c.resolve(0)
	if err != nil {
		return c, container.Unconfigured(err)
	}
	resolved.Kick = c.Kick // resolve took the default for one that is not known
	size, _ := resolved.size(uint64(resolved.Buckets))
	if uint64(size) != h.TableBytes {
		return c, container.Corrupt(container.ParamsAt+bucketsAt, "%d buckets in a table of %d bytes, want %d", resolved.Buckets, h.TableBytes, size)
	}
	if slots := uint64(resolved.Buckets) * uint64(resolved.BucketSize); h.Len > slots {
		return c, container.Corrupt(container.LenAt, "Len is %d, of %d slots", h.Len, slots)
	}
	resolved.MaxBytes = 0
	return resolved, nil
}
