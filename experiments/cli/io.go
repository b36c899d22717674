package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/report"
)

// checkFiles tells whether the inputs of a command are there and no directories.
func checkFiles(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if name == files.Stdin {
			continue
		}
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			err = errors.New("is a directory")
		}
		if err != nil {
			return about(cmd, name, err)
		}
	}
	return nil
}

// about is the error of a command about a file.
func about(cmd *cobra.Command, name string, err error) error {
	return fmt.Errorf("%s: %s: %w", cmd.Name(), name, files.Reason(err))
}

// readFile has an input of a command read: a file, or standard input.
func readFile(cmd *cobra.Command, name string, read func(r io.Reader, name string) error) error {
	if name == files.Stdin {
		return read(cmd.InOrStdin(), "standard input")
	}
	// Opening a named pipe blocks until somebody writes to it.
	file, err := await(cmd.Context(), func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return about(cmd, name, err)
	}
	defer file.Close()
	return read(interruptible{cmd.Context(), file.Read}, name)
}

// readKeys reads the keys in a file.
func readKeys(cmd *cobra.Command, name string) (set *files.KeySet, err error) {
	if err := checkFiles(cmd, name); err != nil {
		return nil, err
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		set, err = files.ParseKeys(r, name, files.MaxLine)
		return err
	})
	return set, err
}

// await is do, but an interrupt ends it although do blocks. The goroutine that does it ends with the process then.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	if ctx.Err() != nil {
		return *new(T), ctx.Err()
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// interruptible is a reader or a writer, as the method is, that gives way to an interrupt. The buffer of
// a call that was interrupted must not be used again.
type interruptible struct {
	ctx context.Context
	do  func(p []byte) (int, error)
}

// Read is do.
func (i interruptible) Read(p []byte) (int, error) {
	return await(i.ctx, func() (int, error) { return i.do(p) })
}

// Write is do.
func (i interruptible) Write(p []byte) (int, error) { return i.Read(p) }

// stdoutOf is the standard output of a command, whose writes an interrupt ends.
func stdoutOf(cmd *cobra.Command) io.Writer {
	return interruptible{cmd.Context(), cmd.OutOrStdout().Write}
}

// stdin is the standard input of every command, whose reads a signal ends.
type stdin struct {
	interruptible
	from io.Reader
}

// giveStdin gives a command, and those below it, a standard input that the context ends.
func giveStdin(ctx context.Context, root *cobra.Command) {
	from := root.InOrStdin()
	root.SetIn(stdin{interruptible{ctx, from.Read}, from})
}

// statInput describes what is read under that name. It returns nothing of a standard input that is none of the
// system's.
func statInput(cmd *cobra.Command, name string) (os.FileInfo, error) {
	if name != files.Stdin {
		return os.Stat(name)
	}
	from := cmd.InOrStdin()
	if s, ok := from.(stdin); ok {
		from = s.from
	}
	if file, ok := from.(*os.File); ok {
		return file.Stat()
	}
	return nil, os.ErrNotExist
}

// isRegular tells whether what is read under that name is a regular file, which ends.
func isRegular(cmd *cobra.Command, name string) bool {
	info, err := statInput(cmd, name)
	return err == nil && info.Mode().IsRegular()
}

// A notedWriter keeps the first error of a writer, which may be a file.
type notedWriter struct {
	io.Writer
	err error
}

// Write is that of the writer.
func (n *notedWriter) Write(b []byte) (int, error) {
	written, err := n.Writer.Write(b)
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

// Fd is that of the file, by which one knows a terminal.
func (n notedFile) Fd() uintptr { return n.file.Fd() }

// noteErrors returns a writer that is w, and where the first error of w will be.
func noteErrors(w io.Writer) (io.Writer, *error) {
	n := &notedWriter{Writer: w}
	if file, ok := w.(*os.File); ok {
		return notedFile{n, file}, &n.err
	}
	return n, &n.err
}

// An output is where a command writes, and whether it may replace what is there.
type output struct {
	name  string
	force bool
}

func (o *output) flags(cmd *cobra.Command, what string) {
	cmd.Flags().StringVarP(&o.name, "out", "o", "", "where to write: "+what)
	forceFlag(cmd, &o.force)
}

// fileFlags is flags of a command that writes a filter.
func (o *output) fileFlags(cmd *cobra.Command) {
	o.flags(cmd, "a file, or - (required)")
}

func forceFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "replace what is there")
}

