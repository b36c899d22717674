//go:build unix && !solaris && !aix

package logstore

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes the lock of a folder and returns what gives it back. The system gives it back when the process ends,
// however it does. To read it shares the lock with others who read, and needs no permission to write. Where there is no
// file of the lock, as in a copy, it takes none then.
func lock(dir string, toRead bool) (release func() error, err error) {
	name, flags, how := filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, syscall.LOCK_EX
	if toRead {
		flags, how = os.O_RDONLY|syscall.O_NONBLOCK, syscall.LOCK_SH
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if toRead && errors.Is(err, os.ErrNotExist) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		f.Close() // nothing was written
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, &os.PathError{Op: "flock", Path: name, Err: err}
	}
	return f.Close, nil
}
