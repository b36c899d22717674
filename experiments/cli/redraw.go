package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

type redrawFlags struct {
	out     output
	formats []string
}

func newRedrawCommand(registry lab.Registry) *cobra.Command {
	var flags redrawFlags
	cmd := &cobra.Command{
		Use:   "redraw DIR",
		Short: "Draw and judge a report again, without measuring",
		Long: `redraw makes pages, pictures, tables and verdicts of a folder of nest reproduce again, from its CSV files,
bench.txt and manifest.json: for other formats, or after nest has changed what it draws or how it judges. It measures
nothing and keeps the CSV files.

The results must be those that the manifest lists and that profile and seed call for; otherwise it refuses, with file
and line. Without --out the folder is replaced as a whole and may hold nothing but the report. The manifest keeps the
run's machine, version and times and notes when and by what the report was made again.

Exit status: 0, 1 a claim that the seed alone decides does not hold (the report is written), 2 bad input, 130
interrupted.`,
		Example: `  # Draw and judge a report again with this version of nest
  nest report redraw report
  # The same results in a folder of their own, with pictures for slides
  nest report redraw report --formats svg --out slides`,
		Args: folders(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runRedraw(cmd, registry, args[0], flags) },
	}
	flags.out.flags(cmd, "a folder, which must not exist or be empty; --force replaces an earlier report in it "+
		"(default DIR, which is replaced)")
	formatsFlag(cmd, &flags.formats, nil, "; those of DIR if not set")
	return cmd
}

// folders says what arguments a command wants that takes so many folders.
func folders(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s: %d folders are named: want %d: %s", cmd.Name(), len(args), n, cmd.Use)
		}
		return nil
	}
}

func runRedraw(cmd *cobra.Command, registry lab.Registry, dir string, flags redrawFlags) error {
	if err := checkFormats(flags.formats); err != nil {
		return err
	}
	raw, err := await(cmd.Context(), func() (*lab.Raw, error) { return lab.ReadRaw(dir) })
	if err == nil && raw.Unfinished {
		err = fmt.Errorf("folder %q: %w: the run has not ended; nest reproduce goes on with it", dir, lab.ErrRaw)
	}
	if err != nil {
		return err
	}
	out, force := flags.out.name, flags.out.force
	if out == "" || same(out, dir) {
		out, force = dir, true
	}
	findings, err := registry.Rebuild(raw.Options, raw.Tables)
	if err != nil {
		return err
	}
	formats := flags.formats
	if !cmd.Flags().Changed("formats") {
		formats = formatsOf(raw.Manifest)
	}
	o := report.Options{Force: force, From: raw.Manifest}
	err = inFolder(cmd.Context(), out, o, formats, func() (*report.Report, error) {
		r := lab.NewReport(findings, raw.Options, raw.Timings)
		return &r, nil
	})
	if err != nil {
		return err
	}
	return tell(cmd, findings, "Nothing was measured. Read "+page(out))
}

// folderError adds to the error of a folder that is to be written what to do.
func folderError(err error) error {
	switch {
	case errors.Is(err, report.ErrReport):
		return fmt.Errorf("--out: %w, which --force replaces", err)
	case errors.Is(err, report.ErrExists):
		return fmt.Errorf("--out: %w; --force replaces nothing but an earlier report", err)
	}
	return fmt.Errorf("--out: %w", err)
}

func same(a, b string) bool {
	a, err1 := filepath.Abs(a)
	b, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && a == b
}

// formatsOf are the formats of the pictures in a folder.
func formatsOf(m *report.Manifest) []string {
	var out []string
	for _, format := range chart.Formats() {
		if slices.ContainsFunc(m.Files, func(f report.File) bool { return strings.HasSuffix(f.Name, "."+format) }) {
			out = append(out, format)
		}
	}
	return out
}
