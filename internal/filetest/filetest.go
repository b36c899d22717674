// Package filetest holds what the file format promises of any bytes against the filters that read them. It is for
// the fuzz tests of the packages whose filters are stored as files.
package filetest

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"slices"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/errs"
)

// A Filter is what is stored as a file.
type Filter interface {
	ContainsHash(h uint64) bool
	Len() int
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	io.ReaderFrom
	io.WriterTo
}

// A View answers from the bytes of a file.
type View interface {
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	Len() int
	VerifyChecksum() error
}

// A Type is a type of filter, or several, whose files are read.
type Type[F Filter] struct {
	// Own returns what a file is read into: a filter with some keys.
	Own func() F
	// View opens a view of a file.
	View func(b []byte) (View, error)
	// Rates returns the load factor and the false-positive rate of a view that View returned.
	Rates func(View) (load, rate float64)
	// Use runs verbs of a filter that was read, and returns what is wrong with it.
	Use func(F) error
}

// Where docs/FORMAT.md has the type, the size of the header, that of the table and the flags and, in the table of a
// growing filter, the checksum of its directory.
const (
	typeAt         = 10
	headerAt       = 12
	tableAt        = 16
	flagsAt        = 36
	directorySumAt = 40
	sumBytes       = 8
)

// Check reads b as it is, then with right checksums, then with the right size of its table too, so that bytes
// which a fuzzer changed get behind the checks. It tells whether one of them was a filter, and returns an
// error for each broken promise:
//
//   - bytes and a stream of them are taken or refused alike;
//   - a refusal is one of the five errors about files, and leaves the receiver as it was;
//   - reading allocates at most 4 MiB and 6 times the length of b;
//   - what is taken is stored as the same bytes by every verb that stores, but for the flag of filters for goroutines,
//     which is that of F;
//   - there is a view of it, which answers as it does, and no view panics.
func (x Type[F]) Check(b []byte) (taken bool, err error) {
	forms := []func([]byte) bool{func([]byte) bool { return true }, Reseal, resize}
	for _, change := range forms {
		if c := bytes.Clone(b); change(c) {
			ok, wrong := x.read(c)
			if wrong != nil {
				return false, fmt.Errorf("%w\n%x", wrong, c)
			}
			taken = taken || ok
		}
	}
	return taken, nil
}

// resize makes the size of the table and the checksums right, and tells whether b has places for them.
func resize(b []byte) bool {
	if len(b) < container.RecipesAt {
		return false
	}
	header := uint64(binary.LittleEndian.Uint32(b[headerAt:]))
	if uint64(len(b)) < header+sumBytes {
		return false
	}
	binary.LittleEndian.PutUint64(b[tableAt:], uint64(len(b))-header-sumBytes)
	return Reseal(b)
}

// read reads b in every way and tells whether it is a filter.
func (x Type[F]) read(b []byte) (taken bool, err error) {
	f := x.Own()
	before, err := f.MarshalBinary()
	if err != nil {
		return false, err
	}
	var refusal error
	if err := frugal(b, func() { refusal = f.UnmarshalBinary(b) }); err != nil {
		return false, err
	}
	if err := outcome(f, refusal, before, b); err != nil {
		return false, err
	}
	if err := x.stream(b, before, refusal); err != nil {
		return false, err
	}
	if err := x.view(b, f, refusal); err != nil || refusal != nil {
		return false, err
	}
	return true, x.Use(f)
}

// frugal returns an error if read allocates more than its input excuses: 4 MiB, which is the first step of a
// stream and the scratch memory of a kick policy, and the table with what a stream grows it from.
func frugal(b []byte, read func()) error {
	before := allocated()
	read()
	if got, limit := allocated()-before, uint64(4<<20+6*len(b)); got > limit {
		return fmt.Errorf("reading %d bytes allocated %d, more than %d", len(b), got, limit)
	}
	return nil
}

