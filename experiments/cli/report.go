package cli

import (
	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/lab"
)

func newReportCommand(registry lab.Registry) *cobra.Command {
	return groupOf(&cobra.Command{Use: "report", Short: "Draw a report again, check its files, compare two"},
		newRedrawCommand(registry), newVerifyCommand(), newDiffCommand())
}
