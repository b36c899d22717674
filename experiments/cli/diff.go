package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/report"
)

func newDiffCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two reports: counts, verdicts and timings",
		Long: `diff compares two folders that nest wrote. What the seed decides must be the same: CSVs are compared cell by cell,
and the first cells that differ are named file:line:column. Claims whose verdict changed or that one report lacks are
named too.

Timings are compared by their medians, as benchstat does, and on different machines not at all. Those that differ at
p < 0.05 are listed; of a hundred equal ones five do by chance. They do not make reports differ.

Exit status: 0 the same but for timings, 1 not the same, 2 a folder is no report or was altered.`,
		Example: `  # What did a change of the code change?
  nest report diff before after
  # All timings of one figure
  nest report diff before after --all | grep fig5`,
		Args: folders(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := await(cmd.Context(), func() (*report.Changes, error) {
				a, err := report.ReadFolder(args[0])
				if err != nil {
					return nil, err
				}
				b, err := report.ReadFolder(args[1])
				if err != nil {
					return nil, err
				}
				return report.Compare(a, b), nil
			})
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if err := result.Write(out, report.Width(out), all); err != nil {
				return err
			}
			if !result.Same {
				return fmt.Errorf("%w: %s, %s", errFound, args[0], args[1])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list every timed median")
	return cmd
}

// errFound is returned by a command that compares, where things are not the same.
var errFound = errors.New("not the same")

func newVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Check the files of a report against its manifest",
		Long: `verify compares every file of a folder that nest wrote with the SHA-256 in manifest.json, and names each that is
missing, changed or not listed. It finds accidents; whoever can write the folder can write its manifest too.

Exit status: 0 the folder is as it was written, 1 it is not, 2 it is no report or cannot be read.`,
		Example: `  # Is the folder as nest wrote it?
  nest report verify report`,
		Args: folders(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var m *report.Manifest
			problems, err := await(cmd.Context(), func() (_ []report.Problem, err error) {
				if m, err = report.ReadManifest(args[0]); err != nil {
					return nil, err
				}
				return m.Verify(args[0])
			})
			if err != nil {
				return err
			}
			for _, p := range problems {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), p); err != nil {
					return err
				}
			}
			if len(problems) > 0 {
				return fmt.Errorf("%w: folder %q departs from its manifest in %d of %d files", errFound, args[0],
					len(problems), len(m.Files))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d files are as the manifest says\n", len(m.Files))
			return err
		},
	}
}
