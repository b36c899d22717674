package filterfile

import (
	"bytes"
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
	read func(b []byte, known []hashing.Hasher) (any, error)
	// holds says whose filters these are, for the error of a conversion that there is not.
	holds string
	// size returns how many bytes the filter in r has, as its header says, and a reader of all of them. It is nil of a format
	// without a header.
	size func(r io.Reader) (all io.Reader, bytes uint64, err error)
}

var forms = []form{
	{Nest, func(b []byte, known []hashing.Hasher) (any, error) { return nest.Open(b, known...) }, "", nestSize},
	{Parquet, func(b []byte, _ []hashing.Hasher) (any, error) { return parquet.Decode(b, bloom.Config{}) },
		"split-block Bloom filters under XXH64 with seed 0", parquetSize},
	{ParquetBitset, func(b []byte, _ []hashing.Hasher) (any, error) {
		return bloom.SplitBlockFromBitset(b, bloom.Config{})
	}, "split-block Bloom filters under XXH64 with seed 0", nil},
	{Seiflotfy, dumpReader(foreign.Seiflotfy), "cuckoo filters that take bucket and 8-bit fingerprint from MetroHash64 in a way of their own", nil},
	{Panmari, dumpReader(foreign.Panmari), "cuckoo filters that take bucket and 16-bit fingerprint from MetroHash64 in a way of their own", nil},
	{BitsAndBlooms, func(b []byte, _ []hashing.Hasher) (any, error) {
		return bitsandblooms.Decode(b, bitsandblooms.Config{})
	}, "Bloom filters whose bits come from 256 bits of MurmurHash3 a key", bitsAndBloomsSize},
}

// Formats returns all formats, [Nest] first. The slice is the caller's.
func Formats() (all []Format) {
	for _, f := range forms {
		all = append(all, f.name)
	}
	return all
}

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	if slices.Contains(Formats(), Format(name)) {
		return Format(name), nil
	}
	return "", fmt.Errorf("%q: want one of %s", name, FormatNames())
}

// FormatNames lists the formats as help and errors do.
func FormatNames() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(Formats()), "[]"), " ", ", ")
}

func of(f Format) form {
	return forms[slices.IndexFunc(forms, func(form form) bool { return form.name == f })]
}

func dumpReader(f foreign.Format) func([]byte, []hashing.Hasher) (any, error) {
	return func(b []byte, _ []hashing.Hasher) (any, error) { return foreign.Decode(b, foreign.Config{Format: f}) }
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
func convert(f any, err error, from, to Format) (io.WriterTo, error) {
	if err != nil {
		return nil, fmt.Errorf("convert: as %s: %w", from, err)
	}
	if w, err := write(f, to); w != nil || err != nil {
		return w, err
	}
	return nil, fmt.Errorf("convert: %w: %s", ErrOtherAnswers, reason(f, from, to))
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
			if err != nil {
				return nil, fmt.Errorf("convert: %w", err)
			}
			return bytes.NewReader(b), nil
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
		return source + ", and a nest filter of that layout there is not; nest build makes one from the keys"
	}
	return fmt.Sprintf("%s, and %s holds %s", source, to, of(to).holds)
}
