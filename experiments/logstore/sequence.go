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
// SHA-1 of its bytes. Sums of chunks make a list, sums of lists a list of the next level, and so on up to the root,
// which is under the name of the file. Keys of users that begin with a zero byte could collide with these.
const (
	chunkKey = "\x00c"
	listKey  = "\x00l"
	rootKey  = "\x00f"

	maxChunk = 64 << 10
	// listSums is how many sums a list has.
	listBits = 12
	listSums = 1 << listBits
	rootSize = 9 + sha1.Size
)

// sum is the SHA-1 of a chunk or a list.
type sum [sha1.Size]byte

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
	var lists [][]byte // of each level, the one that is being filled
	push := func(level int, of sum) error {
		for {
			if level == len(lists) {
				lists = append(lists, nil)
			}
			if lists[level] = append(lists[level], of[:]...); len(lists[level]) < listSums*len(of) {
				return nil
			}
			var err error
			if of, _, err = s.putSum(listKey, lists[level]); err != nil {
				return err
			}
			lists[level] = lists[level][:0]
			level++
		}
	}
	for in := bufio.NewReaderSize(r, maxChunk); ; {
		chunk, readErr := in.ReadSlice('\n')
		if len(chunk) > 0 {
			of, fresh, err := s.putSum(chunkKey, chunk)
			if err == nil {
				err = push(0, of)
			}
			if err != nil {
				return done, err
			}
			done.Bytes += int64(len(chunk))
			done.Chunks++
			if fresh {
				done.Stored++
			}
		}
		if readErr != nil && !errors.Is(readErr, bufio.ErrBufferFull) {
			if !errors.Is(readErr, io.EOF) {
				return done, readErr
			}
			break
		}
	}
	if len(lists) == 0 {
		lists = [][]byte{nil}
	}
	var root sum
	for level := 0; level < len(lists); level++ {
		last := level == len(lists)-1
		if len(lists[level]) == 0 && !last {
			continue
		}
		if root, _, err = s.putSum(listKey, lists[level]); err != nil {
			return done, err
		}
		if !last {
			lists[level+1] = append(lists[level+1], root[:]...)
		}
	}
	value := append(binary.LittleEndian.AppendUint64([]byte{byte(len(lists))}, uint64(done.Bytes)), root[:]...)
	return done, s.putLast([]byte(rootKey+name), value)
}

// putSum puts a value under a prefix and its SHA-1, and tells whether it was not there. A chunk with the SHA-1 of
// another one is refused.
func (s *Store) putSum(prefix string, value []byte) (of sum, fresh bool, err error) {
	of = sha1.Sum(value)
	key := append([]byte(prefix), of[:]...)
	switch old, err := s.Get(key); {
	case errors.Is(err, ErrNotFound):
		return of, true, s.Put(key, value)
	case err == nil && !bytes.Equal(old, value):
		return of, false, fmt.Errorf("%w: two different chunks have the SHA-1 %x", ErrCorrupt, of)
	default:
		return of, false, err
	}
}

// Export writes what was imported under a name to w. The error is [ErrNotFound] if nothing was, that of w, and
// [ErrCorrupt] if a chunk is missing or the chunks are not as many bytes as were imported. It writes no more than
// those.
func (s *Store) Export(name string, w io.Writer) error {
	root, err := s.Get([]byte(rootKey + name))
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	if len(root) != rootSize {
		return fmt.Errorf("%w: the root of %q has %d bytes", ErrCorrupt, name, len(root))
	}
	level, size := int(root[0]), binary.LittleEndian.Uint64(root[1:])
	// A list of level 2 is made of as many chunks as a list has sums, and no chunk is empty.
	if level < 1 || size > math.MaxInt64 || level > 1 && size>>(listBits*(level-1)) == 0 {
		return fmt.Errorf("%w: the root of %q says %d bytes in lists of level %d", ErrCorrupt, name, size, level)
	}
	if size == 0 {
		return nil
	}
	e := export{s: s, w: bufio.NewWriterSize(w, 1<<20), left: int64(size)}
	err = e.write(level, sum(root[9:]))
	if err == nil && e.left > 0 {
		err = fmt.Errorf("%w: %d bytes are missing at the end", ErrCorrupt, e.left)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return e.w.Flush()
}

// export is a file that is being written, of which so many bytes are left. Whoever made the log may have had a list
// name itself: every chunk must have some of those bytes.
type export struct {
	s    *Store
	w    *bufio.Writer
	left int64
}

// write writes the chunks below a list of some level, or the chunk at level 0.
func (e *export) write(level int, of sum) error {
	prefix, unit := listKey, len(of)
	if level == 0 {
		prefix, unit = chunkKey, 1
	}
	value, err := e.s.Get(append([]byte(prefix), of[:]...))
	switch {
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("%w: chunk %x is missing", ErrCorrupt, of)
	case err != nil:
		return err
	case len(value) == 0 || len(value)%unit != 0 || int64(len(value)/unit) > e.left:
		return fmt.Errorf("%w: %x has %d bytes at level %d, where %d bytes of the file are left", ErrCorrupt, of, len(value),
			level, e.left)
	case level == 0:
		e.left -= int64(len(value))
		_, err := e.w.Write(value)
		return err
	}
	for ; len(value) > 0 && err == nil; value = value[len(of):] {
		err = e.write(level-1, sum(value))
	}
	return err
}

// Names returns the names of what was imported, in no order. It reads the keys of the log.
func (s *Store) Names() (names []string, err error) {
	s.change.Lock()
	defer s.change.Unlock()
	if err := s.readable(); err != nil {
		return nil, err
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	err = s.log.each(false, func(h head, b []byte, place uint64) (bool, error) {
		key := b[headBytes:][:h.key]
		if name, ok := bytes.CutPrefix(key, []byte(rootKey)); ok && h.kind == putKind && holds(s.index, s.hash.Sum64(key),
			place) {
			names = append(names, string(name))
		}
		return true, nil
	})
	return names, err
}
