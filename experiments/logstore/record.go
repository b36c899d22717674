package logstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

const (
	// MaxKey is the length of the longest key, in bytes.
	MaxKey = 1<<16 - 1
	// MaxValue is the length of the longest value, in bytes.
	MaxValue = 16 << 20

	// unit is what every record begins and ends at a multiple of.
	unit = 8
	// headBytes is the length of a record before its key.
	headBytes = 24
)

// A kind says what a record means; 0 is that of no record.
type kind uint8

const (
	putKind kind = 1 + iota
	deleteKind
)

// castagnoli is the polynomial of the checksums. They find every change of up to 32 neighbouring bits.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A record is a record in memory, at a place of the log.
type record struct {
	sum                uint32 // of all that follows it, and of the place
	kind               kind
	keyBytes, valBytes int
	synced             int64 // bytes of the log
	sequence           uint64
	place              uint64
	key, value         []byte
}

// newRecord returns a record that has no place yet.
func newRecord(k kind, key, value []byte, sequence uint64) record {
	return record{kind: k, keyBytes: len(key), valBytes: len(value), sequence: sequence, key: key, value: value}
}

// size returns the bytes of the record.
func (r *record) size() int64 { return int64(headBytes+r.keyBytes+r.valBytes+unit-1) / unit * unit }

// appendTo appends the record to b. Its checksum begins with start: that of its place, see [log.start].
func (r *record) appendTo(b []byte, start uint32) []byte {
	from, le := len(b), binary.LittleEndian
	synced := uint64(r.synced / unit)
	b = append(b, 0, 0, 0, 0, byte(r.kind), byte(synced>>32))
	b = le.AppendUint16(b, uint16(len(r.key)))
	b = le.AppendUint32(b, uint32(len(r.value)))
	b = le.AppendUint32(b, uint32(synced))
	b = le.AppendUint64(b, r.sequence)
	b = append(append(b, r.key...), r.value...)
	b = append(b, make([]byte, -(len(b)-from)&(unit-1))...)
	le.PutUint32(b[from:], crc32.Update(start, castagnoli, b[from+4:]))
	return b
}

var errNoRecord = fmt.Errorf("%w: no record begins here", ErrCorrupt)

// parseHead returns the head of a record that b begins with. It believes it as far as the limits on lengths go.
func parseHead(b []byte) (r record, err error) {
	le := binary.LittleEndian
	value := le.Uint32(b[8:])
	r = record{
		sum: le.Uint32(b), kind: kind(b[4]), keyBytes: int(le.Uint16(b[6:])), valBytes: int(min(value, MaxValue)),
		synced: (int64(b[5])<<32 | int64(le.Uint32(b[12:]))) * unit, sequence: le.Uint64(b[16:]),
	}
	if r.kind != putKind && r.kind != deleteKind || value > MaxValue || r.kind == deleteKind && value != 0 {
		return r, errNoRecord
	}
	return r, nil
}

// verify compares the checksum of a record with its bytes and its place.
func (r *record) verify(b []byte, start uint32) error {
	if is := crc32.Update(start, castagnoli, b[4:r.size()]); is != r.sum {
		return fmt.Errorf("%w: the record's checksum is %08x, its bytes have %08x", ErrCorrupt, r.sum, is)
	}
	return nil
}
