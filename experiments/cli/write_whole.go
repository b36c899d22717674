package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/nestfilter/nest"
)

// writeWhole writes a picture as nest.Save does a filter: whole or not at all, in place of an earlier file. Only
// a regular file is replaced, no folder and no device.
func writeWhole(name string, data []byte) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nest.Save(name, bytes.NewReader(data))
}
