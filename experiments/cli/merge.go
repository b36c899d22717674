package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/filterfile"
	"github.com/nestfilter/nest/experiments/keyfile"
)

type mergeFlags struct {
	out     output
	keyFile string
	quiet   bool
}

func newMergeCommand() *cobra.Command {
	var flags mergeFlags
	cmd := &cobra.Command{
		Use:   "merge FILTER FILTER... --out FILE",
		Short: "Make one filter of several that were built alike",
		Long: `merge writes a filter with the keys of all the given ones, as if they had been put into one. The filters must be built with
the same --kind, --fpr, --hash and --capacity, and the capacity must do for all keys together. The error says in what
they differ.

A key that two cuckoo filters hold is in the result twice; more than 8 times does not fit. In Bloom filters it is there
once. The false-positive rate, which is printed, rises. With --force the result may replace one of the given files.

Exit status: 0, 2 bad input, filters that differ or do not fit together, 130 interrupted. If it is not 0, nothing is written.`,
		Example: `  nest build --kind cuckoo --capacity 1e6 --keys monday.txt -o monday.nest
  nest build --kind cuckoo --capacity 1e6 --keys tuesday.txt -o tuesday.nest
  nest merge monday.nest tuesday.nest -o both.nest`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, files []string) error { return runMerge(cmd, flags, files) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, "a file, or - (required)")
	f.StringVar(&flags.keyFile, "key-file", "", keyFileHelp)
	f.BoolVarP(&flags.quiet, "quiet", "q", false, quietHelp)
	return cmd
}

func runMerge(cmd *cobra.Command, flags mergeFlags, files []string) error {
	read := []string{flags.keyFile}
	if flags.out.name == keyfile.Stdin { // which replaces no file as a whole
		read = append(read, files...)
	}
	if err := checkOutput(cmd, flags.out, read...); err != nil {
		return err
	}
	if slices.Contains(files, keyfile.Stdin) {
		return errors.New("merge: a filter cannot be standard input; name its file")
	}
	if err := checkFiles(cmd, files...); err != nil {
		return err
	}
	key, err := readKeyFile(cmd, flags.keyFile)
	if err != nil {
		return err
	}
	sum, err := filterfile.Merge(cmd.Context(), files, func(name string) (nest.Filter, error) { return openFilter(cmd, name, key) })
	switch {
	case errors.Is(err, nest.ErrFull):
		return fmt.Errorf("%w; build each with a --capacity for the keys of all", err)
	case errors.Is(err, nest.ErrMismatch):
		return fmt.Errorf("%w; filters to be merged are built with the same flags, --capacity included", err)
	case err != nil:
		return err
	}
	if err := saveFilter(cmd, flags.out, sum); err != nil {
		return err
	}
	if !flags.quiet {
		say(cmd.ErrOrStderr(), filterfile.Summary(sum))
	}
	return nil
}
