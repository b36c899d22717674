// Command league times the filters of this project, those of other Go modules and a native twin in C++ against each other, in one
// run, prints a table for each size and writes a report with tables and charts.
//
//	cd experiments/versus && go run ./league --out DIR
//
// The default takes half an hour on an idle machine. With --laps a run keeps the times of every turn in a file and goes on
// where an earlier one ended; with --for it ends after a while.
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

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/sweep"
	"github.com/nestfilter/nest/experiments/tabular"
	"github.com/nestfilter/nest/experiments/versus"
	"github.com/nestfilter/nest/experiments/versus/rivals"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := status(run(ctx, os.Args[1:], os.Stdout, os.Stderr), os.Stderr)
	stop()
	os.Exit(code)
}

// status writes an error, and returns the exit status.
func status(err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(stderr, err)
	return 1
}

// run is main without the process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o rivals.Options
	flags := flag.NewFlagSet("league", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "directory for the report (nothing is written if empty)")
	page := flags.String("page", "", "directory for LEAGUE.md and, in its directory images, the charts")
	force := flags.Bool("force", false, "replace a report in the directory")
	formats := flags.String("formats", "png,svg,vl.json", "of the charts")
	sizes := flags.String("n", "2^16,2^20,2^24", "slots, powers of two; the keys are 95% of them")
	filters := flags.String("filter", "", "names with commas between them (default all)")
	foreign := flags.String("fastfilter", "", "file with what bulk-insert-and-query of fastfilter_cpp printed, to stand beside")
	flags.IntVar(&o.Rounds, "rounds", rivals.DefaultRounds, "rounds of timing")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of all keys")
	flags.StringVar(&o.Laps, "laps", "", "file of the times of each turn; a run goes on where it ends")
	flags.DurationVar(&o.For, "for", 0, "end after so long, such as 140s (default when all is done)")
	profile := flags.String("cpuprofile", "", "file for a CPU profile of the run, by which go run -pgo=FILE ./league compiles the filters")
	list := flags.Bool("list", false, "list the filters and end")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("league: unexpected argument %q", flags.Arg(0))
	}
	if o.For < 0 || o.For > 0 && o.Laps == "" {
		return fmt.Errorf("--for: %v: want a positive time, and --laps, so that the rest can follow", o.For)
	}
	if o.Sizes, err = sweep.Ints(*sizes); err != nil {
		return fmt.Errorf("--n: %w", err)
	}
	if *filters != "" {
		if o.Contenders, err = rivals.Choose(strings.Split(*filters, ",")...); err != nil {
			return fmt.Errorf("--filter: %w", err)
		}
	}
	if *list {
		return listFilters(stdout)
	}
	rows, err := readForeign(*foreign)
	if err != nil {
		return err
	}
	var w *report.Writer // made before the work, so that a folder that cannot be written is known at once
	if *out != "" {
		if w, err = report.Create(*out, report.Options{Force: *force}); err != nil {
			return err
		}
		defer w.Close()
	}
	var result *rivals.Result
	err = profiled(*profile, func() (err error) {
		result, err = measured(ctx, o, rows, stdout, stderr)
		return err
	})
	if err == nil && *page != "" {
		err = result.WritePage(*page, fmt.Sprintf("--n %s --rounds %d --seed %d --out DIR", *sizes, o.Rounds, o.Seed))
	}
	if err != nil || w == nil {
		return err
	}
	if err := w.Add(result.Report(), strings.Split(*formats, ",")); err != nil {
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

func listFilters(w io.Writer) error {
	for _, c := range rivals.Contenders() {
		if _, err := fmt.Fprintln(w, c.Name); err != nil {
			return err
		}
	}
	return nil
}

// readForeign reads the file of another program's rows, none without a name.
func readForeign(name string) ([]rivals.Foreign, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--fastfilter: %w", err)
	}
	defer f.Close()
	return rivals.ReadFastFilter(name, f)
}

// measured runs the league and prints its tables.
func measured(ctx context.Context, o rivals.Options, foreign []rivals.Foreign, stdout, stderr io.Writer) (*rivals.Result, error) {
	o.Progress = func(filter string, slots, round int) {
		fmt.Fprintf(stderr, "league: round %d, %d slots, %s\n", round+1, slots, filter)
	}
	laps, complete, note, err := rivals.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	kept, err := rivals.Kept()
	if err != nil {
		return nil, err
	}
	result := rivals.NewResult(laps, kept, foreign, versus.Versions())
	result.Complete = complete
	if note != "" {
		result.Notes = append(result.Notes, note)
	}
	_, err = io.WriteString(stdout, result.Text(tabular.Width(stdout)))
	return result, err
}
