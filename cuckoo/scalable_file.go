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

// AppendBinary appends the filter's file, which has a type of its own, to b, as [Filter.AppendBinary] does. A filter
// that is growing is stored as it is when it has grown, which takes the memory of a copy.
func (s *Scalable[F]) AppendBinary(b []byte) ([]byte, error) {
	return container.Encode(pkg, b, s.image)
}

// MarshalBinary is [Scalable.AppendBinary] to nothing.
func (s *Scalable[F]) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the bytes of [Scalable.AppendBinary] to w, as [Filter.WriteTo] does.
func (s *Scalable[F]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, s.image) }

// UnmarshalBinary makes s the filter that [Scalable.AppendBinary] wrote, as [Filter.UnmarshalBinary] does and with the
// same errors. The MaxBytes of s stays in force, for growth too.
func (s *Scalable[F]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, s.load) }

// ReadFrom makes s the filter that [Scalable.WriteTo] wrote, as [Filter.ReadFrom] does.
func (s *Scalable[F]) ReadFrom(r io.Reader) (int64, error) {
	return container.DecodeFrom(pkg, r, s.load)
}

// DecodeScalable returns the filter in b, as [Scalable.UnmarshalBinary] of the zero Scalable does; see [Decode].
func DecodeScalable[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Scalable[F], error) {
	return container.Decoded(pkg, b, (*Scalable[F]).load, known)
}

// load makes s the filter that the source holds, or leaves it as it was.
func (s *Scalable[F]) load(from *container.Source) error {
	g, err := storedIn(&from.Header, from, fingerprint.WidthOf[F](), s.config.shared())
	if err != nil {
		return err
	}
	table, err := tableIn(from, &g.table, s.config.MaxBytes)
	if err != nil {
		return err
	}
	short, err := g.check(&table)
	if err != nil {
		return err
	}
	g.config.MaxBytes = g.table.MaxBytes
	s.init(g.config, table)
	s.count(g.keys, g.entries-g.keys, short)
	return nil
}

// The parameters of a growing filter's file are those of a filter's, except MaxDoublings in place of the placement and
// the rate, a float64, in place of the number of buckets.
const (
	doublingsAt = placementAt
	rateAt      = bucketsAt
)

// The table begins with a directory. Its head has Capacity in 8 bytes and zeros. Its only row has the logarithm of the
// buckets of a side, the number of slots that are used, and the extra hits of shorter tails.
const directoryBytes = 64

// stored is what a file says about a growing filter, except for its table.
type stored struct {
	config        ScalableConfig // resolved, with a nil Kick as shapeIn has it
	table         Config         // of the table
	keys, entries int
	extraHits     uint64
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
	directory = le.AppendUint64(directory, s.extraHits)
	m.Parts = []container.Part{{Bytes: container.SealDirectory(directory)}, {Bytes: table.Data()}}
	return m, nil
}

// storedIn reads and checks a header, for fingerprints of the width wanted and own as in shapeIn, and the directory.
func storedIn(h *container.Header, table container.Table, wanted uint, own Config) (g stored, err error) {
	if g.table, err = shapeIn(h, container.Scalable, wanted, 1, own); err != nil { // the directory has the buckets
		return g, err
	}
	if l := g.table.Layout; l != Packed {
		return g, container.Corrupt(container.ParamsAt+layoutAt, "layout %v, want packed for a filter that grows", l)
	}
	b, err := container.TakeDirectory(table, h)
	if err != nil {
		return g, err
	}
	le := binary.LittleEndian
	if le.Uint32(b[8:]) != 0 {
		return g, container.Corrupt(h.Size()+8, "bytes of the directory that mean nothing are not 0")
	}
	if err := g.configure(h, le.Uint64(b)); err != nil {
		return g, err
	}
	return g, g.readRow(h, b[container.DirectoryHead:])
}

