package maplet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// The parameters of a file: four bytes, of which the last is the placement, and the number of buckets in 8.
const (
	widthAt = iota
	bucketSizeAt
	valueAt
	placementAt
	restAt
	bucketsAt = 8
	endAt     = 16
)

// AppendBinary appends the map's file to b and returns the extended slice. docs/FORMAT.md describes the bytes, which
// are the same on every machine. It costs a copy of the table and a checksum. The file does not have Stats and
// MaxBytes; of the hash it has the recipe. The error is [ErrConfig] if that is longer than 1024 bytes or m is the zero
// Map.
func (m *Map[F]) AppendBinary(b []byte) ([]byte, error) { return container.Encode(pkg, b, m.image) }

// MarshalBinary is [Map.AppendBinary] to nothing.
func (m *Map[F]) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

// WriteTo writes the bytes of [Map.AppendBinary] to w, in pieces of up to 64 KiB and without a copy of the table.
func (m *Map[F]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, m.image) }

// UnmarshalBinary makes m the map that [Map.AppendBinary] wrote, with new Stats, as that of a cuckoo.Filter does and
// with the same errors. The hash of m serves where its recipe is that of the file, and the MaxBytes of m stays in
// force.
func (m *Map[F]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, m.load) }

// ReadFrom makes m the map that [Map.WriteTo] wrote, and returns how many bytes it took from r. It leaves what follows.
func (m *Map[F]) ReadFrom(r io.Reader) (int64, error) { return container.DecodeFrom(pkg, r, m.load) }

// Decode returns the map in b, as [Map.UnmarshalBinary] of the zero Map does. Hashers that are not built in, or that
// hold a secret, are found by their recipe among known, and so is hashing.DigestsOnly.
func Decode[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Map[F], error) {
	return container.Decoded(pkg, b, (*Map[F]).load, known)
}

// image returns the map as a file.
func (t *table) image() (m container.Image, err error) {
	c := &t.config
	if c.Buckets == 0 {
		return m, fmt.Errorf("%w: the zero Map is none to store", ErrConfig)
	}
	m.Type, m.Len, m.Hash = container.Maplet, uint64(t.len), c.Hash.Recipe()
	m.Params[widthAt], m.Params[bucketSizeAt], m.Params[valueAt] = byte(t.width), byte(c.BucketSize), byte(c.ValueBits)
	m.Params[placementAt] = container.Additive
	binary.LittleEndian.PutUint64(m.Params[bucketsAt:], uint64(c.Buckets))
	m.Parts = []container.Part{{Bytes: t.engine.Table.Data()}}
	return m, nil
}

// configIn returns the resolved configuration that a header describes, for fingerprints of the width wanted or, where
// that is 0, any. MaxBytes is not in a header.
func configIn(h *container.Header, wanted uint) (c Config, err error) {
	p := &h.Params
	shape, err := h.Shape(container.Maplet, wanted, binary.LittleEndian.Uint64(p[bucketsAt:]))
	if err == nil {
		err = container.RemovedPlacement(p[placementAt], placementAt)
	}
	if err != nil {
		return c, err
	}
	if p[placementAt] != container.Additive {
		return c, container.Corrupt(container.ParamsAt+placementAt, "placement %d", p[placementAt])
	}
	if h.Kick != "" || len(bytes.Trim(p[restAt:bucketsAt], "\x00"))+len(bytes.Trim(p[endAt:], "\x00")) != 0 {
		return c, container.Corrupt(container.ParamsAt+restAt, "parameters that mean nothing are not 0")
	}
	c, size, err := Config{
		Buckets: shape.Buckets, FingerprintBits: shape.FingerprintBits, ValueBits: int(p[valueAt]),
		BucketSize: shape.BucketSize, Hash: shape.Hash, MaxBytes: math.MaxInt,
	}.resolve(0)
	c.MaxBytes = 0
	return c, h.Fits(c.Buckets, c.BucketSize, size, err)
}

// load makes m the map that s holds, or leaves it as it was.
func (m *Map[F]) load(s *container.Source) error { return m.table.load(s, fingerprint.WidthOf[F]()) }

func (t *table) load(s *container.Source, wanted uint) error {
	s.Know(t.config.Hash)
	c, err := configIn(&s.Header, wanted)
	if err != nil {
		return err
	}
	c.MaxBytes = t.config.MaxBytes
	data, err := s.Last(int(s.TableBytes), &c.MaxBytes)
	if err != nil {
		return err
	}
	var read table
	read.over(c, c.lanesOver(data))
	if err := read.check(s.Len); err != nil {
		return err
	}
	read.len = int(s.Len)
	read.initEngine()
	*t = read
	return nil
}

// lanesOver returns the lanes of a resolved configuration over their bytes.
func (c *Config) lanesOver(data []byte) packed.Table {
	return packed.Plain.Over(uint(c.FingerprintBits+c.ValueBits), uint(c.BucketSize), uint64(c.Buckets), data)
}

// check returns an error unless the table has that many pairs and no value without a fingerprint.
func (t *table) check(stored uint64) error {
	lanes := &t.engine.Table
	used, err := lanes.Check()
	if err == nil && used != stored {
		err = container.Corrupt(container.LenAt, "Len is %d, and %d slots are used", stored, used)
	}
	if err != nil {
		return err
	}
	headless := used - uint64(t.Slots()) // and all without a fingerprint
	for bucket := range lanes.Buckets() {
		headless += uint64(bits.OnesCount64(t.probe.matches(lanes, bucket, 0)))
	}
	if headless != 0 {
		return fmt.Errorf("%w: %d slots of the table have a value and no fingerprint", ErrCorrupt, headless)
	}
	return nil
}
