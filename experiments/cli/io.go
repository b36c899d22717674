package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dash is the file name that stands for standard input and output.
const dash = files.Stdin

// checkFiles tells whether the inputs of a command are there and no directories.
func checkFiles(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if err := checkFile(name); err != nil {
			return about(cmd, name, err)
		}
	}
	return nil
}

// checkFile is that for one, without the name in its error.
func checkFile(name string) error {
	if name == dash {
		return nil
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	return err
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

// readKeys reads the keys in the file that a flag names.
func readKeys(cmd *cobra.Command, flag, name string) (set *files.KeySet, err error) {
	if err := checkFile(name); err != nil {
		return nil, about(cmd, "--"+flag+" "+name, err)
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		set, err = files.ParseKeys(r, name, files.MaxLine)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return set, nil
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

// described is what is known of a file by its name, or of a stream that is a file; nil if nothing is.
func described(of any) (info os.FileInfo) {
	switch of := of.(type) {
	case string:
		info, _ = os.Stat(of)
	case *os.File:
		info, _ = of.Stat()
	case stdin:
		return described(of.from)
	case *stdout:
		return described(of.Writer)
	}
	return info
}

// input is what an input of a command is read from, by its name.
func input(cmd *cobra.Command, name string) any {
	if name == dash {
		return cmd.InOrStdin()
	}
	return name
}

// isRegular tells whether an input is a regular file, which ends.
func isRegular(cmd *cobra.Command, name string) bool {
	info := described(input(cmd, name))
	return info != nil && info.Mode().IsRegular()
}

// checkApart tells whether what is written is none of the files that are read, which may then have no end.
func checkApart(cmd *cobra.Command, out any, inputs []string) error {
	written := described(out)
	for _, name := range inputs {
		read := described(input(cmd, name))
		if written != nil && read != nil && written.Mode().IsRegular() && os.SameFile(read, written) {
			return fmt.Errorf("%s: %s is both read and written", cmd.Name(), nameOf(name, "standard input"))
		}
	}
	return nil
}

// nameOf is how an error calls a file, the stream being what dash stands for.
func nameOf(name, stream string) string {
	if name == dash {
		return stream
	}
	return name
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
func (o *output) fileFlags(cmd *cobra.Command) { o.flags(cmd, "a file, or - (required)") }

func forceFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "replace what is there")
}

// refuse tells, before any work is done, whether there is a file that may not be replaced, or no folder for one.
func (o output) refuse() error {
	if info := described(o.name); info != nil && info.Mode().IsRegular() && !o.force && o.name != dash {
		return fmt.Errorf("--out: %s exists; --force replaces it", o.name)
	}
	if _, err := os.Stat(filepath.Dir(o.name)); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// check is refuse for a filter, which must not be written onto an input.
func (o output) check(cmd *cobra.Command, inputs ...string) error {
	switch info := described(o.name); {
	case o.name == "":
		return errors.New("--out: name the file to write, such as -o filter.nest, or - for standard output")
	case o.name == dash && report.IsTerminal(cmd.OutOrStdout()):
		return errors.New("--out -: standard output is a terminal, which can do nothing with a filter")
	case o.name == dash:
		return checkApart(cmd, cmd.OutOrStdout(), inputs)
	case info != nil && info.IsDir():
		return about(cmd, o.name, errors.New("is a directory"))
	}
	return cmp.Or(checkApart(cmd, o.name, inputs), o.refuse())
}

// save writes a filter, a picture or a table, whole or not at all, as nest.Save does; a device, a pipe or standard
// output gets it as it is written. An interrupt ends it.
func (o output) save(cmd *cobra.Command, of io.WriterTo) error {
	if err := o.refuse(); err != nil { // it may have come since the work began
		return err
	}
	whole := writing(func(w io.Writer) error {
		_, err := of.WriteTo(interruptible{cmd.Context(), w.Write})
		return err
	})
	if info := described(o.name); o.name != dash && (info == nil || info.Mode().IsRegular()) {
		return nest.Save(o.name, whole)
	}
	err := error(nil)
	if o.name == dash {
		err = whole(cmd.OutOrStdout())
	} else {
		var file *os.File
		open := func() (*os.File, error) { return os.OpenFile(o.name, os.O_WRONLY, 0) }
		if file, err = await(cmd.Context(), open); err == nil {
			err = errors.Join(whole(file), file.Close())
		}
	}
	if err != nil {
		return about(cmd, nameOf(o.name, "standard output"), err)
	}
	return nil
}

// writing is what a function writes.
type writing func(w io.Writer) error

// WriteTo writes it, and does not count.
func (f writing) WriteTo(w io.Writer) (int64, error) { return 0, f(w) }

func jsonFlag(cmd *cobra.Command) { cmd.Flags().Bool("json", false, "print JSON") }

// show prints a result as text or, with --json, as an object.
func show(cmd *cobra.Command, result any, text func(w io.Writer) error) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); !asJSON {
		return text(cmd.OutOrStdout())
	}
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}

func quietFlag(f *pflag.FlagSet, more string) {
	f.BoolP("quiet", "q", false, "print nothing but errors"+more)
}

// say prints lines for people on standard error, unless --quiet is given. They are broken between words for a terminal.
func say(cmd *cobra.Command, format string, args ...any) {
	if quiet, err := cmd.Flags().GetBool("quiet"); err != nil || !quiet {
		w := cmd.ErrOrStderr()
		fmt.Fprint(w, report.Wrap("", fmt.Sprintf(format, args...), report.Width(w)))
	}
}
