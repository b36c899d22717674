package cuckoo

import (
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// AppendBinary appends the file of the filter to b, as [Filter.AppendBinary] does. It is the file of a Filter of the
// layout [Words] except for one byte, which says that it was a Concurrent. [Decode] and [OpenView] read it too.
//
// Others may use the filter meanwhile. The file has every key that was inserted before the call and is not deleted
// until it returns, and none that was deleted before it. Of inserts and deletes at the same time, any of the inserts
// may be in it, and deletes as far as they came before the copy: while the table is copied, deletes, counts and inserts
// that kick wait. Lookups and inserts into free slots do not. It allocates a copy of the table beside the file.
func (f *Concurrent[F]) AppendBinary(b []byte) ([]byte, error) {
	return container.Encode(pkg, b, f.image)
}

// MarshalBinary is [Concurrent.AppendBinary] to nothing.
func (f *Concurrent[F]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Concurrent.AppendBinary] to w from a copy of the table, which [Filter.WriteTo] does without.
func (f *Concurrent[F]) WriteTo(w io.Writer) (int64, error) {
	return container.EncodeTo(pkg, w, f.image)
}

// image returns the filter as a file.
func (f *Concurrent[F]) image() (container.Image, error) {
	m, err := f.Filter().image()
	m.Concurrent = true
	return m, err
}

// UnmarshalBinary makes f the filter in b, which [Concurrent.AppendBinary] wrote, or AppendBinary of a [Filter] that
// [Filter.Concurrent] takes. No other goroutine may use f meanwhile. f may be the zero Concurrent. It works and fails
// as [Filter.UnmarshalBinary], needs memory for a second table, and a file that has no room in words is [ErrMismatch].
func (f *Concurrent[F]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, f.load) }

// ReadFrom makes f the filter that [Concurrent.WriteTo] wrote, as [Concurrent.UnmarshalBinary] does from the bytes that
// [Filter.ReadFrom] would take.
func (f *Concurrent[F]) ReadFrom(r io.Reader) (int64, error) {
	return container.DecodeFrom(pkg, r, f.load)
}

// DecodeConcurrent returns the filter in b, as [Concurrent.UnmarshalBinary] of the zero Concurrent does; see [Decode].
func DecodeConcurrent[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Concurrent[F], error) {
	return container.Decoded(pkg, b, (*Concurrent[F]).load, known)
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *Concurrent[F]) load(s *container.Source) error {
	g := &Filter[F]{reader[F]{fixed: f.fixed}}
	if err := g.load(s); err != nil {
		return err
	}
	made, err := g.Concurrent()
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case err != nil:
		return fmt.Errorf("%w: the filter in the file does not fit into words: %v", ErrMismatch, err)
	}
	*f = *made
	return nil
}
