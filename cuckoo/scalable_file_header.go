package cuckoo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/hugepage"
)

// The parameters of a growing filter's file are those of a filter's, but for the growth factor in place of the
// placement and the rate, a float64, in place of the number of buckets.
const (
	growthAt = placementAt
	rateAt   = bucketsAt
)

// The head of the directory that the table begins with has Capacity in 8 bytes, MaxSubFilters in 4 and the number of
// sub-filters in 4; its rows have the numbers of type row in 8 bytes each.
const chainMostAt = 8

// A row of the directory describes a sub-filter.
type row struct {
	buckets, len, full uint64
	at                 int // where the row is in the file
	size               int // of the table
}

// A chain is what a file says about a growing filter, but for its tables.
type chain struct {
	config ScalableConfig // resolved, with a nil Kick as shapeIn has it
	first  Config
	rows   []row
	bytes  uint64 // of all tables
}

// image returns the filter as a file.
func (s *Scalable[F]) image() (m container.Image, err error) {
	if len(s.levels) == 0 {
		return m, errZero
	}
	m.Type, m.Len = container.Scalable, uint64(s.Len())
	c := s.levels[0].config
	putShape(&m.Header, &c, s.width())
	m.Params[growthAt] = byte(s.config.GrowthFactor)
	le := binary.LittleEndian
	le.PutUint64(m.Params[rateAt:], math.Float64bits(s.config.FalsePositiveRate))

	directory := make([]byte, container.DirectoryHead, container.DirectoryHead+container.DirectoryRow*len(s.levels)+2*container.Align)
	le.PutUint64(directory, uint64(s.config.Capacity))
	le.PutUint32(directory[chainMostAt:], uint32(s.config.MaxSubFilters))
	m.Parts = make([]container.Part, 1, 2*len(s.levels))
	for n := range s.levels {
		l := &s.levels[n]
		directory = le.AppendUint64(directory, uint64(l.config.Buckets))
		directory = le.AppendUint64(directory, uint64(l.len))
		directory = le.AppendUint64(directory, uint64(l.full))
		if n > 0 {
			m.Parts = append(m.Parts, container.Part{Zeros: container.Gap(s.levels[n-1].SizeBytes())})
		}
		m.Parts = append(m.Parts, container.Part{Bytes: l.engine.Table.Data()})
	}
	m.Parts[0].Bytes = container.SealDirectory(directory)
	return m, nil
}

// chainShapeIn is shapeIn of a growing filter's header.
func chainShapeIn(h *container.Header, wanted uint, own Config, known []hashing.Hasher) (c Config, err error) {
	if err := h.Want(container.Scalable); err != nil {
		return c, err
	}
	return shapeIn(h, wanted, own, known)
}

// chainIn reads and checks the directory of a file, whose header has that shape.
func chainIn(h *container.Header, table container.Table, width uint, shape Config) (c chain, err error) {
	head, rows, size, err := container.TakeDirectory(table, h)
	if err != nil {
		return c, err
	}
	capacity, most := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint32(head[chainMostAt:])
	if err := c.configure(h, shape, width, capacity, most); err != nil {
		return c, err
	}
	if n := len(rows) / container.DirectoryRow; n == 0 || n > c.config.MaxSubFilters {
		return c, container.Corrupt(h.Size()+chainMostAt, "%d sub-filters, MaxSubFilters being %d", n, most)
	}
	err = c.readRows(h, rows, uint64(size), width)
	c.config.Kick = shape.Kick // resolve took the default for one that is not known
	return c, err
}

