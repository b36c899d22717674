package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/filterfile"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/keyfile"
	"github.com/nestfilter/nest/experiments/tabular"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
	"github.com/nestfilter/nest/internal/container"
)

// readKeyFile returns the hash of the key in the file of that name, nil without a name.
func readKeyFile(cmd *cobra.Command, name string) (h hashing.Hasher, err error) {
	if name == "" {
		return nil, nil
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		key, err := filterfile.ReadKey(r)
		h = hashing.SipHash(key)
		if err != nil {
			return fmt.Errorf("--key-file: %s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// drawKeyFile makes the file of that name with a key that it draws, which the owner alone may read, unless there is
// a file already. drawn is whether it did.
func drawKeyFile(name string) (drawn bool, err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		// On the disk before the filter is: one without the other is of no use.
		_, err = fmt.Fprintf(file, "%x\n", secret.SipHash().Key())
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}
	if err != nil {
		return false, fmt.Errorf("--key-file: %s: %w", name, keyfile.Reason(err))
	}
	return true, nil
}

// parts returns the known hashers of a filter under a hash of that recipe, key, which may be nil, among them. So are the
// hashes that lines do not have: a query refuses such a filter in words of its own, and the other commands hash nothing.
func parts(key hashing.Hasher, recipe string) []hashing.Hasher {
	known := []hashing.Hasher{hashing.DigestsOnly}
	if h, err := integerhash.Parse(recipe); err == nil {
		known = append(known, h)
	}
	if key != nil {
		known = append(known, key)
	}
	return known
}

// recipeOf returns the recipe of the hash of the filter that begins in r, or "" where none does: whoever opens it is
// told what is wrong.
func recipeOf(r io.Reader) string {
	header, err := container.Peek(r)
	if err != nil {
		return ""
	}
	return header.Hash
}

// fileParts is parts for the filter in a file. Of a pipe nothing is read, since that could be read once only.
func fileParts(key hashing.Hasher, name string) []hashing.Hasher {
	recipe := ""
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		if file, err := os.Open(name); err == nil {
			recipe = recipeOf(file)
			file.Close()
		}
	}
	return parts(key, recipe)
}

// unlock says in plain words what is wrong where a filter was not opened because of its key.
func unlock(cmd *cobra.Command, name string, key hashing.Hasher, err error) error {
	switch {
	case !errors.Is(err, hashing.ErrNotRebuildable) || !strings.Contains(err.Error(), "siphash:key-"):
		return err
	case key == nil:
		return fmt.Errorf("%s: %s: the filter is under a secret key; give it with --key-file", cmd.Name(), name)
	}
	return fmt.Errorf("%s: %s: the filter is under another secret key than that of --key-file", cmd.Name(), name)
}

// openFilter reads the filter in the file of that name. An interrupt ends it although a pipe that nobody writes to
// blocks it.
func openFilter(cmd *cobra.Command, name string, key hashing.Hasher) (nest.Filter, error) {
	if err := checkFiles(cmd, name); err != nil {
		return nil, err
	}
	f, err := await(cmd.Context(), func() (nest.Filter, error) { return nest.OpenFile(name, fileParts(key, name)...) })
	return f, unlock(cmd, name, key, err)
}

// checkKeyFile tells whether the file of a key is another input than those given.
func checkKeyFile(name string, inputs ...string) error {
	if name == keyfile.Stdin && slices.Contains(inputs, keyfile.Stdin) {
		return errors.New("--key-file -: standard input is read already; name a file with the key")
	}
	return nil
}

// checkApart tells whether the file described, which is written, is none of those that are read. Written as it
// is read a file may have no end, and else its old bytes are lost.
func checkApart(cmd *cobra.Command, out os.FileInfo, inputs []string) error {
	for _, name := range inputs {
		in, err := os.Stat(name)
		if file, ok := cmd.InOrStdin().(*os.File); name == keyfile.Stdin && ok {
			name = "standard input"
			in, err = file.Stat()
		}
		if err == nil && out.Mode().IsRegular() && os.SameFile(in, out) {
			return fmt.Errorf("%s: %s is both read and written", cmd.Name(), name)
		}
	}
	return nil
}

func checkStdout(cmd *cobra.Command, inputs []string) error {
	if file, ok := cmd.OutOrStdout().(*os.File); ok {
		if info, err := file.Stat(); err == nil {
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
	case name == keyfile.Stdin && tabular.IsTerminal(cmd.OutOrStdout()):
		return errors.New("--out -: standard output is a terminal, which can do nothing with a filter")
	case name == keyfile.Stdin:
		return checkStdout(cmd, inputs)
	}
	info, err := os.Stat(name)
	if err == nil {
		if info.IsDir() {
			return fmt.Errorf("%s: %s: is a directory", cmd.Name(), name)
		}
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
		return fmt.Errorf("%s: %s: %w", cmd.Name(), name, keyfile.Reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// saveFilter writes a filter to the file of that name, whole or not at all, as nest.Save does; a device, a pipe
// or standard output gets it as it is written. An interrupt ends it.
func saveFilter(cmd *cobra.Command, out output, f io.WriterTo) error {
	ctx, name := cmd.Context(), out.name
	if name == keyfile.Stdin {
		return writeFilter(cmd, "standard output", cmd.OutOrStdout(), f)
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
		return fmt.Errorf("%s: %s: %w", cmd.Name(), name, keyfile.Reason(err))
	}
	return errors.Join(writeFilter(cmd, name, file, f), file.Close())
}

// writeFilter writes a filter to what is no file.
func writeFilter(cmd *cobra.Command, name string, w io.Writer, f io.WriterTo) error {
	if _, err := f.WriteTo(interruptible{ctx: cmd.Context(), do: w.Write}); err != nil {
		return fmt.Errorf("%s: %s: %w", cmd.Name(), name, keyfile.Reason(err))
	}
	return nil
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
