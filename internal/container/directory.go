package container

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A table that consists of several begins with a directory:
//
//	| head, its last 4 bytes the number of rows | rows | checksum | zeros |  a multiple of Align bytes
//
// The checksum, of head and rows with seed 0, is there because sizes are taken from the rows before the table's
// own checksum can be looked at, and a [View] never looks at that.
const (
	// DirectoryHead is the number of bytes before the rows.
	DirectoryHead = 16
	// DirectoryRow is the number of bytes of a row.
	DirectoryRow = 24

	countAt = DirectoryHead - 4
)

// Gap returns how many zeros bring n bytes to a multiple of Align.
func Gap(n int) int { return -n & (Align - 1) }

// SealDirectory returns head and rows with the number of rows, which it writes into the head, the checksum and zeros.
func SealDirectory(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[countAt:], uint32((len(b)-DirectoryHead)/DirectoryRow))
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	return append(b, make([]byte, Gap(len(b)))...)
}

// A Table is taken part by part, in order: a [Source] or a [Parts].
type Table interface {
	// Bytes takes the next n bytes.
	Bytes(n int) ([]byte, error)
	// Zeros takes the next n bytes, which must be 0; a [Source] checks that.
	Zeros(n int) error
}

// TakeDirectory takes the directory that the table under a header begins with, and returns its head and rows. size
// is the number of bytes of all of it.
func TakeDirectory(t Table, h *Header) (head, rows []byte, size int, err error) {
	if head, err = t.Bytes(DirectoryHead); err != nil {
		return nil, nil, 0, err
	}
	n := uint64(binary.LittleEndian.Uint32(head[countAt:]))
	if DirectoryHead+DirectoryRow*n+sumBytes > h.TableBytes {
		return nil, nil, 0, Corrupt(h.Size()+countAt, "%d rows in a table of %d bytes", n, h.TableBytes)
	}
	if rows, err = t.Bytes(int(DirectoryRow * n)); err != nil {
		return nil, nil, 0, err
	}
	stored, err := t.Bytes(sumBytes)
	if err != nil {
		return nil, nil, 0, err
	}
	size = DirectoryHead + len(rows) + sumBytes
	sum := xxhash.New()
	sum.Write(head)
	sum.Write(rows)
	if is, want := sum.Sum64(), binary.LittleEndian.Uint64(stored); is != want {
		return nil, nil, 0, Corrupt(h.Size()+size-sumBytes, "the directory's checksum is %016x, its bytes have %016x",
			want, is)
	}
	gap, err := t.Bytes(Gap(size))
	if err != nil {
		return nil, nil, 0, err
	}
	return head, rows, size + len(gap), checkGap(gap, uint64(h.Size()+size))
}

// resealDirectory makes the checksum of the directory of a table right, if there is room for one.
func resealDirectory(table []byte) {
	if len(table) < DirectoryHead {
		return
	}
	end := DirectoryHead + DirectoryRow*uint64(binary.LittleEndian.Uint32(table[countAt:]))
	if end+sumBytes <= uint64(len(table)) {
		binary.LittleEndian.PutUint64(table[end:], xxhash.Sum64(table[:end]))
	}
}
