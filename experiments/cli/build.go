package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/hashing"
)

func newFilterCommand() *cobra.Command {
	return groupOf(&cobra.Command{
		Use:   "filter",
		Short: "Keep lines in filter files, ask them, merge and convert them",
		Long: `filter works on files of filters. build makes one of lines, query asks it for lines, and info says what
is in it. merge makes one filter of several, and convert turns one into the bytes of another system, or from them.

docs/FILES.md has more, and docs/FORMAT.md the bytes.`,
		Example: `  # Make a filter of a list, look, and ask it
  nest filter build blocked.txt -o blocked.nest
  nest filter info blocked.nest
  nest filter query blocked.nest addresses.txt`,
	}, newBuildCommand(), newQueryCommand(), newInfoCommand(), newMergeCommand(), newConvertCommand())
}

type buildFlags struct {
	kind, fpr, hash, spec, keyFile string
	out                            output
	capacity                       count
	copies, quiet                  bool
	names                          []string // of files
}

// defaultRate is the false-positive rate of a filter of which nothing else is said.
const defaultRate = 0.001

func newBuildCommand() *cobra.Command {
	var flags buildFlags
	kinds := namesOf(nest.Kinds(), func(k nest.Kind) string { return string(k) })
	hashes := slices.DeleteFunc(hashing.Names(), func(name string) bool {
		return name == "maphash" // whose seed ends with the process
	})
	cmd := &cobra.Command{
		Use:   "build [FILE...] --out FILTER",
		Short: "Make a filter of lines, and keep it in a file",
		Long: fmt.Sprintf(`build reads lines and writes a filter that holds them. nest filter query asks it; Go
programs open it with nest.Open or nest.MapFile. "-", or no FILE, is standard input.

The filter has room for the different lines that came: build keeps 8 to 16 bytes for each until it has counted them.
The same lines in another order make the same file. With --capacity, and for --kind scalable, the filter is filled as
lines come and nothing is kept; then a line that the filter takes for one that it has is not stored, and nothing
should be deleted later. A line beyond --capacity is an error. --copies stores a line as often as it comes, for
filters that count; a cuckoo filter holds it up to 8 times.

A line is any bytes, up to %d MiB; an empty line is one, and a carriage return belongs to its line.

If others choose the lines, hash them under a secret key: --hash siphash --key-file FILE. If FILE is not there, a key
is drawn and kept in it, readable by you alone. query, merge and convert need it. With --key-file alone FILE must
exist.

The file is written beside its place and renamed. A device or a pipe, such as -o -, gets the filter as it is written.

Exit status: 0, 2 bad input or no room for a line, 130 interrupted. If it is not 0, nothing is written.`,
			files.MaxLine>>20),
		Example: `  # A filter that reports one absent line in a thousand
  nest filter build --fpr 0.001 blocked.txt -o blocked.nest
  # A hundred million lines, without keeping anything beside the filter
  cut -f1 huge.tsv | nest filter build --capacity 1e8 -o huge.nest
  # The parameters that nest filter info has printed
  nest filter build --spec kind=cuckoo/f=12/layout=semisorted a.txt -o a.nest
  # Lines of strangers, under a secret key
  nest filter build --hash siphash --key-file secret.key in.txt -o out.nest`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if flags.names = names; len(names) == 0 {
				flags.names = []string{files.Stdin}
			}
			return runBuild(cmd, flags)
		},
	}
	f := cmd.Flags()
	flags.out.fileFlags(cmd)
	f.StringVar(&flags.kind, "kind", "", "kind of filter: "+strings.Join(kinds, ", ")+` (default "best")`)
	f.StringVar(&flags.fpr, "fpr", "", fmt.Sprintf("%s (default %v, unless --spec gives a size)", rateHelp, defaultRate))
	f.Var(&flags.capacity, "capacity", capacityHelp+"; the filter is filled as they come")
	f.StringVar(&flags.hash, "hash", "",
		hashHelp+", with a seed if need be: "+strings.Join(hashes, ", ")+`; metro64:7 (default "xxh64")`)
	f.StringVar(&flags.spec, "spec", "",
		"more parameters, as nest filter info prints them: key=value/key=value; flags go before it")
	f.StringVar(&flags.keyFile, "key-file", "",
		keyFileHelp+"; implies --hash siphash, which makes the file if it is not there")
	f.BoolVar(&flags.copies, "copies", false, "store every line as often as it comes")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp)
	complete(cmd, "kind", kinds)
	complete(cmd, "hash", hashes)
	return cmd
}

