package bloom

import (
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// AppendBinary appends the file of the filter to b, as [Filter.AppendBinary] does.
func (f *SplitBlock) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary is [SplitBlock.AppendBinary] to nothing.
func (f *SplitBlock) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [SplitBlock.AppendBinary] to w, as [Filter.WriteTo] does.
func (f *SplitBlock) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// UnmarshalBinary makes f the filter that [SplitBlock.AppendBinary] wrote, as [Filter.UnmarshalBinary] does.
func (f *SplitBlock) UnmarshalBinary(b []byte) error {
	return file.Decode(b, func(s *container.Source) error { return f.load(s, nil) })
}

// ReadFrom makes f the filter that [SplitBlock.WriteTo] wrote, as [Filter.ReadFrom] does.
func (f *SplitBlock) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, func(s *container.Source) error { return f.load(s, nil) })
}

// DecodeSplitBlock returns the filter in b, as [SplitBlock.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known.
func DecodeSplitBlock(b []byte, known ...hashing.Hasher) (*SplitBlock, error) {
	f := new(SplitBlock)
	if err := file.Decode(b, func(s *container.Source) error { return f.load(s, known) }); err != nil {
		return nil, err
	}
	return f, nil
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *SplitBlock) load(s *container.Source, known []hashing.Hasher) error {
	t, err := splitBlockFile.Load(s, &f.t.Table, known)
	if err == nil {
		f.t = bloomcore.NewSplitTable(t)
	}
	return err
}

// image returns the filter as a file.
func (f *SplitBlock) image() (container.Image, error) { return f.t.Image(splitBlockFile.Type) }
