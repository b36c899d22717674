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
	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

type reproduceFlags struct {
	out           output
	profile       string
	only, formats []string
	workers, runs count
	options       lab.Options // what else there is
	restart       bool
	earlier       string
}

func newReproduceCommand(registry lab.Registry) *cobra.Command {
	known := registry.Names()
	flags := reproduceFlags{workers: count(runtime.GOMAXPROCS(0))}
	cmd := &cobra.Command{
		Use:   "reproduce --out DIR",
		Short: "Run the paper's experiments again and write a report",
		Long: `reproduce measures the figures of the cuckoo-filter paper (Fan et al., CoNEXT 2014) with this module's
filters, draws them over the paper's own points and says of each claim whether it holds.

The folder holds report.html and what it is made of: tables, pictures, verdicts. For one seed the CSV files are the
same bytes on every machine, but for columns that are timed. Timed trials run alone on the machine: leave it idle.

A run may have several sittings: finished trials are kept in DIR.partial until the report is complete, and the same
command, given again after an interrupt or a power failure, takes them and goes on. Trials of another profile or seed,
or of an experiment that counts otherwise, are refused; --restart discards them. --earlier takes those of another report
of the same profile and seed, or of another DIR.partial.

Profiles: ` + profileHelp + `

Exit status: 1 a difference that the seed alone decides is neither explained nor on record; the report is written.`,
		Example: `  # The paper in two minutes
  nest reproduce --out report
  # Two of its figures
  nest reproduce --out report --only fig2,fig4 --formats svg
  # At the paper's sizes, which takes hours
  nest reproduce --out report --profile paper`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return reproduce(cmd, registry, flags) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, folderHelp)
	f.StringSliceVar(&flags.only, "only", known, "figures to run (default all: "+strings.Join(known, ", ")+")")
	f.Lookup("only").DefValue = "[]" // as the help has names in a form that can be broken
	f.StringVar(&flags.profile, "profile", string(lab.Quick), "tiny, quick or paper")
	f.Uint64Var(&flags.options.Seed, "seed", 1, seedHelp)
	formatsFlag(cmd, &flags.formats, pictures, "")
	f.Var(&flags.workers, "workers", workersHelp)
	f.Var(&flags.runs, "runs",
		"profile paper: runs of the largest tables of figure 2, of which the paper has 10 (default 3)")
	f.BoolVar(&flags.options.Huge, "huge", false,
		"profile paper: figure 2 at 2^30 buckets too, one run each unless --runs; up to 20 GiB, many hours")
	f.BoolVar(&flags.restart, "restart", false, "discard the trials that an interrupted run has kept")
	f.StringVar(&flags.earlier, "earlier", "", "folder of a report or of kept trials: take those that it has")
	complete(cmd, "only", known)
	complete(cmd, "profile", namesOf(lab.Profiles(), func(p lab.Profile) string { return string(p) }))
	return cmd
}

const profileHelp = `tiny takes a second and only shows that everything works; quick takes one and a half to
two and a half minutes on two cores; paper has the paper's sizes up to 2^25 buckets and takes
about two and a half hours and 1.2 GiB of memory on two cores.
`

