//go:build !unix || solaris || aix

package logstore

import (
	"errors"
	"fmt"
)

// lock cannot take a lock that ends with the process on this system.
func lock(dir string, toRead bool) (release func() error, err error) {
	return nil, fmt.Errorf("%s: a store needs the locks of a Unix system: %w", dir, errors.ErrUnsupported)
}
