package logstore

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// files is a folder, as far as a store needs one. Tests have one that fails.
type files interface {
	// create makes a new, empty file, in place of one of that name; open opens one to read and write.
	create(name string) (file, error)
	open(name string) (file, error)
	rename(from, to string) error
	remove(name string) error
	names() ([]string, error)
	// sync makes names and their changes survive.
	sync() error
}

// file is an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	size() (int64, error)
}

// osFiles is a folder of the operating system.
type osFiles string

// osFile is a file of the operating system.
type osFile struct{ *os.File }

func (f osFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ended is a folder whose reads fail once a context has ended. Writes go on, so that what was begun ends in good order.
type ended struct {
	files
	ctx context.Context
}

func (d ended) create(name string) (file, error) { return d.wrap(d.files.create(name)) }

func (d ended) open(name string) (file, error) { return d.wrap(d.files.open(name)) }

func (d ended) wrap(f file, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return endedFile{f, d.ctx}, nil
}

// endedFile is a file of such a folder.
type endedFile struct {
	file
	ctx context.Context
}

func (f endedFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(b, at)
}

// readOnly is a folder of the operating system whose files are opened to be read.
type readOnly struct{ osFiles }

func (d readOnly) open(name string) (file, error) {
	if info, err := os.Stat(filepath.Join(string(d.osFiles), name)); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", name) // opening a pipe would wait for a writer
	}
	return d.opened(name, os.O_RDONLY)
}

func (d osFiles) opened(name string, flags int) (file, error) {
	f, err := os.OpenFile(filepath.Join(string(d), name), flags, 0o666)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d osFiles) create(name string) (file, error) {
	return d.opened(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (d osFiles) open(name string) (file, error) { return d.opened(name, os.O_RDWR) }

func (d osFiles) rename(from, to string) error {
	return os.Rename(filepath.Join(string(d), from), filepath.Join(string(d), to))
}

func (d osFiles) remove(name string) error { return os.Remove(filepath.Join(string(d), name)) }

func (d osFiles) names() (names []string, err error) {
	entries, err := os.ReadDir(string(d))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (d osFiles) sync() error {
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	err = f.Sync()
	f.Close() // nothing was written through it
	return err
}