// allocated returns how many bytes the program has allocated. It may miss the last few thousand.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// outcome checks a receiver: it is stored as it was before or, if b was not refused, as b.
func outcome(f Filter, refusal error, before, b []byte) error {
	want := unshared(b)
	if refusal != nil {
		want = unshared(before)
		if err := refused(refusal); err != nil {
			return err
		}
	}
	marshaled, err1 := f.MarshalBinary()
	appended, err2 := f.AppendBinary([]byte("before"))
	var written bytes.Buffer
	n, err3 := f.WriteTo(&written)
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("storing %v: %w", f, err)
	}
	rest, ok := bytes.CutPrefix(appended, []byte("before"))
	same := ok && int(n) == len(want)
	for _, stored := range [][]byte{marshaled, rest, written.Bytes()} {
		same = same && bytes.Equal(unshared(stored), want)
	}
	if !same {
		return fmt.Errorf("after %v %v is stored as %x, %x and %x, want %x",
			refusal, f, marshaled, rest, written.Bytes(), want)
	}
	return nil
}

// unshared returns a file without the flag of filters for goroutines.
func unshared(b []byte) []byte {
	if len(b) < container.RecipesAt || b[flagsAt] == 0 {
		return b
	}
	b = bytes.Clone(b)
	b[flagsAt] = 0
	Reseal(b)
	return b
}

// refused returns an error unless a refusal is one that files may get.
func refused(refusal error) error {
	for _, kind := range []error{errs.TooShort, errs.Version, errs.Mismatch, errs.TooLarge, errs.Corrupt} {
		if errors.Is(refusal, kind) && !errors.Is(refusal, errs.Config) {
			return nil
		}
	}
	return fmt.Errorf("the error is %w, which says nothing of a file", refusal)
}

// stream reads b from a reader that does not say its length.
func (x Type[F]) stream(b, before []byte, refusal error) error {
	f, r := x.Own(), bytes.NewReader(b)
	var n int64
	var err error
	if err := frugal(b, func() { n, err = f.ReadFrom(struct{ io.Reader }{r}) }); err != nil {
		return err
	}
	took := len(b) - r.Len()
	switch {
	case int(n) != took:
		return fmt.Errorf("ReadFrom took %d bytes and says %d", took, n)
	case (err == nil) != (refusal == nil) && (err != nil || took == len(b)):
		return fmt.Errorf("ReadFrom says %v, UnmarshalBinary %w", err, refusal)
	}
	return outcome(f, err, before, b[:took])
}

// digests are asked for in filters and views.
var digests = []uint64{0, ^uint64(0), 1, 1 << 63, 1<<32 - 1, hashing.Mix64(1), hashing.Mix64(2), hashing.Mix64(3)}

// view opens a view of b and compares it with f, unless f refused b.
func (x Type[F]) view(b []byte, f F, refusal error) error {
	v, err := x.View(b)
	if err != nil {
		if refusal == nil {
			return fmt.Errorf("there is no view of a filter: %w", err)
		}
		return refused(err)
	}
	sumErr := v.VerifyChecksum()
	single, batch := make([]bool, len(digests)), make([]bool, len(digests))
	for i, h := range digests {
		single[i] = v.ContainsHash(h)
	}
	v.ContainsHashes(digests, batch)
	if load, rate := x.Rates(v); !slices.Equal(single, batch) || !(load >= 0 && load <= 1 && rate >= 0 && rate <= 1) {
		return fmt.Errorf("the view answers %v one by one and %v at once, load %v, rate %v", single, batch, load, rate)
	}
	if refusal != nil {
		return nil // a view does not look at the table
	}
	for i, h := range digests {
		batch[i] = f.ContainsHash(h)
	}
	if sumErr != nil || v.Len() != f.Len() || !slices.Equal(single, batch) {
		return fmt.Errorf("the view has Len %d, answers %v and %w; the filter Len %d and %v",
			v.Len(), single, sumErr, f.Len(), batch)
	}
	return nil
}
