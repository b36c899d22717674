package logstore

import (
	"errors"
	"fmt"
	"iter"
	"sync"
)

// bufferBytes is how much is kept in memory before it is written.
const bufferBytes = 256 << 10

// log is the records of a store in order: segments, of which the last is active, and the records behind its end that
// are in memory.
type log struct {
	dir    *folder
	number uint64        // of the store
	full   int64         // the bytes from which on a segment is full
	mu     *sync.RWMutex // held by who changes what lookups read
	beside *log          // another log in the folder, or nil
	begin  func(next *segment) error
	byID   [maxSegments]*segment
	order  []*segment
	buf    []byte
	synced int64 // bytes of the active segment that survive
}

func (l *log) active() *segment { return l.order[len(l.order)-1] }

// end returns the byte of the active segment at which the next record begins.
func (l *log) end() int64 { return l.active().written + int64(len(l.buf)) }

// push makes a segment the active one.
func (l *log) push(s *segment) {
	l.byID[s.id] = s
	l.order = append(l.order, s)
	l.synced = s.written
}

// free returns the lowest number that no segment has.
func (l *log) free() (id int, err error) {
	for id, s := range l.byID {
		if s == nil && (l.beside == nil || l.beside.byID[id] == nil) {
			return id, nil
		}
	}
	return 0, fmt.Errorf("%w: there are %d segments, which is as many as there can be: compact the store", ErrSize,
		maxSegments)
}

// probeBytes is how much of a record is read before its length is known.
const probeBytes = 4 << 10

// read returns the record at a place, in the memory given if that is enough. Its bytes are valid as long as memory and
// l are unchanged.
func (l *log) read(place uint64, memory []byte) (record, error) {
	id, at := partsOf(place)
	s := l.byID[id]
	if s == nil {
		return record{}, fmt.Errorf("%w: the index names segment %d, which is not there", ErrCorrupt, id)
	}
	c := reader{s: s, at: at, end: s.written, buf: memory[:0], piece: int64(len(memory))}
	if s == l.active() && at >= s.written {
		c.end, c.base, c.buf = l.end(), s.written, l.buf
	}
	return c.next(true)
}

// room sees to it that the next record, of so many bytes, can be appended to the active segment.
func (l *log) room(size int64) error {
	if l.end() >= l.full {
		return l.rotate()
	}
	if len(l.buf) > 0 && int64(len(l.buf))+size > bufferBytes {
		return l.flush()
	}
	return nil
}

// add appends a record in memory, for which there is room.
func (l *log) add(r record) {
	r.synced = l.synced
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = r.appendTo(l.buf, l.active().start(l.end()))
}

// undo takes back what begins at a byte of the active segment, so that the next Open does not find it: it cuts it off,
// or else writes over it.
func (l *log) undo(at int64) error {
	a := l.active()
	l.mu.Lock()
	l.buf = l.buf[:max(0, at-a.written)]
	a.written, l.synced = min(a.written, at), min(l.synced, at)
	l.mu.Unlock()
	err := a.file.Truncate(a.written)
	if err != nil {
		if _, over := a.file.WriteAt(make([]byte, headBytes), a.written); over == nil {
			err = nil
		}
	}
	if err == nil && l.dir.lost == nil {
		err = a.file.Sync()
	}
	return err
}

// flush writes the records in memory to the active segment. If that fails they stay in memory, and what was written of
// them is cut off.
func (l *log) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	s := l.active()
	if _, err := s.file.WriteAt(l.buf, s.written); err != nil {
		// What cannot be cut off is overwritten by the next try, and cut off by the next Open.
		return s.wrap(s.written, errors.Join(err, s.file.Truncate(s.written)))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.written += int64(len(l.buf))
	if l.buf = l.buf[:0]; cap(l.buf) > 4*bufferBytes {
		l.buf = nil
	}
	return nil
}

// settle writes all records and has them survive.
func (l *log) settle() error {
	if err := l.flush(); err != nil {
		return err
	}
	if a := l.active(); l.synced < a.written {
		if err := a.file.Sync(); err != nil {
			return a.wrap(l.synced, err)
		}
		l.synced = a.written
	}
	return nil
}

// rotate settles the active segment, if there is one, and begins the next: it calls begin before the log has it.
func (l *log) rotate() error {
	if len(l.order) > 0 {
		if err := l.settle(); err != nil {
			return err
		}
	}
	id, err := l.free()
	if err != nil {
		return err
	}
	next, err := openSegment(l.dir, id, l.number, anew)
	if err != nil {
		return err
	}
	if err := l.begin(next); err != nil {
		err = errors.Join(err, next.file.Close())
		if l.dir.lost == nil { // else the manifest may have it
			err = errors.Join(err, l.dir.remove(next.name))
		}
		return err
	}
	l.mu.Lock()
	l.push(next)
	l.mu.Unlock()
	return nil
}

// records are the records of all segments, as [segment.records] has them, without those in memory.
func (l *log) records(whole bool) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, s := range l.order {
			for r, err := range s.records(0, whole) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// close closes all files.
func (l *log) close() (err error) {
	for _, s := range l.order {
		err = errors.Join(err, s.file.Close())
	}
	return err
}
