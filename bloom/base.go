package bloom

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/errs"
)

// pkg is what the errors of this package begin with.
const pkg = config.Package("bloom")

// The errors of this package. All filter packages share them, so errors.Is with any of their names works on an error
// from any package. Errors that carry one of them say what and where.
var (
	ErrConfig   = errs.Config   // the configuration cannot be built; the error names each field that is wrong
	ErrMismatch = errs.Mismatch // two filters cannot be combined, because they were configured differently
	ErrTooLarge = errs.TooLarge // the table would be larger than MaxBytes; nothing was allocated
	ErrTooShort = errs.TooShort // encoded bytes end before the filter does
	ErrVersion  = errs.Version  // encoded bytes are of a format version that this package does not read
	ErrCorrupt  = errs.Corrupt  // encoded bytes contradict themselves or their checksum
)

// The kinds as types, so that a zero filter knows its kind too.
type (
	classic    [bloomcore.Bits]struct{}
	blocked    [bloomcore.Blocks]struct{}
	splitBlock [bloomcore.SplitBlocks]struct{}
	concurrent [bloomcore.SharedBlocks]struct{}
)

// A base is what the filters of this package are. Where a key's bits lie, the table knows. A method here that asks for
// the kind is slow by the lookup of it, so none is on the path of a key.
type base[K bloomcore.Layouts] struct{ reader[K] }

// kind returns the kind of the filter.
func (*base[K]) kind() *bloomcore.Kind { return bloomcore.KindOf[K]() }

// init makes f the empty filter that c describes.
func (f *base[K]) init(c Config) error {
	t, _, err := f.kind().Resolve(c.sizing())
	if err == nil {
		f.t = f.kind().New(t)
	}
	return err
}

// made returns f as the empty filter that c describes, or the zero F, which is nil.
func made[F interface{ init(Config) error }](f F, c Config) (made F, err error) {
	if err = f.init(c); err == nil {
		made = f
	}
	return made, err
}

// InsertHash inserts the key with digest h. It cannot fail, so unlike that of a cuckoo filter it returns no
// error: beyond its capacity a filter takes keys at a rising false-positive rate. It touches k words of a Filter, and
// one cache line of the others.
func (f *base[K]) InsertHash(h uint64) {
	bloomcore.Set[K](&f.t, h)
	f.t.Keys++
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *base[K]) InsertHashes(hs []uint64) { bloomcore.AddAll[K](&f.t, hs) }

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did. A false positive
// refuses a new key. It costs what InsertHash does.
func (f *base[K]) InsertUniqueHash(h uint64) bool {
	if !bloomcore.Set[K](&f.t, h) {
		return false
	}
	f.t.Keys++
	return true
}

// Reset removes every key. The memory is kept. Of inserts into a Concurrent at the same time any may stay, or some bits
// of one.
func (f *base[K]) Reset() { f.t.Reset() }

// String returns a short description: kind, shape and number of inserts.
func (f *base[K]) String() string {
	return fmt.Sprintf("bloom.%s{%s, len %d, %d bytes}", f.kind().Name, f.Config(), f.t.Len(), f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *base[K]) GoString() string { return f.String() }

// AppendBinary appends the file of the filter to b and returns the extended slice: docs/FORMAT.md has its bytes, which
// are the same on every machine. It costs a copy of the table and a checksum, and allocates once, unless b has room. A
// [Concurrent] has the file of a [Blocked] with its keys, except a byte that says so; [DecodeBlocked] reads it too. It
// copies its table first, so that it may be used meanwhile.
//
// Of the statistics only Len is stored. MaxBytes is not stored, and of the hash only its recipe: reading a SipHash
// filter requires its key, and only this process can read a MapHash filter. The error is [ErrConfig] for the zero
// filter and for a recipe longer than 1024 bytes.
func (f *base[K]) AppendBinary(b []byte) ([]byte, error) { return container.Encode(pkg, b, f.image) }

// MarshalBinary returns the file of the filter: see AppendBinary.
func (f *base[K]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of AppendBinary to w, in pieces of up to 64 KiB and, unless a Concurrent, without a copy of
// the table. It returns how many bytes w took. The errors are those of AppendBinary and of w.
func (f *base[K]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, f.image) }

// UnmarshalBinary makes f, which may be a zero filter, the filter that AppendBinary wrote. The hash of f is used if its
// recipe is that of the file, so a filter that was made with hashing.SipHash(key) can read files under this key; its
// MaxBytes stays in force. For other hashers see [Decode]. No other goroutine may use f meanwhile.
//
// It allocates a new table, no more than len(b), and reads it once. The errors say at which byte, and leave f as it
// was:
//
//   - [ErrTooShort]: b ends before the filter does;
//   - [ErrVersion]: b is of a later version of the format, or of a later filter type;
//   - [ErrMismatch]: b is a filter of another type; or its hash is neither built in nor that of f, as with
//     a wrong SipHash key; or its hash is hashing.DigestsOnly and that of f is not;
//   - [ErrTooLarge]: the table is beyond MaxBytes, if that was set;
//   - [ErrCorrupt]: anything else, bytes after the filter included.
func (f *base[K]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, f.load) }

// ReadFrom makes f the filter that WriteTo wrote, as UnmarshalBinary does, and returns how many bytes it took from r.
// It reads one filter and not on to the end of r, in pieces of up to 64 KiB.
//
// Files and the readers of packages bytes and strings tell how much they have. For any other reader it allocates 1 MiB
// first and then up to four times what was read, at most MaxBytes. Errors of r are returned, and io.ErrNoProgress if r
// returns no bytes and no error 100 times in a row.
func (f *base[K]) ReadFrom(r io.Reader) (int64, error) { return container.DecodeFrom(pkg, r, f.load) }

// load makes f the filter that s holds, or leaves it as it was.
func (f *base[K]) load(s *container.Source) error {
	t, err := f.kind().Load(s, &f.t)
	if err == nil {
		f.t = t
	}
	return err
}

// image returns the filter as a file.
func (f *base[K]) image() (container.Image, error) { return f.kind().Image(&f.t) }
