package container

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// The table of a growing filter begins with a directory of Align bytes:
//
//	| head, its last 4 bytes the number of rows, 1 | row | checksum | zeros |
//
// The checksum, of head and row with seed 0, is there because sizes are taken from the row before the table's
// own checksum can be looked at, and a [View] never looks at that.
const (
	// DirectoryHead is the number of bytes before the row.
	DirectoryHead = 16

	countAt        = DirectoryHead - 4
	directorySumAt = DirectoryHead + 24
	directoryEnd   = directorySumAt + sumBytes
)

// Gap returns how many zeros bring n bytes to a multiple of Align.
func Gap(n int) int { return -n & (Align - 1) }

// SealDirectory returns head and row with the number of rows, which it writes into the head, the checksum and zeros.
func SealDirectory(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[countAt:], 1)
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	return append(b, make([]byte, Align-directoryEnd)...)
}

// A Table is taken part by part, in order: a [Source] or a [Parts].
type Table interface {
	// Bytes takes the next n bytes.
	Bytes(n int) ([]byte, error)
}

// TakeDirectory takes the directory that the table under a header begins with.
func TakeDirectory(t Table, h *Header) ([]byte, error) {
	b, err := t.Bytes(Align)
	if err != nil {
		return nil, err
	}
	if n := binary.LittleEndian.Uint32(b[countAt:]); n != 1 {
		return nil, Corrupt(h.Size()+countAt, "%d tables, want 1", n)
	}
	is, want := xxhash.Sum64(b[:directorySumAt]), binary.LittleEndian.Uint64(b[directorySumAt:])
	if is != want {
		return nil, Corrupt(h.Size()+directorySumAt,
			"the directory's checksum is %016x, its bytes have %016x", want, is)
	}
	return b, CheckGap(b[directoryEnd:], h.Size()+directoryEnd)
}
