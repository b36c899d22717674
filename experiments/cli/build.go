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
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/tabular"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
	"github.com/nestfilter/nest/internal/container"
)

type buildFlags struct {
	kind, fpr, hash, spec, keyFile string
	out                            output
	capacity                       count
	keys                           []string
	copies, quiet                  bool
}

// defaultRate is the false-positive rate of a filter of which nothing else is said.
const defaultRate = 0.001

func newBuildCommand() *cobra.Command {
	var flags buildFlags
	kinds := namesOf(nest.Kinds(), func(k nest.Kind) string { return string(k) })
	hashes := slices.DeleteFunc(hashing.Names(), func(name string) bool { return name == "maphash" }) // whose seed ends with the process
	cmd := &cobra.Command{
		Use:   "build --out FILE [--keys FILE]",
		Short: "Make a filter of the lines of a file, and keep it in a file",
		Long: fmt.Sprintf(`build reads lines and writes a filter that holds them. nest query asks it; Go programs open it with nest.Open or
nest.MapFile.

The filter has room for the different lines that came: build keeps 8 to 16 bytes for each until it has counted them. The
same lines in another order make the same file. With --capacity, and for --kind scalable, the filter is filled as lines
come and nothing is kept; then a line that the filter takes for one that it has is not stored, and nothing should be
deleted later. A line beyond --capacity is an error. --copies stores a line as often as it comes, for filters that count;
a cuckoo filter holds it up to 8 times.

A line is any bytes, up to %d MiB; an empty line is one, and a carriage return belongs to its line.

If others choose the lines, hash them under a secret key: --hash siphash --key-file FILE. If FILE is not there, a key is
drawn and kept in it, readable by you alone. nest query, merge and convert need it. With --key-file alone FILE must exist.

The file is written beside its place and renamed. A device or a pipe, such as -o -, gets the filter as it is written.

Exit status: 0, 2 bad input or no room for a line, 130 interrupted. If it is not 0, nothing is written.`, files.MaxLine>>20),
		Example: `  nest build --kind cuckoo --fpr 0.001 --keys blocked.txt -o blocked.nest
  cut -f1 huge.tsv | nest build --capacity 1e8 -o huge.nest
  nest build --spec kind=cuckoo/f=12/layout=semisorted --keys a.txt -o a.nest
  nest build --hash siphash --key-file secret.key --keys in.txt -o out.nest`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBuild(cmd, flags) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, "a file, or - (required)")
	f.StringArrayVar(&flags.keys, "keys", []string{files.Stdin}, keysHelp+"; may be given several times")
	f.StringVar(&flags.kind, "kind", "", "kind of filter: "+strings.Join(kinds, ", ")+` (default "best")`)
	f.StringVar(&flags.fpr, "fpr", "", fmt.Sprintf("%s (default %v, unless --spec gives a size)", rateHelp, defaultRate))
	f.Var(&flags.capacity, "capacity", capacityHelp+"; the filter is filled as they come")
	f.StringVar(&flags.hash, "hash", "", hashHelp+", with a seed if need be: "+strings.Join(hashes, ", ")+`; metro64:7 (default "xxh64")`)
	f.StringVar(&flags.spec, "spec", "", "more parameters, as nest info prints them: key=value/key=value")
	f.StringVar(&flags.keyFile, "key-file", "", keyFileHelp+"; implies --hash siphash, which makes the file if it is not there")
	f.BoolVar(&flags.copies, "copies", false, "store every line as often as it comes")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp)
	complete(cmd, "kind", kinds)
	complete(cmd, "hash", hashes)
	return cmd
}

