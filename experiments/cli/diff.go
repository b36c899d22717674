package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/diff"
	"github.com/nestfilter/nest/experiments/tabular"
)

func newDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two reports: counts cell by cell, verdicts, and timings as ratios",
		Long: `diff compares two folders that nest wrote. What the seed alone decides must be the same: each CSV is compared
cell by cell, and the first cells that differ are named file:line:column with both values. Claims whose
verdict changed are named. What was timed is never the same twice: bench.txt and timed columns are
reported as ratios of medians with their intervals, and on different machines not at all.

Exit status: 0 the same but for timings, 1 not the same, 2 a folder is no report or was altered.`,
		Example: `  nest diff before after`,
		Args:    folders(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var read [2]*diff.Folder
			for i, dir := range args {
				var err error
				if read[i], err = diff.Read(dir); err != nil {
					return err
				}
			}
			result := diff.Compare(read[0], read[1])
			out := cmd.OutOrStdout()
			if err := result.Write(out, tabular.IsTerminal(out)); err != nil {
				return err
			}
			if !result.Same() {
				return fmt.Errorf("%w: %s, %s", errFound, args[0], args[1])
			}
			return nil
		},
	}
}
