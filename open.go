package nest

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// Open returns the filter in b, of any kind and width. [Filter.AppendBinary] wrote b, or that method of a filter of a
// concrete type.
//
// If the file's hash is not built in or holds a secret, known must have a Hasher with its recipe. hashing.DigestsOnly
// must be known too, as in Open(b, hashing.DigestsOnly): under it the methods that take keys panic, and a file alone
// must not bring that about.
//
// If the file's kick policy is one of your own, make a filter of package cuckoo with it, and call its UnmarshalBinary
// or ReadFrom instead.
//
// Open reads the table twice at most. It allocates a new table, which is no larger than b, and less than 2 MiB for the
// kick policy. The errors say at which byte:
//
//   - [ErrTooShort]: b ends before the filter does;
//   - [ErrVersion]: b is of a later version of the format, or of a kind that this release does not know;
//   - [ErrMismatch]: the hash is neither built in nor known, such as a SipHash with another key; or it is
//     hashing.DigestsOnly and not known; or the kick policy is not built in; or b holds a map of package maplet;
//   - [ErrTooLarge]: the table does not fit into an int;
//   - [ErrCorrupt]: anything else, bytes after the filter included.
func Open(b []byte, known ...hashing.Hasher) (Filter, error) {
	return load(container.FromBytes(b, known...))
}

// Read is [Open] of the bytes that it reads from r. It reads one filter, in pieces of up to 64 KiB, and no
// byte after it. If r is at its end, the error is [ErrTooShort] and io.EOF too.
//
// A file and a reader of package bytes or strings tell how much there is. For any other reader Read allocates 1 MiB at
// first, and then up to four times what was read. Tables beyond 16 GiB, or 1 GiB where int has 32 bits, are
// [ErrTooLarge]. Errors of r are returned, and io.ErrNoProgress if r gives nothing and no error 100 times in a row.
func Read(r io.Reader, known ...hashing.Hasher) (Filter, error) {
	s, _, err := container.FromReader(r, known...)
	return load(s, err)
}

// OpenFile returns the filter in the file of that name, as [Read] does. Bytes after the filter are [ErrCorrupt]. A filter
// that deletes is a [Deleter]; [Save] writes it again. [MapFile] queries a file without reading it whole.
func OpenFile(name string, known ...hashing.Hasher) (f Filter, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	defer file.Close() // nothing was written, so nothing can be lost
	f, err = Read(file, known...)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, name)
	}
	if n, err := file.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return nil, pkg.Errorf(ErrCorrupt, "bytes follow the filter in %s", name)
	}
	return f, nil
}

// load reads the filter of a file whose header was read, unless that failed.
func load(s *container.Source, err error) (Filter, error) {
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	k, err := kindOf(s.Type, s.Concurrent)
	if err != nil {
		return nil, err
	}
	return k.load(s)
}
