package cuckoo

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// AppendBinary appends the filter's file to b and returns the extended slice. docs/FORMAT.md describes the bytes, which
// are the same on every machine. Equal filters have equal files. It costs a copy of the table and a checksum. It
// allocates once, for the table and some 136 bytes, unless b has room.
//
// The file does not have Stats, the state of the kick generator, and MaxBytes. Of the hash and the kick policy it has
// the recipes. Reading the file of a SipHash filter requires its key, and only this process can read that of a MapHash
// filter. The error is [ErrConfig] if a recipe is longer than 1024 bytes or f is the zero Filter.
func (f *Filter[F]) AppendBinary(b []byte) ([]byte, error) { return container.Encode(pkg, b, f.image) }

// MarshalBinary is [Filter.AppendBinary] to nothing.
func (f *Filter[F]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Filter.AppendBinary] to w, in pieces of up to 64 KiB and without a copy
// of the table. It returns how many bytes w took. The errors are those of AppendBinary and of w.
func (f *Filter[F]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, f.image) }

// UnmarshalBinary makes f the filter that [Filter.AppendBinary] wrote, with new Stats and the generator at Seed. f may
// be the zero Filter. The hash and the kick policy of f serve where their recipes are those of the file: a filter that
// was made with hashing.SipHash(key) reads files under this key, and one with a kick policy of your own files under
// that policy. The MaxBytes of f stays in force.
//
// It reads the table twice, for the checksum and to count the used slots. It allocates a new table, of no more than
// len(b) bytes, and the scratch memory of the policy, which is below 2 MiB at any MaxKicks. The errors say at which
// byte they were found, and leave f as it was. [ErrMismatch] is for a filter of another type, or of another width
// unless F is fingerprint.Any; for a hash or kick policy that is neither built in nor that of f, such as a SipHash
// under another key; and for the hash hashing.DigestsOnly, under which key verbs panic, unless it is that of f.
// [ErrTooLarge] is for a table beyond MaxBytes, if that was set, and [ErrCorrupt] for all that has no error of its own,
// such as bytes after the filter.
func (f *Filter[F]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, f.load) }

// ReadFrom makes f the filter that [Filter.WriteTo] wrote, as [Filter.UnmarshalBinary] does, and returns how many bytes
// it took from r. It reads one filter, in pieces of up to 64 KiB, and leaves what follows in r.
//
// If r is a file or a reader of package bytes or strings, ReadFrom knows how much there is to read. With any other
// reader it allocates 1 MiB at first, then up to four times what was read, and at most MaxBytes. Errors of r are
// returned, and io.ErrNoProgress if r returns no bytes and no error 100 times in a row.
func (f *Filter[F]) ReadFrom(r io.Reader) (int64, error) { return container.DecodeFrom(pkg, r, f.load) }

// Decode returns the filter in b, as [Filter.UnmarshalBinary] of the zero Filter does. Hashers that are not built in,
// or that hold a secret, are found by their recipe among known. So is hashing.DigestsOnly, under which key verbs panic:
// a file alone does not bring it in. For a file under a kick policy of your own, call UnmarshalBinary of a filter that
// was made with it.
func Decode[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Filter[F], error) {
	return container.Decoded(pkg, b, (*Filter[F]).load, known)
}

// image returns the filter as a file.
func (f *Filter[F]) image() (m container.Image, err error) {
	c := &f.config
	if c.Buckets == 0 {
		return m, errZero
	}
	m.Type, m.Len = container.Cuckoo, uint64(f.len)
	putShape(&m.Header, c)
	m.Params[placementAt] = byte(c.Placement)
	if c.Placement == Additive {
		m.Params[placementAt] = container.Additive
	}
	binary.LittleEndian.PutUint64(m.Params[bucketsAt:], uint64(c.Buckets))
	m.Parts = []container.Part{{Bytes: f.engine.Table.Data()}}
	return m, nil
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *Filter[F]) load(s *container.Source) error {
	c, err := configIn(&s.Header, fingerprint.WidthOf[F](), f.config)
	if err != nil {
		return err
	}
	table, err := tableIn(s, &c, f.config.MaxBytes)
	if err != nil {
		return err
	}
	used, err := table.Check()
	if err == nil && used != s.Len {
		err = container.Corrupt(container.LenAt, "Len is %d, and %d slots are used", s.Len, used)
	}
	if err != nil {
		return err
	}
	f.init(c, table, int(s.Len))
	return nil
}

