package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

type reproduceFlags struct {
	out           output
	only, formats []string
	options       lab.Options
	restart       bool
	earlier       string
}

func newReproduceCommand(registry lab.Registry) *cobra.Command {
	known := registry.Names()
	flags := reproduceFlags{options: lab.Options{Workers: runtime.GOMAXPROCS(0)}}
	cmd := &cobra.Command{
		Use:   "reproduce --out DIR",
		Short: "Run the paper's experiments again and write a report",
		Long: `reproduce measures the figures of the cuckoo-filter paper (Fan et al., CoNEXT 2014) with this module's
filters, draws them over the paper's own points and says of each claim whether it holds.

The folder holds report.html and what it is made of: tables, pictures, verdicts. For one seed the CSV files are the same
bytes on every machine, except timed columns. Timed trials run alone on the machine: leave it idle.

A run may have several sittings: finished trials are kept in DIR.partial until the report is complete, and the same
command, given again after an interrupt or a power failure, takes them and goes on. Trials of another profile or seed,
or of an experiment that counts otherwise, are refused. --earlier takes those of another report of the same profile and
seed, or of another DIR.partial.

Profiles: ` + profileHelp + `

Exit status: 1 a difference that the seed alone decides is neither explained nor a known issue; the report is written.`,
		Example: `  # The paper in two minutes
  nest reproduce --out report
  # At the paper's sizes, which takes hours
  nest reproduce --out report --profile paper`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return reproduce(cmd, registry, flags) },
	}
	f, o := cmd.Flags(), &flags.options
	flags.out.flags(cmd, folderHelp+" (required)")
	flags.only = known
	choice(cmd, parsed(&flags.only, "strings", "", commas), "only", "figures to run, by default all", known)
	choice(cmd, parsed(&o.Profile, "string", string(lab.Quick), lab.ParseProfile), "profile", "sizes and times",
		namesOf(lab.Profiles(), func(p lab.Profile) string { return string(p) }))
	f.Uint64Var(&o.Seed, "seed", 1, seedHelp)
	formatsFlag(cmd, &flags.formats, pictures, "")
	f.Var(count(&o.Workers), "workers", workersHelp)
	f.Var(count(&o.Runs), "runs",
		"profile paper: runs of the largest tables of figure 2, of which the paper has 10 (default 3)")
	f.BoolVar(&o.Huge, "huge", false,
		"profile paper: figure 2 at 2^30 buckets too, one run each unless --runs; up to 20 GiB, many hours")
	f.BoolVar(&flags.restart, "restart", false, restartHelp)
	f.StringVar(&flags.earlier, "earlier", "", "folder of a report or of kept trials: take those that it has")
	return cmd
}

const restartHelp = "discard the trials that an interrupted run has kept"

const profileHelp = `tiny takes a second and only shows that everything works; quick takes one and a half to
three and a half minutes on two cores; paper has the paper's sizes up to 2^25 buckets and takes
four to eight hours and 1.2 GiB of memory on two cores.
`

// pictures are the formats of a report by default.
const pictures = "png,svg,pdf"

// plan is what the flags ask for.
func (f reproduceFlags) plan(cmd *cobra.Command, all lab.Registry) (lab.Registry, lab.Options, error) {
	o := f.options
	registry, err := all.Only(f.only...)
	switch {
	case f.out.name == "":
		err = errors.New("--out: name the folder to write, such as --out report")
	case err != nil:
		err = fmt.Errorf("--only: %w", err)
	case (o.Runs > 0 || o.Huge) && o.Profile != lab.Paper:
		err = fmt.Errorf("--runs, --huge: profile %s has no such tables, want --profile %s", o.Profile, lab.Paper)
	}
	if err != nil || f.earlier == "" {
		return registry, o, err
	}
	o.From, err = await(cmd.Context(), func() (*lab.Raw, error) { return lab.ReadRaw(f.earlier) })
	if err == nil {
		if had := o.From.Options; had.Profile != o.Profile || had.Seed != o.Seed {
			err = fmt.Errorf("folder %q has profile %s and seed %d: want %s and %d",
				f.earlier, had.Profile, had.Seed, o.Profile, o.Seed)
		}
	}
	if err != nil {
		err = fmt.Errorf("--earlier: %w", err)
	}
	return registry, o, err
}

func reproduce(cmd *cobra.Command, all lab.Registry, flags reproduceFlags) (err error) {
	ctx, out, start := cmd.Context(), flags.out, time.Now()
	registry, options, err := flags.plan(cmd, all)
	if err != nil {
		return err
	}
	// The folder is begun when all is measured: until then there are the kept trials alone, even after a power failure.
	if err := checkFolder(out); err != nil {
		return err
	}
	if options.Store, err = openStore(out, flags.restart, options); err != nil {
		return err
	}
	defer func() { err = keep(options.Store, err) }()

	findings, done, err := runAll(cmd, registry, options)
	if err != nil {
		return err
	}
	timings, err := experiments.Timings(ctx, options.Profile, options.Seed)
	if err != nil {
		return err
	}
	r := lab.NewReport(findings, options, timings)
	if err := writeFolder(ctx, out, report.Options{Start: options.Store.Began()}, flags.formats, &r); err != nil {
		return err
	}
	took := time.Since(start).Round(100 * time.Millisecond)
	err = tell(cmd, findings, fmt.Sprintf("%s in %v. Read %s", done, took, page(out.name)))
	forget(cmd, options.Store)
	return err
}

