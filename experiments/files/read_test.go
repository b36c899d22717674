package files

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/internal/config"
)

// endless is a beginning and zeros behind it, without end. It counts what is taken.
type endless struct {
	head  *bytes.Reader
	taken int
}

func endlessly(head []byte) *endless { return &endless{head: bytes.NewReader(head)} }

// Read never ends.
func (e *endless) Read(p []byte) (int, error) {
	n, _ := e.head.Read(p)
	clear(p[n:])
	e.taken += len(p)
	return len(p), nil
}

// samples returns a filter's bytes in each format.
func samples(t *testing.T) map[Format][]byte {
	t.Helper()
	f := stored(t, split(t, ""))
	all := foreigners(t)
	all[Nest], all[Parquet], all[ParquetBitset] = f, converted(t, f, Nest, Parquet), converted(t, f, Nest, ParquetBitset)
	return all
}

func TestReadBytes_TakesWhatIsThere(t *testing.T) {
	for from, b := range samples(t) {
		for _, ends := range []bool{false, true} {
			got, err := ReadBytes(bytes.NewReader(b), from, ends)
			if err != nil || !bytes.Equal(got, b) {
				t.Errorf("%s: %d bytes of %d, %v", from, len(got), len(b), err)
			}
		}
	}
}

// TestReadBytes_EndlessInputIsLeft gives each format zeros, and a filter with zeros behind it.
func TestReadBytes_EndlessInputIsLeft(t *testing.T) {
	const unsized = 1 << 16
	for from, b := range samples(t) {
		for _, head := range [][]byte{nil, b} {
			input := endlessly(head)
			_, err := readBytes(input, from, false, config.DefaultMaxBytes, unsized)
			most, want := unsized+1, nest.ErrTooLarge
			if from == Nest {
				most, want = len(b)+1, nest.ErrCorrupt
			}
			if !errors.Is(err, want) || input.taken > most+512 {
				t.Errorf("%s, %d bytes and zeros: took %d, at most %d wanted: %v", from, len(head), input.taken, most, err)
			}
		}
	}
}

// TestReadBytes_RefusesPromises reads a header that promises more than is read of a pipe, and readers that fail.
func TestReadBytes_RefusesPromises(t *testing.T) {
	b := samples(t)[Nest]
	input := endlessly(b)
	if _, err := readBytes(input, Nest, false, uint64(len(b))-1, 0); !errors.Is(err, nest.ErrTooLarge) || input.taken > 1024 {
		t.Errorf("%v, %d bytes taken", err, input.taken)
	}
	if got, err := readBytes(bytes.NewReader(b), Nest, true, uint64(len(b))-1, 0); err != nil || !bytes.Equal(got, b) {
		t.Errorf("a regular file: %v", err)
	}
	for n := range 100 {
		broken := io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(io.ErrClosedPipe))
		if _, err := ReadBytes(broken, Nest, false); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := ReadBytes(bytes.NewReader(nil), Nest, false); !errors.Is(err, nest.ErrTooShort) {
		t.Errorf("nothing: %v", err)
	}
}
