package fuse

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// The parameters of a file: three bytes, the number of segments in which a key may have its first slot in 4 bytes,
// the seed in 8.
const (
	widthAt = iota
	arityAt
	segmentAt // the logarithm of the slots of a segment
	zeroAt
	spanAt
	seedAt   = 8
	unusedAt = 16
)

// AppendBinary appends the filter's file to b: docs/FORMAT.md describes the bytes, which are the same on every machine.
// It costs a copy of the table and a checksum, and allocates once, unless b has room.
//
// The file does not have Stats and MaxBytes, and of the hash it has the recipe alone. The error is [ErrConfig] if that
// is longer than 1024 bytes or f is the zero Filter.
func (f *Filter[F]) AppendBinary(b []byte) ([]byte, error) { return container.Encode(pkg, b, f.image) }

// MarshalBinary is [Filter.AppendBinary] to nothing.
func (f *Filter[F]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of [Filter.AppendBinary] to w, without a copy of the table, and returns how many w took.
// The errors are those of AppendBinary and of w.
func (f *Filter[F]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, f.image) }

// UnmarshalBinary makes f, which may be the zero Filter, the filter that [Filter.AppendBinary] wrote. The hash of f
// serves where its recipe is that of the file, and the MaxBytes of f stays in force.
//
// It allocates no more than len(b) bytes. The errors say what was found where, and leave f as it was:
// [ErrTooShort]; [ErrVersion] for a later format or filter type; [ErrMismatch] for another type or width, and for a
// hash that is neither built in nor that of f, or is hashing.DigestsOnly where that of f is not; [ErrTooLarge] for a
// table beyond a MaxBytes that was set; and [ErrCorrupt] for anything else, such as bytes after the filter.
func (f *Filter[F]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, f.load) }

// ReadFrom makes f the filter that [Filter.WriteTo] wrote, as [Filter.UnmarshalBinary] does, and returns how many
// bytes it took from r. It leaves what follows in r. cuckoo.Filter.ReadFrom says what it allocates, and what it
// returns of errors of r.
func (f *Filter[F]) ReadFrom(r io.Reader) (int64, error) { return container.DecodeFrom(pkg, r, f.load) }

// Decode returns the filter in b, as [Filter.UnmarshalBinary] of the zero Filter does. Hashers that are not built in or
// hold a secret, and hashing.DigestsOnly, under which key verbs panic, are found by their recipe among known.
func Decode[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Filter[F], error) {
	return container.Decoded(pkg, b, (*Filter[F]).load, known)
}

// View answers as the [Filter] does whose file its bytes are, where they are: in a mapped file, or an embedded asset.
// Any number of goroutines may query it at once. The bytes must stay as they are while it is used: if a file that was
// mapped is made shorter, the next query of the missing part ends the program with a fault (SIGBUS).
type View[F fingerprint.Width] struct {
	reader[F]
	file container.View
}

// OpenView returns a view of the filter in b, with hashers as in [Decode].
//
// It checks the header and the length, and takes about a microsecond: [View.VerifyChecksum] checks the table. A damaged
// one gives wrong answers, and makes no query panic. The errors are those of [Filter.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	return container.Opened(pkg, b, known, func(v *View[F], file *container.View) error {
		err := v.describe(&file.Header)
		v.file, v.t.data = *file, file.Table
		return err
	})
}

// VerifyChecksum reads the whole table and returns [ErrCorrupt] if its checksum is not the one in the file.
func (v *View[F]) VerifyChecksum() error { return pkg.Wrap(v.file.VerifyChecksum()) }

var errZero = fmt.Errorf("%w: the zero Filter is none to store", ErrConfig)

// image returns the filter as a file.
func (f *Filter[F]) image() (m container.Image, err error) {
	t := &f.t
	if t.segment == 0 {
		return m, errZero
	}
	m.Type, m.Len, m.Hash = container.Fuse, t.keys, f.config.Hash.Recipe()
	p := &m.Params
	p[widthAt], p[arityAt], p[segmentAt] = byte(t.width), byte(t.arity()), byte(bits.TrailingZeros64(t.segment))
	binary.LittleEndian.PutUint32(p[spanAt:], uint32(t.span/t.segment))
	binary.LittleEndian.PutUint64(p[seedAt:], t.seed)
	m.Parts = []container.Part{{Bytes: t.data}}
	return m, nil
}

