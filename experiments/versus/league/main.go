// Command league times the filters of this project, those of other Go modules and a native twin in C++ against each
// other, in one run, prints a table for each size and writes a report with tables and charts.
//
//	cd experiments/versus && go run ./league --out DIR
//
// The default takes half an hour on an idle machine. With --laps a run keeps the times of every turn in a file and
// goes on where an earlier one ended or was interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus/rivals"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	rivals.Options
	out, page, sizes, profile string
	formats                   []string
	force                     bool
}

// parse reads the flags.
func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("league", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.out, "out", "", "directory for the report (nothing is written if empty)")
	flags.StringVar(&s.page, "page", "", "directory for LEAGUE.md and, in its directory images, the charts")
	flags.BoolVar(&s.force, "force", false, "replace a report in the directory")
	formats := flags.String("formats", "png,svg", "of the charts")
	flags.StringVar(&s.sizes, "n", "2^16,2^20,2^24", "slots, powers of two; the keys are 95% of them")
	filters := flags.String("filter", "", "names with commas between them (default all; an unknown one lists them)")
	flags.IntVar(&s.Rounds, "rounds", rivals.DefaultRounds, "rounds of timing")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of all keys")
	flags.StringVar(&s.Laps, "laps", "", "file of the times of each turn; a run goes on where it ends")
	flags.StringVar(&s.profile, "cpuprofile", "",
		"file for a CPU profile of the run, by which go run -pgo=FILE ./league compiles the filters")
	err := flags.Parse(args)
	if err == nil && (flags.NArg() > 0 || s.Rounds == 0 || s.Seed == 0) {
		err = fmt.Errorf("league: --rounds %d --seed %d %q: want no argument, and numbers above 0",
			s.Rounds, s.Seed, flags.Args())
	}
	for size := range strings.SplitSeq(s.sizes, ",") {
		var power uint
		if _, wrong := fmt.Sscanf(size, "2^%d", &power); err == nil && wrong != nil {
			err = fmt.Errorf("--n: %q: want powers of two such as 2^16", size)
		}
		s.Sizes = append(s.Sizes, 1<<power)
	}
	if err == nil && *filters != "" {
		s.Contenders, err = rivals.Choose(strings.Split(*filters, ",")...)
	}
	if s.formats = strings.Split(*formats, ","); err == nil {
		err = chart.CheckFormats(s.formats)
	}
	s.Progress = func(p lab.Progress) {
		fmt.Fprintf(stderr, "league: %d of %d turns, %v to go\n", p.Done, p.Total, p.Remaining.Round(time.Second))
	}
	return s, err
}

// run is main without the process. What shall be written is opened before the work, so that what cannot be is known at
// once.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if s.page != "" {
		if err := os.MkdirAll(s.page, 0o755); err != nil {
			return fmt.Errorf("--page: %w", err)
		}
	}
	var w *report.Writer
	if s.out != "" {
		if w, err = report.Create(s.out, report.Options{Force: s.force}); err != nil {
			return err
		}
		defer w.Close()
	}
	result, err := s.profiled(ctx)
	if err != nil && errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("league: interrupted: with --laps FILE the same command goes on where it ended: %w", err)
	}
	if err == nil {
		_, err = io.WriteString(stdout, result.Text(report.Width(stdout)))
	}
	if err == nil && s.page != "" {
		err = result.WritePage(s.page, fmt.Sprintf("--n %s --rounds %d --seed %d --out DIR", s.sizes, s.Rounds, s.Seed))
	}
	if err == nil && w != nil {
		if err = w.Add(result.Report(), s.formats); err == nil {
			err = w.Commit()
		}
	}
	return err
}

// profiled runs the league, and writes a CPU profile of it if one is asked for.
func (s *settings) profiled(ctx context.Context) (r *rivals.Result, err error) {
	if s.profile == "" {
		return rivals.Run(ctx, s.Options)
	}
	f, err := os.Create(s.profile)
	if err != nil {
		return nil, fmt.Errorf("--cpuprofile: %w", err)
	}
	if err = pprof.StartCPUProfile(f); err == nil {
		r, err = rivals.Run(ctx, s.Options)
		pprof.StopCPUProfile()
	}
	return r, errors.Join(err, f.Close())
}
