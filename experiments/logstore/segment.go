package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
)

const (
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
	// written is the length of the file. Of the active segment there can be more, in the store's memory.
	written int64
}

// start returns what the checksum of a record at a byte begins with, so that a record is none at another place.
func (s *segment) start(at int64) uint32 { return s.salt ^ uint32(at/unit) }

func segmentName(id int) string { return fmt.Sprintf("%04d.log", id) }

// openSegment opens the file of a segment, with the flags of [files].
func openSegment(dir *folder, id int, store uint64, flags int) (*segment, error) {
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, uint32(id)), store)
	s := &segment{id: id, name: segmentName(id), salt: crc32.Checksum(b, castagnoli)}
	var err error
	if s.file, err = dir.open(s.name, flags); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return nil, err
	}
	info, err := s.file.Stat()
	if err == nil {
		if s.written = info.Size(); s.written > maxSegmentBytes {
			err = fmt.Errorf("%w: %d bytes, more than a segment can have", ErrCorrupt, s.written)
		}
	}
	if err != nil {
		return nil, errors.Join(s.wrap(0, err), s.file.Close())
	}
	return s, nil
}

// wrap says of an error where it was met.
func (s *segment) wrap(at int64, err error) error {
	return fmt.Errorf("%s: at byte %d: %w", s.name, at, err)
}

// reader reads the records of a segment in order, a large piece of the file at a time.
type reader struct {
	s       *segment
	at, end int64 // the next record, and where the records end
	base    int64 // of buf in the file
	buf     []byte
	piece   int64 // how much it reads at a time
}

// scanBytes is how much is read at a time of a log that is read from end to end.
const scanBytes = 1 << 20

// bytes returns the next n bytes, which end before the records do.
func (c *reader) bytes(n int64) ([]byte, error) {
	if c.at < c.base || c.at+n > c.base+int64(len(c.buf)) {
		want := int(min(max(n, c.piece), c.end-c.at))
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

// next returns the next record, whose bytes are valid until the next call. With whole it reads the value too and
// verifies the checksum. After an error the reader stays where it is.
func (c *reader) next(whole bool) (r record, err error) {
	r.place = placeOf(c.s.id, c.at)
	fail := func(err error) (record, error) { return r, c.s.wrap(c.at, err) }
	if c.end-c.at < headBytes {
		return fail(fmt.Errorf("%w: %d bytes, which are no record", ErrCorrupt, max(0, c.end-c.at)))
	}
	b, err := c.bytes(headBytes)
	if err != nil {
		return fail(err)
	}
	if r.head, err = parseHead(b); err != nil {
		return fail(err)
	}
	size := r.size()
	if size > c.end-c.at {
		return fail(fmt.Errorf("%w: a record of %d bytes, of which %d are there", ErrCorrupt, size, c.end-c.at))
	}
	need := size
	if !whole {
		need = int64(headBytes + r.keyBytes)
	}
	if b, err = c.bytes(need); err != nil {
		return fail(err)
	}
	r.key = b[headBytes:][:r.keyBytes]
	if whole {
		if err := r.verify(b, c.s.start(c.at)); err != nil {
			return fail(err)
		}
		r.value = b[headBytes+r.keyBytes:][:r.valBytes]
	}
	c.at += size
	return r, nil
}

// records are the records from a byte on, as [reader.next] has them. An error is the last of them, with its place.
func (s *segment) records(from int64, whole bool) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for c := (reader{s: s, at: from, end: s.written, piece: scanBytes}); c.at < c.end; {
			if r, err := c.next(whole); !yield(r, err) || err != nil {
				return
			}
		}
	}
}
