package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/filterfile"
	"github.com/nestfilter/nest/experiments/keyfile"
)

// errDamaged is returned by nest info for a filter whose checksum is wrong.
var errDamaged = errors.New("damaged filter")

func newInfoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILTER...",
		Short: "Say what filter is in a file, how full and how good it is, and whether it is whole",
		Long: `info prints kind and spec of filters in files, which make an empty filter of the same sort, and the number of keys, the
load factor, the false-positive rate to expect, sizes, the hash, and whether the table has its checksum. It reads the
whole file and needs no secret key. --json prints an object for each file.

Exit status: 0, 1 a checksum is wrong, 2 a file is no filter or cannot be read; the others are printed.`,
		Example: `  nest info blocked.nest
  nest info --json *.nest | jq -r '[.file, .false_positive_rate] | @tsv'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return runInfo(cmd, asJSON, files) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// runInfo prints what is in each of the files. An error of one is that of the command, after the others were
// printed.
func runInfo(cmd *cobra.Command, asJSON bool, files []string) error {
	var unread, damaged []error
	for _, name := range files {
		found, err := inspect(cmd, name)
		if err != nil && cmd.Context().Err() != nil {
			return err
		}
		if err != nil {
			unread = append(unread, err)
			continue
		}
		info := filterfile.NewInfo(name, found)
		if info.Damage() != nil {
			damaged = append(damaged, fmt.Errorf("%w: %s: %w", errDamaged, name, info.Damage()))
		}
		write := info.WriteText
		if asJSON {
			write = info.WriteJSON
		}
		if err := write(cmd.OutOrStdout()); err != nil {
			return fmt.Errorf("info: standard output: %w", keyfile.Reason(err))
		}
	}
	bad := append(damaged, unread...) // the last is that of the command: status 2, whatever else there is
	if len(bad) == 0 {
		return nil
	}
	last := len(bad) - 1
	for _, err := range bad[:last] {
		sayError(cmd.ErrOrStderr(), err)
	}
	return bad[last]
}

func inspect(cmd *cobra.Command, name string) (found nest.FileInfo, err error) {
	if err := checkFiles(cmd, name); err != nil {
		return found, err
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return await(cmd.Context(), func() (nest.FileInfo, error) { return nest.InspectFile(name) })
	}
	err = readFile(cmd, name, func(r io.Reader, name string) error {
		data, err := io.ReadAll(r)
		if err == nil {
			found, err = nest.Inspect(data)
		}
		if err != nil {
			return fmt.Errorf("info: %s: %w", name, err)
		}
		return nil
	})
	return found, err
}
