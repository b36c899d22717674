package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/report"
)

// errFound is returned by a command that compares, where things are not the same.
var errFound = errors.New("not the same")

func newVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Check the files of a report against its manifest",
		Long: `verify compares every file of a folder that nest wrote with the SHA-256 in manifest.json, and names each that is missing,
changed or not listed. It finds accidents; whoever can write the folder can write its manifest too.

Exit status: 0 the folder is as it was written, 1 it is not, 2 it is no report or cannot be read.`,
		Example: `  nest verify report`,
		Args:    folders(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := report.ReadManifest(args[0])
			if err != nil {
				return err
			}
			problems, err := m.Verify(args[0])
			if err != nil {
				return err
			}
			for _, p := range problems {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), p); err != nil {
					return err
				}
			}
			if len(problems) > 0 {
				return fmt.Errorf("%w: folder %q departs from its manifest in %d of %d files", errFound, args[0], len(problems), len(m.Files))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d files are as the manifest says\n", len(m.Files))
			return err
		},
	}
}
