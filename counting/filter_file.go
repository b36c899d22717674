package counting

import (
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// file is what the errors of this file begin with.
const file = container.Package(pkg)

// AppendBinary appends the file of the filter to b and returns the extended slice: docs/FORMAT.md has its
// bytes, which are the same on every machine. It costs a copy of the table and a checksum, and
// allocates once, unless b has room.
//
// Of the statistics only Len is stored. MaxBytes is not stored, and of the hash only its recipe:
// reading a SipHash filter requires its key, and only this process can read a MapHash filter. The error is
// [ErrConfig] for the zero filter and for a recipe longer than 1024 bytes.
func (f *Filter) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary returns the file of the filter: see [Filter.AppendBinary].
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Filter.AppendBinary] to w, in pieces of up to 64 KiB and without a copy of the
// table, and returns how many bytes w took. The errors are those of AppendBinary and of w.
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// UnmarshalBinary makes f, which may be the zero Filter, the filter that [Filter.AppendBinary] wrote. The
// hash of f is used if its recipe is that of the file, so a filter that was made with
// hashing.SipHash(key) can read files under this key; its MaxBytes stays in force. For other
// hashers see [Decode].
//
// It allocates a new table, no more than len(b), and reads it once. The errors say at which byte, and
// leave f as it was:
//
//   - [ErrTooShort]: b ends before the filter does;
//   - [ErrVersion]: b is of a later version of the format, or of a later filter type;
//   - [ErrMismatch]: b is a filter of another type; or its hash is neither built in nor that of f, as with
//     a wrong SipHash key; or its hash is hashing.DigestsOnly and that of f is not;
//   - [ErrTooLarge]: the table is beyond MaxBytes, if that was set;
//   - [ErrCorrupt]: anything else, bytes behind the filter included.
func (f *Filter) UnmarshalBinary(b []byte) error {
	return file.Decode(b, f.load)
}

// ReadFrom makes f the filter that [Filter.WriteTo] wrote, as [Filter.UnmarshalBinary] does, and returns how
// many bytes it took from r. It reads one filter and not on to the end of r, in pieces of up to 64 KiB.
//
// Files and the readers of packages bytes and strings tell how much they have. For any other reader it first
// allocates 1 MiB and then up to four times what was read, at most MaxBytes. Errors of r are returned, and
// io.ErrNoProgress if r returns no bytes and no error 100 times in a row.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, f.load)
}

// Decode returns the filter in b, as [Filter.UnmarshalBinary] does. Hashers that are not built in, or that hold
// a secret, are found by their recipe among known. So is hashing.DigestsOnly, under
// which verbs that take keys panic: it is used only if known has it.
func Decode(b []byte, known ...hashing.Hasher) (*Filter, error) {
	return container.Decoded(file, b, (*Filter).load, known)
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *Filter) load(s *container.Source) error {
	t, err := bloomcore.Counting.Load(s, &f.t)
	if err == nil {
		f.t = t
	}
	return err
}

// image returns the filter as a file.
func (f *Filter) image() (container.Image, error) { return bloomcore.Counting.Image(&f.t) }