// plan is what the flags ask for.
func (f reproduceFlags) plan(cmd *cobra.Command, all lab.Registry) (lab.Registry, lab.Options, error) {
	o := f.options
	o.Workers, o.Runs = int(f.workers), int(f.runs)
	profile, err := lab.ParseProfile(f.profile)
	o.Profile = profile
	registry, unknown := all.Only(f.only...)
	switch {
	case f.out.name == "":
		err = errors.New("--out: name the folder to write, such as --out report")
	case err != nil:
		err = fmt.Errorf("--profile: %w", err)
	case unknown != nil:
		err = fmt.Errorf("--only: %w", unknown)
	case (o.Runs > 0 || o.Huge) && profile != lab.Paper:
		err = fmt.Errorf("--runs, --huge: profile %s has no such tables, want --profile %s", profile, lab.Paper)
	default:
		err = checkFormats(f.formats)
	}
	if err != nil || f.earlier == "" {
		return registry, o, err
	}
	o.From, err = await(cmd.Context(), func() (*lab.Raw, error) { return lab.ReadRaw(f.earlier) })
	if err == nil {
		if had := o.From.Options; had.Profile != profile || had.Seed != o.Seed {
			err = fmt.Errorf("folder %q has profile %s and seed %d: want %s and %d",
				f.earlier, had.Profile, had.Seed, profile, o.Seed)
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
	if _, err := registry.Estimate(options); err != nil { // before anything is written
		return err
	}
	// The folder is begun when all is measured: until then there are the kept trials alone, even after a power failure.
	if err := report.Check(out.name, report.Options{Force: out.force}); err != nil {
		return folderError(err)
	}
	partial := filepath.Clean(out.name) + ".partial"
	if flags.restart {
		if err := lab.DiscardJournal(partial); err != nil {
			return fmt.Errorf("--restart: %w", err)
		}
	}
	if options.Store, err = lab.OpenJournal(partial, options); err != nil {
		return explain(err)
	}
	defer func() { err = keep(options.Store, err) }()

	findings, done, err := measure(cmd, registry, options)
	if err != nil {
		return err
	}
	timings, err := experiments.Timings(ctx, options.Profile, options.Seed)
	if err != nil {
		return err
	}
	to := report.Options{Force: out.force, Start: start}
	err = inFolder(ctx, out.name, to, flags.formats, func() (*report.Report, error) {
		r := lab.NewReport(findings, options, timings)
		return &r, nil
	})
	if err != nil {
		return err
	}
	took := time.Since(start).Round(100 * time.Millisecond)
	err = tell(cmd, findings, fmt.Sprintf("%s in %v. Read %s", done, took, page(out.name)))
	if left := options.Store.Remove(); left != nil { // no reason to call the report bad
		fmt.Fprintf(cmd.ErrOrStderr(), "nest: the report is complete; %v\n", left)
	}
	return err
}

// measure says what the run will take and runs the experiments. It returns the number of trials in words.
func measure(cmd *cobra.Command, registry lab.Registry, options lab.Options) ([]lab.Finding, string, error) {
	expected, err := registry.Estimate(options)
	if err != nil {
		return nil, "", explain(err)
	}
	shown := newProgress(cmd.ErrOrStderr())
	defer shown.end()
	shown.say("running", "profile", options.Profile, "figures", strings.Join(registry.Names(), " "),
		"trials", expected.Trials, "expected", announced(expected.Time, options.Workers),
		"memory", memoryText(expected.Bytes))
	done := fmt.Sprintf("%d trials", expected.Trials)
	if expected.Kept > 0 {
		shown.say("going on", "kept", expected.Kept, "left", expected.Trials-expected.Kept, "store", options.Store.Path())
		done = fmt.Sprintf("%d trials, %d of them of earlier sittings,", expected.Trials, expected.Kept)
	}
	options.Report = shown.update
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
	if refused := errors.Is(err, lab.ErrOther) || errors.Is(err, lab.ErrCorrupt); // which say themselves what to do
	err != nil && s.Len() > 0 && !refused && !errors.Is(err, errFailed) {
		what := fmt.Sprintf("%d finished trials are kept in %s: the same command goes on with them", s.Len(), s.Path())
		err = leftover{fmt.Errorf("%w; %s", err, what), what}
	}
	return errors.Join(err, s.Close())
}

// inFolder makes a folder of the report that do returns: whole, or nothing.
func inFolder(
	ctx context.Context, name string, o report.Options, formats []string, do func() (*report.Report, error),
) (err error) {
	w, err := report.Create(name, o)
	if err != nil {
		return folderError(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	r, err := do()
	if err == nil {
		err = w.Add(r, formats)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return w.Commit()
}

func page(dir string) string { return filepath.Join(dir, "report.html") }

// tell prints the outcome on one screen, and returns the error of claims that fail.
func tell(cmd *cobra.Command, findings []lab.Finding, end string) error {
	if err := writeOutcome(cmd.OutOrStdout(), findings, end); err != nil {
		return fmt.Errorf("the report is written, its summary is not: %w", err)
	}
	if failed := len(lab.Failed(findings)); failed > 0 {
		return fmt.Errorf("%w: %d in all; the report says what was measured", errFailed, failed)
	}
	return nil
}

// screen is the number of lines of the narrowest usual terminal, less one for the prompt.
const screen = 23

// writeOutcome prints the outcome of a run on one screen: how many claims hold, which do not as far as there is room,
// the worst first, and the end. The report has all of it.
func writeOutcome(w io.Writer, findings []lab.Finding, end string) error {
	summary := report.Wrap("", lab.Summary(findings), report.TextWidth)
	end = report.Wrap("", end, report.TextWidth)
	rows := departing(findings)
	if room := screen - strings.Count(summary+end, "\n"); len(rows) > room {
		rows = append(rows[:room-1], fmt.Sprintf("  and %d more, which the report has", len(rows)-room+1))
	}
	_, err := io.WriteString(w, summary+strings.Join(append(rows, end), "\n"))
	return err
}

// departing are the claims that were measured and do not hold, a line each: first those that fail, then what nobody has
// explained, and of equals the paper's before our own.
func departing(findings []lab.Finding) []string {
	order := []claims.Status{claims.Unexplained, claims.Differs, claims.Undecided}
	by := make([][]string, 2*(1+len(order)))
	for _, f := range findings {
		for _, v := range f.Verdicts {
			rank, what := 2*(1+slices.Index(order, v.Status)), v.Status.String()
			switch {
			case v.Failed():
				rank, what = 0, "FAILS"
			case rank == 0: // holds, or is not measured
				continue
			}
			if !v.OfPaper() {
				rank++
			}
			line := fmt.Sprintf("  %-11s %s: %s: paper %s; ours %s", what, f.Data.Experiment.Name, v.Says, v.Paper, v.Ours)
			by[rank] = append(by[rank], text.Snip(line, report.TextWidth, "..."))
		}
	}
	return slices.Concat(by...)
}
