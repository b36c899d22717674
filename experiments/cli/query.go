package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/spf13/cobra"
)

type queryFlags struct {
	invert, count, quiet, names, noNames, copy, noChecksum bool
	keyFile                                                keyFile
}

// errNone is returned by a query that selects no line, which is nothing to speak of.
var errNone = errors.New("no line was selected")

func newQueryCommand() *cobra.Command {
	var flags queryFlags
	cmd := &cobra.Command{
		Use:   "query FILTER [FILE...]",
		Short: "Print the lines that a filter may hold, or those that it does not",
		Long: `query prints the lines that are in a filter: grep -Fxf with a filter in place of the patterns. It misses
no line that was put into the filter and prints others at the false-positive rate that nest filter info prints.

With several files the file's name and a colon stand before each line or count. A missing last line feed is added. Lines
of a slow pipe are written as they come. --json prints an object for each file: how many lines were read, and how many
selected.

The filter is mapped, after its checksum is verified, and must not be overwritten in place meanwhile; what nest redis
pull wrote is read into memory. The first error ends a query.`,
		Example: `  # The addresses that may be blocked
  nest filter query blocked.nest addresses.txt
  # Those of a log as it grows
  tail -f access.log | cut -d' ' -f1 | nest filter query blocked.nest
  # Query one line in a script
  if nest filter query -q blocked.nest <<< "$address"; then echo blocked; fi`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runQuery(cmd, flags, args[0], orStdin(args[1:])) },
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.invert, "invert-match", "v", false, "select the lines that are certainly not in the filter")
	f.BoolVarP(&flags.count, "count", "c", false, "print the number of selected lines of each file, and no lines")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print nothing but errors; stop at the first selected line")
	f.BoolVarP(&flags.names, "with-filename", "H", false, "print the file's name before each line, as with several files")
	f.BoolVar(&flags.noNames, "no-filename", false, "print no names of files (-h is help)")
	f.BoolVar(&flags.noChecksum, "no-checksum", false, "do not verify the filter's checksum")
	f.BoolVar(&flags.copy, "copy", false, "read the filter into memory instead of mapping it")
	jsonFlag(cmd)
	flags.keyFile.flag(cmd, "")
	cmd.MarkFlagsMutuallyExclusive("with-filename", "no-filename")
	cmd.MarkFlagsMutuallyExclusive("copy", "no-checksum") // what is read into memory is verified always
	cmd.MarkFlagsMutuallyExclusive("json", "quiet")
	return cmd
}

func runQuery(cmd *cobra.Command, flags queryFlags, filter string, names []string) (err error) {
	read := append([]string{filter}, names...)
	if err = checkFiles(cmd, read...); err == nil && !flags.quiet {
		err = checkApart(cmd, cmd.OutOrStdout(), read)
	}
	if err != nil {
		return err
	}
	asker, closing, err := openAsker(cmd, flags, filter, names)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	o := files.QueryOptions{Invert: flags.invert, First: flags.quiet}
	counted := flags.count || cmd.Flags().Changed("json")
	if !counted && !flags.quiet {
		o.Out = stdoutOf(cmd)
	}
	q, err := files.NewQuery(asker, o)
	if err != nil {
		return fmt.Errorf("%w (in %s)", err, filter)
	}
	for i, name := range names {
		result := queried{nameOf(name, "(standard input)"), -q.Lines, -q.Selected}
		if q.Prefix = ""; flags.names || !flags.noNames && len(names) > 1 {
			q.Prefix = result.File + ":"
		}
		err := readFile(cmd, name, q.Read)
		switch {
		case err != nil && cmd.Context().Err() != nil && o.Out != nil:
			return linesWritten(q.Selected)
		case err != nil && cmd.Context().Err() != nil && i > 0 && !flags.quiet:
			return linesWritten(i)
		case err != nil:
			return err
		case q.Done():
			return nil
		case counted && !flags.quiet:
			result.Lines, result.Selected = result.Lines+q.Lines, result.Selected+q.Selected
			err := show(cmd, result, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s%d\n", q.Prefix, result.Selected)
				return err
			})
			if err != nil {
				return about(cmd, "standard output", err)
			}
		}
	}
	if q.Returns > 0 {
		say(cmd, "note: %d lines not in the filter end in a carriage return, which is a part of them", q.Returns)
	}
	if q.Selected == 0 {
		return errNone
	}
	return nil
}

// queried is what a query tells of a file.
type queried struct {
	File     string `json:"file"`
	Lines    int    `json:"lines"`
	Selected int    `json:"selected"`
}

// openAsker maps the filter and verifies it, or reads it, as the flags say. The function returned ends the mapping.
func openAsker(cmd *cobra.Command, flags queryFlags, name string, names []string) (files.Asker, func() error, error) {
	if name == dash {
		return nil, nil, errors.New("query: the filter cannot be standard input; name its file")
	}
	key, err := flags.keyFile.read(cmd, names...)
	if err != nil {
		return nil, nil, err
	}
	if isDump(cmd, name) {
		f, err := redisFilterOf(cmd, new(redisFlags), name)
		return f, func() error { return nil }, err
	}
	if flags.copy || !isRegular(cmd, name) {
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
