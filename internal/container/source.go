package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/memory"
)

// firstStep is how much of a table is allocated before any of it was read, in bytes.
const firstStep = 1 << 20

// A Source is a file that is being read: its header is known, and its table is taken part by part, in
// order, until [Source.Finish]. It is an io.Reader only so that ReadFrom of a filter, which goes on with it, takes one.
type Source struct {
	Header
	// Head is the bytes of the header of a stream.
	Head     []byte
	rest     []byte // what follows, of a file that is there as bytes
	r        io.Reader
	taken    int64  // bytes taken so far
	left     uint64 // bytes of the table not yet taken
	promised uint64 // bytes that r surely has
	sum      xxhash.Digest
}

// FromBytes reads the header of b and checks that b is as long as the header says, no more and no less.
func FromBytes(b []byte, known ...hashing.Hasher) (*Source, error) {
	v, err := NewView(b, known...)
	if err != nil {
		return nil, err
	}
	return newSource(v.Header, v.seed, b[v.Size():], nil), nil
}

// FromReader reads the header from r, and not a byte more. At the end of r it returns an errs.TooShort that
// is an io.EOF too. A Source it returns as it is.
func FromReader(r io.Reader, known ...hashing.Hasher) (s *Source, taken int64, err error) {
	if s, ok := r.(*Source); ok {
		return s, s.taken, nil
	}
	b := make([]byte, RecipesAt, MaxHeader)
	n, err := readFull(r, b)
	switch {
	case n == 0 && isEnd(err):
		// io.EOF beside it tells who reads one filter after the other that there is none left.
		return nil, 0, fmt.Errorf("%w: there is nothing: %w", errs.TooShort, io.EOF)
	case err != nil && !isEnd(err):
		return nil, int64(n), err
	}
	size, err := announced(b[:n])
	if err != nil {
		return nil, int64(n), err
	}
	more, err := readFull(r, b[RecipesAt:size])
	n += more
	if err != nil && !isEnd(err) {
		return nil, int64(n), err
	}
	h, seed, err := parseHeader(b[:n])
	if err != nil {
		return nil, int64(n), err
	}
	h.known = known
	s = newSource(h, seed, nil, r)
	s.Head, s.promised = b[:n], uint64(promised(r))
	return s, int64(n), nil
}

func newSource(h Header, seed uint64, rest []byte, r io.Reader) *Source {
	s := &Source{Header: h, rest: rest, r: r, taken: int64(h.Size()), left: h.TableBytes}
	s.sum.ResetWithSeed(seed)
	return s
}

// isEnd tells whether err says that there was nothing more to read.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// maxIdle is how many times in a row a reader may return nothing and no error, as package bufio has it.
const maxIdle = 100

