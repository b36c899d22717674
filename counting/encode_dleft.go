package counting

import (
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// AppendBinary appends the file of the filter to b, as [Filter.AppendBinary] does.
func (f *DLeft) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary is [DLeft.AppendBinary] to nothing.
func (f *DLeft) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [DLeft.AppendBinary] to w, as [Filter.WriteTo] does.
func (f *DLeft) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// UnmarshalBinary makes f the filter that [DLeft.AppendBinary] wrote, as [Filter.UnmarshalBinary] does.
func (f *DLeft) UnmarshalBinary(b []byte) error {
	return file.Decode(b, func(s *container.Source) error { return f.load(s, nil) })
}

// ReadFrom makes f the filter that [DLeft.WriteTo] wrote, as [Filter.ReadFrom] does.
func (f *DLeft) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, func(s *container.Source) error { return f.load(s, nil) })
}

// DecodeDLeft returns the filter in b, as [DLeft.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known.
func DecodeDLeft(b []byte, known ...hashing.Hasher) (*DLeft, error) {
	f := new(DLeft)
	if err := file.Decode(b, func(s *container.Source) error { return f.load(s, known) }); err != nil {
		return nil, err
	}
	return f, nil
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *DLeft) load(s *container.Source, known []hashing.Hasher) error {
	g, err := loadDLeft(s, f.config, known)
	if err == nil {
		*f = g
	}
	return err
}
