package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
)

type queryFlags struct {
	invert, count, quiet, names, noNames, copy, noChecksum bool
	keyFile                                                string
}

// prefix returns what stands before a line of that file, or before its count.
func (f queryFlags) prefix(name string, count int) string {
	switch {
	case !f.names && (f.noNames || count == 1):
		return ""
	case name == files.Stdin:
		return "(standard input):"
	}
	return name + ":"
}

// errNone is returned by a query that selects no line, which is nothing to speak of.
var errNone = errors.New("no line was selected")

func newQueryCommand() *cobra.Command {
	var flags queryFlags
	cmd := &cobra.Command{
		Use:   "query FILTER [FILE...]",
		Short: "Print the lines that a filter may hold, or those that it does not",
		Long: fmt.Sprintf(`query prints the lines of the files, or of standard input, that are in a filter: grep -Fxf
with a filter in place of the patterns. It misses no line that was put into the filter and prints others at the
false-positive rate that nest filter info tells. -v prints the lines that are certainly not in the filter.

With several files the file's name and a colon stand before each line or count. A line is any bytes, up to %d MiB, as
in build; a missing last line feed is added. Lines are written as soon as the input read so far is dealt with.

The filter is mapped, after its checksum is verified. It must not be overwritten in place meanwhile; nest filter build
and nest.Save replace it, which is safe. --copy reads it into memory instead.

Exit status, as grep's: 0 a line was selected, 1 none was, 2 bad input or a damaged filter, 130 interrupted. The first
error ends it; -q ends at the first line selected.`,
			files.MaxLine>>20),
		Example: `  # The addresses that may be blocked
  nest filter query blocked.nest addresses.txt
  # Those of a log as it grows
  tail -f access.log | cut -d' ' -f1 | nest filter query blocked.nest
  # Count the lines that the filter has lost: 0
  nest filter query -v -c blocked.nest blocked.txt
  # Ask for one line in a script
  if nest filter query -q blocked.nest <<< "$address"; then echo blocked; fi`,
		Args: want(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return runQuery(cmd, flags, args[0], args[1:]) },
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.invert, "invert-match", "v", false, "select the lines that are not in the filter")
	f.BoolVarP(&flags.count, "count", "c", false, "print the number of selected lines of each file, and no lines")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp+"; stop at the first selected line")
	f.BoolVarP(&flags.names, "with-filename", "H", false, "print the file's name before each line, as with several files")
	f.BoolVar(&flags.noNames, "no-filename", false, "print no names of files (-h is help)")
	f.BoolVar(&flags.noChecksum, "no-checksum", false, "do not verify the filter's checksum")
	f.BoolVar(&flags.copy, "copy", false, "read the filter into memory instead of mapping it")
	f.StringVar(&flags.keyFile, "key-file", "", keyFileHelp)
	cmd.MarkFlagsMutuallyExclusive("with-filename", "no-filename")
	cmd.MarkFlagsMutuallyExclusive("copy", "no-checksum") // what is read into memory is verified always
	return cmd
}

func runQuery(cmd *cobra.Command, flags queryFlags, filter string, names []string) (err error) {
	if len(names) == 0 {
		names = []string{files.Stdin}
	}
	read := append([]string{filter}, names...)
	err = checkFiles(cmd, read...)
	if err == nil {
		err = checkKeyFile(flags.keyFile, names...)
	}
	if err == nil && !flags.quiet {
		err = checkStdout(cmd, read)
	}
	if err != nil {
		return err
	}
	asker, closing, err := openAsker(cmd, flags, filter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	o := files.QueryOptions{Invert: flags.invert, First: flags.quiet}
	if !flags.count && !flags.quiet {
		o.Out = stdoutOf(cmd)
	}
	q, err := files.NewQuery(asker, o)
	if err != nil {
		return fmt.Errorf("%w (in %s)", err, filter)
	}
	return askAll(cmd, flags, q, names)
}

func askAll(cmd *cobra.Command, flags queryFlags, q *files.Query, names []string) error {
	for i, name := range names {
		before, prefix := q.Selected(), flags.prefix(name, len(names))
		q.Prefix = prefix
		err := readFile(cmd, name, q.Read)
		interrupted := err != nil && cmd.Context().Err() != nil
		switch {
		case interrupted && flags.count && i > 0:
			return linesWritten(i)
		case interrupted && !flags.count && !flags.quiet:
			return linesWritten(q.Selected())
		case err != nil:
			return err
		case q.Done():
			return nil
		case flags.count && !flags.quiet:
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s%d\n", prefix, q.Selected()-before); err != nil {
				return fmt.Errorf("query: standard output: %w", files.Reason(err))
			}
		}
	}
	if q.Selected() == 0 {
		return errNone
	}
	return nil
}

// openAsker maps the filter and verifies it, or reads it, as the flags say. The function that it returns gives
// the mapping back.
func openAsker(cmd *cobra.Command, flags queryFlags, name string) (files.Asker, func() error, error) {
	if name == files.Stdin {
		return nil, nil, errors.New("query: the filter cannot be standard input; name its file")
	}
	key, err := readKeyFile(cmd, flags.keyFile)
	if err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(name); flags.copy || err == nil && !info.Mode().IsRegular() {
		f, err := openFilter(cmd, name, key)
		return f, func() error { return nil }, err
	}
	m, err := nest.MapFile(name, parts(key)...)
	if err != nil {
		return nil, nil, unlock(cmd, name, key, err)
	}
	if !flags.noChecksum {
		_, err := await(cmd.Context(), func() (struct{}, error) { return struct{}{}, m.VerifyChecksum() })
		if cmd.Context().Err() != nil {
			return nil, nil, cmd.Context().Err() // and m stays mapped for the goroutine that verifies it
		}
		if err != nil {
			return nil, nil, errors.Join(about(cmd, name, err), m.Close())
		}
	}
	return m, m.Close, nil
}
