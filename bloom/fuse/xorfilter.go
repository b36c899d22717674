package fuse

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// Filters of the Go module github.com/FastFilter/xorfilter, type BinaryFuse, are those of this package with three
// segments and 8, 16 or 32 bits. What its Save writes is, all numbers little-endian:
//
//	offset  bytes  content
//	0       8      the seed
//	8       4      the slots of a segment
//	12      4      that number less 1
//	16      4      the number of segments in which a key may have its first slot
//	20      4      the product of the numbers at 8 and 16
//	24      4      the number of slots
//	28             the fingerprints
const xorHeader = 28

// xorWidths tells whether xorfilter has fingerprints of that width.
func xorWidths(width uint64) bool { return width == 8 || width == 16 || width == 32 }

// AppendXorfilter appends to b what Save of xorfilter's BinaryFuse writes of the same filter, whose keys are the
// digests. The error is [ErrMismatch] for a filter of four segments or of a width that it does not have, and
// [ErrConfig] for the zero Filter.
func (f *Filter[F]) AppendXorfilter(b []byte) ([]byte, error) {
	t := &f.t
	switch {
	case t.segment == 0:
		return b, fmt.Errorf("fuse: %w: the zero Filter is none to store", ErrConfig)
	case t.four || !xorWidths(t.width):
		return b, fmt.Errorf("fuse: %w: %d segments and %d bits, and xorfilter has 3 segments and 8, 16 or 32 bits",
			ErrMismatch, t.arity(), t.width)
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
		return nil, file.Wrap(err)
	}
	if wanted := fingerprint.WidthOf[F](); wanted != 0 && t.width != uint64(wanted) {
		return nil, fmt.Errorf("fuse: %w: fingerprints of %d bits, want %d", ErrMismatch, t.width, wanted)
	}
	t.allocate()
	copy(t.data, b[xorHeader:])
	used := 0.
	for slot := range t.slots() {
		if at(t.data, slot, t.width)<<(64-t.width) != 0 {
			used++
		}
	}
	t.keys = uint64(min(max(1, math.Round(used/(1-math.Ldexp(1, -int(t.width))))), float64(t.slots())))
	c := Config{FingerprintBits: int(t.width), Segments: 3, Hash: h}
	return &Filter[F]{reader[F]{t: t, hash: hashing.NewDigester(h), config: c}}, nil
}

// xorTable returns the table that such bytes describe, without its own.
func xorTable(b []byte) (t table, err error) {
	if len(b) < xorHeader {
		return t, fmt.Errorf("%w: it ends at byte %d, and the header at %d", ErrTooShort, len(b), xorHeader)
	}
	field := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(b[at:])) }
	t.seed, t.segment, t.span = binary.LittleEndian.Uint64(b), field(8), field(20)
	slots, size := field(24), uint64(len(b)-xorHeader)
	switch {
	case bits.OnesCount64(t.segment) != 1 || t.segment < 1<<minLog || t.segment > 1<<maxLog || field(12) != t.segment-1:
		return t, container.Corrupt(8, "segments of %d slots, less 1 %d", t.segment, field(12))
	case t.span == 0 || field(16)*t.segment != t.span || t.slots() != slots:
		return t, container.Corrupt(16, "%d segments are %d slots, of %d", field(16), t.span, slots)
	case size < slots:
		return t, fmt.Errorf("%w: it ends at byte %d, and %d slots are at least as many more", ErrTooShort, len(b),
			slots)
	}
	if t.width = 8 * (size / slots); !xorWidths(t.width) || size%slots != 0 {
		return t, container.Corrupt(xorHeader, "%d slots in %d bytes, want 1, 2 or 4 bytes each", slots, size)
	}
	return t, nil
}
