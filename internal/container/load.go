package container

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// A Package is the name of a filter package. Errors that leave it begin with the name.
type Package string

// Decode has load read the filter in b.
func (p Package) Decode(b []byte, load func(*Source) error) error {
	s, err := FromBytes(b)
	if err == nil {
		err = load(s)
	}
	return p.Wrap(err)
}

// DecodeFrom has load read one filter from r, and returns how many bytes were taken. It does not look
// for an end of r behind the filter.
func (p Package) DecodeFrom(r io.Reader, load func(*Source) error) (int64, error) {
	s, read, err := FromReader(r)
	if err != nil {
		return read, p.Wrap(err)
	}
	err = load(s)
	return s.Read(), p.Wrap(err)
}

// Encode appends to b the file that image describes.
func (p Package) Encode(b []byte, image func() (Image, error)) ([]byte, error) {
	m, err := image()
	if err != nil {
		return b, p.Wrap(err)
	}
	b, err = m.Append(b)
	return b, p.Wrap(err)
}

// EncodeTo writes to w the file that image describes.
func (p Package) EncodeTo(w io.Writer, image func() (Image, error)) (int64, error) {
	m, err := image()
	if err != nil {
		return 0, p.Wrap(err)
	}
	n, err := m.WriteTo(w)
	return n, p.Wrap(err)
}

// Wrap puts the name in front of an error, if there is one.
func (p Package) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p, err)
}

// Want returns an errs.Mismatch unless the header is of that type.
func (h *Header) Want(t Type) error {
	if h.Type != t {
		return fmt.Errorf("%w: at byte %d: a %v, want a %v", errs.Mismatch, typeAt, h.Type, t)
	}
	return nil
}

// Hasher returns the hash of the header: the one among known that has its recipe or, failing that, a
// built-in one. Where there is none the error is an errs.Mismatch that wraps hashing's.
//
// Filters under hashing.DigestsOnly panic when they are asked for keys, so it must be among known: a file is data, and
// who opens it need not expect that.
func Hasher(h *Header, known []hashing.Hasher) (hashing.Hasher, error) {
	if found, ok := config.Find(h.Hash, known); ok {
		return found, nil
	}
	made, err := hashing.Parse(h.Hash)
	if err != nil {
		return nil, fmt.Errorf("%w: at byte %d: %w, and no known one has this recipe", errs.Mismatch, RecipesAt, err)
	}
	if made == hashing.DigestsOnly {
		return nil, fmt.Errorf("%w: at byte %d: a filter under %q panics when it is asked for keys: "+
			"name hashing.DigestsOnly among the known hashers to open it", errs.Mismatch, RecipesAt, h.Hash)
	}
	return made, nil
}