// readFull is io.ReadFull, but gives up on a reader that does not go on, with io.ErrNoProgress.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for idle := 0; n < len(b) && err == nil; {
		var more int
		more, err = r.Read(b[n:])
		n += more
		if idle++; more > 0 {
			idle = 0
		} else if idle == maxIdle && err == nil {
			err = io.ErrNoProgress
		}
	}
	switch {
	case n == len(b):
		return n, nil
	case n > 0 && err == io.EOF:
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// promised returns how many bytes are left in r, 0 where that is not sure: a method Len of any other type is a claim.
func promised(r io.Reader) int {
	switch r := r.(type) {
	case *bytes.Reader:
		return r.Len()
	case *bytes.Buffer:
		return r.Len()
	case *strings.Reader:
		return r.Len()
	case *os.File:
		info, err := r.Stat()
		at, seekErr := r.Seek(0, io.SeekCurrent)
		if err == nil && seekErr == nil && info.Mode().IsRegular() {
			return int(min(math.MaxInt, max(0, info.Size()-at)))
		}
	}
	return 0
}

// Limit holds so many bytes of the table, the filter's memory, to the limit of a configuration, and returns the limit
// that the filter goes on with. A table that is in memory already needs no protection by the default.
func (s *Source) Limit(bytes uint64, limit int) (int, error) {
	switch {
	case limit == 0 && bytes <= config.DefaultMaxBytes:
		return 0, nil
	case limit == 0 && s.r == nil:
		return int(bytes), nil
	case limit == 0:
		limit = config.DefaultMaxBytes
	}
	if bytes > uint64(limit) {
		return 0, fmt.Errorf("%w: a table of %d bytes, MaxBytes is %d", errs.TooLarge, bytes, limit)
	}
	return limit, nil
}

// Read reads nothing: see [Source].
func (s *Source) Read([]byte) (int, error) { return 0, io.EOF }

// Bytes takes the next n bytes of the table. The slice is the caller's.
//
// Of a stream that does not say how long it is, it allocates 1 MiB first and then up to four times what
// it has read, so that what a header claims costs nothing.
func (s *Source) Bytes(n int) ([]byte, error) {
	return take(s, n, 1, memory.Bytes, s.fill)
}

// Last takes the last n bytes of the table, the filter's memory, under *limit, which becomes what [Source.Limit] says,
// and checks the file as [Source.Finish] does.
func (s *Source) Last(n int, limit *int) (table []byte, err error) {
	if *limit, err = s.Limit(uint64(n), *limit); err != nil {
		return nil, err
	}
	if table, err = s.Bytes(n); err == nil {
		err = s.Finish()
	}
	return table, err
}

// Words is Bytes for n words.
func (s *Source) Words(n int) ([]uint64, error) {
	return take(s, n, 8, memory.Words, s.fillWords)
}

// take allocates and fills n elements of some bytes each, step by step where it must.
func take[T byte | uint64](s *Source, n, each int, alloc func(int) []T, fill func([]T) error) ([]T, error) {
	if n > math.MaxInt/each || uint64(n)*uint64(each) > s.left {
		return nil, tooFew(s.TableBytes)
	}
	step := n
	if s.r != nil && s.promised < s.left {
		step = min(n, firstStep/each)
	}
	for dst := []T(nil); ; step = min(n, 4*step) {
		more := alloc(step)
		if err := fill(more[copy(more, dst):]); err != nil {
			return nil, err
		}
		if dst = more; step == n {
			return dst, nil
		}
	}
}

// fill reads the next bytes of the table, and adds them to the checksum.
func (s *Source) fill(dst []byte) error {
	for part := range slices.Chunk(dst, piece) {
		if err := s.next(part); err != nil {
			return err
		}
		s.sum.Write(part)
		s.left -= uint64(len(part))
	}
	return nil
}

// next reads the next bytes of the file.
func (s *Source) next(dst []byte) error {
	if s.r == nil {
		n := copy(dst, s.rest)
		s.rest = s.rest[n:]
		s.taken += int64(n)
		return nil // the length was checked
	}
	n, err := readFull(s.r, dst)
	s.taken += int64(n)
	if isEnd(err) {
		return tooShort(uint64(s.taken), "the filter", s.FileBytes())
	}
	return err
}

// fillWords is fill for words.
func (s *Source) fillWords(dst []uint64) error {
	if b, ok := memory.AsBytes(dst); ok {
		return s.fill(b)
	}
	var memory [4096]byte
	for part := range slices.Chunk(dst, len(memory)/8) {
		if err := s.fill(memory[:8*len(part)]); err != nil {
			return err
		}
		for i := range part {
			part[i] = binary.LittleEndian.Uint64(memory[8*i:])
		}
	}
	return nil
}

// CheckGap returns an errs.Corrupt unless the bytes at an offset, between the parts of a table, are 0.
func CheckGap(gap []byte, at int) error {
	if !allZero(gap) {
		return Corrupt(at, "bytes between the parts of a table are not 0")
	}
	return nil
}

// tooFew returns an errs.Corrupt about a table that is too small for what it should hold.
func tooFew(table uint64) error {
	return Corrupt(tableAt, "a table of %d bytes, too few for its parameters", table)
}

// Finish checks that the whole table was taken, and its checksum. Nothing of the table should be believed before.
func (s *Source) Finish() error {
	if s.left != 0 {
		return Corrupt(tableAt, "a table of %d bytes, %d more than its parameters make", s.TableBytes, s.left)
	}
	var b [sumBytes]byte
	if err := s.next(b[:]); err != nil {
		return err
	}
	return checkSum(b[:], s.sum.Sum64(), uint64(s.taken)-sumBytes)
}

// checkSum compares the checksum at an offset with that of the table.
func checkSum(stored []byte, is, at uint64) error {
	if sum := binary.LittleEndian.Uint64(stored); sum != is {
		return Corrupt(at, "the table's checksum is %016x, its bytes have %016x", sum, is)
	}
	return nil
}
