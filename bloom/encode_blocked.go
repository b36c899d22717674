package bloom

import (
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// AppendBinary appends the file of the filter to b, as [Filter.AppendBinary] does.
func (f *Blocked) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary is [Blocked.AppendBinary] to nothing.
func (f *Blocked) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Blocked.AppendBinary] to w, as [Filter.WriteTo] does.
func (f *Blocked) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// UnmarshalBinary makes f the filter that [Blocked.AppendBinary] wrote, as [Filter.UnmarshalBinary] does.
func (f *Blocked) UnmarshalBinary(b []byte) error {
	return file.Decode(b, func(s *container.Source) error { return f.load(s, nil) })
}

// ReadFrom makes f the filter that [Blocked.WriteTo] wrote, as [Filter.ReadFrom] does.
func (f *Blocked) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, func(s *container.Source) error { return f.load(s, nil) })
}

// DecodeBlocked returns the filter in b, as [Blocked.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known.
func DecodeBlocked(b []byte, known ...hashing.Hasher) (*Blocked, error) {
	f := new(Blocked)
	if err := file.Decode(b, func(s *container.Source) error { return f.load(s, known) }); err != nil {
		return nil, err
	}
	return f, nil
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *Blocked) load(s *container.Source, known []hashing.Hasher) error {
	t, err := blockedFile.Load(s, &f.t.Table, known)
	if err == nil {
		f.t = bloomcore.NewBlockTable(t)
	}
	return err
}

// image returns the filter as a file.
func (f *Blocked) image() (container.Image, error) { return f.t.Image(blockedFile.Type) }