// configure sets the resolved configuration, of which shape has what filters that do not grow have too.
func (c *chain) configure(h *container.Header, shape Config, width uint, capacity uint64, most uint32) error {
	growth, rate := h.Params[growthAt], math.Float64frombits(binary.LittleEndian.Uint64(h.Params[rateAt:]))
	switch {
	case growth == 0:
		return container.Corrupt(container.ParamsAt+growthAt, "GrowthFactor is 0")
	case !(rate > 0 && rate < 1):
		return container.Corrupt(container.ParamsAt+rateAt, "FalsePositiveRate is %g", rate)
	case capacity == 0:
		return container.Corrupt(h.Size(), "Capacity is 0")
	case capacity > math.MaxInt:
		return fmt.Errorf("%w: Capacity %d, which does not fit into an int", ErrTooLarge, capacity)
	case most == 0 || most > math.MaxInt32:
		return container.Corrupt(h.Size()+chainMostAt, "MaxSubFilters is %d", most)
	}
	var err error
	c.config, c.first, err = ScalableConfig{
		Capacity: int(capacity), GrowthFactor: int(growth), FalsePositiveRate: rate, FingerprintBits: shape.FingerprintBits, BucketSize: shape.BucketSize, Layout: shape.Layout,
		Hash: shape.Hash, Kick: shape.Kick, MaxKicks: shape.MaxKicks, Seed: shape.Seed, MaxBytes: math.MaxInt,
	}.resolve(width)
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case err != nil:
		return container.Corrupt(container.ParamsAt, "%v", err) // no ErrConfig: nobody configured it
	case int(most)-1 > c.config.MaxSubFilters: // machines differ in the last bit of a logarithm
		return container.Corrupt(h.Size()+chainMostAt, "MaxSubFilters is %d, and FalsePositiveRate %g has room for %d", most, rate, c.config.MaxSubFilters)
	}
	c.config.MaxSubFilters = int(most)
	return nil
}

// readRows reads the rows of the directory, which has so many bytes in all, and compares the sizes.
func (c *chain) readRows(h *container.Header, rows []byte, total uint64, width uint) error {
	at, le := h.Size()+container.DirectoryHead, binary.LittleEndian
	c.rows = make([]row, 0, len(rows)/container.DirectoryRow)
	var keys, slots, last uint64
	for ; len(rows) > 0; rows = rows[container.DirectoryRow:] {
		r := row{buckets: le.Uint64(rows), len: le.Uint64(rows[8:]), full: le.Uint64(rows[16:]), at: at}
		if r.buckets < max(1, last) || r.buckets > fingerprint.MaxBuckets || bits.OnesCount64(r.buckets) != 1 {
			return container.Corrupt(at, "%d buckets behind a sub-filter of %d, want a power of two that is no smaller", r.buckets, last)
		}
		last = r.buckets
		sub, err := c.sub(r.buckets, width)
		if err != nil {
			return fmt.Errorf("%w (at byte %d)", err, at)
		}
		r.size, _ = sub.size(width, r.buckets) // resolve checked it
		own := r.buckets * uint64(c.config.BucketSize)
		if r.len > own || r.full > own {
			return container.Corrupt(at, "Len is %d, and the mark %d, of %d slots", r.len, r.full, own)
		}
		keys, slots, c.bytes, total = keys+r.len, slots+own, c.bytes+uint64(r.size), total+uint64(r.size)
		if len(rows) > container.DirectoryRow {
			total += uint64(container.Gap(r.size))
		}
		c.rows, at = append(c.rows, r), at+container.DirectoryRow
		if total > h.TableBytes {
			break // before the sums overflow
		}
	}
	switch {
	case total != h.TableBytes:
		return container.Corrupt(h.Size(), "sub-filters of %d bytes or more in a table of %d", total, h.TableBytes)
	case keys != h.Len:
		return container.Corrupt(container.LenAt, "Len is %d, and those of the sub-filters make %d", h.Len, keys)
	case slots > math.MaxInt:
		return fmt.Errorf("%w: %d slots, more than an int counts", ErrTooLarge, slots)
	}
	return nil
}

// sub returns the resolved configuration of a sub-filter.
func (c *chain) sub(buckets uint64, width uint) (Config, error) {
	if buckets > math.MaxInt {
		return Config{}, fmt.Errorf("%w: %d buckets, which do not fit into an int", ErrTooLarge, buckets)
	}
	return c.config.sub(int(buckets)).resolve(width)
}

// tableIn takes the table of sub-filter n.
func (c *chain) tableIn(n int, table container.Table) (data []byte, err error) {
	r := &c.rows[n]
	data, err = table.Bytes(r.size, hugepage.Mode(c.config.HugePages))
	if err == nil && n < len(c.rows)-1 {
		err = table.Zeros(container.Gap(r.size))
	}
	return data, err
}