// refuse returns an error if a file is there that may not be replaced.
func (o output) refuse() error {
	if info, err := os.Stat(o.name); err == nil && info.Mode().IsRegular() && !o.force {
		return fmt.Errorf("--out: %s exists; --force replaces it", o.name)
	}
	return nil
}

// write writes a picture or a table as nest.Save does a filter: whole or not at all, and never in place of a folder or
// a device.
func (o output) write(data []byte) error {
	err := o.refuse()
	if err == nil {
		if err = nest.Save(o.name, bytes.NewReader(data)); err != nil {
			err = fmt.Errorf("--out: %w", err)
		}
	}
	return err
}

// checkApart tells whether the file described, which is written, is none of those that are read. Written as it
// is read a file may have no end, and else its old bytes are lost.
func checkApart(cmd *cobra.Command, out os.FileInfo, inputs []string) error {
	for _, name := range inputs {
		in, err := statInput(cmd, name)
		if name == files.Stdin {
			name = "standard input"
		}
		if err == nil && out.Mode().IsRegular() && os.SameFile(in, out) {
			return fmt.Errorf("%s: %s is both read and written", cmd.Name(), name)
		}
	}
	return nil
}

func checkStdout(cmd *cobra.Command, inputs []string) error {
	if out, ok := cmd.OutOrStdout().(notedFile); ok {
		if info, err := out.file.Stat(); err == nil {
			return checkApart(cmd, info, inputs)
		}
	}
	return nil
}

// checkOutput tells, before any work is done, whether a filter can be written to a file of that name. It must be
// none of the files that are read.
func checkOutput(cmd *cobra.Command, out output, inputs ...string) error {
	name := out.name
	switch {
	case name == "":
		return errors.New("--out: name the file to write, such as -o filter.nest, or - for standard output")
	case name == files.Stdin && report.IsTerminal(cmd.OutOrStdout()):
		return errors.New("--out -: standard output is a terminal, which can do nothing with a filter")
	case name == files.Stdin:
		return checkStdout(cmd, inputs)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return about(cmd, name, errors.New("is a directory"))
	case err == nil:
		if err := checkApart(cmd, info, inputs); err != nil || !info.Mode().IsRegular() {
			return err
		}
		if err := out.refuse(); err != nil {
			return err
		}
	}
	// What nest.Save will need: a new file in the folder.
	probe, err := os.CreateTemp(filepath.Dir(name), ".nest-*")
	if err != nil {
		return about(cmd, name, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// saveFilter writes a filter to the file of that name, whole or not at all, as nest.Save does; a device, a pipe
// or standard output gets it as it is written. An interrupt ends it.
func saveFilter(cmd *cobra.Command, out output, f io.WriterTo) error {
	ctx, name := cmd.Context(), out.name
	if name == files.Stdin {
		if _, err := f.WriteTo(stdoutOf(cmd)); err != nil {
			return about(cmd, "standard output", err)
		}
		return nil
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() {
		if err := out.refuse(); err != nil { // it has come since the work began
			return err
		}
		return nest.Save(name, cancelable{ctx, f})
	}
	file, err := await(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) })
	if err != nil {
		return about(cmd, name, err)
	}
	if _, err = f.WriteTo(interruptible{ctx, file.Write}); err != nil {
		err = about(cmd, name, err)
	}
	return errors.Join(err, file.Close())
}

// cancelable is a filter whose writing an interrupt ends, between two pieces.
type cancelable struct {
	ctx context.Context
	f   io.WriterTo
}

// WriteTo is that of the filter.
func (c cancelable) WriteTo(w io.Writer) (int64, error) {
	return c.f.WriteTo(writerFunc(func(p []byte) (int, error) {
		if err := c.ctx.Err(); err != nil {
			return 0, err
		}
		return w.Write(p)
	}))
}

// writerFunc is a function that is a writer.
type writerFunc func(p []byte) (int, error)

// Write calls the function.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// show prints a result as text or, with --json, as an object.
func show(cmd *cobra.Command, asJSON bool, result any, text func(w io.Writer) error) error {
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), result)
	}
	return text(cmd.OutOrStdout())
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