// tableIn reads what is left of a file: the table of that configuration, whose MaxBytes it sets, for a filter that had
// the limit own.
func tableIn(s *container.Source, c *Config, own int) (table packed.Table, err error) {
	if c.Kick == nil {
		return table, fmt.Errorf("%w: at byte %d: kick policy %q is not built in: "+
			"call UnmarshalBinary or ReadFrom of a filter that was made with it",
			ErrMismatch, container.RecipesAt+len(s.Hash), s.Kick)
	}
	size, _ := c.size(uint64(c.Buckets)) // which is known to fit
	c.MaxBytes = own
	data, err := s.Last(size, &c.MaxBytes)
	if err != nil {
		return table, err
	}
	return c.tableOver(data), nil
}

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

// shapeIn reads what putShape wrote, for fingerprints of the width wanted or, where that is 0, any, into a configuration
// of so many buckets. The hash and the kick policy of own, which may be zero, serve where their recipes are those of the
// header. Kick is nil where the policy is neither that nor built in.
func shapeIn(h *container.Header, t container.Type, wanted uint, buckets uint64, own Config) (c Config, err error) {
	h.Know(own.Hash)
	shape, err := h.Shape(t, wanted, buckets)
	if err != nil {
		return c, err
	}
	kicks := binary.LittleEndian.Uint32(h.Params[maxKicksAt:])
	c = Config{
		Buckets: shape.Buckets, FingerprintBits: shape.FingerprintBits, BucketSize: shape.BucketSize,
		Layout: Layout(h.Params[layoutAt]), Hash: shape.Hash, MaxKicks: int(min(kicks, maxKicksLimit)),
		Seed: binary.LittleEndian.Uint64(h.Params[seedAt:]), MaxBytes: math.MaxInt,
	}
	switch {
	case c.Layout >= layouts:
		return c, container.Corrupt(container.ParamsAt+layoutAt, "layout %d", c.Layout)
	case kicks == 0 || kicks > maxKicksLimit:
		return c, container.Corrupt(container.ParamsAt+maxKicksAt, "MaxKicks is %d", kicks)
	}
	if own.Kick != nil && own.Kick.Recipe() == h.Kick {
		c.Kick = own.Kick
	} else {
		c.Kick, _ = policyNamed(h.Kick) // whether that is an error, the caller knows
	}
	return c, nil
}

// configIn returns the resolved configuration that a header describes, for fingerprints and own as in shapeIn, with a
// nil Kick where there is no such policy. MaxBytes is not in a header.
func configIn(h *container.Header, wanted uint, own Config) (c Config, err error) {
	p := &h.Params
	c, err = shapeIn(h, container.Cuckoo, wanted, binary.LittleEndian.Uint64(p[bucketsAt:]), own)
	if err != nil {
		return c, err
	}
	if err := container.RemovedPlacement(p[placementAt], placementAt); err != nil {
		return c, err
	}
	if c.Placement = Placement(p[placementAt]); c.Placement == container.Additive {
		c.Placement = Additive
	}
	switch {
	case h.Concurrent && (c.Layout != Words || h.Kick != BreadthFirst.Recipe() || c.Seed != 0):
		return c, container.Corrupt(container.ParamsAt, "layout %v, kick policy %q and seed %d "+
			"of a filter for goroutines, want %v, %q and 0", c.Layout, h.Kick, c.Seed, Words, BreadthFirst.Recipe())
	}
	policy := c.Kick // resolve takes the default for one that is not known
	c, err = c.resolve(0)
	size := 0
	if err == nil {
		size, _ = c.size(uint64(c.Buckets))
	}
	c.Kick, c.MaxBytes = policy, 0
	return c, h.Fits(c.Buckets, c.BucketSize, size, err)
}
