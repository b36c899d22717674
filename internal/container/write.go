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

// measure sets TableBytes.
func (m *Image) measure() {
	m.TableBytes = 0
	for _, p := range m.Parts {
		m.TableBytes += uint64(p.size())
	}
}

// put gives write the bytes of the file, measured, in order.
func (m *Image) put(write func([]byte) error) error {
	head, err := m.encode()
	if err != nil {
		return err
	}
	if err := write(head); err != nil {
		return err
	}
	sum := xxhash.NewWithSeed(binary.LittleEndian.Uint64(head[len(head)-sumBytes:]))
	for p := range m.pieces() {
		sum.Write(p)
		if err := write(p); err != nil {
			return err
		}
	}
	return write(binary.LittleEndian.AppendUint64(nil, sum.Sum64()))
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
	m.measure()
	if need := len(b) + int(m.FileBytes()); need > cap(b) {
		// Unlike append, make does not write zeros that are overwritten at once.
		b = append(make([]byte, 0, need), b...)
	}
	err := m.put(func(p []byte) error {
		b = append(b, p...)
		return nil
	})
	return b, err
}

// WriteTo writes the file to w, in pieces of up to 64 KiB, and returns how many bytes w took.
func (m *Image) WriteTo(w io.Writer) (written int64, err error) {
	m.measure()
	err = m.put(func(b []byte) error {
		n, err := w.Write(b)
		written += int64(n)
		if err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		return err
	})
	return written, err
}
