package bitsandblooms

import (
	"encoding/binary"
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// headerBytes is the number of bytes before the words.
const headerBytes = 24

// Encode returns the bytes that WriteTo of the other module writes of the same filter. It allocates
// their size, that of the table and 24 more.
func (f *Filter) Encode() []byte {
	b := make([]byte, 0, headerBytes+f.SizeBytes())
	b = binary.BigEndian.AppendUint64(b, f.t.Slots)
	b = binary.BigEndian.AppendUint64(b, uint64(f.t.Hashes))
	b = binary.BigEndian.AppendUint64(b, f.length)
	for _, w := range f.t.Words {
		b = binary.BigEndian.AppendUint64(b, w)
	}
	return b
}

// Decode returns a filter with the keys of bytes that WriteTo of the other module, or
// [Filter.Encode], made. It copies data. Its Len is 0, as the number of inserts is not in them.
//
// Slots and Hashes of the configuration are 0, or what the bytes must have, else the error is
// bloom.ErrMismatch. Bytes that end too early are bloom.ErrTooShort. It is bloom.ErrCorrupt if m, k or the
// length is 0, if the length is neither m nor m rounded up to whole words, if a bit beyond m is set, or if
// bytes follow the last word. The bytes of an empty filter of the other module's New(0, k) are
// bloom.ErrCorrupt too, because that table has no bits. A size beyond MaxBytes, or more than [MaxHashes],
// is bloom.ErrTooLarge. All name the offset, and nothing was allocated for any of them.
func Decode(data []byte, c Config) (*Filter, error) {
	if c.MaxBytes < 0 {
		return nil, pkg.Errorf(errs.Config, "MaxBytes is %d, want at least 0", c.MaxBytes)
	}
	if len(data) < headerBytes {
		return nil, pkg.Errorf(errs.TooShort, "%d bytes, want a header of %d", len(data), headerBytes)
	}
	number := binary.BigEndian.Uint64
	m, k, length := number(data), number(data[8:]), number(data[16:])
	if err := c.checkHeader(m, k, length); err != nil {
		return nil, err
	}
	words := data[headerBytes:]
	if err := checkWords(words, m); err != nil {
		return nil, err
	}
	f := build(Config{Slots: int(m), Hashes: int(k), MaxBytes: c.MaxBytes}, length)
	for i := range f.t.Words {
		f.t.Words[i] = binary.BigEndian.Uint64(words[8*i:])
	}
	return f, nil
}

// checkHeader returns what is wrong with the three numbers of a header.
func (c Config) checkHeader(m, k, length uint64) error {
	switch large := c.fits(m); {
	case m == 0:
		return pkg.Errorf(errs.Corrupt, "offset 0: 0 bits")
	case k == 0:
		return pkg.Errorf(errs.Corrupt, "offset 8: 0 hashes")
	case k > MaxHashes:
		return pkg.Errorf(errs.TooLarge, "offset 8: %d hashes, at most %d are read", k, MaxHashes)
	case large != nil:
		return fmt.Errorf("%w, claimed at offset 0", large)
	case length != m && length != (m+63)/64*64:
		return pkg.Errorf(errs.Corrupt, "offset 16: a bit set of %d bits for a filter of %d", length, m)
	case c.Slots != 0 && uint64(c.Slots) != m:
		return pkg.Errorf(errs.Mismatch, "offset 0: %d bits, Slots is %d", m, c.Slots)
	case c.Hashes != 0 && uint64(c.Hashes) != k:
		return pkg.Errorf(errs.Mismatch, "offset 8: %d hashes, Hashes is %d", k, c.Hashes)
	}
	return nil
}

// checkWords returns what is wrong with the words of a bit set for m bits.
func checkWords(words []byte, m uint64) error {
	want, got := (m+63)/64*8, uint64(len(words))
	switch {
	case got < want:
		return pkg.Errorf(errs.TooShort, "%d bytes from offset %d on, want %d", got, headerBytes, want)
	case got > want:
		return pkg.Errorf(errs.Corrupt, "%d bytes behind the last word, at offset %d", got-want, headerBytes+want)
	}
	if last := binary.BigEndian.Uint64(words[want-8:]); last>>(m-(want-8)*8) != 0 {
		return pkg.Errorf(errs.Corrupt, "offset %d: the last word %#x has bits beyond the %d of the filter",
			headerBytes+want-8, last, m)
	}
	return nil
}
