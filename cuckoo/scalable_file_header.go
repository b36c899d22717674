package cuckoo

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

// The parameters of a growing filter's file are those of a filter's, but for MaxDoublings in place of the placement and the rate, a
// float64, in place of the number of buckets.
const (
	doublingsAt = placementAt
	rateAt      = bucketsAt
)

// The table begins with a directory. Its head has Capacity in 8 bytes and zeros. Its only row has the logarithm of the buckets of a
// side, the number of slots that are used, and the excess of shorter tails.
const directoryBytes = 64

// stored is what a file says about a growing filter, but for its table.
type stored struct {
	config        ScalableConfig // resolved, with a nil Kick as shapeIn has it
	log           uint
	keys, entries int
	excess        uint64
	size          int // of the table
	rowAt         int // in the file
}

// image returns the filter as a file.
func (s *Scalable[F]) image() (m container.Image, err error) {
	table := s.settled()
	if table.Buckets() == 0 {
		return m, errZero
	}
	m.Type, m.Len = container.Scalable, uint64(s.len)
	putShape(&m.Header, &s.shape)
	m.Params[doublingsAt] = byte(s.config.MaxDoublings)
	le := binary.LittleEndian
	le.PutUint64(m.Params[rateAt:], math.Float64bits(s.config.FalsePositiveRate))
	directory := make([]byte, container.DirectoryHead, directoryBytes)
	le.PutUint64(directory, uint64(s.config.Capacity))
	directory = le.AppendUint64(directory, uint64(s.place.log()))
	directory = le.AppendUint64(directory, uint64(s.entries()))
	directory = le.AppendUint64(directory, s.excess)
	m.Parts = []container.Part{{Bytes: container.SealDirectory(directory)}, {Bytes: table.Data()}}
	return m, nil
}

// storedShapeIn is shapeIn of a growing filter's header.
func storedShapeIn(h *container.Header, wanted uint, own Config) (c Config, err error) {
	if err := h.Want(container.Scalable); err != nil {
		return c, err
	}
	c, err = shapeIn(h, wanted, own)
	if err == nil && c.Layout != Packed {
		err = container.Corrupt(container.ParamsAt+layoutAt, "layout %v, want %v for a filter that grows", c.Layout, Packed)
	}
	return c, err
}

// storedIn reads and checks the directory of a file, whose header has that shape.
func storedIn(h *container.Header, table container.Table, shape Config) (g stored, err error) {
	b, err := container.TakeDirectory(table, h)
	if err != nil {
		return g, err
	}
	le := binary.LittleEndian
	if rest := le.Uint32(b[8:]); rest != 0 {
		return g, container.Corrupt(h.Size()+8, "bytes of the directory that mean nothing are not 0")
	}
	g.rowAt = h.Size() + container.DirectoryHead
	if err := g.configure(h, shape, le.Uint64(b)); err != nil {
		return g, err
	}
	return g, g.readRow(h, b[container.DirectoryHead:])
}

// configure sets the resolved configuration, of which shape has what filters that do not grow have too.
func (g *stored) configure(h *container.Header, shape Config, capacity uint64) error {
	most, rate := int(h.Params[doublingsAt]), math.Float64frombits(binary.LittleEndian.Uint64(h.Params[rateAt:]))
	switch {
	case !(rate > 0 && rate < 1):
		return container.Corrupt(container.ParamsAt+rateAt, "FalsePositiveRate is %g", rate)
	case capacity == 0:
		return container.Corrupt(h.Size(), "Capacity is 0")
	case capacity > math.MaxInt:
		return fmt.Errorf("%w: Capacity %d, which does not fit into an int", ErrTooLarge, capacity)
	}
	var err error
	g.config, err = ScalableConfig{
		Capacity: int(capacity), FalsePositiveRate: rate, FingerprintBits: shape.FingerprintBits, BucketSize: shape.BucketSize,
		Hash: shape.Hash, Kick: shape.Kick, MaxKicks: shape.MaxKicks, Seed: shape.Seed, MaxBytes: math.MaxInt,
	}.resolve(0)
	switch {
	case err != nil:
		return container.Unconfigured(err)
	case most > mostDoublings(g.config.width(), g.config.begin()) || most-1 > g.config.MaxDoublings: // machines differ in the last bit of a logarithm
		return container.Corrupt(container.ParamsAt+doublingsAt, "MaxDoublings is %d, and there is room for %d in FalsePositiveRate %g and tails of %d bits",
			most, g.config.MaxDoublings, rate, tailBits(g.config.width()))
	}
	g.config.MaxDoublings, g.config.Kick, g.config.MaxBytes = most, shape.Kick, 0 // resolve took the default for a policy that is not known
	return nil
}

// readRow reads the row of the directory and compares the sizes.
func (g *stored) readRow(h *container.Header, row []byte) error {
	le := binary.LittleEndian
	log, entries, excess := le.Uint64(row), le.Uint64(row[8:]), le.Uint64(row[16:])
	begin := g.config.begin()
	if most := begin + uint(g.config.MaxDoublings); log < uint64(begin) || log > uint64(most) {
		return container.Corrupt(g.rowAt, "sides of 2^%d buckets, want 2^%d to 2^%d after up to %d doublings", log, begin, most, g.config.MaxDoublings)
	}
	slots := uint64(2*g.config.BucketSize) << log
	c := g.config.shared()
	size, ok := c.size(2 << log)
	switch {
	case !ok || slots > math.MaxInt:
		return fmt.Errorf("%w: sides of 2^%d buckets, which have more slots or bytes than an int counts", ErrTooLarge, log)
	case uint64(size)+directoryBytes != h.TableBytes:
		return container.Corrupt(g.rowAt, "sides of 2^%d buckets take %d bytes, and the file has %d for them", log, size, h.TableBytes-directoryBytes)
	case entries > slots:
		return container.Corrupt(g.rowAt+8, "%d slots are used, of %d", entries, slots)
	case h.Len > entries:
		return container.Corrupt(container.LenAt, "Len is %d, and %d slots are used", h.Len, entries)
	case excess > entries<<tailBits(g.config.width()):
		return container.Corrupt(g.rowAt+16, "an excess of %d hits, of %d slots", excess, entries)
	}
	g.log, g.keys, g.entries, g.excess, g.size = uint(log), int(h.Len), int(entries), excess, size
	return nil
}

// tableOver returns the table over its bytes.
func (g *stored) tableOver(data []byte) packed.Table {
	c := g.config.shared()
	c.Buckets = 2 << g.log
	return c.tableOver(data)
}

// check holds the table to what the directory says of it, and returns how many entries have tails that are not full.
func (g *stored) check(table *packed.Table) (older tails, err error) {
	tail := tailBits(g.config.width())
	ends, err := table.CheckPrefixes(tail + 1)
	if err != nil {
		return older, err
	}
	entries, excess := ends[0], uint64(0)
	for end := uint(1); end <= tail; end++ {
		older[tail-end] = ends[end]
		entries += ends[end]
		excess += uint64(ends[end]) * (1<<end - 1)
	}
	if entries != g.entries || excess != g.excess {
		return older, container.Corrupt(g.rowAt+8, "%d slots are used with an excess of %d hits, and the table has %d with %d", g.entries, g.excess, entries, excess)
	}
	return older, nil
}