// configure sets the resolved configuration.
func (g *stored) configure(h *container.Header, capacity uint64) error {
	most, rate := int(h.Params[doublingsAt]), math.Float64frombits(binary.LittleEndian.Uint64(h.Params[rateAt:]))
	switch {
	case !(rate > 0 && rate < 1):
		return container.Corrupt(container.ParamsAt+rateAt, "FalsePositiveRate is %g", rate)
	case capacity == 0:
		return container.Corrupt(h.Size(), "Capacity is 0")
	case capacity > math.MaxInt:
		return fmt.Errorf("%w: Capacity %d, which does not fit into an int", ErrTooLarge, capacity)
	}
	c, err := ScalableConfig{
		Capacity: int(capacity), FalsePositiveRate: rate, FingerprintBits: g.table.FingerprintBits,
		BucketSize: g.table.BucketSize, Hash: g.table.Hash, Kick: g.table.Kick, MaxKicks: g.table.MaxKicks,
		Seed: g.table.Seed, MaxBytes: math.MaxInt,
	}.resolve(0)
	if err != nil {
		return container.Unconfigured(err)
	}
	// Machines differ in the last bit of a logarithm: so one doubling more may be within the rate.
	if most > mostDoublings(c.width(), c.begin()) || most-1 > c.MaxDoublings {
		return container.Corrupt(container.ParamsAt+doublingsAt, "MaxDoublings is %d, and there is room for %d "+
			"in FalsePositiveRate %g and tails of %d bits", most, c.MaxDoublings, rate, tailBits(c.width()))
	}
	c.MaxDoublings, c.MaxBytes = most, 0
	c.Kick = g.table.Kick // resolve took the default for one that is not known
	g.config = c
	return nil
}

// readRow reads the row of the directory and compares the sizes.
func (g *stored) readRow(h *container.Header, row []byte) error {
	le := binary.LittleEndian
	log, entries, extraHits := le.Uint64(row), le.Uint64(row[8:]), le.Uint64(row[16:])
	at, begin, doublings := h.Size()+container.DirectoryHead, g.config.begin(), g.config.MaxDoublings
	if most := begin + uint(doublings); log < uint64(begin) || log > uint64(most) {
		return container.Corrupt(at, "sides of 2^%d buckets, want 2^%d to 2^%d after up to %d doublings",
			log, begin, most, doublings)
	}
	slots := uint64(2*g.config.BucketSize) << log
	size, ok := g.table.size(2 << log)
	switch {
	case !ok || slots > math.MaxInt:
		return fmt.Errorf("%w: sides of 2^%d buckets, more slots or bytes than an int counts", ErrTooLarge, log)
	case uint64(size)+directoryBytes != h.TableBytes:
		return container.Corrupt(at, "sides of 2^%d buckets take %d bytes, and the file has %d for them",
			log, size, h.TableBytes-directoryBytes)
	case entries > slots:
		return container.Corrupt(at+8, "%d slots are used, of %d", entries, slots)
	case h.Len > entries:
		return container.Corrupt(container.LenAt, "Len is %d, and %d slots are used", h.Len, entries)
	case extraHits > entries<<tailBits(g.config.width()):
		return container.Corrupt(at+16, "%d extra hits, of %d slots", extraHits, entries)
	}
	g.table.Buckets, g.rowAt = 2<<log, at
	g.keys, g.entries, g.extraHits = int(h.Len), int(entries), extraHits
	return nil
}

// check holds the table to what the directory says of it, and returns how many entries have tails that are not full.
func (g *stored) check(table *packed.Table) (short tails, err error) {
	ends, err := table.CheckPrefixes(tailBits(g.config.width()) + 1)
	if err != nil {
		return short, err
	}
	entries := ends[0]
	for without := range short[1:] {
		short[without+1] = ends[without+1]
		entries += ends[without+1]
	}
	if hits := short.extraHits(); entries != g.entries || hits != g.extraHits {
		err = container.Corrupt(g.rowAt+8, "%d slots are used with %d extra hits, and the table has %d with %d",
			g.entries, g.extraHits, entries, hits)
	}
	return short, err
}
