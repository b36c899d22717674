package files

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom/parquet"
	"github.com/nestfilter/nest/internal/limits"
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
		if _, err := ReadBytes(bytes.NewReader(nil), from, false); of(from).size != nil && !errors.Is(err, nest.ErrTooShort) {
			t.Errorf("%s: nothing: %v", from, err)
		}
	}
}

// TestReadBytes_EndlessInputIsLeft gives each format zeros, and a filter with zeros behind it.
func TestReadBytes_EndlessInputIsLeft(t *testing.T) {
	const unsized = 1 << 16
	for from, b := range samples(t) {
		for _, head := range [][]byte{nil, b} {
			input := endlessly(head)
			_, err := readBytes(input, from, false, limits.DefaultMaxBytes, unsized)
			most := max(len(head)+1, parquet.MaxHeader+1)
			want := nest.ErrCorrupt
			if of(from).size == nil {
				most, want = unsized+1, nest.ErrTooLarge
			}
			if !errors.Is(err, want) || input.taken > most+512 {
				t.Errorf("%s, %d bytes and zeros: took %d, at most %d wanted: %v", from, len(head), input.taken, most, err)
			}
		}
	}
}

// TestReadBytes_RefusesPromises reads a header that promises more than is read of a pipe.
func TestReadBytes_RefusesPromises(t *testing.T) {
	for from, b := range samples(t) {
		if of(from).size == nil {
			continue
		}
		input := endlessly(b)
		_, err := readBytes(input, from, false, uint64(len(b))-1, 0)
		if !errors.Is(err, nest.ErrTooLarge) || input.taken > parquet.MaxHeader+1 {
			t.Errorf("%s: %v, %d bytes taken", from, err, input.taken)
		}
		if got, err := readBytes(bytes.NewReader(b), from, true, uint64(len(b))-1, 0); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s, a regular file: %v", from, err)
		}
	}
}

// TestReadBytes_ErrorsOfTheReader are returned.
func TestReadBytes_ErrorsOfTheReader(t *testing.T) {
	for from, b := range samples(t) {
		for n := range min(len(b), 100) {
			broken := io.MultiReader(bytes.NewReader(b[:n]), failing{})
			if _, err := ReadBytes(broken, from, false); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%s, %d bytes: %v", from, n, err)
			}
		}
	}
}

type failing struct{}

// Read fails.
func (failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
