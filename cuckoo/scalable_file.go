package cuckoo

import (
	"io"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// AppendBinary appends the filter's file, which has a type of its own, to b, as [Filter.AppendBinary] does. A filter
// that is growing is stored as it is when it has grown, which takes the memory of a copy.
func (s *Scalable[F]) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, s.image) }

// MarshalBinary is [Scalable.AppendBinary] to nothing.
func (s *Scalable[F]) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the bytes of [Scalable.AppendBinary] to w, as [Filter.WriteTo] does.
func (s *Scalable[F]) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, s.image) }

// UnmarshalBinary makes s the filter that [Scalable.AppendBinary] wrote, as [Filter.UnmarshalBinary] does and with the
// same errors. The MaxBytes of s stays in force, for growth too.
func (s *Scalable[F]) UnmarshalBinary(b []byte) error { return file.Decode(b, s.load) }

// ReadFrom makes s the filter that [Scalable.WriteTo] wrote, as [Filter.ReadFrom] does.
func (s *Scalable[F]) ReadFrom(r io.Reader) (int64, error) { return file.DecodeFrom(r, s.load) }

// DecodeScalable returns the filter in b, as [Scalable.UnmarshalBinary] of the zero Scalable does; see [Decode].
func DecodeScalable[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Scalable[F], error) {
	return container.Decoded(file, b, (*Scalable[F]).load, known)
}

// load makes s the filter that the source holds, or leaves it as it was.
func (s *Scalable[F]) load(from *container.Source) error {
	g, err := storedIn(&from.Header, from, fingerprint.WidthOf[F](), s.config.shared())
	if err != nil {
		return err
	}
	table, err := tableIn(from, &g.table, s.config.MaxBytes)
	if err != nil {
		return err
	}
	short, err := g.check(&table)
	if err != nil {
		return err
	}
	g.config.MaxBytes = g.table.MaxBytes
	s.init(g.config, table)
	s.count(g.keys, g.entries-g.keys, short)
	return nil
}
