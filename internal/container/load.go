package container

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/hashing"
)

// A Package is the name of a filter package. Errors that leave it begin with the name.
//
// Its methods are what a filter's file verbs call, with the filter's image and load: image describes the filter, and
// load makes the filter the one in a Source or leaves it as it was.
type Package string

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

// Decode has load read the filter in b, whose hash is built in or known.
func (p Package) Decode(b []byte, load func(*Source) error, known ...hashing.Hasher) error {
	s, err := FromBytes(b, known...)
	if err == nil {
		err = load(s)
	}
	return p.Wrap(err)
}

// DecodeFrom has load read one filter from r, and returns how many bytes were taken. It does not look
// for an end of r behind the filter. r may be a [Source].
func (p Package) DecodeFrom(r io.Reader, load func(*Source) error) (int64, error) {
	s, taken, err := FromReader(r)
	if err != nil {
		return taken, p.Wrap(err)
	}
	err = load(s)
	return s.taken, p.Wrap(err)
}

// Decoded returns the filter in b, which load reads into a zero F.
func Decoded[F any](p Package, b []byte, load func(*F, *Source) error, known []hashing.Hasher) (*F, error) {
	f := new(F)
	if err := p.Decode(b, func(s *Source) error { return load(f, s) }, known...); err != nil {
		return nil, err
	}
	return f, nil
}

// Wrap puts the name in front of an error, if there is one.
func (p Package) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p, err)
}
