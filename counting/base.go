package counting

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/errs"
)

// pkg is what the errors of this package begin with.
const pkg = config.Package("counting")

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

// ErrFull: there was no room for an insert, and the filter is as it was before the call. A [DLeft] does not grow: make
// one with a larger Capacity, or use a cuckoo.Filter, which fills its table further because it moves fingerprints.
var ErrFull = errs.Full

// A base is what the filters of this package are.
type base[K kinds] struct{ reader[K] }

// DeleteHash takes back one insert of the key with digest h and tells whether it did: false, with nothing changed, if
// the key is absent. It touches k words of a Filter, twice for a present key, and up to four buckets of a DLeft and a
// counter. A saturated counter stays as it is, so a key of nothing but saturated counters is never gone.
//
// Delete only keys that were inserted. The filter cannot check that: the delete of a false positive takes from the
// counters of other keys, which may then be reported absent. A key that InsertUnique refused, because Contains said
// yes, was not inserted: to delete it can lose another key.
func (f *base[K]) DeleteHash(h uint64) bool {
	if f.isDLeft() {
		bucket, lane, ok := f.find(f.classes.of(h))
		if !ok {
			return false
		}
		f.len = max(0, f.len-1)
		switch extra := f.extras.Get(bucket, lane); extra {
		case 0:
			f.remainders.Set(bucket, lane, 0)
			f.used--
		case f.top - 1:
		default:
			f.extras.Set(bucket, lane, extra-1)
		}
		return true
	}
	if !f.t.Nonzero(h) {
		return false
	}
	words, slots, width, top := f.t.Words, f.t.Slots, uint64(f.t.CellBits), f.t.Top
	for range f.t.Hashes {
		bit := bloomcore.Reduce(h, slots) * width
		word := &words[bit>>6]
		// A counter that was 1 can be 0 here if a key that was never inserted hits it twice.
		if counter := *word >> (bit & 63) & top; counter != 0 && counter != top {
			*word -= 1 << (bit & 63)
		}
		h = bloomcore.Next(h)
	}
	if f.t.Keys != 0 {
		f.t.Keys--
	}
	return true
}

// DeleteHashes deletes each of the digests hs as DeleteHash does and returns how many were found and deleted.
func (f *base[K]) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}

// Reset removes every key, saturated counters included. The memory is kept.
func (f *base[K]) Reset() {
	if f.isDLeft() {
		f.remainders.Reset()
		f.extras.Reset()
		f.len, f.used = 0, 0
		return
	}
	f.t.Reset()
}

// String returns a short description: shape and number of keys.
func (f *base[K]) String() string {
	if f.isDLeft() {
		return fmt.Sprintf("counting.DLeft{%s, len %d, %d bytes}", f.config, f.len, f.SizeBytes())
	}
	return fmt.Sprintf("counting.Filter{%s, len %d, %d bytes}", configOf(&f.t), f.t.Len(), f.SizeBytes())
}

// GoString is String: %#v of a filter does not print its table.
func (f *base[K]) GoString() string { return f.String() }

// AppendBinary appends the file of the filter to b and returns the extended slice: docs/FORMAT.md has its bytes. What
// it costs, what is stored and the error are those of bloom.Filter's AppendBinary.
func (f *base[K]) AppendBinary(b []byte) ([]byte, error) { return container.Encode(pkg, b, f.image) }

// MarshalBinary returns the file of the filter: see AppendBinary.
func (f *base[K]) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the bytes of AppendBinary to w, in pieces of up to 64 KiB and without a copy of the table, and returns
// how many bytes w took. The errors are those of AppendBinary and of w.
func (f *base[K]) WriteTo(w io.Writer) (int64, error) { return container.EncodeTo(pkg, w, f.image) }

// UnmarshalBinary makes f, which may be a zero filter, the filter that AppendBinary wrote, as that of bloom.Filter
// does: under its own hash and MaxBytes, with a new table of no more than len(b). For other hashers see [Decode]. An
// error is [ErrTooShort], [ErrVersion], [ErrMismatch], [ErrTooLarge] or [ErrCorrupt], says at which byte, and leaves f
// as it was.
func (f *base[K]) UnmarshalBinary(b []byte) error { return container.Decode(pkg, b, f.read) }

// ReadFrom makes f the filter that WriteTo wrote, as UnmarshalBinary does, and returns how many bytes it took from r.
// It reads one filter and not on to the end of r, and allocates as bloom.Filter's ReadFrom does. Errors of r are
// returned.
func (f *base[K]) ReadFrom(r io.Reader) (int64, error) { return container.DecodeFrom(pkg, r, f.read) }

// read makes f the filter that s holds, or leaves it as it was.
func (f *base[K]) read(s *container.Source) error {
	if f.isDLeft() {
		err := f.dleftTable.read(s)
		f.t.Hash = hashing.NewDigester(f.config.Hash)
		return err
	}
	t, err := bloomcore.Counting.Load(s, &f.t)
	if err == nil {
		f.t = t
	}
	return err
}

// image returns the filter as a file.
func (f *base[K]) image() (container.Image, error) {
	if f.isDLeft() {
		return f.dleftTable.image()
	}
	return bloomcore.Counting.Image(&f.t)
}