// filterSpec puts the flags together, but for the hash. What a flag says goes before what --spec says.
func (f buildFlags) filterSpec() (s nest.Spec, err error) {
	if f.spec != "" {
		if err := s.Set(f.spec); err != nil {
			return s, fmt.Errorf("--spec: %w", err)
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
		if drawn, err = drawKeyFile(f.keyFile); err != nil {
			return s, false, err
		}
	}
	key, err := readKeyFile(cmd, f.keyFile)
	switch {
	case err != nil:
	case key == nil && secret:
		err = errors.New("--hash siphash: name the file of its key with --key-file; one that is not there is made")
	case key == nil:
	case secret || s.Hash == "":
		s.Hash, s.Hasher = "", key
	case s.Hash != key.Recipe():
		err = fmt.Errorf("--key-file: hash %s takes no such key", s.Hash)
	default:
		s.Hasher = key
	}
	return s, drawn, err
}

func runBuild(cmd *cobra.Command, flags buildFlags) (err error) {
	err = checkOutput(cmd, flags.out, append([]string{flags.keyFile}, flags.names...)...)
	if err == nil {
		err = checkKeyFile(flags.keyFile, flags.names...)
	}
	if err == nil {
		err = checkFiles(cmd, flags.names...)
	}
	if err != nil {
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
	b, f, err := flags.build(cmd, spec)
	if err != nil {
		return flags.advise(err)
	}
	if err := saveFilter(cmd, flags.out, f); err != nil {
		return err
	}
	w := cmd.ErrOrStderr()
	if drawn {
		fmt.Fprintf(w, "note: a secret key was drawn and is in %s: without it nobody can ask the filter\n", flags.keyFile)
	}
	if st := b.Stats(); !flags.quiet {
		say(w, fmt.Sprintf("%d lines read, %d stored\n%s", st.Lines, st.Stored, files.Summary(f)))
		if st.Returns > 0 {
			fmt.Fprintf(w, "note: %d lines end in a carriage return, which is a part of them: queries need it too\n", st.Returns)
		}
	}
	return nil
}

// build makes the filter.
func (f buildFlags) build(cmd *cobra.Command, spec nest.Spec) (*files.Builder, nest.Filter, error) {
	if err := checkMemory(cmd.Name(), spec, lab.AvailableMemory()); err != nil {
		return nil, nil, err
	}
	b, err := files.NewBuilder(files.BuildOptions{Spec: spec, Copies: f.copies})
	if err != nil {
		return nil, nil, err
	}
	if err := f.readAll(cmd, b); err != nil {
		return nil, nil, err
	}
	// Sorting many digests takes a while, and does not look at the context.
	filter, err := await(cmd.Context(), func() (nest.Filter, error) { return b.Finish(cmd.Context()) })
	return b, filter, err
}

// readAll has the files read, under a bar where standard error is a terminal.
func (f buildFlags) readAll(cmd *cobra.Command, b *files.Builder) error {
	read := b.Read
	if w := cmd.ErrOrStderr(); !f.quiet && report.IsTerminal(w) {
		bar := newBar(w, bytesOf(f.names), "reading", progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond))
		defer func() { _ = bar.Clear() }()
		read = func(r io.Reader, name string) error {
			counted := progressbar.NewReader(r, bar)
			return b.Read(&counted, name)
		}
	}
	for _, name := range f.names {
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
func (f buildFlags) advise(err error) error {
	switch {
	case !errors.Is(err, nest.ErrFull):
		return err
	case f.copies:
		return fmt.Errorf("%w; announce more with --capacity, or leave out --copies or take --kind counting "+
			"where one line comes often", err)
	}
	return fmt.Errorf("%w; announce more with --capacity", err)
}
