package logstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// files is a folder, as far as a store needs one. Tests have one that fails.
type files interface {
	open(name string, flags int) (file, error) // as os.OpenFile; "." is the folder
	rename(from, to string) error
	remove(name string) error
	names() ([]string, error)
}

// file is an open file, or the folder, of which a Sync makes names and their changes survive.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
}

// How a store opens files: to make a new, empty one in place of what has its name, and to read and write.
const (
	anew   = os.O_RDWR | os.O_CREATE | os.O_TRUNC
	asItIs = os.O_RDWR
)

// folder is a folder whose reads fail once a context has ended, and whose syncs fail once one of them has: the system
// tells the error of an fsync only once. Writes go on, so that what was begun ends in good order.
type folder struct {
	files
	ctx  context.Context // may be nil
	lost error           // why the store takes no more changes: one of a sync, or ErrReadOnly
}

func (d *folder) open(name string, flags int) (file, error) {
	if d.lost == ErrReadOnly {
		flags = os.O_RDONLY
	}
	f, err := d.files.open(name, flags)
	if err != nil {
		return nil, err
	}
	return &opened{f, d}, nil
}

// opened is a file of a folder.
type opened struct {
	file
	d *folder
}

func (f *opened) Sync() error {
	if f.d.lost == nil {
		if err := f.file.Sync(); err != nil {
			f.d.lost = fmt.Errorf("the store takes no changes until it is opened anew: %w", err)
		}
	}
	return f.d.lost
}

func (f *opened) ReadAt(b []byte, at int64) (int, error) {
	if f.d.ctx != nil && f.d.ctx.Err() != nil {
		return 0, f.d.ctx.Err()
	}
	return f.file.ReadAt(b, at)
}

// sync makes names and their changes survive.
func (d *folder) sync() error {
	f, err := d.open(".", os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written through it
	return f.Sync()
}

// replace puts a file in place of the one of its name at once, after the names of all other files survive. If it fails
// the last one is there, unless a sync has failed, when nobody knows.
func (d *folder) replace(name string, write func(io.Writer) error) error {
	f, err := d.open(name+newSuffix, anew)
	if err != nil {
		return err
	}
	if err = write(io.NewOffsetWriter(f, 0)); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.sync()
	}
	if err == nil {
		err = d.rename(name+newSuffix, name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, errors.Join(err, d.remove(name+newSuffix)))
	}
	return d.sync()
}

// osFiles is a folder of the operating system.
type osFiles string

func (d osFiles) path(name string) string { return filepath.Join(string(d), name) }

func (d osFiles) open(name string, flags int) (file, error) {
	if info, err := os.Stat(d.path(name)); name != "." && err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", name) // opening a pipe would wait for a writer
	}
	f, err := os.OpenFile(d.path(name), flags, 0o666)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d osFiles) rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }

func (d osFiles) remove(name string) error { return os.Remove(d.path(name)) }

func (d osFiles) names() (names []string, err error) {
	entries, err := os.ReadDir(string(d))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