// filterSpec puts the flags together, but for the hash.
func (f buildFlags) filterSpec() (s nest.Spec, err error) {
	if f.spec != "" {
		if err := s.Set(f.spec); err != nil {
			return s, fmt.Errorf("--spec: %w", err)
		}
	}
	for _, clash := range []struct {
		flag, value string
		both        bool
	}{
		{"kind", f.kind, s.Kind != ""}, {"fpr", f.fpr, s.FalsePositiveRate != 0},
		{"capacity", f.capacity.String(), s.Capacity != 0}, {"hash", f.hash, s.Hash != ""},
	} {
		if clash.value != "" && clash.both {
			return s, fmt.Errorf("--%s and --spec: give the %[1]s in one of them", clash.flag)
		}
	}
	if f.kind != "" {
		s.Kind = nest.Kind(f.kind)
	}
	if f.capacity != 0 {
		s.Capacity = int(f.capacity)
	}
	switch {
	case f.fpr != "":
		if s.FalsePositiveRate, err = parseRate(f.fpr); err != nil {
			return s, fmt.Errorf("--fpr: %w", err)
		}
	case s.FalsePositiveRate == 0 && s.BitsPerItem == 0 && s.FingerprintBits == 0 && s.Slots == 0:
		s.FalsePositiveRate = defaultRate
	}
	return s, nil
}

// hashed returns s with the hash that the flags ask for. drawn is whether it has drawn a key and made the file of it.
func (f buildFlags) hashed(cmd *cobra.Command, s nest.Spec) (_ nest.Spec, drawn bool, err error) {
	if f.hash != "" {
		s.Hash = f.hash
	}
	secret := s.Hash == "siphash"
	if secret && f.keyFile != "" && f.keyFile != files.Stdin {
		drawn, err = drawKeyFile(f.keyFile)
	}
	if err != nil {
		return s, false, err
	}
	key, err := readKeyFile(cmd, f.keyFile)
	if err != nil {
		return s, drawn, err
	}
	s, err = f.keyed(s, key, secret)
	return s, drawn, err
}

// keyed returns s with the hash of a key, nil where there is no file of one; secret is whether the hash is asked for by
// its name.
func (f buildFlags) keyed(s nest.Spec, key hashing.Hasher, secret bool) (nest.Spec, error) {
	switch {
	case key == nil && secret:
		return s, errors.New("--hash siphash: name the file of its key with --key-file; one that is not there is made")
	case key == nil:
	case secret || s.Hash == "":
		s.Hash, s.Hasher = "", key
	case s.Hash != key.Recipe():
		return s, fmt.Errorf("--key-file: hash %s takes no such key", s.Hash)
	default:
		s.Hasher = key
	}
	return s, nil
}

func runBuild(cmd *cobra.Command, flags buildFlags) (err error) {
	if err := checkOutput(cmd, flags.out, append([]string{flags.keyFile}, flags.keys...)...); err != nil {
		return err
	}
	if err := checkKeyFile(flags.keyFile, flags.keys...); err != nil {
		return err
	}
	if err := checkFiles(cmd, flags.keys...); err != nil {
		return err
	}
	spec, err := flags.filterSpec()
	if err != nil {
		return err
	}
	spec, drawn, err := flags.hashed(cmd, spec)
	if drawn {
		defer func() {
			if err != nil { // nobody has a filter under the key
				err = errors.Join(err, os.Remove(flags.keyFile))
			}
		}()
		err = errors.Join(err, checkOutput(cmd, flags.out, flags.keyFile)) // which was not there to be compared
	}
	if err != nil {
		return err
	}
	if err := checkMemory(cmd.Name(), spec, lab.AvailableMemory()); err != nil {
		return err
	}
	b, err := files.NewBuilder(files.BuildOptions{Spec: spec, Copies: flags.copies})
	if err != nil {
		return err
	}
	if err := readAll(cmd, flags, b); err != nil {
		return advise(err, flags)
	}
	// Sorting many digests takes a while, and does not look at the context.
	f, err := await(cmd.Context(), func() (nest.Filter, error) { return b.Finish(cmd.Context()) })
	if err != nil {
		return advise(err, flags)
	}
	if err := saveFilter(cmd, flags.out, f); err != nil {
		return err
	}
	if drawn {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: a secret key was drawn and is in %s: without it nobody can ask the filter\n", flags.keyFile)
	}
	if !flags.quiet {
		st := b.Stats()
		say(cmd.ErrOrStderr(), fmt.Sprintf("%d lines read, %d stored\n%s", st.Lines, st.Stored, files.Summary(f)))
		if st.Returns > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: %d lines end in a carriage return, which is a part of them: queries need it too\n", st.Returns)
		}
	}
	return nil
}

