package bloom

import (
	"encoding/binary"
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// SplitBlock is the split-block Bloom filter of Apache Parquet: a key sets one bit in each of the eight 32-bit lanes of
// one block of 32 bytes. It is the fastest filter of this package at rates around 0.01. At rates far from that it takes
// much memory: see the package documentation. Make one with [NewSplitBlock] or [SplitBlockFromBitset].
//
// With the default Hash, [SplitBlock.Bitset] has the bytes that Parquet writes for the same keys and size, a key being
// a value in Parquet's plain encoding: a string as its bytes without their length, an integer as its 4 or 8 bytes,
// lowest first. Digests made by hashing.Mix64 differ from Parquet's.
//
// Any number of goroutines may read a SplitBlock at once, but none while another one changes it.
type SplitBlock struct{ base[splitBlock] }

// NewSplitBlock returns an empty split-block filter of Capacity and FalsePositiveRate, or of Slots, rounded up to whole
// blocks of 256. Hashes is 8, and 0 stands for it. The default Hash is Parquet's, hashing.XXH64(0). An error is
// [ErrConfig] or [ErrTooLarge], and then nothing was allocated. There are at most 2^32 blocks (128 GiB).
func NewSplitBlock(c Config) (*SplitBlock, error) { return made(new(SplitBlock), c.ofParquet()) }

// ofParquet returns c with the default Hash of a SplitBlock.
func (c Config) ofParquet() Config {
	if c.Hash == nil {
		c.Hash = hashing.XXH64(0)
	}
	return c
}

// DecodeSplitBlock is [Decode] of a SplitBlock.
func DecodeSplitBlock(b []byte, known ...hashing.Hasher) (*SplitBlock, error) {
	return container.Decoded(pkg, b, (*SplitBlock).load, known)
}

// ContainsHash is [Filter.ContainsHash]. It touches one cache line, and takes the same time whatever the answer.
func (f *SplitBlock) ContainsHash(h uint64) bool { return bloomcore.Has[splitBlock](&f.t, h) }

// Clone returns a copy that shares nothing with f.
func (f *SplitBlock) Clone() *SplitBlock {
	return &SplitBlock{base[splitBlock]{reader[splitBlock]{f.t.Clone()}}}
}

// Equal is [Filter.Equal].
func (f *SplitBlock) Equal(g *SplitBlock) bool { return f.t.Equal(&g.t) }

// Merge is [Filter.Merge].
func (f *SplitBlock) Merge(g *SplitBlock) error { return f.t.Union(pkg, &g.t) }

// splitBytes is the number of bytes of a block.
const splitBytes = bloomcore.SplitBits / 8

// Bitset returns the bitset of a Parquet file: the blocks in order, a block being eight lanes of 4 bytes, lowest first,
// on every machine. Package bloom/parquet adds the header of such a file. Bitset allocates [SplitBlock.SizeBytes].
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
// The configuration says what the bitset does not: Hash, which must be the writer's (the default is Parquet's), and
// MaxBytes. Slots must be 0 or the size of b. Damaged bytes or another hash cannot be detected: such a filter loses
// keys.
//
// A bitset shorter than a block of 32 bytes is [ErrTooShort], and one that is not a whole number of blocks
// [ErrCorrupt]. Slots that are not those of b are [ErrMismatch]. Other errors are those of [NewSplitBlock].
func SplitBlockFromBitset(b []byte, c Config) (*SplitBlock, error) {
	switch {
	case len(b) < splitBytes:
		return nil, pkg.Errorf(ErrTooShort, "bitset of %d bytes, want at least a block of %d", len(b), splitBytes)
	case len(b)%splitBytes != 0:
		return nil, pkg.Errorf(ErrCorrupt, "bitset of %d bytes, want whole blocks of %d", len(b), splitBytes)
	case len(b) > math.MaxInt/8:
		return nil, pkg.Errorf(ErrTooLarge, "bitset of %d bytes has more than %d bits", len(b), math.MaxInt)
	case c.Slots > 0 && bloomcore.Split.WholeBlocks(c.Slots) != 8*uint64(len(b)):
		return nil, pkg.Errorf(ErrMismatch, "Slots is %d, bitset of %d bytes has %d", c.Slots, len(b), 8*len(b))
	case c.Slots == 0:
		c.Slots = 8 * len(b)
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
