package cuckoo

import (
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/kick"
)

// AppendBinary appends the file of the filter to b and returns the extended slice. It is the file of a [Filter] of the layout
// [Words] but for one byte, which says that it was a Concurrent. [Decode] and [OpenView] read it too.
//
// Others may use the filter meanwhile. The file has every key that was inserted before the call and is not deleted until it returns, and none that was
// deleted before it. Of inserts and deletes at the same time, any of the inserts may be in it, and deletes as far as they came before the copy: while the
// table is copied, deletes, counts and inserts that kick wait. Lookups and inserts into free slots do not.
//
// It allocates a copy of the table beside the file. What the file does not have, and the errors, are those of [Filter.AppendBinary].
func (f *Concurrent[F]) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary is [Concurrent.AppendBinary] to nothing.
func (f *Concurrent[F]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Concurrent.AppendBinary] to w, in pieces of up to 64 KiB, from a copy of the table. It returns how many
// bytes w took. The errors are those of AppendBinary and of w.
func (f *Concurrent[F]) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// image returns the filter as a file.
func (f *Concurrent[F]) image() (container.Image, error) {
	m, err := f.Filter().image()
	m.Concurrent = true
	return m, err
}

// UnmarshalBinary makes f the filter in b, which [Concurrent.AppendBinary] wrote, or AppendBinary of a [Filter] that
// [Filter.Concurrent] takes. No other goroutine may use f meanwhile. f may be the zero Concurrent. It works and fails as
// [Filter.UnmarshalBinary], needs memory for a second table, and a file that has no room in words is [ErrMismatch].
func (f *Concurrent[F]) UnmarshalBinary(b []byte) error {
	g := f.receiver()
	if err := g.UnmarshalBinary(b); err != nil {
		return err
	}
	return f.adopt(g)
}

// ReadFrom makes f the filter that [Concurrent.WriteTo] wrote, as [Concurrent.UnmarshalBinary] does. It reads from r as
// [Filter.ReadFrom] does, and returns how many bytes it took.
func (f *Concurrent[F]) ReadFrom(r io.Reader) (int64, error) {
	g := f.receiver()
	n, err := g.ReadFrom(r)
	if err != nil {
		return n, err
	}
	return n, f.adopt(g)
}

// DecodeConcurrent returns the filter in b, as [Concurrent.UnmarshalBinary] of the zero Concurrent does. Hashers are found among known as
// [Decode] says.
func DecodeConcurrent[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Concurrent[F], error) {
	g, err := Decode[F](b, known...)
	if err != nil {
		return nil, err
	}
	f := new(Concurrent[F])
	return f, f.adopt(g)
}

// receiver returns a filter without keys that reads files as f does.
func (f *Concurrent[F]) receiver() *Filter[F] {
	return &Filter[F]{reader[F]{fixed: f.fixed}}
}

// adopt makes f the filter of the keys of g, or leaves it as it was.
func (f *Concurrent[F]) adopt(g *Filter[F]) error {
	made, err := g.Concurrent()
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case err != nil:
		return fmt.Errorf("cuckoo: %w: the filter in the file does not fit into words: %v", ErrMismatch, err)
	}
	*f = *made
	return nil
}

// Clone returns a filter with the keys of f, which it copies as [Concurrent.AppendBinary] says. Stats are those of a new filter.
func (f *Concurrent[F]) Clone() *Concurrent[F] {
	g, _ := f.Filter().Concurrent() // which has the configuration of f, so nothing can be wrong with it
	return g
}

// Reset empties the filter. Stats are then as NewConcurrent made them. While others use it, keys go one after the other, and of the
// inserts that run at the same time any may stay.
func (f *Concurrent[F]) Reset() { f.shared.Reset() }

// Equal tells whether the two filters have the same configuration and the same bytes in their tables, as [Filter.Equal] does. It copies
// both tables.
func (f *Concurrent[F]) Equal(g *Concurrent[F]) bool { return f.Filter().Equal(g.Filter()) }

// Merge adds every fingerprint of g, which it copies first as [Concurrent.AppendBinary] says, to f, as if each key of g had been inserted into f. Others may use both
// meanwhile. f may be g.
//
// Both filters need the same Buckets, Placement and Hash and, with fingerprint.Any, the same FingerprintBits. Otherwise the error is
// [ErrMismatch], which names the field. If the sum does not fit, the error is [ErrFull], and what was added is deleted again: others
// can have seen it meanwhile.
func (f *Concurrent[F]) Merge(g *Concurrent[F]) error {
	if err := f.config.sameTable(g.config); err != nil {
		return err
	}
	from := &g.Filter().engine
	o := kick.Stored
	added := 0
	eachOf(from, func(i, j, fp uint64) bool {
		if o = f.shared.Insert(i, j, fp); o == kick.Stored {
			added++
		}
		return o == kick.Stored
	})
	if o == kick.Stored {
		return nil
	}
	eachOf(from, func(i, j, fp uint64) bool {
		if added > 0 {
			f.shared.Delete(i, j, fp)
		}
		added--
		return added > 0
	})
	return f.outcome(o)
}

// eachOf calls f with the pair of every fingerprint of a table in turn, until it returns false.
func eachOf(e *kick.Engine, f func(i, j, fp uint64) bool) {
	t := &e.Table
	for bucket := range t.Buckets() {
		for lane := range t.Lanes() {
			if fp := t.Read(bucket, lane); fp != 0 && !f(bucket, e.Scheme.Alternate(bucket, fp), fp) {
				return
			}
		}
	}
}
