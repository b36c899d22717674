package cuckoo

import (
	"fmt"
	"io"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/limits"
)

// AppendBinary appends the filter's file, which has a type of its own, to b and returns the extended
// slice, as [Filter.AppendBinary] does. The file has all that decides how the filter goes on: every
// sub-filter as it is, and whether inserts try it. Filters that are Equal can differ in the latter.
// What the file of a Filter does not have, this file does not have either.
func (s *Scalable[F]) AppendBinary(b []byte) ([]byte, error) { return file.Encode(b, s.image) }

// MarshalBinary is [Scalable.AppendBinary] to nothing.
func (s *Scalable[F]) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the bytes of [Scalable.AppendBinary] to w, as [Filter.WriteTo] does.
func (s *Scalable[F]) WriteTo(w io.Writer) (int64, error) { return file.EncodeTo(w, s.image) }

// UnmarshalBinary makes s the filter that [Scalable.AppendBinary] wrote, with new Stats and generators
// at Seed, as [Filter.UnmarshalBinary] does and with the same errors. s may be the zero Scalable. The
// hash and the kick policy of s serve where their recipes are those of the file. The MaxBytes and
// HugePages of s stay in force, for growth too.
//
// It allocates the tables, of no more than len(b) bytes, up to 1 KiB for each sub-filter, of which a
// file has 88 bytes at least, and the scratch memory of one Filter.
func (s *Scalable[F]) UnmarshalBinary(b []byte) error {
	return file.Decode(b, func(from *container.Source) error { return s.load(from, nil) })
}

// ReadFrom makes s the filter that [Scalable.WriteTo] wrote, as [Filter.ReadFrom] does, and returns how
// many bytes it took from r.
func (s *Scalable[F]) ReadFrom(r io.Reader) (int64, error) {
	return file.DecodeFrom(r, func(from *container.Source) error { return s.load(from, nil) })
}

// DecodeScalable returns the filter in b, as [Scalable.UnmarshalBinary] of the zero Scalable does.
// Hashers that are not built in, or that hold a secret, are found by their recipe among known, as
// [Decode] finds them. For a file under a kick policy of your own, call UnmarshalBinary of a filter
// that was made with that policy.
func DecodeScalable[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*Scalable[F], error) {
	s := new(Scalable[F])
	err := file.Decode(b, func(from *container.Source) error { return s.load(from, known) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// load makes s the filter that the source holds, or leaves it as it was.
func (s *Scalable[F]) load(from *container.Source, known []hashing.Hasher) error {
	own := s.config
	shape, err := chainShapeIn(&from.Header, fingerprint.WidthOf[F](), own.sub(1), known)
	if err == nil {
		err = wantKick(&from.Header, shape.Kick)
	}
	if err != nil {
		return err
	}
	// The directory is read before the sizes in it are known, so MaxBytes is to bound it too.
	if _, err := from.LimitOf(leastTables(from.TableBytes), own.MaxBytes, limits.DefaultMaxBytes); err != nil {
		return err
	}
	c, err := chainIn(&from.Header, from, widthOf(&from.Header), shape)
	if err != nil {
		return err
	}
	if c.config.MaxBytes, err = from.LimitOf(c.bytes, own.MaxBytes, limits.DefaultMaxBytes); err != nil {
		return err
	}
	c.config.HugePages = own.HugePages
	c.first.MaxBytes, c.first.HugePages = c.config.MaxBytes, own.HugePages
	tables := make([][]byte, len(c.rows))
	for n := range tables {
		if tables[n], err = c.tableIn(n, from); err != nil {
			return err
		}
	}
	if err := from.Finish(); err != nil {
		return err
	}
	levels, scratch := make([]level[F], len(c.rows)), new(kick.Scratch)
	for n := range levels {
		if levels[n], err = levelFrom[F](&c, n, tables[n], scratch); err != nil {
			return fmt.Errorf("sub-filter %d: %w", n, err)
		}
	}
	*s = Scalable[F]{levels: levels, hash: hashing.NewDigester(c.config.Hash), config: c.config, first: c.first, scratch: scratch, read: true}
	return nil
}

// leastTables returns a number of bytes that the tables of sub-filters surely have together, from the size of the file's
// table: beside each one's, which are 9 or more, there are its row and up to 63 zeros, and the directory has up to 87 more.
func leastTables(table uint64) uint64 {
	const least, beside, once = 9, container.DirectoryRow + container.Align - 1, 87
	return (max(table, once) - once) * least / (least + beside)
}

// levelFrom makes sub-filter n of a file, whose table it checks.
func levelFrom[F fingerprint.Width](c *chain, n int, data []byte, scratch *kick.Scratch) (l level[F], err error) {
	width, r := widthFor[F](c.config.FingerprintBits), &c.rows[n]
	sub, err := c.sub(r.buckets, width)
	if err != nil {
		return l, err
	}
	table := sub.tableOver(width, data)
	used, err := table.Check()
	if err != nil {
		return l, err
	}
	if used != r.len {
		return l, container.Corrupt(r.at, "Len is %d, and %d slots are used", r.len, used)
	}
	l = levelOf(newFilter[F](sub, table, scratch))
	l.len, l.full = int(r.len), int(r.full)
	return l, nil
}
