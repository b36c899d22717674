package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
	"github.com/nestfilter/nest/bloom/parquet"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/limits"
)

// A Format is a form of a filter in bytes.
type Format string

// The formats. docs/INTEROP.md says more of those of other systems.
const (
	// Nest is the format of this project, of every kind.
	Nest Format = "nest"
	// Parquet is a filter of a Parquet file with its header, ParquetBitset the same without the header.
	Parquet       Format = "parquet"
	ParquetBitset Format = "parquet-bitset"
	// Seiflotfy and Panmari are dumps of the cuckoo filters of these authors' Go modules.
	Seiflotfy Format = "seiflotfy"
	Panmari   Format = "panmari"
	// BitsAndBlooms is a Bloom filter of the Go module of that name.
	BitsAndBlooms Format = "bits-and-blooms"
)

// A form is how a format is read, and what is in it.
type form struct {
	name Format
	// holds says whose filters these are, for the error of a conversion that there is not.
	holds string
	read  func(b []byte, known []hashing.Hasher) (any, error)
	// size returns how many bytes the filter in r has, as its header says, and a reader of all of them. It is nil of
	// a format without a header.
	size func(r io.Reader) (all io.Reader, bytes uint64, err error)
}

const (
	splitBlocks = "split-block Bloom filters under XXH64 with seed 0"
	ownWay      = "cuckoo filters that take bucket and %d-bit fingerprint from MetroHash64 in a way of their own"
)

var forms = []form{
	{Nest, "", func(b []byte, known []hashing.Hasher) (any, error) { return nest.Open(b, known...) }, nestSize},
	{Parquet, splitBlocks, func(b []byte, _ []hashing.Hasher) (any, error) {
		return parquet.Decode(b, bloom.Config{})
	}, parquetSize},
	{ParquetBitset, splitBlocks, func(b []byte, _ []hashing.Hasher) (any, error) {
		return bloom.SplitBlockFromBitset(b, bloom.Config{})
	}, nil},
	{Seiflotfy, fmt.Sprintf(ownWay, 8), dumpReader(foreign.Seiflotfy), nil},
	{Panmari, fmt.Sprintf(ownWay, 16), dumpReader(foreign.Panmari), nil},
	{BitsAndBlooms, "Bloom filters whose bits come from 256 bits of MurmurHash3 a key",
		func(b []byte, _ []hashing.Hasher) (any, error) {
			return bitsandblooms.Decode(b, bitsandblooms.Config{})
		}, bitsAndBloomsSize},
}

func dumpReader(f foreign.Format) func([]byte, []hashing.Hasher) (any, error) {
	return func(b []byte, _ []hashing.Hasher) (any, error) { return foreign.Decode(b, foreign.Config{Format: f}) }
}

// Formats returns the names of all formats, that of [Nest] first. The slice is the caller's.
func Formats() (all []string) {
	for _, f := range forms {
		all = append(all, string(f.name))
	}
	return all
}

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	if slices.Contains(Formats(), name) {
		return Format(name), nil
	}
	return "", fmt.Errorf("%q: want one of %s", name, strings.Join(Formats(), ", "))
}

func of(f Format) form {
	return forms[slices.IndexFunc(forms, func(form form) bool { return form.name == f })]
}

// ErrOtherAnswers reports a conversion after which the filter would answer otherwise.
var ErrOtherAnswers = errors.New("the answers would not be the same")

// Convert returns the filter in b, of one format, in the other. A filter is never changed: where the other format
// takes keys to other places of its table there is no conversion, since the keys are not in a filter, and
// the error is [ErrOtherAnswers] with the reason. A format into itself checks the bytes. Hashers that
// hold a secret are found among known. Other errors are those of the format's reader.
//
// It holds b and a filter in memory, and the result; Len is 0 in what comes from a format that does not store it.
func Convert(b []byte, from, to Format, known ...hashing.Hasher) (io.WriterTo, error) {
	f, err := of(from).read(b, known)
	return convert(f, err, from, to)
}

// ConvertAt is [Convert] of the filter with a header that begins at an offset of a Parquet file.
func ConvertAt(r io.ReaderAt, offset int64, to Format) (io.WriterTo, error) {
	f, err := parquet.DecodeAt(r, offset, bloom.Config{})
	return convert(f, err, Parquet, to)
}

// convert goes on from what reading one format returned.
func convert(f any, err error, from, to Format) (w io.WriterTo, _ error) {
	if err == nil {
		w, err = write(f, to)
	} else {
		err = fmt.Errorf("as %s: %w", from, err)
	}
	if err == nil && w == nil {
		err = fmt.Errorf("%w: %s", ErrOtherAnswers, reason(f, from, to))
	}
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	return w, nil
}

