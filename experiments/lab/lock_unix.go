//go:build unix && !solaris && !aix

package lab

import (
	"errors"
	"os"
	"syscall"
)

// locks says whether lock does.
const locks = true

// lock takes the file for this process, until it is closed or the process ends, however it ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
