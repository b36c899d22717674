package cli

import (
	"io"
	"os"
)

// A notedWriter keeps the first error of a writer.
type notedWriter struct {
	w   io.Writer
	err error
}

// Write is that of the writer.
func (n *notedWriter) Write(b []byte) (int, error) {
	written, err := n.w.Write(b)
	if err != nil && n.err == nil {
		n.err = err
	}
	return written, err
}

// A notedFile is a notedWriter of a file, which may be a terminal.
type notedFile struct {
	*notedWriter
	file *os.File
}

// Fd is that of the file, by which package tabular knows a terminal.
func (n notedFile) Fd() uintptr { return n.file.Fd() }

// noteErrors returns a writer that is w, and where the first error of w will be.
func noteErrors(w io.Writer) (io.Writer, *error) {
	n := &notedWriter{w: w}
	if file, ok := w.(*os.File); ok {
		return notedFile{n, file}, &n.err
	}
	return n, &n.err
}
