package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

func newReportCommand(registry lab.Registry) *cobra.Command {
	return groupOf(&cobra.Command{Use: "report", Short: "Draw a report again, check its files, compare two"},
		newRedrawCommand(registry), newVerifyCommand(), newDiffCommand())
}

func newRedrawCommand(registry lab.Registry) *cobra.Command {
	var out output
	var formats []string
	cmd := &cobra.Command{
		Use:   "redraw DIR",
		Short: "Draw and judge a report again, without measuring",
		Long: `redraw makes pages, pictures, tables and verdicts of a folder of nest reproduce again, from its CSV files,
bench.txt and manifest.json: for other formats, or after nest has changed what it draws or how it judges. It measures
nothing and keeps the CSV files.

The results must be those that the manifest lists and that profile and seed call for; otherwise it refuses, with file
and line. Without --out the folder is replaced as a whole and may hold nothing but the report. The manifest keeps the
run's machine, version and times and notes when and by what the report was made again.`,
		Example: `  # Draw and judge a report again with this version of nest
  nest report redraw report
  # The same results in a folder of their own, with pictures for slides
  nest report redraw report --formats svg --out slides`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return redraw(cmd, registry, args[0], out, formats) },
	}
	out.flags(cmd, folderHelp+" (default DIR, which is replaced)")
	formatsFlag(cmd, &formats, "", "; those of DIR if not set")
	return cmd
}

func redraw(cmd *cobra.Command, registry lab.Registry, dir string, out output, formats []string) error {
	raw, err := await(cmd.Context(), func() (*lab.Raw, error) { return lab.ReadRaw(dir) })
	if err == nil && raw.Unfinished {
		err = fmt.Errorf("folder %q: %w: the run has not ended; nest reproduce goes on with it", dir, lab.ErrRaw)
	}
	if err != nil {
		return err
	}
	if out.name == "" || os.SameFile(described(out.name), described(dir)) {
		out = output{dir, true}
	}
	findings, err := registry.Rebuild(raw.Options, raw.Tables)
	if err != nil {
		return err
	}
	if formats == nil {
		formats = slices.DeleteFunc(chart.Formats(), func(f string) bool { // as in the folder
			return !slices.ContainsFunc(raw.Manifest.Files, func(p report.File) bool { return strings.HasSuffix(p.Name, "."+f) })
		})
	}
	r := lab.NewReport(findings, raw.Options, raw.Timings)
	if err := writeFolder(cmd.Context(), out, report.Options{From: raw.Manifest}, formats, &r); err != nil {
		return err
	}
	return tell(cmd, findings, "Nothing was measured. Read "+page(out.name))
}

func newDiffCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two reports: counts, verdicts and timings",
		Long: `diff compares two folders that nest wrote. What the seed decides must be the same: CSVs are compared cell by
cell, and the first cells that differ are named file:line:column. Claims whose verdict changed or that one report lacks
are named too.

Timings are compared by their medians, as benchstat does, and on different machines not at all. Those that differ at
p < 0.05 are listed; of a hundred equal ones five do by chance. They do not make reports differ.`,
		Example: `  # What did a change of the code change?
  nest report diff before after`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := await(cmd.Context(), func() (*report.Changes, error) {
				a, errA := report.ReadFolder(args[0])
				b, errB := report.ReadFolder(args[1])
				if err := cmp.Or(errA, errB); err != nil {
					return nil, err
				}
				return report.Compare(a, b), nil
			})
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if err = result.Write(out, report.Width(out), all); err == nil && !result.Same {
				err = fmt.Errorf("%w: %s, %s", errFound, args[0], args[1])
			}
			return err
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
		Long: `verify compares every file of a folder that nest wrote with the SHA-256 in manifest.json, and names each that
is missing, changed or not listed. It finds accidents; whoever can write the folder can write its manifest too.`,
		Example: `  # Is the folder as nest wrote it?
  nest report verify report`,
		Args: cobra.ExactArgs(1),
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
			text := fmt.Sprintf("%d files are as the manifest says\n", len(m.Files))
			if len(problems) > 0 {
				text = strings.Join(namesOf(problems, report.Problem.String), "\n") + "\n"
				err = fmt.Errorf("%w: folder %q departs from its manifest in %d of %d files", errFound, args[0],
					len(problems), len(m.Files))
			}
			if _, failed := io.WriteString(cmd.OutOrStdout(), text); failed != nil {
				return failed
			}
			return err
		},
	}
}