// write returns the filter in a format that can hold it, or nil.
func write(f any, to Format) (io.WriterTo, error) {
	if front, ok := f.(nest.Filter); ok {
		if to == Nest {
			return front, nil
		}
		f = front.Unwrap()
	}
	switch f := f.(type) {
	case *bloom.SplitBlock:
		// Readers of Parquet files hash keys in one way.
		hashed := f.Config().Hash.Recipe() == hashing.XXH64(0).Recipe()
		switch {
		case to == Nest:
			return f, nil
		case to == ParquetBitset && hashed:
			return bytes.NewReader(f.Bitset()), nil
		case to == Parquet && hashed:
			b, err := parquet.Encode(f)
			return bytes.NewReader(b), err
		}
	case *foreign.Filter:
		if string(to) == f.Config().Format.String() {
			return bytes.NewReader(f.Encode()), nil
		}
	case *bitsandblooms.Filter:
		if to == BitsAndBlooms {
			return bytes.NewReader(f.Encode()), nil
		}
	}
	return nil, nil
}

// reason says why there is no conversion.
func reason(f any, from, to Format) string {
	source := fmt.Sprintf("%s holds %s", from, of(from).holds)
	if front, ok := f.(nest.Filter); ok {
		source = fmt.Sprintf("this is a filter of kind %s under %s", front.Spec().Kind, front.Spec().Hash)
	}
	if to == Nest {
		return source + ", and a nest filter of that layout there is not; nest filter build makes one from the keys"
	}
	return fmt.Sprintf("%s, and %s holds %s", source, to, of(to).holds)
}

// MaxUnsized is how many bytes are read of a pipe or device in a format that does not say how large the filter is.
const MaxUnsized = 1 << 30

// ReadBytes reads the bytes of one filter of a format, for [Convert] or nest.Inspect. It looks at the header first,
// and reads one byte more than that promises, to see that nothing follows. ends tells that r is a regular file, whose
// end is a bound already. Of any other reader the promise is at most 16 GiB, 1 GiB where int has 32 bits, and formats
// without a header may have [MaxUnsized] bytes: beyond it the error is nest.ErrTooLarge. Other errors are those of
// the format's reader about the header, of r, and nest.ErrCorrupt for bytes after the filter.
func ReadBytes(r io.Reader, from Format, ends bool) ([]byte, error) {
	return readBytes(r, from, ends, limits.DefaultMaxBytes, MaxUnsized)
}

// readBytes is ReadBytes with the limits of what is promised, and of what is not.
func readBytes(r io.Reader, from Format, ends bool, maxPromise, maxUnsized uint64) ([]byte, error) {
	size := of(from).size
	if size == nil && ends {
		return io.ReadAll(r)
	}
	if size == nil {
		b, more, err := readUpTo(r, maxUnsized)
		if more {
			err = fmt.Errorf("%w: more than %d bytes, and %s does not say where a filter ends: give it as a regular file",
				nest.ErrTooLarge, maxUnsized, from)
		}
		return b, err
	}
	again, promised, err := size(r)
	if err != nil {
		return nil, err
	}
	if promised > maxPromise && !ends {
		return nil, fmt.Errorf("%w: the header promises %d bytes, at most %d are read of what is no regular file",
			nest.ErrTooLarge, promised, maxPromise)
	}
	b, more, err := readUpTo(again, promised)
	if more {
		err = fmt.Errorf("%w: at byte %d: bytes follow the filter", nest.ErrCorrupt, promised)
	}
	return b, err
}

// readUpTo reads n bytes or fewer, and tells whether there is one more.
func readUpTo(r io.Reader, n uint64) (b []byte, more bool, err error) {
	b, err = io.ReadAll(io.LimitReader(r, int64(n)+1))
	return b, uint64(len(b)) > n, err
}

func nestSize(r io.Reader) (io.Reader, uint64, error) {
	again, err := container.Peek(r)
	if err != nil {
		return nil, 0, fmt.Errorf("nest: %w", err)
	}
	return again, again.FileBytes(), nil
}

func parquetSize(r io.Reader) (io.Reader, uint64, error) {
	return peek(r, parquet.MaxHeader+1, parquet.Size)
}

// bitsAndBloomsHeader is the number of bytes before the words: 64 bits each for bits, hashes and bits again.
const bitsAndBloomsHeader = 24

func bitsAndBloomsSize(r io.Reader) (io.Reader, uint64, error) {
	return peek(r, bitsAndBloomsHeader, func(head []byte) (uint64, error) {
		// A header alone is too short, unless something else is wrong with it.
		_, err := bitsandblooms.Decode(head, bitsandblooms.Config{})
		if !errors.Is(err, bloom.ErrTooShort) || len(head) < bitsAndBloomsHeader {
			return 0, err
		}
		return bitsAndBloomsHeader + (binary.BigEndian.Uint64(head)+63)/64*8, nil
	})
}

// peek reads up to n bytes and returns the size that they announce, and a reader of all.
func peek(r io.Reader, n int64, size func(head []byte) (uint64, error)) (io.Reader, uint64, error) {
	head, err := io.ReadAll(io.LimitReader(r, n))
	if err != nil {
		return nil, 0, err
	}
	bytesOf, err := size(head)
	return io.MultiReader(bytes.NewReader(head), r), bytesOf, err
}
