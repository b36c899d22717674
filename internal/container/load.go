package container

import (
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// The functions of this file are what the file verbs of a package call. image describes a filter, and load makes it the
// one in a Source or leaves it as it was.

// Encode appends to b the file that image describes.
func Encode(p config.Package, b []byte, image func() (Image, error)) ([]byte, error) {
	m, err := image()
	if err == nil {
		b, err = m.Append(b)
	}
	return b, p.Wrap(err)
}

// EncodeTo writes to w the file that image describes.
func EncodeTo(p config.Package, w io.Writer, image func() (Image, error)) (n int64, err error) {
	m, err := image()
	if err == nil {
		n, err = m.WriteTo(w)
	}
	return n, p.Wrap(err)
}

// Decode has load read the filter in b, whose hash is built in or known.
func Decode(p config.Package, b []byte, load func(*Source) error, known ...hashing.Hasher) error {
	s, err := FromBytes(b, known...)
	if err == nil {
		err = load(s)
	}
	return p.Wrap(err)
}

// DecodeFrom has load read one filter from r, and returns how many bytes were taken. It does not look
// for an end of r behind the filter. r may be a [Source].
func DecodeFrom(p config.Package, r io.Reader, load func(*Source) error) (int64, error) {
	s, taken, err := FromReader(r)
	if err != nil {
		return taken, p.Wrap(err)
	}
	err = load(s)
	return s.taken, p.Wrap(err)
}

// Opened returns a view of the file in b, which open makes of a zero V.
func Opened[V any](
	p config.Package, b []byte, known []hashing.Hasher, open func(v *V, file *View) error,
) (*V, error) {
	v := new(V)
	file, err := NewView(b, known...)
	if err == nil {
		err = open(v, &file)
	}
	if err != nil {
		return nil, p.Wrap(err)
	}
	return v, nil
}

// Decoded returns the filter in b, which load reads into a zero F.
func Decoded[F any](p config.Package, b []byte, load func(*F, *Source) error, known []hashing.Hasher) (*F, error) {
	f := new(F)
	if err := Decode(p, b, func(s *Source) error { return load(f, s) }, known...); err != nil {
		return nil, err
	}
	return f, nil
}