// openStore opens what keeps the trials of a report until it is written.
func openStore(out output, restart bool, o lab.Options) (*lab.Journal, error) {
	partial := filepath.Clean(out.name) + ".partial"
	if restart {
		if err := lab.DiscardJournal(partial); err != nil {
			return nil, fmt.Errorf("--restart: %w", err)
		}
	}
	s, err := lab.OpenJournal(partial, o)
	return s, explain(err)
}

// forget removes it when the report is there.
func forget(cmd *cobra.Command, s *lab.Journal) {
	if s == nil {
		return
	} else if left := s.Remove(); left != nil { // no reason to call the report bad
		fmt.Fprintf(cmd.ErrOrStderr(), "nest: the report is complete; %v\n", left)
	}
}

// runAll says what the run will take and runs the experiments. It returns the number of trials in words.
func runAll(cmd *cobra.Command, registry lab.Registry, options lab.Options) ([]lab.Finding, string, error) {
	expected, err := registry.Estimate(options)
	if err != nil {
		return nil, "", explain(err)
	}
	log := newProgress(cmd.ErrOrStderr())
	log.Info("running", "profile", options.Profile, "figures", strings.Join(registry.Names(), " "),
		"trials", expected.Trials, announced(expected))
	done := fmt.Sprintf("%d trials", expected.Trials)
	if expected.Kept > 0 {
		log.Info("going on", "kept", expected.Kept, "left", expected.Trials-expected.Kept, "store", options.Store.Path())
		done = fmt.Sprintf("%d trials, %d of them of earlier sittings,", expected.Trials, expected.Kept)
	}
	options.Report = log.update
	findings, err := registry.Run(cmd.Context(), options)
	return findings, done, err
}

// explain adds to an error about kept trials what to do.
func explain(err error) error {
	switch {
	case errors.Is(err, lab.ErrOther):
		return fmt.Errorf("%w; run it with the same arguments and the same program to go on, "+
			"or discard its trials with --restart", err)
	case errors.Is(err, lab.ErrCorrupt):
		return fmt.Errorf("%w; discard the kept trials with --restart", err)
	}
	return err
}

// keep closes the store of a run that ended with an error, and says that there is one.
func keep(s *lab.Journal, err error) error {
	if s == nil { // nothing is kept
		return err
	}
	if refused := errors.Is(err, lab.ErrOther) || errors.Is(err, lab.ErrCorrupt); // which say themselves what to do
	err != nil && s.Len() > 0 && !refused && !errors.Is(err, errFailed) {
		what := fmt.Sprintf("%d finished trials are kept in %s: the same command goes on with them", s.Len(), s.Path())
		err = leftover{fmt.Errorf("%w; %s", err, what), what}
	}
	return errors.Join(err, s.Close())
}

// checkFolder tells, before any work is done, whether a report can be written there.
func checkFolder(out output) error {
	return folderError(report.Check(out.name, report.Options{Force: out.force}))
}

// writeFolder makes a folder of a report: whole, or nothing.
func writeFolder(
	ctx context.Context, out output, o report.Options, formats []string, r *report.Report,
) (err error) {
	o.Force = out.force
	w, err := report.Create(out.name, o)
	if err != nil {
		return folderError(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err = w.Add(r, formats); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return w.Commit()
}

// folderError adds to the error of a folder that is to be written what to do.
func folderError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, report.ErrReport):
		return fmt.Errorf("--out: %w, which --force replaces", err)
	case errors.Is(err, report.ErrExists):
		return fmt.Errorf("--out: %w; --force replaces nothing but an earlier report", err)
	}
	return fmt.Errorf("--out: %w", err)
}

func page(dir string) string { return filepath.Join(dir, "report.html") }

// mostDeparting is how many claims that do not hold are printed: with what stands around them they fit a screen.
const mostDeparting = 16

// tell prints the outcome: how many claims hold, the worst of the others, the end. Its error is of claims that fail.
func tell(cmd *cobra.Command, findings []lab.Finding, end string) error {
	rows := departing(findings)
	if more := len(rows) - mostDeparting; more > 0 {
		rows = append(rows[:mostDeparting], fmt.Sprintf("  and %d more, which the report has", more))
	}
	all := strings.Join(slices.Concat([]string{lab.Summary(findings)}, rows, []string{end}), "\n")
	if _, err := io.WriteString(cmd.OutOrStdout(), report.Wrap("", all, report.TextWidth)); err != nil {
		return fmt.Errorf("the report is written, its summary is not: %w", err)
	}
	if failed := len(lab.Failed(findings)); failed > 0 {
		return fmt.Errorf("%w: %d in all; the report says what was measured", errFailed, failed)
	}
	return nil
}

// departing are the claims that were measured and do not hold, a line each: those that fail, then what nobody has
// explained, and the others.
func departing(findings []lab.Finding) []string {
	order := []claims.Status{claims.Unexplained, claims.Differs, claims.Undecided}
	by := make([][]string, 1+len(order))
	for _, f := range findings {
		for _, v := range f.Verdicts {
			rank, what := 1+slices.Index(order, v.Status), v.Status.String()
			if v.Failed() {
				rank, what = 0, "FAILS"
			} else if rank == 0 { // holds, or is not measured
				continue
			}
			line := fmt.Sprintf("  %-11s %s: %s: paper %s; ours %s", what, f.Data.Experiment.Name, v.Says, v.Paper, v.Ours)
			by[rank] = append(by[rank], text.Snip(line, report.TextWidth, "..."))
		}
	}
	return slices.Concat(by...)
}