// describe makes f the filter of a header, without its table. MaxBytes is not in a header.
func (f *reader[F]) describe(h *container.Header) error {
	if err := h.Want(container.Fuse); err != nil {
		return err
	}
	t, err := shapeIn(h)
	if err != nil {
		return err
	}
	hash, err := h.Hasher()
	if err != nil {
		return err
	}
	return f.become(table{shape: t}, hash)
}

// become makes f the filter of a table, if its fingerprints have the width of F.
func (f *reader[F]) become(t table, h hashing.Hasher) error {
	if wanted := fingerprint.WidthOf[F](); wanted != 0 && t.width != uint64(wanted) {
		return fmt.Errorf("%w: fingerprints of %d bits, want %d", ErrMismatch, t.width, wanted)
	}
	c := Config{FingerprintBits: int(t.width), Segments: int(t.arity()), Hash: h}
	*f = reader[F]{t: t, hash: hashing.NewDigester(h), config: c}
	return nil
}

// shapeIn returns the shape that a header describes.
func shapeIn(h *container.Header) (t shape, err error) {
	p := h.Params
	t = shape{
		keys: h.Len, seed: binary.LittleEndian.Uint64(p[seedAt:]), segment: 1 << min(p[segmentAt], 63),
		width: uint64(p[widthAt]), four: p[arityAt] == 4,
	}
	t.span = uint64(binary.LittleEndian.Uint32(p[spanAt:])) * t.segment
	size, ok := t.size()
	switch err = t.check(container.ParamsAt); {
	case err != nil:
	case p[zeroAt] != 0 || slices.Max(p[unusedAt:]) != 0 || h.Kick != "" || p[arityAt] != byte(t.arity()):
		err = container.Corrupt(container.ParamsAt, "%d slots for each key, or what no %v has", p[arityAt], h.Type)
	case h.Len > t.slots():
		err = container.Corrupt(container.LenAt, "Len is %d, of %d slots", h.Len, t.slots())
	case !ok || t.slots() > math.MaxInt:
		err = fmt.Errorf("%w: %d slots, which do not fit into an int", ErrTooLarge, t.slots())
	case uint64(size) != h.TableBytes:
		err = container.Corrupt(container.ParamsAt, "%d slots in %d bytes, want %d", t.slots(), h.TableBytes, size)
	}
	return t, err
}

// check returns an ErrCorrupt at a byte if no filter has the shape t.
func (t *shape) check(at int) error {
	switch log := bits.TrailingZeros64(t.segment); {
	case t.width < 1 || t.width > fingerprint.MaxWidth:
		return container.Corrupt(at, "fingerprints of %d bits", t.width)
	case t.segment != 1<<log || log < minLog || log > maxLog:
		return container.Corrupt(at, "segments of %d slots", t.segment)
	case t.span == 0 || t.span%t.segment != 0 || t.slots() > MaxSlots:
		return container.Corrupt(at, "keys begin in %d slots", t.span)
	}
	return nil
}

// load makes f the filter that s holds, or leaves it as it was.
func (f *Filter[F]) load(s *container.Source) (err error) {
	var g reader[F]
	s.Know(f.config.Hash)
	if err := g.describe(&s.Header); err != nil {
		return err
	}
	g.config.MaxBytes = f.config.MaxBytes
	if g.t.data, err = s.Last(int(s.TableBytes), &g.config.MaxBytes); err != nil {
		return err
	}
	if err := g.t.checkEnd(uint64(s.Size())); err != nil {
		return err
	}
	f.reader = g
	return nil
}

// checkEnd returns an ErrCorrupt if bits after the last slot are not 0. The table begins at a byte of the file.
func (t *table) checkEnd(from uint64) error {
	end := t.slots() * t.width
	if last := t.data[end/8:]; last[0]>>(end%8) != 0 || slices.Max(last[1:]) != 0 {
		return container.Corrupt(from+end/8, "bits behind the last slot are not 0")
	}
	return nil
}
