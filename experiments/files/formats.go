package files

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
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
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

const (
	splitBlocks = "split-block Bloom filters under XXH64 with seed 0"
	ownWay      = "cuckoo filters that take bucket and %d-bit fingerprint from MetroHash64 in a way of their own"
)

// forms are the formats, and whose filters each holds, for the error of a conversion that there is not.
var forms = []struct {
	name  Format
	holds string
}{
	{Nest, ""}, {Parquet, splitBlocks}, {ParquetBitset, splitBlocks},
	{Seiflotfy, fmt.Sprintf(ownWay, 8)}, {Panmari, fmt.Sprintf(ownWay, 16)},
	{BitsAndBlooms, "Bloom filters whose bits come from 256 bits of MurmurHash3 a key"},
}

// read returns the filter in b.
func read(b []byte, from Format, known []hashing.Hasher) (any, error) {
	switch from {
	case Parquet:
		return parquet.Decode(b, bloom.Config{})
	case ParquetBitset:
		return bloom.SplitBlockFromBitset(b, bloom.Config{})
	case Seiflotfy:
		return foreign.Decode(b, foreign.Config{Format: foreign.Seiflotfy})
	case Panmari:
		return foreign.Decode(b, foreign.Config{Format: foreign.Panmari})
	case BitsAndBlooms:
		return bitsandblooms.Decode(b, bitsandblooms.Config{})
	}
	return nest.Open(b, known...)
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

// holds says whose filters a format holds.
func holds(f Format) string { return forms[slices.Index(Formats(), string(f))].holds }

// ErrOtherAnswers reports a conversion after which the filter would answer otherwise.
var ErrOtherAnswers = errors.New("the answers would not be the same")

// Convert returns the filter in b, of one format, in the other. A filter is never changed: where the other format
// takes keys to other places of its table there is no conversion, since the keys are not in a filter, and
// the error is [ErrOtherAnswers] with the reason. A format into itself checks the bytes. Hashers that
// hold a secret are found among known. Other errors are those of the format's reader.
//
// It holds b and a filter in memory, and the result; Len is 0 in what comes from a format that does not store it.
func Convert(b []byte, from, to Format, known ...hashing.Hasher) (io.WriterTo, error) {
	f, err := read(b, from, known)
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
		w, err = write(f, from, to)
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
func write(f any, from, to Format) (io.WriterTo, error) {
	if front, ok := f.(nest.Filter); ok {
		if to == Nest {
			return front, nil
		}
		f = front.Unwrap()
	}
	switch f := f.(type) {
	case *bloom.SplitBlock:
		switch {
		case to == Nest:
			return f, nil
		case f.Config().Hash.Recipe() != hashing.XXH64(0).Recipe(): // readers of Parquet files hash keys in one way
		case to == ParquetBitset:
			return bytes.NewReader(f.Bitset()), nil
		case to == Parquet:
			b, err := parquet.Encode(f)
			return bytes.NewReader(b), err
		}
	case interface{ Encode() []byte }: // a filter of the Go modules of others
		if from == to {
			return bytes.NewReader(f.Encode()), nil
		}
	}
	return nil, nil
}

// reason says why there is no conversion.
func reason(f any, from, to Format) string {
	source := fmt.Sprintf("%s holds %s", from, holds(from))
	if front, ok := f.(nest.Filter); ok {
		source = fmt.Sprintf("this is a filter of kind %s under %s", front.Spec().Kind, front.Spec().Hash)
	}
	if to == Nest {
		return source + ", and a nest filter of that layout there is not; nest filter build makes one from the keys"
	}
	return fmt.Sprintf("%s, and %s holds %s", source, to, holds(to))
}

// maxPiped is how many bytes are read of a pipe or device in the formats of others.
const maxPiped = 1 << 30

// ReadBytes reads the bytes of one filter of a format, for [Convert] or nest.Inspect. In the format of nest it looks at
// the header first, and reads one byte more than that promises, to see that nothing follows. ends tells that r is a
// regular file, whose end is a bound already. Of any other reader the promise is at most 16 GiB, 1 GiB where int has 32
// bits, and other formats may have 1 GiB: beyond it the error is nest.ErrTooLarge. Other errors are those
// of the header, of r, and nest.ErrCorrupt for bytes after the filter.
func ReadBytes(r io.Reader, from Format, ends bool) ([]byte, error) {
	return readBytes(r, from, ends, config.DefaultMaxBytes, maxPiped)
}

// readBytes is ReadBytes with the limits of what is promised, and of what is not.
func readBytes(r io.Reader, from Format, ends bool, maxPromise, maxUnsized uint64) ([]byte, error) {
	if from != Nest && ends {
		return io.ReadAll(r)
	}
	most, more := maxUnsized, fmt.Errorf("%w: more than %d bytes, and %s has no end: give it as a regular file",
		nest.ErrTooLarge, maxUnsized, from)
	if from == Nest {
		s, _, err := container.FromReader(r)
		if err != nil {
			return nil, fmt.Errorf("nest: %w", err)
		}
		if r, most = io.MultiReader(bytes.NewReader(s.Head), r), s.FileBytes(); most > maxPromise && !ends {
			return nil, fmt.Errorf("%w: the header promises %d bytes, at most %d are read of what is no regular file",
				nest.ErrTooLarge, most, maxPromise)
		}
		more = fmt.Errorf("%w: at byte %d: bytes follow the filter", nest.ErrCorrupt, most)
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && uint64(len(b)) > most {
		err = more
	}
	return b, err
}
