package memory

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/nestfilter/nest/internal/errs"
)

// File is the bytes of a file. Make one with [OpenFile].
type File struct {
	bytes   []byte
	release func() error
	once    sync.Once
	err     error
}

// OpenFile maps the file of that name, or reads it where the system cannot map. The descriptor is closed
// again: the mapping needs none.
func OpenFile(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	m, err := openFile(f)
	return m, errors.Join(err, f.Close())
}

func openFile(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch size := info.Size(); {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file, which alone can be mapped", f.Name())
	case size == 0: // which no system maps
		return &File{release: func() error { return nil }}, nil
	case size > math.MaxInt:
		return nil, fmt.Errorf("%w: %s has %d bytes", errs.TooLarge, f.Name(), size)
	default:
		b, release, err := mapped(f, int(size))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		return &File{bytes: b, release: release}, nil
	}
}

// Bytes returns the bytes of the file. They must not be written, nor used after Close.
func (m *File) Bytes() []byte { return m.bytes }

// Close gives the bytes back. A second Close does nothing and returns what the first returned.
func (m *File) Close() error {
	m.once.Do(func() {
		m.bytes = nil
		m.err = m.release()
	})
	return m.err
}
