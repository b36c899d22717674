package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
	"github.com/spf13/cobra"
)

func newFilterCommand() *cobra.Command {
	return groupOf(&cobra.Command{
		Use:   "filter",
		Short: "Keep lines in filter files, query, merge and convert them",
		Long: `filter works on files of filters. docs/COMMANDS.md has more, and docs/FORMAT.md describes the bytes.

A line is any bytes up to a line feed, at most 64 MiB: an empty line is one, and a carriage return belongs to its line.
Without a file of lines, standard input is read.`,
		Example: `  # Build a filter from a list, inspect it and query it
  nest filter build blocked.txt -o blocked.nest
  nest filter info blocked.nest
  nest filter query blocked.nest addresses.txt`,
	}, newBuildCommand(), newQueryCommand(), newInfoCommand(), newMergeCommand(), newConvertCommand())
}

type buildFlags struct {
	kind, hash string
	spec       nest.Spec
	fpr        float64
	keyFile    keyFile
	out        output
	capacity   int
	copies     bool
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
		Short: "Build a filter from lines and write it to a file",
		Long: `build reads lines and writes a filter that holds them. nest filter query queries it; Go programs open it
with nest.Open or nest.MapFile.

The filter has room for the different lines of its input: build keeps 8 to 16 bytes for each until it has counted them.
The same lines in another order make the same file. With --capacity, and for --kind scalable, the filter is filled as
lines come and nothing is kept. A line that it already reports as present is then not stored, so delete nothing later.
--kind fuse keeps them in any case, and so does --spec mustdelete=true, which takes the best kind that deletes: each
line can be deleted. A line beyond --capacity is an error. --copies is for filters that count; a cuckoo filter holds a
line up to 8 times.

If others choose the lines, hash them under a secret key: --hash siphash --key-file FILE draws one if FILE is not
there, readable by you alone. query, merge and convert need it. With --key-file alone FILE must exist.`,
		Example: `  # A filter that reports one absent line in a thousand
  nest filter build --fpr 0.001 blocked.txt -o blocked.nest
  # A hundred million lines, without keeping anything beside the filter
  cut -f1 huge.tsv | nest filter build --capacity 1e8 -o huge.nest
  # Lines of strangers, under a secret key
  nest filter build --hash siphash --key-file secret.key in.txt -o out.nest`,
		RunE: func(cmd *cobra.Command, names []string) error { return runBuild(cmd, flags, orStdin(names)) },
	}
	f := cmd.Flags()
	flags.out.fileFlags(cmd)
	choice(cmd, parsed(&flags.kind, "string", "", verbatim), "kind", "kind of filter, by default best", kinds)
	f.Var(parsed(&flags.fpr, "rate", "", parseRate), "fpr",
		fmt.Sprintf("%s (default %v, unless --spec gives a size)", rateHelp, defaultRate))
	f.Var(count(&flags.capacity), "capacity", capacityHelp+"; the filter is filled as they come")
	choice(cmd, parsed(&flags.hash, "string", "", verbatim), "hash",
		hashHelp+", by default xxh3, with a seed as in metro64:7 if need be", hashes)
	f.Var(&value{kind: "string", read: flags.spec.Set}, "spec",
		"more parameters, as nest filter info prints them: key=value/key=value; flags go before it")
	flags.keyFile.flag(cmd, "; implies --hash siphash, which makes the file if it is not there")
	f.BoolVar(&flags.copies, "copies", false, "store every line as often as it comes")
	quietFlag(f, "")
	return cmd
}

// orStdin is the names, or standard input alone if there is none.
func orStdin(names []string) []string {
	if len(names) == 0 {
		return []string{dash}
	}
	return names
}

// filterSpec puts the flags together, but for the hash. What a flag says goes before what --spec says.
func (f buildFlags) filterSpec() nest.Spec {
	s := f.spec
	s.Kind, s.Capacity = cmp.Or(nest.Kind(f.kind), s.Kind), cmp.Or(f.capacity, s.Capacity)
	s.FalsePositiveRate = cmp.Or(f.fpr, s.FalsePositiveRate)
	if s.FalsePositiveRate == 0 && s.BitsPerItem == 0 && s.FingerprintBits == 0 && s.Slots == 0 {
		s.FalsePositiveRate = defaultRate
	}
	return s
}

// hashed gives s the hash that the flags ask for, and returns the one of the key file, if there is one. drawn is
// whether it has drawn a key and made the file of it.
func (f buildFlags) hashed(
	cmd *cobra.Command, s *nest.Spec, names []string,
) (key hashing.Hasher, drawn bool, err error) {
	s.Hash = cmp.Or(f.hash, s.Hash)
	secret := s.Hash == "siphash"
	if secret && f.keyFile != "" && f.keyFile != dash {
		if drawn, err = f.keyFile.draw(); err != nil {
			return nil, false, err
		}
	}
	key, err = f.keyFile.read(cmd, names...)
	switch {
	case err != nil:
	case key == nil && secret:
		err = errors.New("--hash siphash: name the file of its key with --key-file; one that is not there is made")
	case key == nil:
	case secret || s.Hash == "":
		s.Hash = ""
	case s.Hash != key.Recipe():
		err = fmt.Errorf("--key-file: hash %s takes no such key", s.Hash)
	}
	return key, drawn, err
}

func runBuild(cmd *cobra.Command, flags buildFlags, names []string) (err error) {
	read := append([]string{string(flags.keyFile)}, names...)
	if err := cmp.Or(flags.out.check(cmd, read...), checkFiles(cmd, names...)); err != nil {
		return err
	}
	spec := flags.filterSpec()
	key, drawn, err := flags.hashed(cmd, &spec, names)
	if drawn {
		defer func() {
			if err != nil { // nobody has a filter under the key
				err = errors.Join(err, os.Remove(string(flags.keyFile)))
			}
		}()
		err = cmp.Or(err, flags.out.check(cmd, read...)) // the key was not there to be compared
	}
	if err != nil {
		return err
	}
	b, f, err := flags.build(cmd, spec, key, names)
	if err == nil {
		err = flags.out.save(cmd, f)
	}
	if err != nil {
		return err
	}
	if drawn {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"note: a secret key was drawn and is in %s: without it nobody can ask the filter\n", flags.keyFile)
	}
	st := b.Stats()
	say(cmd, "%d lines read, %d stored\n%s", st.Lines, st.Stored, files.Summary(f))
	if st.Skipped > 0 {
		say(cmd, "%d lines were skipped because the filter already reported them: delete nothing from this file.", st.Skipped)
	}
	if st.Returns > 0 {
		say(cmd, "note: %d lines end in a carriage return, which is a part of them: queries need it too", st.Returns)
	}
	return nil
}

// build makes the filter.
func (f buildFlags) build(
	cmd *cobra.Command, spec nest.Spec, key hashing.Hasher, names []string,
) (b *files.Builder, filter nest.Filter, err error) {
	if err = checkMemory(cmd.Name(), spec, lab.AvailableMemory()); err == nil {
		b, err = files.NewBuilder(files.BuildOptions{Spec: spec, Hash: key, Copies: f.copies})
	}
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(names) && err == nil; i++ {
		err = readFile(cmd, names[i], b.Read)
	}
	if err == nil {
		// Sorting many digests takes a while, and does not look at the context.
		filter, err = await(cmd.Context(), func() (nest.Filter, error) { return b.Finish(cmd.Context()) })
	}
	if errors.Is(err, nest.ErrFull) {
		err = fmt.Errorf("%w; announce more with --capacity, or leave out --copies", err)
	}
	return b, filter, err
}
