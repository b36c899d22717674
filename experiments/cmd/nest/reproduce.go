package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
)

// reproduceFlags are the flags of nest reproduce.
type reproduceFlags struct {
	out, profile  string
	only, formats []string
	seed          uint64
	workers       int
	force         bool
}

func newReproduceCommand(registry experiments.Registry) *cobra.Command {
	known := registry.Names()
	var flags reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce --out DIR",
		Short: "Run the paper's experiments again and write a report with figures, tables and verdicts",
		Long: `reproduce measures the figures of the cuckoo-filter paper (Fan et al., CoNEXT 2014) with this module's filters,
draws them over the paper's own points and says of each claim whether it holds.

The folder holds report.html, report.md, manifest.json, bench.txt, the verdicts as CSV and for LaTeX and,
for each figure, a CSV with a row for every trial, a table for LaTeX, the picture in each format and a
Vega-Lite specification. Nothing is left behind when
the run fails or is interrupted. For one seed the CSV files are the same bytes on every machine;
bench.txt is timed and is not.

Profiles: ` + profileHelp + `
Exit status: 0 all claims hold or differ for a known reason, 1 one does not (the report is written),
2 bad input, 130 interrupted.`,
		Example: `  nest reproduce --out report
  nest reproduce --out report --only fig2,fig4 --formats svg
  nest reproduce --out report --profile paper --seed 7`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return reproduce(cmd, registry, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.out, "out", "", "folder to write, which must not exist or be empty (required)")
	f.StringSliceVar(&flags.only, "only", known, "figures to run")
	f.StringVar(&flags.profile, "profile", string(experiments.Quick), "tiny, quick or paper")
	f.Uint64Var(&flags.seed, "seed", 1, "seed of all randomness")
	f.StringSliceVar(&flags.formats, "formats", []string{"png", "svg", "pdf"}, "formats of the pictures: "+strings.Join(chart.Formats(), ", "))
	f.IntVar(&flags.workers, "workers", runtime.GOMAXPROCS(0), "trials to run at a time; the results do not depend on it")
	f.BoolVar(&flags.force, "force", false, "replace an earlier report in the folder")
	complete(cmd, "only", known)
	complete(cmd, "profile", profileNames())
	complete(cmd, "formats", chart.Formats())
	return cmd
}

const profileHelp = `tiny takes a second and only shows that everything works; quick takes about a
minute on two cores; paper has the paper's sizes up to 2^25 buckets and takes an hour or two and up to
3 GB of memory.
`

func profileNames() []string {
	var names []string
	for _, p := range experiments.Profiles() {
		names = append(names, string(p))
	}
	return names
}

// complete offers fixed words where a shell completes a flag.
func complete(cmd *cobra.Command, flag string, words []string) {
	fixed := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, fixed); err != nil {
		panic(err) // a flag that this file does not define
	}
}

// options checks the flags and returns what to run.
func (f reproduceFlags) options(all experiments.Registry) (experiments.Registry, experiments.Options, error) {
	var none experiments.Registry
	if f.out == "" {
		return none, experiments.Options{}, errors.New("--out: name the folder to write, such as --out report")
	}
	profile, err := experiments.ParseProfile(f.profile)
	if err != nil {
		return none, experiments.Options{}, fmt.Errorf("--profile: %w", err)
	}
	registry, err := all.Only(f.only...)
	if err != nil {
		return none, experiments.Options{}, fmt.Errorf("--only: %w", err)
	}
	if err := chart.CheckFormats(f.formats); err != nil {
		return none, experiments.Options{}, fmt.Errorf("--formats: %w", err)
	}
	if f.workers < 1 {
		return none, experiments.Options{}, fmt.Errorf("--workers: %d: want at least 1", f.workers)
	}
	return registry, experiments.Options{Profile: profile, Seed: f.seed, Workers: f.workers}, nil
}

// reproduce runs the experiments and writes the folder.
func reproduce(cmd *cobra.Command, all experiments.Registry, flags reproduceFlags) (err error) {
	ctx := cmd.Context()
	registry, options, err := flags.options(all)
	if err != nil {
		return err
	}
	trials, expected, err := registry.Expected(options.Profile, options.Workers)
	if err != nil {
		return err
	}
	w, err := report.Create(flags.out, report.Options{Force: flags.force})
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()

	shown := newProgress(cmd.ErrOrStderr())
	shown.say("running", "profile", flags.profile, "figures", strings.Join(registry.Names(), ","), "trials", trials,
		"expected", expected.Round(time.Second))
	options.Report = shown.update
	start := time.Now()
	findings, err := registry.Run(ctx, options)
	shown.end()
	if err != nil {
		return err
	}
	timings, err := experiments.Timings(ctx, options.Profile, options.Seed)
	if err != nil {
		return err
	}
	r := experiments.NewReport(findings, options, timings)
	if err := publish(ctx, w, &r, flags.formats); err != nil {
		return err
	}
	return tell(cmd, findings, fmt.Sprintf("%d trials in %v. Read %s",
		trials, time.Since(start).Round(100*time.Millisecond), filepath.Join(flags.out, "report.html")))
}

// publish makes the folder, unless it is interrupted.
func publish(ctx context.Context, w *report.Writer, r *report.Report, formats []string) error {
	if err := w.Add(r, formats); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.Commit()
}

// tell prints the outcome of every claim, and returns the error of those that fail.
func tell(cmd *cobra.Command, findings []experiments.Finding, end string) error {
	var text bytes.Buffer
	writeVerdicts(&text, findings)
	fmt.Fprintf(&text, "%s %s\n", experiments.Summary(findings), end)
	if _, err := cmd.OutOrStdout().Write(text.Bytes()); err != nil {
		return fmt.Errorf("the report is written, its summary is not: %w", err)
	}
	if failed := experiments.Failed(findings); len(failed) > 0 {
		return fmt.Errorf("%w:\n  %s", errFailed, strings.Join(failed, "\n  "))
	}
	return nil
}
