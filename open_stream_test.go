package nest_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/filetest"
)

// A stalling reader gives nothing and no error so many times before each byte.
type stalling struct {
	r    io.Reader
	each int
	idle int
}

func (s *stalling) Read(b []byte) (int, error) {
	if s.idle++; s.idle <= s.each {
		return 0, nil
	}
	s.idle = 0
	return s.r.Read(b[:1])
}

// TestRead_StalledReaderEnds reads from a reader that pauses, and from one that has stopped somewhere for good.
func TestRead_StalledReaderEnds(t *testing.T) {
	small(t, func(name string, b []byte) {
		if _, err := nest.Read(&stalling{r: bytes.NewReader(b), each: 99}); err != nil {
			t.Errorf("%s: with pauses: %v", name, err)
		}
		if _, err := nest.Read(&stalling{r: bytes.NewReader(b), each: 100}); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%s: stalled before the first byte: %v", name, err)
		}
		for n := range b {
			r := io.MultiReader(bytes.NewReader(b[:n]), &stalling{each: 1 << 30})
			if _, err := nest.Read(r); !errors.Is(err, io.ErrNoProgress) {
				t.Fatalf("%s: stalled at byte %d: %v", name, n, err)
			}
		}
	})
}

// lying is a reader that claims to have more than there is.
type lying struct{ io.Reader }

func (lying) Len() int { return 1<<31 - 1 }

// TestRead_LyingLenAllocatesLittle has a header claim a table of 2 GB, and a reader that it has them.
func TestRead_LyingLenAllocatesLittle(t *testing.T) {
	const size = 1<<31 - 1<<20
	b, err := mustNew(t, nest.Spec{Kind: nest.Bloom, Slots: 64, Hashes: 3}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(b[16:], size)
	binary.LittleEndian.PutUint64(b[container.ParamsAt:], 8*size)
	filetest.Reseal(b)
	took := allocated(func() {
		if _, err := nest.Read(lying{bytes.NewReader(b)}); !errors.Is(err, nest.ErrTooShort) &&
			!errors.Is(err, nest.ErrTooLarge) {
			t.Errorf("%v", err)
		}
	})
	if took > 3<<20 {
		t.Errorf("%d bytes allocated for a file of %d", took, len(b))
	}
}

// TestRead_KnownReadersAllocateOnce reads from those whose word is taken, at the cost of the table alone.
func TestRead_KnownReadersAllocateOnce(t *testing.T) {
	f := mustNew(t, nest.Spec{Kind: nest.Bloom, Slots: 8 * 8 << 20, Hashes: 3})
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.nest")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, r := range []io.Reader{bytes.NewReader(b), bytes.NewBuffer(b), file} {
		var readErr error
		if took := allocated(func() { _, readErr = nest.Read(r) }); readErr != nil ||
			took > uint64(f.SizeBytes())+1<<20 {
			t.Errorf("%T: %d bytes allocated for a table of %d, %v", r, took, f.SizeBytes(), readErr)
		}
	}
}

// TestOpen_OfAFileThatClaimsALargeCapacity: a growing filter of a few bytes whose file says that it was made for a
// hundred million keys is none, as its table would be larger. So Reset of what was opened never makes a larger table.
func TestOpen_OfAFileThatClaimsALargeCapacity(t *testing.T) {
	b, err := mustNew(t, nest.Spec{Kind: nest.Scalable, Capacity: 1, FingerprintBits: 13}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	h, err := container.ParseHeader(b)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(b[h.Size():], 100_000_000)
	filetest.Reseal(b)
	if _, err := nest.Open(b); !errors.Is(err, nest.ErrCorrupt) {
		t.Errorf("%v, want ErrCorrupt", err)
	}
}
