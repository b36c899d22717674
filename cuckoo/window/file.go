package window

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// The parameters of a file: four bytes, the number of buckets less 1 in 4, the generation in 8, and Window or Keys in
// 8. The byte of the flags has the number of the placement too, [container.Additive]. That of the generations has
// Config.Generations in the lower four bits and in the upper ones how many before the present are alive.
const (
	widthAt = iota
	bucketSizeAt
	generationsAt
	flagsAt
	bucketsAt = 4
	nowAt     = 8
	periodAt  = 16

	forgetsEarly = 1 // flags
	countsKeys   = 2 // the period is Keys
	ownFlags     = forgetsEarly | countsKeys
)

// AppendBinary appends the filter's file to b and returns the extended slice. docs/FORMAT.md describes the bytes, which
// are the same on every machine. It costs a copy of the table and a checksum. The file has the generation and the ages
// of all keys. So a filter that is read after an hour, and is told the time, forgets what it should. The file does not
// have Stats and MaxBytes; of the hash it has the recipe. The error is [ErrConfig] if that is longer than 1024 bytes or
// f is the zero Filter.
func (f *Filter[F]) AppendBinary(b []byte) ([]byte, error) { return container.Encode(pkg, b, f.image) }

// MarshalBinary is [Filter.AppendBinary] to nothing.
func (f *Filter[F]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Filter.AppendBinary] to w, in pieces of up to 64 KiB and without a copy of the table.
func (f *Filter[F]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, f.image) }

// UnmarshalBinary makes f the filter that [Filter.AppendBinary] wrote, with new Stats, as that of a cuckoo.Filter does
// and with the same errors. The hash of f serves where its recipe is that of the file, and the MaxBytes of f stays in
// force.
func (f *Filter[F]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, f.load) }

// ReadFrom makes f the filter that [Filter.WriteTo] wrote, as [Filter.UnmarshalBinary] does, and returns how many bytes
// it took from r. It reads one filter and leaves what follows in r.
func (f *Filter[F]) ReadFrom(r io.Reader) (int64, error) { return container.DecodeFrom(pkg, r, f.load) }

// Decode returns the filter in b, as [Filter.UnmarshalBinary] of the zero Filter does. Hashers that are not built in,
// or that hold a secret, are found by their recipe among known, and so is hashing.DigestsOnly.
func Decode[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Filter[F], error) {
	return container.Decoded(pkg, b, (*Filter[F]).load, known)
}

// image returns the filter as a file.
func (t *table) image() (m container.Image, err error) {
	c := &t.config
	if c.Buckets == 0 {
		return m, fmt.Errorf("%w: the zero Filter is none to store", ErrConfig)
	}
	m.Type, m.Len, m.Hash = container.Window, uint64(t.live), c.Hash.Recipe()
	m.Params[widthAt], m.Params[bucketSizeAt] = byte(c.FingerprintBits), byte(c.BucketSize)
	m.Params[generationsAt] = byte(c.Generations) | byte(t.now-t.oldest)<<4
	period := uint64(c.Window)
	m.Params[flagsAt] = container.Additive
	if c.Keys != 0 {
		period, m.Params[flagsAt] = uint64(c.Keys), container.Additive|countsKeys
	}
	if c.ForgetEarly {
		m.Params[flagsAt] |= forgetsEarly
	}
	binary.LittleEndian.PutUint32(m.Params[bucketsAt:], uint32(c.Buckets-1))
	binary.LittleEndian.PutUint64(m.Params[nowAt:], uint64(t.now))
	binary.LittleEndian.PutUint64(m.Params[periodAt:], period)
	m.Parts = []container.Part{{Bytes: t.engine.Table.Data()}}
	return m, nil
}

// overFile makes t, without what inserts need, the filter of a header and its table.
func (t *table) overFile(c Config, h *container.Header, table []byte) {
	now, before := binary.LittleEndian.Uint64(h.Params[nowAt:]), int(h.Params[generationsAt]>>4)
	t.over(c, packed.Plain.Over(c.lane(), uint(c.BucketSize), uint64(c.Buckets), table), int64(now), before)
	t.live = int(h.Len)
}

// configIn returns the resolved configuration that a header describes. MaxBytes is not in a header.
func configIn(h *container.Header, wanted uint) (c Config, err error) {
	p := &h.Params
	shape, err := h.Shape(container.Window, wanted, uint64(binary.LittleEndian.Uint32(p[bucketsAt:]))+1)
	if err != nil {
		return c, err
	}
	if err := container.RemovedPlacement(p[flagsAt]&^ownFlags, flagsAt); err != nil {
		return c, err
	}
	g, flags := int(p[generationsAt]&15), p[flagsAt]^container.Additive
	now, period := binary.LittleEndian.Uint64(p[nowAt:]), binary.LittleEndian.Uint64(p[periodAt:])
	c = Config{
		Buckets: shape.Buckets, FingerprintBits: shape.FingerprintBits, BucketSize: shape.BucketSize, Generations: g,
		Window: time.Duration(period), ForgetEarly: flags&forgetsEarly != 0, Hash: shape.Hash, MaxBytes: math.MaxInt,
	}
	if flags&countsKeys != 0 {
		c.Keys, c.Window = int(min(period, math.MaxInt)), 0
	}
	switch {
	case g == 0 || int(p[generationsAt]>>4) > g:
		return c, container.Corrupt(container.ParamsAt+generationsAt,
			"%d generations of %d are alive", p[generationsAt]>>4, g)
	case h.Kick != "" || flags > ownFlags || period == 0 && flags&countsKeys != 0:
		return c, container.Corrupt(container.ParamsAt+flagsAt, "parameters that mean nothing are not 0")
	case now > lastGeneration || period > math.MaxInt64:
		return c, container.Corrupt(container.ParamsAt+nowAt, "generation %d, and a window of %d", now, period)
	case flags&countsKeys != 0 && period > math.MaxInt:
		return c, fmt.Errorf("%w: %d keys, which do not fit into an int", ErrTooLarge, period)
	}
	c, size, err := c.resolve(0)
	c.MaxBytes = 0
	return c, h.Fits(c.Buckets, c.BucketSize, size, err)
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *Filter[F]) load(s *container.Source) error { return f.table.load(s, fingerprint.WidthOf[F]()) }

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
	read.overFile(c, &s.Header, data)
	if err := read.count(); err != nil {
		return err
	}
	read.initEngine()
	*t = read
	return nil
}

// count counts the lanes of each age. It returns an error unless as many are alive as Len says, and each other one is
// empty or expired.
func (t *table) count() error {
	lanes := &t.engine.Table
	if _, err := lanes.Check(); err != nil {
		return err
	}
	said := t.live
	t.live = 0
	for bucket := range lanes.Buckets() {
		for lane := range lanes.Lanes() {
			x := lanes.Get(bucket, lane)
			age := x >> t.lanes.Width
			_, alive := t.generation(x)
			switch {
			case x == 0:
			case x&(1<<t.lanes.Width-1) == 0 || age >= uint64(t.ages) || !alive && int64(age) != t.age(t.oldest-1):
				return fmt.Errorf("%w: bucket %d, slot %d has an age without a fingerprint, or of no generation",
					ErrCorrupt, bucket, lane)
			case alive:
				t.counts[age]++
				t.live++
			default:
				t.expired++
			}
		}
	}
	if t.live != said {
		return container.Corrupt(container.LenAt, "Len is %d, and %d keys are alive", said, t.live)
	}
	return nil
}
