package bloom

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// splitBytes is the number of bytes of a block.
const splitBytes = bloomcore.SplitBits / 8

// Bitset returns the bitset of a Parquet file: the blocks in order, a block being eight lanes of 4
// bytes, lowest first, on every machine. Package bloom/parquet puts the header before it that such a file
// has. It allocates [SplitBlock.SizeBytes].
func (f *SplitBlock) Bitset() []byte { return f.AppendBitset(make([]byte, 0, f.SizeBytes())) }

// AppendBitset appends the bytes of [SplitBlock.Bitset] to b and returns the extended slice.
func (f *SplitBlock) AppendBitset(b []byte) []byte {
	for _, w := range f.t.Words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// SplitBlockFromBitset returns a filter with the keys of a bitset that [SplitBlock.Bitset] or a
// Parquet writer made. It copies b. Its Len is 0, as the number of inserts is not in a bitset.
//
// The configuration adds what is not in it either: Hash, which must be the writer's (Parquet's is
// the default), and MaxBytes. Bits is 0 or the size of b, so that Config of the filter that made
// b will do. Wrong bits or another hash cannot be noticed: such a filter loses keys.
//
// Fewer bytes than a block, 32, are [ErrTooShort], and no whole number of blocks is [ErrCorrupt]; other
// errors are [ErrMismatch] for Bits that are not those of b, and those of [NewSplitBlock]. Nothing
// was allocated then.
func SplitBlockFromBitset(b []byte, c Config) (*SplitBlock, error) {
	switch {
	case len(b) < splitBytes:
		return nil, fmt.Errorf("bloom: %w: bitset of %d bytes, want at least a block of %d", ErrTooShort, len(b), splitBytes)
	case len(b)%splitBytes != 0:
		return nil, fmt.Errorf("bloom: %w: bitset of %d bytes is no multiple of a block of %d", ErrCorrupt, len(b), splitBytes)
	case len(b) > math.MaxInt/8:
		return nil, fmt.Errorf("bloom: %w: bitset of %d bytes has more than %d bits", ErrTooLarge, len(b), math.MaxInt)
	case c.Bits > 0 && splitBlockKind.wholeBlocks(c.Bits) != 8*uint64(len(b)):
		return nil, fmt.Errorf("bloom: %w: Bits is %d, bitset of %d bytes has %d", ErrMismatch, c.Bits, len(b), 8*len(b))
	case c.Bits == 0:
		c.Bits = 8 * len(b)
	}
	f, err := NewSplitBlock(c)
	if err != nil {
		return nil, err
	}
	for i := range f.t.Words {
		f.t.Words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return f, nil
}
