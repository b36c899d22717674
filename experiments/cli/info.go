package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/spf13/cobra"
)

// errDamaged is returned by nest filter info for a filter whose checksum is wrong.
var errDamaged = errors.New("damaged filter")

func newInfoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info FILTER...",
		Short: "Describe the filter in a file, and check it",
		Long: `info describes the filters in files: kind and spec, number of keys, load factor, expected false-positive
rate, sizes and hash. It verifies the checksum of the table, and needs no secret key. From a pipe it reads no more than
the header promises. --json prints an object for each file. An error in one file does not stop the others.`,
		Example: `  # How full is it, and how good?
  nest filter info blocked.nest
  # A table of rates
  nest filter info --json *.nest | jq -r '[.file, .false_positive_rate] | @tsv'`,
		Args: cobra.MinimumNArgs(1),
		RunE: runInfo,
	}
	jsonFlag(cmd)
	return cmd
}

// runInfo prints what is in each of the files. The errors are said; that of the command is of a file that could not be
// read, if there is one.
func runInfo(cmd *cobra.Command, names []string) (worst error) {
	for _, name := range names {
		found, err := inspect(cmd, name)
		if err != nil && cmd.Context().Err() != nil {
			return err
		}
		if err == nil {
			info := files.NewInfo(name, found)
			if err := show(cmd, info, info.WriteText); err != nil {
				return about(cmd, "standard output", err)
			}
			if info.Damage == nil {
				continue
			}
			err = fmt.Errorf("%w: %s: %w", errDamaged, name, info.Damage)
		}
		if worst == nil || errors.Is(worst, errDamaged) {
			worst, err = err, worst
		}
		if err != nil {
			sayError(cmd.ErrOrStderr(), err)
		}
	}
	return worst
}

// errDump is the reason why a dump is no filter of nest.
var errDump = errors.New("a dump of a Redis filter, not a nest filter; nest filter query reads it")

func inspect(cmd *cobra.Command, name string) (found nest.FileInfo, err error) {
	if err := checkFiles(cmd, name); err != nil {
		return found, err
	}
	regular := isRegular(cmd, name)
	if regular && name != dash {
		found, err := await(cmd.Context(), func() (nest.FileInfo, error) { return nest.InspectFile(name) })
		return found, orDump(cmd, name, err)
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		data, err := files.ReadBytes(r, files.Nest, regular)
		if err == nil {
			found, err = nest.Inspect(data)
		}
		if err != nil {
			return about(cmd, name, err)
		}
		return nil
	})
	return found, err
}

// orDump is the error of reading a file: errDump if it is corrupt because it is a dump.
func orDump(cmd *cobra.Command, name string, err error) error {
	if errors.Is(err, nest.ErrCorrupt) && isDump(cmd, name) {
		return about(cmd, name, errDump)
	}
	return err
}

// isDump tells whether a regular file begins as a dump does.
func isDump(cmd *cobra.Command, name string) bool {
	start := make([]byte, 4)
	return name != dash && isRegular(cmd, name) && readFile(cmd, name, func(r io.Reader, _ string) error {
		_, err := io.ReadFull(r, start)
		return err
	}) == nil && startsDump(start)
}

func newMergeCommand() *cobra.Command {
	var out output
	var key keyFile
	cmd := &cobra.Command{
		Use:   "merge FILTER FILTER... --out FILE",
		Short: "Merge filters that were built alike",
		Long: `merge writes a filter with the keys of all the given ones, as if they had been put into one. The filters
must be built with the same --kind, --fpr, --hash and --capacity, and the capacity must suffice for all keys together.

A key that two cuckoo filters hold is in the result twice; more than 8 times does not fit. The false-positive rate
rises. With --force the result may replace one of the given files.`,
		Example: `  # Two filters with room for the keys of both, and one of them
  nest filter build --kind cuckoo --capacity 1e6 monday.txt -o monday.nest
  nest filter build --kind cuckoo --capacity 1e6 tuesday.txt -o tuesday.nest
  nest filter merge monday.nest tuesday.nest -o both.nest`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, names []string) error {
			read := []string{string(key)}
			if out.name == dash { // which replaces no file as a whole
				read = append(read, names...)
			}
			if slices.Contains(names, dash) {
				return errors.New("merge: a filter cannot be standard input; name its file")
			}
			if err := cmp.Or(out.check(cmd, read...), checkFiles(cmd, names...)); err != nil {
				return err
			}
			sum, err := merged(cmd, key, names)
			if err == nil {
				err = out.save(cmd, sum)
			}
			if err == nil {
				say(cmd, "%s", files.Summary(sum))
			}
			return err
		},
	}
	out.fileFlags(cmd)
	key.flag(cmd, "")
	quietFlag(cmd.Flags(), "")
	return cmd
}

// merged is one filter of several.
func merged(cmd *cobra.Command, k keyFile, names []string) (nest.Filter, error) {
	key, err := k.read(cmd)
	if err != nil {
		return nil, err
	}
	sum, err := files.Merge(names, func(name string) (nest.Filter, error) { return openFilter(cmd, name, key) })
	switch {
	case errors.Is(err, nest.ErrFull):
		err = fmt.Errorf("%w; build each with a --capacity for the keys of all", err)
	case errors.Is(err, nest.ErrMismatch):
		err = fmt.Errorf("%w; filters to be merged are built with the same flags, --capacity included", err)
	}
	return sum, err
}
