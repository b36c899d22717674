package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
)

const (
	segmentMagic = "nestlog\n"
	version      = 1
	// segmentHead is the length of what a segment begins with: the magic, the version, the segment's number, the store's
	// number, a checksum and zeros.
	segmentHead = 32

	// A place is the number of a segment and a place in it.
	offsetBits  = 24
	segmentBits = 12
	maxSegments = 1 << segmentBits
	// maxSegmentBytes is the most bytes of a segment at which a record can begin.
	maxSegmentBytes = unit << offsetBits
)

// placeOf returns the place of the byte of a segment.
func placeOf(id int, at int64) uint64 { return uint64(id)<<offsetBits | uint64(at/unit) }

// partsOf returns the segment and the byte of a place.
func partsOf(place uint64) (id int, at int64) {
	return int(place >> offsetBits), int64(place&(1<<offsetBits-1)) * unit
}

// segment is a file of records.
type segment struct {
	id   int
	name string
	file file
	salt uint32 // differs between the segments of a store, and between stores

	syncing sync.Mutex
	lost    error // of the first fsync that failed
	// written is the length of the file. Of the active segment there can be more, in the store's memory.
	written int64
}

// start returns what the checksum of a record at a byte begins with, so that a record is none at another place.
func (s *segment) start(at int64) uint32 { return s.salt ^ uint32(at/unit) }

// sync makes the file survive. An error is returned for ever: the system tells it once, to any of those who wait for
// it.
func (s *segment) sync() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	if s.lost == nil {
		s.lost = s.file.Sync()
	}
	return s.lost
}

// undo takes back a record that was written at the end of the file: it cuts it off, or else writes over it.
func (s *segment) undo(at int64) error {
	err := s.file.Truncate(at)
	if err != nil {
		if _, over := s.file.WriteAt(make([]byte, headBytes), at); over == nil {
			return nil
		}
	}
	return err
}

func segmentName(id int) string { return fmt.Sprintf("%04d.log", id) }

// headOf returns what the segment with that number begins with.
func headOf(id int, store uint64) []byte {
	b := append(make([]byte, 0, segmentHead), segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(id))
	b = binary.LittleEndian.AppendUint64(b, store)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return b[:segmentHead]
}

// saltOf returns the checksum in what a segment begins with.
func saltOf(head []byte) uint32 { return binary.LittleEndian.Uint32(head[segmentHead-8:]) }

// createSegment makes an empty segment that survives, unless the folder's names do not.
func createSegment(dir files, id int, store uint64) (*segment, error) {
	head := headOf(id, store)
	s := &segment{id: id, name: segmentName(id), salt: saltOf(head), written: segmentHead}
	f, err := dir.create(s.name)
	if err != nil {
		return nil, err
	}
	s.file = f
	if _, err = f.WriteAt(head, 0); err == nil {
		err = s.sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), dir.remove(s.name))
	}
	return s, nil
}

// openSegment opens a segment and checks what it begins with.
func openSegment(dir files, id int, store uint64) (*segment, error) {
	head := headOf(id, store)
	s := &segment{id: id, name: segmentName(id), salt: saltOf(head)}
	f, err := dir.open(s.name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, err
	}
	s.file = f
	b := make([]byte, segmentHead)
	s.written, err = f.size()
	if err == nil {
		_, err = f.ReadAt(b, 0)
	}
	if err == nil && s.written > maxSegmentBytes {
		err = fmt.Errorf("%w: %d bytes, more than a segment can have", ErrCorrupt, s.written)
	}
	if err == nil && string(b) != string(head) || errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: the segment does not begin as segment %d of this store does", ErrCorrupt, id)
	}
	if err != nil {
		return nil, errors.Join(s.wrap(0, err), f.Close())
	}
	return s, nil
}

// wrap says of an error where it was met.
func (s *segment) wrap(at int64, err error) error {
	return fmt.Errorf("%s: at byte %d: %w", s.name, at, err)
}

// scanner reads the records of a segment in order, a large piece of the file at a time.
type scanner struct {
	s       *segment
	at, end int64 // the next record, and where the records end
	base    int64 // of buf in the file
	buf     []byte
}

// scanBytes is how much a scanner reads at a time.
const scanBytes = 1 << 20

// scan returns a scanner of the records between two bytes.
func (s *segment) scan(from, to int64) *scanner { return &scanner{s: s, at: from, end: to} }

// bytes returns the next n bytes, which end before the records do.
func (c *scanner) bytes(n int64) ([]byte, error) {
	if c.at < c.base || c.at+n > c.base+int64(len(c.buf)) {
		want := int(min(max(n, scanBytes), c.end-c.at))
		if cap(c.buf) < want {
			c.buf = make([]byte, want)
		}
		c.buf, c.base = c.buf[:want], c.at
		if _, err := c.s.file.ReadAt(c.buf, c.at); err != nil {
			c.buf = c.buf[:0]
			return nil, err
		}
	}
	return c.buf[c.at-c.base:][:n], nil
}

// next returns the next record, whose bytes are valid until the next call, and where it begins. With whole it reads the
// value too and verifies the checksum; without it the bytes end behind the key. At the end the error is io.EOF. After
// another error the scanner stays where it is.
func (c *scanner) next(whole bool) (h head, b []byte, at int64, err error) {
	at = c.at
	if at >= c.end {
		return h, nil, at, io.EOF
	}
	fail := func(err error) (head, []byte, int64, error) { return h, nil, at, c.s.wrap(at, err) }
	if c.end-at < headBytes {
		return fail(fmt.Errorf("%w: %d bytes, which are no record", ErrCorrupt, c.end-at))
	}
	if b, err = c.bytes(headBytes); err != nil {
		return fail(err)
	}
	if h, err = parseHead(b); err != nil {
		return fail(err)
	}
	size := h.size()
	if size > c.end-at {
		return fail(fmt.Errorf("%w: a record of %d bytes, of which %d are there", ErrCorrupt, size, c.end-at))
	}
	need := size
	if !whole {
		need = int64(headBytes + h.key)
	}
	if b, err = c.bytes(need); err != nil {
		return fail(err)
	}
	if whole {
		if err := h.verify(b, c.s.start(at)); err != nil {
			return fail(err)
		}
	}
	c.at += size
	return h, b, at, nil
}
