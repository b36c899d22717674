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

// dash is the file name that stands for standard input and output.
const dash = files.Stdin

// checkFiles tells whether the inputs of a command are there and no directories.
func checkFiles(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if name == dash {
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
	if name == dash {
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
func await[T any](ctx context.Context, do func() (T, error)) (value T, err error) {
	if ctx.Err() != nil {
		return value, ctx.Err()
	}
	type outcome struct {
		value T
		err   error
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
		return value, ctx.Err()
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

// stdin is the standard input of every command, whose reads an interrupt ends.
type stdin struct {
	interruptible
	from io.Reader
}

// stdout is the standard output of every command. It keeps the first error.
type stdout struct {
	io.Writer
	err error
}

// Write is that of the writer.
func (s *stdout) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// Fd is that of a file, by which one knows a terminal.
func (s *stdout) Fd() uintptr {
	if file, ok := s.Writer.(*os.File); ok {
		return file.Fd()
	}
	return ^uintptr(0)
}

// statInput describes what is read under that name. It returns nothing of a standard input that is none of the
// system's.
func statInput(cmd *cobra.Command, name string) (os.FileInfo, error) {
	if name != dash {
		return os.Stat(name)
	}
	if s, ok := cmd.InOrStdin().(stdin); ok {
		if file, ok := s.from.(*os.File); ok {
			return file.Stat()
		}
	}
	return nil, os.ErrNotExist
}

// isRegular tells whether what is read under that name is a regular file, which ends.
func isRegular(cmd *cobra.Command, name string) bool {
	info, err := statInput(cmd, name)
	return err == nil && info.Mode().IsRegular()
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

// check tells, before any work is done, whether a filter can be written there. The file must be none of those that are
// read: written as it is read a file may have no end, and else its old bytes are lost.
func (o output) check(cmd *cobra.Command, inputs ...string) error {
	switch {
	case o.name == "":
		return errors.New("--out: name the file to write, such as -o filter.nest, or - for standard output")
	case o.name == dash && report.IsTerminal(cmd.OutOrStdout()):
		return errors.New("--out -: standard output is a terminal, which can do nothing with a filter")
	case o.name == dash:
		return checkStdout(cmd, inputs)
	}
	info, err := os.Stat(o.name)
	if err == nil && info.IsDir() {
		return about(cmd, o.name, errors.New("is a directory"))
	}
	if err == nil {
		if err := checkApart(cmd, info, inputs); err != nil || !info.Mode().IsRegular() {
			return err
		}
	}
	if err := o.refuse(); err != nil {
		return err
	}
	// What nest.Save will need: a new file in the folder.
	probe, err := os.CreateTemp(filepath.Dir(o.name), ".nest-*")
	if err != nil {
		return about(cmd, o.name, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// checkApart tells whether the file described, which is written, is none of those that are read.
func checkApart(cmd *cobra.Command, out os.FileInfo, inputs []string) error {
	for _, name := range inputs {
		in, err := statInput(cmd, name)
		if name == dash {
			name = "standard input"
		}
		if err == nil && out.Mode().IsRegular() && os.SameFile(in, out) {
			return fmt.Errorf("%s: %s is both read and written", cmd.Name(), name)
		}
	}
	return nil
}

func checkStdout(cmd *cobra.Command, inputs []string) error {
	if out, ok := cmd.OutOrStdout().(*stdout); ok {
		if file, ok := out.Writer.(*os.File); ok {
			if info, err := file.Stat(); err == nil {
				return checkApart(cmd, info, inputs)
			}
		}
	}
	return nil
}

// save writes a filter, whole or not at all, as nest.Save does; a device, a pipe or standard output gets it as it is
// written. An interrupt ends it.
func (o output) save(cmd *cobra.Command, f io.WriterTo) error {
	ctx := cmd.Context()
	if o.name == dash {
		if _, err := f.WriteTo(stdoutOf(cmd)); err != nil {
			return about(cmd, "standard output", err)
		}
		return nil
	}
	info, err := os.Stat(o.name)
	if err != nil || info.Mode().IsRegular() {
		if err := o.refuse(); err != nil { // it has come since the work began
			return err
		}
		return nest.Save(o.name, cancelable{ctx, f})
	}
	file, err := await(ctx, func() (*os.File, error) { return os.OpenFile(o.name, os.O_WRONLY, 0) })
	if err != nil {
		return about(cmd, o.name, err)
	}
	if _, err = (cancelable{ctx, f}).WriteTo(file); err != nil {
		err = about(cmd, o.name, err)
	}
	return errors.Join(err, file.Close())
}

// cancelable is a filter whose writing an interrupt ends.
type cancelable struct {
	ctx context.Context
	io.WriterTo
}

// WriteTo is that of the filter.
func (c cancelable) WriteTo(w io.Writer) (int64, error) {
	return c.WriterTo.WriteTo(interruptible{c.ctx, w.Write})
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// show prints a result as text or, with --json, as an object.
func show(cmd *cobra.Command, asJSON bool, result any, text func(w io.Writer) error) error {
	if !asJSON {
		return text(cmd.OutOrStdout())
	}
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}
