//go:build !linux

package memory

import (
	"io"
	"os"
)

// mapped reads the bytes of a file of that size. There is nothing to give back.
func mapped(f *os.File, size int) (b []byte, release func() error, err error) {
	b = make([]byte, size)
	_, err = io.ReadFull(f, b)
	return b, func() error { return nil }, err
}

// advise does nothing: this system has no such advice, or gives large pages without being asked.
func advise([]byte) {}
