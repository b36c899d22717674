package bloom

import (
	"io"

	"github.com/nestfilter/nest/internal/container"
)

// file is what the errors of files begin with.
const file = container.Package(pkg)

// AppendBinary appends the file of the filter to b and returns the extended slice: docs/FORMAT.md has its
// bytes, which are the same on every machine. It costs a copy of the table and a checksum, and
// allocates once, unless b has room.
//
// Of the statistics only Len is stored. MaxBytes is not stored, and of the hash only its recipe:
// reading a SipHash filter requires its key, and only this process can read a MapHash filter. The error is
// [ErrConfig] for the zero filter and for a recipe longer than 1024 bytes.
func (f *base[K]) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, f.image) }

// MarshalBinary returns the file of the filter: see AppendBinary.
func (f *base[K]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of AppendBinary to w, in pieces of up to 64 KiB and without a copy of the
// table, and returns how many bytes w took. The errors are those of AppendBinary and of w.
func (f *base[K]) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, f.image) }

// UnmarshalBinary makes f, which may be a zero filter, the filter that AppendBinary wrote. The
// hash of f is used if its recipe is that of the file, so a filter that was made with
// hashing.SipHash(key) can read files under this key; its MaxBytes stays in force. For other
// hashers see [Decode], [DecodeBlocked] and [DecodeSplitBlock].
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
func (f *base[K]) UnmarshalBinary(b []byte) error {
	return file.Decode(b, f.load)
}

// ReadFrom makes f the filter that WriteTo wrote, as UnmarshalBinary does, and returns how
// many bytes it took from r. It reads one filter and not on to the end of r, in pieces of up to 64 KiB.
//
// Files and the readers of packages bytes and strings tell how much they have. For any other reader it first
// allocates 1 MiB and then up to four times what was read, at most MaxBytes. Errors of r are returned, and
// io.ErrNoProgress if r returns no bytes and no error 100 times in a row.
func (f *base[K]) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, f.load)
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *base[K]) load(s *container.Source) error {
	t, err := f.kind().file.Load(s, &f.t)
	if err == nil {
		f.adopt(t)
	}
	return err
}

// image returns the filter as a file.
func (f *base[K]) image() (container.Image, error) { return f.t.Image(f.kind().file.Type) }
