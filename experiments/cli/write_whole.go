package cli

import (
	"bytes"

	"github.com/nestfilter/nest"
)

// writeWhole writes a picture as nest.Save does a filter: whole or not at all, in place of an earlier file, and never in
// place of a folder or a device.
func writeWhole(name string, data []byte) error { return nest.Save(name, bytes.NewReader(data)) }
