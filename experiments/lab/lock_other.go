//go:build !unix || solaris || aix

package lab

import (
	"errors"
	"os"
)

// locks says whether lock does anything.
const locks = false

// lock does nothing: these systems have no lock in package syscall that a killed process gives up.
func lock(*os.File) error { return nil }

// removeFile removes a file, which must be closed first on some systems.
func removeFile(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
