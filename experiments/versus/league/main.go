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

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus"
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
	out, page, formats, sizes, filters, profile string
	force, list                                 bool
}

// parse reads the flags and checks all that can be checked before the work.
func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("league", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.out, "out", "", "directory for the report (nothing is written if empty)")
	flags.StringVar(&s.page, "page", "", "directory for LEAGUE.md and, in its directory images, the charts")
	flags.BoolVar(&s.force, "force", false, "replace a report in the directory")
	flags.StringVar(&s.formats, "formats", "png,svg", "of the charts")
	flags.StringVar(&s.sizes, "n", "2^16,2^20,2^24", "slots, powers of two; the keys are 95% of them")
	flags.StringVar(&s.filters, "filter", "", "names with commas between them (default all)")
	flags.IntVar(&s.Rounds, "rounds", rivals.DefaultRounds, "rounds of timing")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of all keys")
	flags.StringVar(&s.Laps, "laps", "", "file of the times of each turn; a run goes on where it ends")
	flags.StringVar(&s.profile, "cpuprofile", "",
		"file for a CPU profile of the run, by which go run -pgo=FILE ./league compiles the filters")
	flags.BoolVar(&s.list, "list", false, "list the filters and end")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("league: unexpected argument %q", flags.Arg(0))
	}
	s.Progress = func(p lab.Progress) {
		fmt.Fprintf(stderr, "league: %d of %d turns, %v to go\n", p.Done, p.Total, p.Remaining.Round(time.Second))
	}
	return s, s.check()
}

func (s *settings) check() (err error) {
	if s.Rounds == 0 || s.Seed == 0 {
		return fmt.Errorf("--rounds %d, --seed %d: want more than 0", s.Rounds, s.Seed)
	}
	if s.Sizes, err = versus.Numbers(s.sizes, rivals.MaxSlots); err != nil {
		return fmt.Errorf("--n: %w", err)
	}
	if s.filters != "" {
		if s.Contenders, err = rivals.Choose(strings.Split(s.filters, ",")...); err != nil {
			return fmt.Errorf("--filter: %w", err)
		}
	}
	formats := strings.Split(s.formats, ",")
	if _, err = catalogue.Choose(formats, chart.Formats(), func(name string) string { return name }); err != nil {
		return fmt.Errorf("--formats: %w", err)
	}
	return nil
}

// run is main without the process. What shall be written is opened before the work, so that what cannot be is known at
// once.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if s.list {
		for _, c := range rivals.Contenders() {
			if _, err := fmt.Fprintln(stdout, c.Name); err != nil {
				return err
			}
		}
		return nil
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
	var result *rivals.Result
	err = profiled(s.profile, func() (err error) {
		result, err = measured(ctx, s.Options, stdout)
		return err
	})
	if err == nil && s.page != "" {
		err = result.WritePage(s.page, fmt.Sprintf("--n %s --rounds %d --seed %d --out DIR", s.sizes, s.Rounds, s.Seed))
	}
	if err != nil || w == nil {
		return err
	}
	if err := w.Add(result.Report(), strings.Split(s.formats, ",")); err != nil {
		return err
	}
	return w.Commit()
}

// profiled calls do and writes a CPU profile of it to a file, none without a name.
func profiled(name string, do func() error) error {
	if name == "" {
		return do()
	}
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("--cpuprofile: %w", err)
	}
	if err = pprof.StartCPUProfile(f); err == nil {
		err = do()
		pprof.StopCPUProfile()
	}
	return errors.Join(err, f.Close())
}

// measured runs the league and prints its tables.
func measured(ctx context.Context, o rivals.Options, to io.Writer) (*rivals.Result, error) {
	laps, err := rivals.Run(ctx, o)
	if err != nil && errors.Is(err, context.Cause(ctx)) {
		rest := "--laps FILE keeps what is measured"
		if o.Laps != "" {
			rest = "the same command goes on where " + o.Laps + " ends"
		}
		return nil, fmt.Errorf("league: interrupted: %s: %w", rest, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	kept, err := rivals.Kept()
	if err != nil {
		return nil, err
	}
	result := rivals.NewResult(laps, kept, versus.Versions())
	_, err = io.WriteString(to, result.Text(report.Width(to)))
	return result, err
}
