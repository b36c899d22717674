package cuckoo

import (
	"io"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

// AppendBinary appends the filter's file, which has a type of its own, to b and returns the extended
// slice, as [Filter.AppendBinary] does. A filter that is growing is stored as it is when it has grown, which takes the
// memory of a copy. What the file of a Filter does not have, this file does not have either.
func (s *Scalable[F]) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, s.image) }

// MarshalBinary is [Scalable.AppendBinary] to nothing.
func (s *Scalable[F]) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the bytes of [Scalable.AppendBinary] to w, as [Filter.WriteTo] does.
func (s *Scalable[F]) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, s.image) }

// UnmarshalBinary makes s the filter that [Scalable.AppendBinary] wrote, with new Stats and the generator
// at Seed, as [Filter.UnmarshalBinary] does and with the same errors. s may be the zero Scalable. The
// hash and the kick policy of s serve where their recipes are those of the file. The MaxBytes
// of s stays in force, for growth too.
//
// It allocates the table, of no more than len(b) bytes, and the scratch memory of one Filter.
func (s *Scalable[F]) UnmarshalBinary(b []byte) error {
	return file.Decode(b, s.load)
}

// ReadFrom makes s the filter that [Scalable.WriteTo] wrote, as [Filter.ReadFrom] does, and returns how
// many bytes it took from r.
func (s *Scalable[F]) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, s.load)
}

// DecodeScalable returns the filter in b, as [Scalable.UnmarshalBinary] of the zero Scalable does.
// Hashers that are not built in, or that hold a secret, are found by their recipe among known, as
// [Decode] finds them. For a file under a kick policy of your own, call UnmarshalBinary of a filter
// that was made with that policy.
func DecodeScalable[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Scalable[F], error) {
	return container.Decoded(file, b, (*Scalable[F]).load, known)
}

// load makes s the filter that the source holds, or leaves it as it was.
func (s *Scalable[F]) load(from *container.Source) error {
	own := s.config
	shape, err := storedShapeIn(&from.Header, fingerprint.WidthOf[F](), own.shared())
	if err == nil {
		err = wantKick(&from.Header, shape.Kick)
	}
	if err != nil {
		return err
	}
	limit, err := from.LimitOf(max(from.TableBytes, directoryBytes)-directoryBytes, own.MaxBytes, config.DefaultMaxBytes)
	if err != nil {
		return err
	}
	g, err := storedIn(&from.Header, from, shape)
	if err != nil {
		return err
	}
	data, err := from.Bytes(g.size)
	if err == nil {
		err = from.Finish()
	}
	if err != nil {
		return err
	}
	g.config.MaxBytes = limit
	table := g.tableOver(data)
	older, err := g.check(&table)
	if err != nil {
		return err
	}
	s.init(g.config, table)
	s.count(g.keys, g.entries-g.keys, older)
	return nil
}
