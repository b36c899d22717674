package filterfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
	"github.com/nestfilter/nest/bloom/parquet"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/limits"
)

// MaxUnsized is how many bytes are read of a pipe or device in a format that does not say how large the filter is.
const MaxUnsized = 1 << 30

// ReadBytes reads the bytes of one filter of a format, for [Convert] or nest.Inspect. It looks at the header first,
// and reads one byte more than that promises, to see that nothing follows. ends tells that r is a regular file, whose
// end is a bound already. Of any other reader the promise is at most 16 GiB, 1 GiB where int has 32 bits, and formats
// without a header may have [MaxUnsized] bytes: beyond it the error is nest.ErrTooLarge. Other errors are those of
// the format's reader about the header, of r, and nest.ErrCorrupt for bytes behind the filter.
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

// nestSize returns how many bytes the filter in r has, as its header says, and a reader of all of them.
func nestSize(r io.Reader) (io.Reader, uint64, error) {
	again, err := container.Peek(r)
	if err != nil {
		return nil, 0, fmt.Errorf("nest: %w", err)
	}
	return again, again.FileBytes(), nil
}

// parquetSize is nestSize of a filter of a Parquet file with its header.
func parquetSize(r io.Reader) (io.Reader, uint64, error) {
	return peek(r, parquet.MaxHeader+1, parquet.Size)
}

// bitsAndBloomsHeader is the number of bytes before the words: 64 bits each for bits, hashes and bits again.
const bitsAndBloomsHeader = 24

// bitsAndBloomsSize is nestSize of a Bloom filter of the module of that name.
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
