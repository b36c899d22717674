package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
)

// pkg is what errors begin with.
const pkg = config.Package("parquet")

// unions are fields 2, 3 and 4 of a header and its end: the first member of each, an empty structure.
const unions = "\x1c\x1c\x00\x00" + "\x1c\x1c\x00\x00" + "\x1c\x1c\x00\x00" + "\x00"

// Encode returns the header and the bitset of a filter. It allocates their size.
//
// A filter whose Hash is not XXH64(0) is [bloom.ErrMismatch]: readers could find none of its keys. Beyond 2^31-1 bytes,
// which is as many as a header can say, it is [bloom.ErrTooLarge]; other software may have lower limits.
func Encode(f *bloom.SplitBlock) ([]byte, error) {
	size := f.SizeBytes()
	if err := checkHash(f.Config().Hash); err != nil {
		return nil, err
	}
	if size > math.MaxInt32 {
		return nil, pkg.Errorf(bloom.ErrTooLarge, "a bitset of %d bytes, a header says at most %d", size, math.MaxInt32)
	}
	b := append(make([]byte, 0, len(unions)+1+binary.MaxVarintLen32+size), 1<<4|kindInt32)
	b = binary.AppendVarint(b, int64(size)) // zigzag, as Thrift has it
	return f.AppendBitset(append(b, unions...)), nil
}

// checkHash returns bloom.ErrMismatch unless h is Parquet's hash. No hash is taken for it.
func checkHash(h hashing.Hasher) error {
	if want := hashing.XXH64(0).Recipe(); h != nil && h.Recipe() != want {
		return pkg.Errorf(bloom.ErrMismatch, "Hash is %s, Parquet's is %s", h.Recipe(), want)
	}
	return nil
}

// Decode returns the filter of data, which is a header and its bitset and nothing else. It copies the
// bitset. Len of the filter is 0, as the number of keys is not in the bytes.
//
// The zero Config takes any filter up to the default limit. If Slots is set, the filter must have so many, and Hash
// must be nil or XXH64(0); otherwise the error is [bloom.ErrMismatch]. MaxBytes limits the size of the bitset.
//
// Bytes that end too early are [bloom.ErrTooShort], and those that follow the bitset [bloom.ErrCorrupt], as is a header
// that contradicts itself or has more than 4096 bytes. A header with another algorithm, hash or
// compression is [bloom.ErrVersion], and a bitset beyond MaxBytes [bloom.ErrTooLarge]. Errors name the offset, and
// nothing was allocated for any of them.
func Decode(data []byte, c bloom.Config) (*bloom.SplitBlock, error) {
	size, at, err := readHeader(data, c)
	if err != nil {
		return nil, err
	}
	switch got := len(data) - at; {
	case got < size:
		return nil, pkg.Errorf(bloom.ErrTooShort, "%d bytes from offset %d on, the bitset has %d", got, at, size)
	case got > size:
		return nil, pkg.Errorf(bloom.ErrCorrupt, "%d bytes behind the bitset, at offset %d", got-size, at+size)
	}
	f, err := bloom.SplitBlockFromBitset(data[at:], c)
	return f, pkg.Wrap(err)
}

// Size returns how many bytes the filter that data begins with has, its header included. data may end behind the
// header, of which [MaxHeader] bytes are enough. It is for a stream, to read no more than the filter. Errors are those
// of [Decode] about headers.
func Size(data []byte) (uint64, error) {
	size, at, err := readHeader(data, bloom.Config{})
	return uint64(size) + uint64(at), err
}

// DecodeAt returns the filter that begins at an offset of r, as in a Parquet file at the
// bloom_filter_offset of a column chunk. What follows the filter does not matter. Configuration and
// errors are those of [Decode], and those of r; offsets in errors count from the filter on.
//
// It reads up to 4096 bytes for the header, one byte to see that the bitset is there before it
// allocates, and the bitset, of which it holds two copies for a moment.
func DecodeAt(r io.ReaderAt, offset int64, c bloom.Config) (*bloom.SplitBlock, error) {
	if offset < 0 {
		return nil, pkg.Errorf(bloom.ErrConfig, "offset %d", offset)
	}
	var head [MaxHeader + 1]byte
	n, err := r.ReadAt(head[:], offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("parquet: reading the header at %d: %w", offset, err)
	}
	size, at, err := readHeader(head[:n], c)
	if err != nil {
		return nil, err
	}
	if err := readFull(r, head[:1], offset+int64(at)+int64(size)-1); err != nil {
		return nil, err
	}
	bits := make([]byte, size)
	if err := readFull(r, bits, offset+int64(at)); err != nil {
		return nil, err
	}
	f, err := bloom.SplitBlockFromBitset(bits, c)
	return f, pkg.Wrap(err)
}

// readFull fills b from an offset of r. An early end is bloom.ErrTooShort.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	switch n, err := r.ReadAt(b, offset); {
	case n == len(b): // with io.EOF where b is the end
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return pkg.Errorf(bloom.ErrTooShort, "the data ends at %d or before, the bitset does not", offset+int64(n))
	default:
		return fmt.Errorf("parquet: reading the bitset at %d: %w", offset, err)
	}
}

// readHeader returns the size of the bitset and the offset at which it begins, of a configuration that may have it.
func readHeader(data []byte, c bloom.Config) (size, at int, err error) {
	if err := checkHash(c.Hash); err != nil {
		return 0, 0, err
	}
	if c.MaxBytes < 0 {
		return 0, 0, pkg.Errorf(bloom.ErrConfig, "MaxBytes is %d, want at least 0", c.MaxBytes)
	}
	r := reader{data: data[:min(len(data), MaxHeader)], more: len(data) > MaxHeader}
	numBytes, err := r.header()
	if err != nil {
		return 0, 0, err
	}
	limit := int64(config.MaxBytes(c.MaxBytes))
	const block = bloomcore.SplitBits / 8
	switch {
	case numBytes < block || numBytes%block != 0:
		return 0, 0, pkg.Errorf(bloom.ErrCorrupt, "a bitset of %d bytes, want whole blocks of %d", numBytes, block)
	case numBytes > limit || numBytes > math.MaxInt/8:
		return 0, 0, pkg.Errorf(bloom.ErrTooLarge, "a bitset of %d bytes, MaxBytes is %d", numBytes, limit)
	}
	return int(numBytes), r.at, nil
}
