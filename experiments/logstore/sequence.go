package logstore

import (
	"bufio"
	"bytes"
	"crypto/sha1" // names chunks, whose bytes are compared
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A file is kept as a sequence of chunks. A chunk is a line with its end, or the next 64 KiB of a longer one, under the
// SHA-1 of its bytes. Sums of chunks make lists, and under the name of the file are its length and the sums of its
// lists: more than a store has room for. Keys of users that begin with a zero byte could collide with these.
const (
	chunkKey = "\x00c"
	listKey  = "\x00l"
	rootKey  = "\x00f"

	maxChunk = 64 << 10
	// listSums is how many sums a list has.
	listSums = 1 << 12
)

// Imported says what an import did.
type Imported struct {
	// Bytes and Chunks are those of the file, Stored the chunks that the store did not have.
	Bytes          int64
	Chunks, Stored int
}

// Import keeps what r gives under a name, in place of what the store may have under it. When it returns nil all of it
// survives. If it fails the name stands for what it stood for before, also when the store is opened again; only where
// the disk fails to sync the last record, and then takes no change that would take it back, nobody knows. Chunks of it
// may stay, and another import finds them.
func (s *Store) Import(name string, r io.Reader) (done Imported, err error) {
	if len(rootKey+name) > MaxKey {
		return done, fmt.Errorf("%w: a name of %d bytes, want at most %d", ErrSize, len(name), MaxKey-len(rootKey))
	}
	root, list := make([]byte, 8), []byte(nil)
	for in, more := bufio.NewReaderSize(r, maxChunk), true; more; {
		chunk, err := in.ReadSlice('\n')
		if more = err == nil || errors.Is(err, bufio.ErrBufferFull); !more && err != io.EOF {
			return done, err
		}
		if len(chunk) > 0 {
			var fresh bool
			if list, fresh, err = s.putSum(chunkKey, chunk, list); err != nil {
				return done, err
			}
			done.Bytes += int64(len(chunk))
			done.Chunks++
			if fresh {
				done.Stored++
			}
		}
		if len(list) == listSums*sha1.Size || !more && len(list) > 0 {
			if root, _, err = s.putSum(listKey, list, root); err != nil {
				return done, err
			}
			list = list[:0]
		}
	}
	binary.LittleEndian.PutUint64(root, uint64(done.Bytes))
	return done, s.alone(false, func() error {
		if err := s.log.settle(); err != nil {
			return err
		}
		return s.put(putKind, []byte(rootKey+name), root, true)
	})
}

// putSum puts a value under a prefix and its SHA-1, appends that to a list, and tells whether it was not there. A chunk
// with the SHA-1 of another one is refused.
func (s *Store) putSum(prefix string, value, list []byte) (longer []byte, fresh bool, err error) {
	sum := sha1.Sum(value)
	key := append([]byte(prefix), sum[:]...)
	old, err := s.Get(key)
	if fresh = errors.Is(err, ErrNotFound); fresh {
		err = s.Put(key, value)
	} else if err == nil && !bytes.Equal(old, value) {
		err = fmt.Errorf("%w: two different chunks have the SHA-1 %x", ErrCorrupt, sum)
	}
	return append(list, sum[:]...), fresh, err
}

// Export writes what was imported under a name to w. The error is [ErrNotFound] if nothing was, that of w, and
// [ErrCorrupt] if a chunk is missing or the chunks are not as many bytes as were imported. It writes no more than
// those.
func (s *Store) Export(name string, w io.Writer) error {
	root, err := s.Get([]byte(rootKey + name))
	out := bufio.NewWriterSize(w, 1<<20)
	if err == nil {
		err = s.export(root, out)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return out.Flush()
}

// export writes the file of a root.
func (s *Store) export(root []byte, w io.Writer) error {
	if len(root) < 8 || binary.LittleEndian.Uint64(root) > math.MaxInt64 {
		return fmt.Errorf("%w: the root has %d bytes, or more than there can be in the file", ErrCorrupt, len(root))
	}
	left := int64(binary.LittleEndian.Uint64(root))
	err := s.each(listKey, root[8:], func(list []byte) error {
		return s.each(chunkKey, list, func(chunk []byte) error {
			if left -= int64(len(chunk)); left < 0 {
				return fmt.Errorf("%w: the chunks have more bytes than the file", ErrCorrupt)
			}
			_, err := w.Write(chunk)
			return err
		})
	})
	if err == nil && left > 0 {
		err = fmt.Errorf("%w: %d bytes are missing at the end", ErrCorrupt, left)
	}
	return err
}

// each visits the values under a prefix and each sum of a list. Whoever made the log may have made the list, so that an
// empty value is an error: the work is no more than the bytes that the visits may see.
func (s *Store) each(prefix string, list []byte, visit func(value []byte) error) error {
	for ; len(list) > 0; list = list[sha1.Size:] {
		if len(list) < sha1.Size {
			return fmt.Errorf("%w: a list ends with a part of a sum", ErrCorrupt)
		}
		sum := list[:sha1.Size]
		value, err := s.Get(append([]byte(prefix), sum...))
		if errors.Is(err, ErrNotFound) || err == nil && len(value) == 0 {
			err = fmt.Errorf("%w: chunk %x is missing", ErrCorrupt, sum)
		}
		if err == nil {
			err = visit(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of what was imported, in no order. It reads the keys of the log.
func (s *Store) Names() (names []string, err error) {
	err = s.alone(true, func() error {
		if err := s.log.flush(); err != nil {
			return err
		}
		for r, err := range s.log.records(0, false) {
			if err != nil {
				return err
			}
			if name, ok := bytes.CutPrefix(r.key, []byte(rootKey)); ok && r.kind == putKind && s.holds(&r) {
				names = append(names, string(name))
			}
		}
		return nil
	})
	return names, err
}
