package logstore

import (
	"bufio"
	"bytes"
	"crypto/sha1" // names chunks, whose bytes are compared
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A file is kept as a sequence of chunks. A chunk is a line with its end, or the next 64 KiB of a longer one, under the SHA-1 of its
// bytes. Sums of chunks make a list, sums of lists a list of the next level, and so on up to the root, which is under the
// name of the file. Keys of users that begin with a zero byte could collide with these.
const (
	chunkKey = "\x00c"
	listKey  = "\x00l"
	rootKey  = "\x00f"

	maxChunk = 64 << 10
	// listSums is how many sums a list has.
	listSums = 1 << 12
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

// Import keeps what r gives under a name, in place of what the store may have under it. It ends with [Store.Sync]. If it fails, the name
// stands for what it stood for before.
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
	if _, err := s.putNew([]byte(rootKey+name), value); err != nil {
		return done, err
	}
	return done, s.Sync()
}

// putSum puts a value under a prefix and its SHA-1, and tells whether it was not there.
func (s *Store) putSum(prefix string, value []byte) (of sum, fresh bool, err error) {
	of = sha1.Sum(value)
	key := append([]byte(prefix), of[:]...)
	fresh, err = s.putNew(key, value)
	return of, fresh, err
}

// putNew puts a value unless the key has it already, and tells whether it did. A chunk with the SHA-1 of another one is refused.
func (s *Store) putNew(key, value []byte) (fresh bool, err error) {
	switch old, err := s.Get(key); {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return false, err
	case bytes.Equal(old, value):
		return false, nil
	case !bytes.HasPrefix(key, []byte(rootKey)):
		return false, fmt.Errorf("%w: two different chunks have the SHA-1 %x", ErrCorrupt, key[len(chunkKey):])
	}
	return true, s.Put(key, value)
}

// Export writes what was imported under a name to w. The error is [ErrNotFound] if nothing was, and [ErrCorrupt] if a chunk of it is missing.
func (s *Store) Export(name string, w io.Writer) error {
	root, err := s.Get([]byte(rootKey + name))
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	if len(root) != rootSize {
		return fmt.Errorf("%w: the root of %q has %d bytes", ErrCorrupt, name, len(root))
	}
	out := &counter{w: bufio.NewWriterSize(w, 1<<20)}
	if err := s.export(int(root[0]), sum(root[9:]), out); err != nil {
		return err
	}
	if want := int64(binary.LittleEndian.Uint64(root[1:])); out.n != want {
		return fmt.Errorf("%w: %q has %d bytes, want %d", ErrCorrupt, name, out.n, want)
	}
	return out.w.Flush()
}

// counter counts the bytes that are written.
type counter struct {
	w *bufio.Writer
	n int64
}

// export writes the chunks below a list of some level, or the chunk at level 0.
func (s *Store) export(level int, of sum, out *counter) error {
	prefix := listKey
	if level == 0 {
		prefix = chunkKey
	}
	value, err := s.Get(append([]byte(prefix), of[:]...))
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%w: chunk %x is missing", ErrCorrupt, of)
	}
	if err != nil || level == 0 {
		out.n += int64(len(value))
		out.w.Write(value) // an error stays with the writer until Flush
		return err
	}
	if len(value)%len(of) != 0 {
		return fmt.Errorf("%w: a list of %d bytes", ErrCorrupt, len(value))
	}
	for ; len(value) > 0 && err == nil; value = value[len(of):] {
		err = s.export(level-1, sum(value), out)
	}
	return err
}

// Names returns the names of what was imported, in no order. It reads the keys of the log.
func (s *Store) Names() (names []string, err error) {
	s.change.Lock()
	defer s.change.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	err = s.log.each(false, func(h head, b []byte, place uint64) (bool, error) {
		key := b[headBytes:][:h.key]
		if name, ok := bytes.CutPrefix(key, []byte(rootKey)); ok && h.kind == putKind && holds(s.index, s.hash.Sum64(key), place) {
			names = append(names, string(name))
		}
		return true, nil
	})
	return names, err
}
