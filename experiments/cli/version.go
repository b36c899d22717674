package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/report"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version of nest this is, and what it was built with",
		Long: `version prints what the build recorded: version and revision of the module, and the version of Go. Where these do not
determine the code, it prints a checksum of the program. The manifest.json of a report has the same.`,
		Example: `  nest version`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText(report.ThisModule()))
			return err
		},
	}
}

func versionText(m report.Module) string {
	revision := m.Revision
	if m.Modified {
		revision += ", modified"
	}
	var b strings.Builder
	for _, line := range [][2]string{
		{"module", m.Path}, {"version", m.Version}, {"revision", revision}, {"program", m.Program},
		{"go", runtime.Version()}, {"platform", runtime.GOOS + "/" + runtime.GOARCH},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-10s%s\n", line[0], line[1])
		}
	}
	return b.String()
}
