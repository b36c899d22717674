package counting

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nestfilter/nest/hashing"
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
	m.Params[dleftRemainderBitsAt] = byte(f.config.RemainderBits)
	m.Params[dleftCounterBitsAt] = byte(f.config.CounterBits)
	remainders := f.remainders.Data()
	m.Parts = []container.Part{{Bytes: remainders}, {Zeros: container.Gap(len(remainders))}, {Bytes: f.extras.Data()}}
	return m, nil
}

// A dleftSize has the bytes of the parts of a file.
type dleftSize struct{ remainders, gap, extras int }

// dleftIn returns the DLeft that a header describes, without its tables, and the bytes of those.
func dleftIn(h *container.Header) (f dleftTable, d dleftSize, err error) {
	if err := h.Want(container.DLeft); err != nil {
		return f, d, err
	}
	p := h.Params
	wrong := func(at int, format string, args ...any) (dleftTable, dleftSize, error) {
		return f, d, container.Corrupt(container.ParamsAt+at, format, args...)
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
		return f, d, fmt.Errorf("%w: %d buckets, Len %d and %d bytes, which do not fit into an int",
			ErrTooLarge, buckets, h.Len, h.TableBytes)
	}
	c.Slots = int(buckets * dleftSlots)
	if c.Hash, err = h.Hasher(); err != nil {
		return f, d, err
	}
	if c, _, err = PlanDLeft(c); err != nil {
		return f, d, err // ErrTooLarge: everything else was checked
	}
	c.MaxBytes = 0
	d.remainders, _ = packed.Plain.Size(uint(c.RemainderBits), dleftBucketSize, dleftTables*buckets)
	d.extras, _ = packed.Plain.Size(uint(c.CounterBits), dleftBucketSize, dleftTables*buckets)
	d.gap = container.Gap(d.remainders)
	if want := uint64(d.remainders) + uint64(d.gap) + uint64(d.extras); h.TableBytes != want {
		return wrong(dleftBucketsAt, "%d buckets in a table of %d bytes, want %d", buckets, h.TableBytes, want)
	}
	f = dleftTableOf(c)
	f.len, f.used = int(h.Len), int(used)
	return f, d, nil
}

// over makes the bytes of its tables those of f.
func (f *dleftTable) over(remainders, extras []byte) {
	c, buckets := &f.config, dleftTables*f.classes.m
	f.remainders = packed.Plain.Over(uint(c.RemainderBits), dleftBucketSize, buckets, remainders)
	f.extras = packed.Plain.Over(uint(c.CounterBits), dleftBucketSize, buckets, extras)
}

// read makes f the filter that s holds, or leaves it as it was.
func (f *dleftTable) read(s *container.Source) error {
	hash := hashing.NewDigester(f.config.Hash) // of a zero DLeft, too
	s.Know(hash.Hasher())
	g, d, err := dleftIn(&s.Header)
	if err != nil {
		return err
	}
	g.config.MaxBytes = f.config.MaxBytes
	table, err := s.Last(int(s.TableBytes), &g.config.MaxBytes)
	if err == nil {
		err = container.CheckGap(table[d.remainders:][:d.gap], s.Size()+d.remainders)
	}
	if err != nil {
		return err
	}
	g.over(table[:d.remainders:d.remainders], table[d.remainders+d.gap:])
	if err = g.check(); err == nil {
		*f = g
	}
	return err
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
		if f.extras.Word(bucket)<<(64-f.extras.BucketBits()) == 0 {
			continue
		}
		for lane := range f.remainders.Lanes() { // the next key in a free slot would take its counter over
			if f.remainders.Get(bucket, lane) == 0 && f.extras.Get(bucket, lane) != 0 {
				return container.Corrupt(container.ParamsAt,
					"slot %d of bucket %d is free and has a counter", lane, bucket)
			}
		}
	}
	return nil
}
