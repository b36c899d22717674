package fuse

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// Tables of three segments are those of type BinaryFuse of the Go module github.com/FastFilter/xorfilter and, packed
// alike, of the database github.com/cockroachdb/pebble. All numbers are little-endian.
//
//	xorfilter: the seed (8 bytes), the slots of a segment (4), that number less 1 (4), the number of segments in which
//	           a key may have its first slot (4), the product of the two (4), the number of slots (4); then the
//	           fingerprints
//	pebble:    the fingerprints; 3 bytes of 0 at 10 bits, 1 at 12; the seed (8), the number of segments in which a key
//	           may have its first slot (4), the logarithm of the slots of a segment (1), the bits of a fingerprint (1)
const (
	xorHeader     = 28
	pebbleTrailer = 14
)

var (
	xorWidths     = []uint64{8, 16, 32}
	pebbleWidths  = []uint64{4, 8, 10, 12, 16}
	pebblePadding = map[uint64]uint64{10: 3, 12: 1}
	pebbleHash    = hashing.XXH3(0)
)

// AppendXorfilter appends to b what Save of xorfilter's BinaryFuse writes of the same filter, whose keys are the
// digests. The error is [ErrMismatch] for a filter of four segments or of another width than 8, 16 and 32, and
// [ErrConfig] for the zero Filter.
func (f *Filter[F]) AppendXorfilter(b []byte) ([]byte, error) {
	t := &f.t
	if err := t.fits(xorWidths); err != nil {
		return b, err
	}
	le := binary.LittleEndian
	b = le.AppendUint64(b, t.seed)
	for _, n := range []uint64{t.segment, t.segment - 1, t.span / t.segment, t.span, t.slots()} {
		b = le.AppendUint32(b, uint32(n))
	}
	return append(b, t.data[:t.slots()*t.width/8]...), nil
}

// DecodeXorfilter returns the filter that Save of xorfilter's BinaryFuse wrote, which answers alike: its keys are the
// digests. h is the hash that made them of other keys; nil is hashing.DigestsOnly. The bytes do not say how many keys
// there are, so Len is an estimate, from the fingerprints that are not 0, and 1 at least. AppendXorfilter makes the
// bytes again.
//
// The errors are [ErrTooShort], [ErrMismatch] for another width than that of F, and [ErrCorrupt] for anything else.
func DecodeXorfilter[F fingerprint.Width](b []byte, h hashing.Hasher) (*Filter[F], error) {
	if h == nil {
		h = hashing.DigestsOnly
	}
	t, err := xorTable(b)
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	return adopt[F](t, b[xorHeader:], h)
}

// AppendPebble appends to b the filter block, of family binaryfuse, that pebble writes in a table of the same keys. The
// error is [ErrMismatch] for a filter of four segments, of another width than 4, 8, 10, 12 and 16, or of another hash
// than hashing.XXH3(0), which is pebble's and the default, and [ErrConfig] for the zero Filter.
func (f *Filter[F]) AppendPebble(b []byte) ([]byte, error) {
	t := &f.t
	if err := t.fits(pebbleWidths); err != nil {
		return b, err
	}
	if h := f.config.Hash.Recipe(); h != pebbleHash.Recipe() {
		return b, pkg.Errorf(ErrMismatch, "the hash is %s, and pebble has %s", h, pebbleHash.Recipe())
	}
	b = append(b, t.data[:t.slots()*t.width/8+pebblePadding[t.width]]...)
	b = binary.LittleEndian.AppendUint64(b, t.seed)
	b = binary.LittleEndian.AppendUint32(b, uint32(t.span/t.segment))
	return append(b, byte(bits.TrailingZeros64(t.segment)), byte(t.width)), nil
}

// DecodePebble returns the filter of such a block, as [DecodeXorfilter] does of its bytes. Its hash is
// hashing.XXH3(0): pebble's keys are found by Contains, without their suffix where the database strips it.
func DecodePebble[F fingerprint.Width](b []byte) (*Filter[F], error) {
	t, err := pebbleTable(b)
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	return adopt[F](t, b, pebbleHash)
}

// fits returns an error if another system whose fingerprints have those widths cannot have t.
func (t *table) fits(widths []uint64) error {
	switch {
	case t.segment == 0:
		return pkg.Wrap(errZero)
	case t.four || !slices.Contains(widths, t.width):
		return pkg.Errorf(ErrMismatch, "%d segments and %d bits, want 3 segments and one of %d bits",
			t.arity(), t.width, widths)
	}
	return nil
}

// adopt returns the filter of a table that another system made, whose fingerprints data begins with.
func adopt[F fingerprint.Width](t table, data []byte, h hashing.Hasher) (*Filter[F], error) {
	f := new(Filter[F])
	if err := f.become(t, h); err != nil {
		return nil, pkg.Wrap(err)
	}
	f.t.allocate()
	copy(f.t.data, data[:t.slots()*t.width/8])
	used := 0.
	for slot := range t.slots() {
		if at(f.t.data, slot, t.width)<<(64-t.width) != 0 {
			used++
		}
	}
	f.t.keys = uint64(min(max(1, math.Round(used/(1-math.Ldexp(1, -int(t.width))))), float64(t.slots())))
	return f, nil
}

// xorTable returns the table that such bytes describe, without its own.
func xorTable(b []byte) (t table, err error) {
	if len(b) < xorHeader {
		return t, fmt.Errorf("%w: it ends at byte %d, and the header at %d", ErrTooShort, len(b), xorHeader)
	}
	field := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(b[at:])) }
	t.seed, t.segment, t.span, t.width = binary.LittleEndian.Uint64(b), field(8), field(20), 8
	slots, size := field(24), uint64(len(b)-xorHeader)
	switch err = t.check(8); {
	case err != nil:
		return t, err
	case field(12) != t.segment-1 || field(16)*t.segment != t.span || t.slots() != slots:
		return t, container.Corrupt(12, "the numbers of the header contradict each other")
	case size < slots:
		return t, fmt.Errorf("%w: it ends at byte %d, before %d slots", ErrTooShort, len(b), slots)
	}
	if t.width = 8 * (size / slots); !slices.Contains(xorWidths, t.width) || size%slots != 0 {
		return t, container.Corrupt(xorHeader, "%d slots in %d bytes, want 1, 2 or 4 bytes each", slots, size)
	}
	return t, nil
}

// pebbleTable is xorTable of a block of pebble.
func pebbleTable(b []byte) (t table, err error) {
	end := len(b) - pebbleTrailer
	if end < 0 {
		return t, fmt.Errorf("%w: it has %d bytes, and the trailer %d", ErrTooShort, len(b), pebbleTrailer)
	}
	trailer := b[end:]
	t.seed, t.segment, t.width = binary.LittleEndian.Uint64(trailer), 1<<min(trailer[12], 63), uint64(trailer[13])
	t.span = uint64(binary.LittleEndian.Uint32(trailer[8:])) * t.segment
	size := t.slots() * t.width / 8
	switch err = t.check(end); {
	case err != nil:
		return t, err
	case !slices.Contains(pebbleWidths, t.width) || size+pebblePadding[t.width] != uint64(end):
		return t, container.Corrupt(end, "%d slots of %d bits in %d bytes", t.slots(), t.width, end)
	case slices.ContainsFunc(b[size:end], func(x byte) bool { return x != 0 }):
		return t, container.Corrupt(size, "bytes behind the fingerprints are not 0")
	}
	return t, nil
}
