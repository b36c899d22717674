package counting

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// The parameters of a file: the number of buckets of each table in 8 bytes, that of used slots in 8, and
// the widths of a remainder and of a counter in one byte each.
const (
	dleftBucketsAt       = 0
	dleftUsedAt          = 8
	dleftRemainderBitsAt = 16
	dleftCounterBitsAt   = 17
	dleftUnusedAt        = 18
)

// image returns the filter as a file: the remainders, zeros up to a multiple of 64 bytes, the counters.
func (f *dleftTable) image() (m container.Image, err error) {
	if f.config.Slots == 0 {
		return m, fmt.Errorf("%w: the zero DLeft is none to store", ErrConfig)
	}
	m.Type, m.Len, m.Hash = container.DLeft, uint64(f.len), f.config.Hash.Recipe()
	binary.LittleEndian.PutUint64(m.Params[dleftBucketsAt:], f.classes.m)
	binary.LittleEndian.PutUint64(m.Params[dleftUsedAt:], uint64(f.used))
	m.Params[dleftRemainderBitsAt], m.Params[dleftCounterBitsAt] = byte(f.config.RemainderBits), byte(f.config.CounterBits)
	remainders := f.remainders.Data()
	m.Parts = []container.Part{{Bytes: remainders}, {Zeros: container.Gap(len(remainders))}, {Bytes: f.extras.Data()}}
	return m, nil
}

// dleftShape is what the header of a file says.
type dleftShape struct {
	config                  DLeftConfig
	remainders, gap, extras int // bytes
	len, used               int
}

// dleftIn returns the shape that a header describes.
func dleftIn(h *container.Header) (d dleftShape, err error) {
	if err := h.Want(container.DLeft); err != nil {
		return d, err
	}
	p := h.Params
	wrong := func(at int, format string, args ...any) (dleftShape, error) {
		return d, container.Corrupt(container.ParamsAt+at, format, args...)
	}
	buckets, used := binary.LittleEndian.Uint64(p[dleftBucketsAt:]), binary.LittleEndian.Uint64(p[dleftUsedAt:])
	c := DLeftConfig{
		RemainderBits: int(p[dleftRemainderBitsAt]), CounterBits: int(p[dleftCounterBitsAt]), MaxBytes: math.MaxInt,
	}
	unused := container.Params{}
	copy(unused[:dleftUnusedAt], p[:])
	switch {
	case unused != p:
		return wrong(dleftUnusedAt, "bytes of the header that mean nothing are not 0")
	case h.Kick != "":
		return wrong(0, "a kick policy, which a %v has not", h.Type)
	case buckets == 0 || buckets > maxDLeftBuckets:
		return wrong(dleftBucketsAt, "%d buckets", buckets)
	case c.RemainderBits < MinRemainderBits || c.RemainderBits > MaxRemainderBits:
		return wrong(dleftRemainderBitsAt, "remainders of %d bits", c.RemainderBits)
	case c.CounterBits == 0 || c.CounterBits > MaxDLeftCounterBits:
		return wrong(dleftCounterBitsAt, "counters of %d bits", c.CounterBits)
	case used > buckets*dleftSlots:
		return wrong(dleftUsedAt, "%d slots are used, of %d", used, buckets*dleftSlots)
	case used > buckets*(1<<c.RemainderBits-1):
		return wrong(dleftUsedAt, "%d slots are used, of which no two hold the same of %d fingerprints",
			used, buckets*(1<<c.RemainderBits-1))
	case buckets > math.MaxInt/dleftSlots || h.Len > math.MaxInt || h.TableBytes > math.MaxInt:
		return d, fmt.Errorf("%w: %d buckets, Len %d and %d bytes, which do not fit into an int",
			ErrTooLarge, buckets, h.Len, h.TableBytes)
	}
	c.Slots, d.len, d.used = int(buckets*dleftSlots), int(h.Len), int(used)
	if c.Hash, err = h.Hasher(); err != nil {
		return d, err
	}
	if d.config, _, err = PlanDLeft(c); err != nil {
		return d, err // ErrTooLarge: everything else was checked
	}
	d.config.MaxBytes = 0
	d.remainders, _ = packed.Size(uint(c.RemainderBits), dleftBucketSize, dleftTables*buckets)
	d.extras, _ = packed.Size(uint(c.CounterBits), dleftBucketSize, dleftTables*buckets)
	d.gap = container.Gap(d.remainders)
	if want := uint64(d.remainders) + uint64(d.gap) + uint64(d.extras); h.TableBytes != want {
		return wrong(dleftBucketsAt, "%d buckets in a table of %d bytes, want %d", buckets, h.TableBytes, want)
	}
	return d, nil
}

// over returns the tables over the bytes of its tables.
func (d *dleftShape) over(remainders, extras []byte) dleftTable {
	c, buckets := d.config, dleftTables*d.config.buckets()
	t := dleftTableOf(c, packed.Over(uint(c.RemainderBits), dleftBucketSize, buckets, remainders),
		packed.Over(uint(c.CounterBits), dleftBucketSize, buckets, extras))
	t.len, t.used = d.len, d.used
	return t
}

// read makes f the filter that s holds, or leaves it as it was.
func (f *dleftTable) read(s *container.Source) error {
	s.Know(f.hash.Hasher())
	d, err := dleftIn(&s.Header)
	if err != nil {
		return err
	}
	if d.config.MaxBytes, err = s.Limit(f.config.MaxBytes, config.DefaultMaxBytes); err != nil {
		return err
	}
	remainders, err := s.Bytes(d.remainders)
	if err != nil {
		return err
	}
	if err := s.Zeros(d.gap); err != nil {
		return err
	}
	extras, err := s.Bytes(d.extras)
	if err != nil {
		return err
	}
	if err := s.Finish(); err != nil {
		return err
	}
	g := d.over(remainders, extras)
	if err := g.check(); err != nil {
		return err
	}
	*f = g
	return nil
}

// check returns an ErrCorrupt for tables that no verb can have made.
func (f *dleftTable) check() error {
	used, err := f.remainders.Check()
	if err != nil {
		return err
	}
	if used != uint64(f.used) {
		return container.Corrupt(container.ParamsAt+dleftUsedAt, "%d slots are used, the file says %d", used, f.used)
	}
	if _, err := f.extras.Check(); err != nil {
		return err
	}
	for bucket := range f.remainders.Buckets() {
		// Few slots count more than one key: where none does, there is nothing to compare.
		if f.extras.Word(bucket)<<(64-f.extras.BucketBits()) != 0 {
			if err := f.checkBucket(bucket); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBucket returns an ErrCorrupt if a free slot has a counter: the next key in it would take it over.
func (f *dleftTable) checkBucket(bucket uint64) error {
	for lane := range f.remainders.Lanes() {
		if f.remainders.Get(bucket, lane) == 0 && f.extras.Get(bucket, lane) != 0 {
			return container.Corrupt(container.ParamsAt, "slot %d of bucket %d is free and has a counter", lane, bucket)
		}
	}
	return nil
}
