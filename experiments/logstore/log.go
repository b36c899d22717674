package logstore

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
)

const (
	// A place is the byte at which a record begins, in units; the index has so many bits for it.
	placeBits   = 36
	maxLogBytes = int64(unit) << placeBits
	// bufferBytes is how much is kept in memory before it is written.
	bufferBytes = 256 << 10
	// probeBytes is how much of a record is read before its length is known, and scanBytes how much at a time of a log
	// that is read from end to end.
	probeBytes, scanBytes = 4 << 10, 1 << 20
)

// log is the records of a store in order: a file, and the records behind its end that are in memory.
type log struct {
	dir     *folder
	number  int // of the store's logs: each Compact makes the next
	name    string
	salt    uint32 // differs between logs, and is not 0
	file    file
	mu      *sync.RWMutex // held by who changes what lookups read
	written int64         // the length of the file
	buf     []byte
	synced  int64 // bytes that survive
}

// openLog opens the file of a log, with the flags of [files].
func openLog(dir *folder, number int, salt uint32, mu *sync.RWMutex, flags int) (*log, error) {
	name := fmt.Sprintf("%04d.log", number)
	f, err := dir.open(name, flags)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxLogBytes {
		err = fmt.Errorf("%s: %w: %d bytes, more than a log can have", name, ErrCorrupt, info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &log{dir: dir, number: number, name: name, salt: salt, file: f, mu: mu, written: info.Size()}, nil
}

// wrap says of an error where it was met.
func (l *log) wrap(at int64, err error) error {
	return fmt.Errorf("%s: at byte %d: %w", l.name, at, err)
}

// start returns what the checksum of the record at a place begins with, so that a record is none at another one.
func (l *log) start(place uint64) uint32 { return l.salt ^ uint32(place) ^ uint32(place>>32)<<28 }

// end returns the byte at which the next record begins.
func (l *log) end() int64 { return l.written + int64(len(l.buf)) }

// read returns the record at a place. Its bytes are valid as long as l is unchanged.
func (l *log) read(place uint64) (record, error) {
	c := reader{log: l, at: int64(place) * unit, end: l.written, piece: probeBytes}
	if c.at >= l.written {
		c.end, c.base, c.buf = l.end(), l.written, l.buf
	}
	return c.next(true)
}

// drop closes and removes the file.
func (l *log) drop() error { return errors.Join(l.file.Close(), l.dir.remove(l.name)) }

// add appends a record in memory, whose place it sets. It writes what is there if that would be too much.
func (l *log) add(r *record) error {
	size := r.size()
	if l.end()+size > maxLogBytes {
		return fmt.Errorf("%w: the log has %d bytes, of at most %d: compact the store", ErrSize, l.end(), maxLogBytes)
	}
	if len(l.buf) > 0 && int64(len(l.buf))+size > bufferBytes {
		if err := l.flush(); err != nil {
			return err
		}
	}
	r.place, r.synced = uint64(l.end()/unit), l.synced
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = r.appendTo(l.buf, l.start(r.place))
	return nil
}

// undo takes back what begins at a byte, so that the next Open does not find it: it is cut off, or else overwritten.
func (l *log) undo(at int64) error {
	l.mu.Lock()
	l.buf = l.buf[:max(0, at-l.written)]
	l.written, l.synced = min(l.written, at), min(l.synced, at)
	l.mu.Unlock()
	err := l.file.Truncate(l.written)
	if err != nil {
		if _, over := l.file.WriteAt(make([]byte, headBytes), l.written); over == nil {
			err = nil
		}
	}
	if err == nil && l.dir.lost == nil {
		err = l.file.Sync()
	}
	return err
}

// flush writes the records in memory. If that fails they stay there, and what was written of them is cut off.
func (l *log) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	if _, err := l.file.WriteAt(l.buf, l.written); err != nil {
		// What cannot be cut off is overwritten by the next try, and cut off by the next Open.
		return l.wrap(l.written, errors.Join(err, l.file.Truncate(l.written)))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written += int64(len(l.buf))
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
	if l.synced < l.written {
		if err := l.file.Sync(); err != nil {
			return l.wrap(l.synced, err)
		}
		l.synced = l.written
	}
	return nil
}

// rewrite makes the bytes from one on survive. It writes them once more: a system whose fsync failed may have kept in
// memory what is not on the disk.
func (l *log) rewrite(from int64) error {
	_, err := io.Copy(io.NewOffsetWriter(l.file, from), io.NewSectionReader(l.file, from, l.written-from))
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return l.wrap(from, err)
	}
	return nil
}

// scan returns a reader of the file from a byte on.
func (l *log) scan(from int64) *reader {
	return &reader{log: l, at: from, end: l.written, piece: scanBytes}
}

// records are the records of the file from a byte on, as [reader.next] has them. An error is the last of them, with its
// place.
func (l *log) records(from int64, whole bool) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for c := l.scan(from); c.at < c.end; {
			if r, err := c.next(whole); !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// reader reads the records of a log in order, a large piece of the file at a time.
type reader struct {
	*log
	at, end int64 // the next record, and where the records end
	base    int64 // of buf in the file
	buf     []byte
	piece   int64 // how much it reads at a time
}

// bytes returns the next n bytes, which end before the records do.
func (c *reader) bytes(n int64) ([]byte, error) {
	if c.at < c.base || c.at+n > c.base+int64(len(c.buf)) {
		want := int(min(max(n, c.piece), c.end-c.at))
		if cap(c.buf) < want {
			c.buf = make([]byte, want)
		}
		c.buf, c.base = c.buf[:want], c.at
		if _, err := c.file.ReadAt(c.buf, c.at); err != nil {
			c.buf = c.buf[:0]
			return nil, err
		}
	}
	return c.buf[c.at-c.base:][:n], nil
}

// next returns the next record, whose bytes are valid until the next call. With whole it reads the value too and
// verifies the checksum. After an error the reader stays where it is.
func (c *reader) next(whole bool) (r record, err error) {
	err = c.fill(&r, whole)
	if r.place = uint64(c.at / unit); err != nil {
		return r, c.wrap(c.at, err)
	}
	c.at += r.size()
	return r, nil
}

// fill reads the next record into r.
func (c *reader) fill(r *record, whole bool) error {
	left := c.end - c.at
	if left < headBytes {
		return fmt.Errorf("%w: %d bytes, which are no record", ErrCorrupt, max(0, left))
	}
	b, err := c.bytes(headBytes)
	if err == nil {
		*r, err = parseHead(b)
	}
	if err != nil {
		return err
	}
	need := r.size()
	if need > left {
		return fmt.Errorf("%w: a record of %d bytes, of which %d are there", ErrCorrupt, need, left)
	}
	if !whole {
		need = int64(headBytes + r.keyBytes)
	}
	if b, err = c.bytes(need); err != nil {
		return err
	}
	r.key = b[headBytes:][:r.keyBytes]
	if !whole {
		return nil
	}
	r.value = b[headBytes+r.keyBytes:][:r.valBytes]
	return r.verify(b, c.start(uint64(c.at/unit)))
}