// readAll has the files read, under a bar where standard error is a terminal.
func readAll(cmd *cobra.Command, flags buildFlags, b *files.Builder) error {
	read := b.Read
	if w := cmd.ErrOrStderr(); !flags.quiet && tabular.IsTerminal(w) {
		bar := newBar(w, bytesOf(flags.keys), "reading", progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond))
		defer func() { _ = bar.Clear() }()
		read = func(r io.Reader, name string) error {
			counted := progressbar.NewReader(r, bar)
			return b.Read(&counted, name)
		}
	}
	for _, name := range flags.keys {
		if err := readFile(cmd, name, read); err != nil {
			return err
		}
	}
	return nil
}

// bytesOf is the size of files, or -1 where one of them is a pipe.
func bytesOf(names []string) (total int64) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		total += info.Size()
	}
	return total
}

// advise adds to an error of a filter that is full what to do.
func advise(err error, flags buildFlags) error {
	switch {
	case !errors.Is(err, nest.ErrFull):
		return err
	case flags.copies:
		return fmt.Errorf("%w; announce more with --capacity, or leave out --copies or take --kind counting where one line comes often", err)
	}
	return fmt.Errorf("%w; announce more with --capacity", err)
}

// readKeyFile returns the hash of the key in the file of that name, nil without a name.
func readKeyFile(cmd *cobra.Command, name string) (h hashing.Hasher, err error) {
	if name == "" {
		return nil, nil
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		key, err := files.ReadSecret(r)
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
		return false, fmt.Errorf("--key-file: %s: %w", name, files.Reason(err))
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
	if name == files.Stdin && slices.Contains(inputs, files.Stdin) {
		return errors.New("--key-file -: standard input is read already; name a file with the key")
	}
	return nil
}

// errNoFile is returned for a standard input that is none of the system's.
var errNoFile = errors.New("no file")

// statInput describes what is read under that name.
func statInput(cmd *cobra.Command, name string) (os.FileInfo, error) {
	if name != files.Stdin {
		return os.Stat(name)
	}
	if file, ok := stdinFile(cmd); ok {
		return file.Stat()
	}
	return nil, errNoFile
}

// isRegular tells whether what is read under that name is a regular file, which ends.
func isRegular(cmd *cobra.Command, name string) bool {
	info, err := statInput(cmd, name)
	return err == nil && info.Mode().IsRegular()
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
	case name == files.Stdin && tabular.IsTerminal(cmd.OutOrStdout()):
		return errors.New("--out -: standard output is a terminal, which can do nothing with a filter")
	case name == files.Stdin:
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
		return fmt.Errorf("%s: %s: %w", cmd.Name(), name, files.Reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// saveFilter writes a filter to the file of that name, whole or not at all, as nest.Save does; a device, a pipe
// or standard output gets it as it is written. An interrupt ends it.
func saveFilter(cmd *cobra.Command, out output, f io.WriterTo) error {
	ctx, name := cmd.Context(), out.name
	if name == files.Stdin {
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
		return fmt.Errorf("%s: %s: %w", cmd.Name(), name, files.Reason(err))
	}
	return errors.Join(writeFilter(cmd, name, file, f), file.Close())
}

// writeFilter writes a filter to what is no file.
func writeFilter(cmd *cobra.Command, name string, w io.Writer, f io.WriterTo) error {
	if _, err := f.WriteTo(interruptible{ctx: cmd.Context(), do: w.Write}); err != nil {
		return fmt.Errorf("%s: %s: %w", cmd.Name(), name, files.Reason(err))
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
