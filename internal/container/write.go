package container

import (
	"encoding/binary"
	"io"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/internal/memory"
)

// piece is the bytes that are copied, written or summed at a time: they stay in the second-level cache meanwhile.
const piece = 64 << 10

// A Part is a part of a table: bytes, words, which are stored little-endian, or Zeros bytes of 0.
type Part struct {
	Bytes []byte
	Words []uint64
	Zeros int
}

// size returns the number of bytes of the part.
func (p *Part) size() int { return len(p.Bytes) + 8*len(p.Words) + p.Zeros }

// An Image is a filter as a file: a header, whose TableBytes follows from the parts, and the parts of the
// table. Making one copies nothing.
type Image struct {
	Header
	Parts []Part
}

// begin returns the bytes of the header and the table's checksum before its first byte.
func (m *Image) begin() ([]byte, *xxhash.Digest, error) {
	m.TableBytes = 0
	for _, p := range m.Parts {
		m.TableBytes += uint64(p.size())
	}
	head, err := m.encode()
	if err != nil {
		return nil, nil, err
	}
	return head, xxhash.NewWithSeed(binary.LittleEndian.Uint64(head[len(head)-sumBytes:])), nil
}

// pieces visits the bytes of the table. A piece is valid until the next one.
func (m *Image) pieces() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var swapped []byte // for words of machines that do not have them little-endian
		for _, p := range m.Parts {
			b, ok := memory.AsBytes(p.Words)
			switch {
			case p.Bytes != nil:
				b = p.Bytes
			case p.Zeros > 0:
				b = make([]byte, p.Zeros)
			case !ok:
				if swapped == nil {
					swapped = make([]byte, 0, piece)
				}
				for words := range slices.Chunk(p.Words, piece/8) {
					swapped = swapped[:0]
					for _, w := range words {
						swapped = binary.LittleEndian.AppendUint64(swapped, w)
					}
					if !yield(swapped) {
						return
					}
				}
			}
			for part := range slices.Chunk(b, piece) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// Append appends the file to b. It allocates once at most, as much as is missing.
func (m *Image) Append(b []byte) ([]byte, error) {
	head, sum, err := m.begin()
	if err != nil {
		return b, err
	}
	if need := len(b) + int(m.FileBytes()); need > cap(b) {
		// Unlike append, make does not write zeros that are overwritten at once.
		b = append(make([]byte, 0, need), b...)
	}
	b = append(b, head...)
	for p := range m.pieces() {
		sum.Write(p)
		b = append(b, p...)
	}
	return binary.LittleEndian.AppendUint64(b, sum.Sum64()), nil
}

// WriteTo writes the file to w, in pieces of up to 64 KiB, and returns how many bytes w took.
func (m *Image) WriteTo(w io.Writer) (written int64, err error) {
	head, sum, err := m.begin()
	if err != nil {
		return 0, err
	}
	write := func(b []byte) error {
		n, err := w.Write(b)
		written += int64(n)
		if err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		return err
	}
	if err := write(head); err != nil {
		return written, err
	}
	for p := range m.pieces() {
		sum.Write(p)
		if err := write(p); err != nil {
			return written, err
		}
	}
	return written, write(binary.LittleEndian.AppendUint64(nil, sum.Sum64()))
}
