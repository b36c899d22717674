package logstore

import (
	"errors"
	"fmt"
	"io"
)

// bufferBytes is how much is kept in memory before it is written.
const bufferBytes = 256 << 10

// log is the records of a store in order: segments, of which the last is active, and the records behind its end that
// are in memory.
type log struct {
	dir    files
	number uint64 // of the store
	byID   [maxSegments]*segment
	order  []*segment
	buf    []byte
	synced int64 // bytes of the active segment that survive
}

func (l *log) active() *segment { return l.order[len(l.order)-1] }

// end returns the byte of the active segment at which the next record begins.
func (l *log) end() int64 { return l.active().written + int64(len(l.buf)) }

// start returns what the checksum of the next record begins with.
func (l *log) start() uint32 { return l.active().start(l.end()) }

// bytes returns the bytes of all records, and of what segments begin with.
func (l *log) bytes() (n int64) {
	for _, s := range l.order {
		n += s.written
	}
	return n + int64(len(l.buf))
}

// push makes a segment the active one.
func (l *log) push(s *segment) {
	l.byID[s.id] = s
	l.order = append(l.order, s)
	l.synced = s.written
}

// free returns the lowest number that no segment of the logs has.
func free(logs ...*log) (id int, err error) {
next:
	for id := range maxSegments {
		for _, l := range logs {
			if l.byID[id] != nil {
				continue next
			}
		}
		return id, nil
	}
	return 0, fmt.Errorf("%w: there are %d segments, which is as many as there can be: compact the store", ErrSize,
		maxSegments)
}

// probeBytes is how much of a record is read before its length is known.
const probeBytes = 4 << 10

// read returns the record at a place, in the memory given if that is enough. Bytes are valid as long as memory and l
// are unchanged.
func (l *log) read(place uint64, memory []byte) (h head, b []byte, err error) {
	id, at := partsOf(place)
	s := l.byID[id]
	if s == nil {
		return h, nil, fmt.Errorf("%w: the index names segment %d, which is not there", ErrCorrupt, id)
	}
	if s == l.active() && at >= s.written {
		b = l.buf[min(at-s.written, int64(len(l.buf))):]
	} else {
		b = memory[:min(int64(len(memory)), max(0, s.written-at))]
		if _, err := s.file.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
			return h, nil, s.wrap(at, err)
		}
	}
	if len(b) < headBytes {
		return h, nil, s.wrap(at, fmt.Errorf("%w: no record begins here", ErrCorrupt))
	}
	if h, err = parseHead(b); err != nil {
		return h, nil, s.wrap(at, err)
	}
	if size := h.size(); size > int64(len(b)) {
		if size > s.written-at {
			return h, nil, s.wrap(at, fmt.Errorf("%w: a record of %d bytes ends behind the segment", ErrCorrupt, size))
		}
		b = make([]byte, size)
		if _, err := s.file.ReadAt(b, at); err != nil {
			return h, nil, s.wrap(at, err)
		}
	}
	b = b[:h.size()]
	if err := h.verify(b, s.start(at)); err != nil {
		return h, nil, s.wrap(at, err)
	}
	return h, b, nil
}

// write writes the records in memory to the active segment. If that fails they stay in memory, and what was written of
// them is cut off. The caller notes the result with written.
func (l *log) write() error {
	if len(l.buf) == 0 {
		return nil
	}
	s := l.active()
	if _, err := s.file.WriteAt(l.buf, s.written); err != nil {
		// What cannot be cut off is overwritten by the next try, and cut off by the next Open.
		return s.wrap(s.written, errors.Join(err, s.file.Truncate(s.written)))
	}
	return nil
}

// wrote notes that write succeeded.
func (l *log) wrote() {
	l.active().written += int64(len(l.buf))
	if l.buf = l.buf[:0]; cap(l.buf) > 4*bufferBytes {
		l.buf = nil
	}
}

// each visits the records of all segments, as scanner.next has them, until visit returns false.
func (l *log) each(whole bool, visit func(h head, b []byte, place uint64) (bool, error)) error {
	for _, s := range l.order {
		for c := s.scan(segmentHead, s.written); ; {
			h, b, at, err := c.next(whole)
			if err == io.EOF {
				break
			}
			more := false
			if err == nil {
				more, err = visit(h, b, placeOf(s.id, at))
			}
			if err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// close closes all files.
func (l *log) close() (err error) {
	for _, s := range l.order {
		err = errors.Join(err, s.file.Close())
	}
	return err
}
