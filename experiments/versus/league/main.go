// Command league times the filters of this project, those of other Go modules and a native twin in C++ against each
// other, in one run, prints a table for each size and writes a report with tables and charts.
//
//	cd experiments/versus && go run ./league --page DIR
//
// Each round is a process of its own. With --laps the times of every turn stay in a file, and the same command goes on
// where an earlier one was interrupted.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	page, sizes, filters string
	round                bool // it is a process of one round, see [settings.all]
}

// parse reads the flags.
func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	if s.round = len(args) > 0 && args[0] == "round"; s.round {
		args = args[1:]
	}
	flags := flag.NewFlagSet("league", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.page, "page", "", "directory for LEAGUE.md, its charts and league.csv (none if empty)")
	flags.StringVar(&s.sizes, "n", "2^16,2^20,2^24", "slots, powers of two; the keys are 95% of them")
	flags.StringVar(&s.filters, "filter", "", "names with commas between them (default all; an unknown one lists them)")
	flags.IntVar(&s.Rounds, "rounds", rivals.DefaultRounds, "rounds of timing")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of all keys")
	flags.StringVar(&s.Laps, "laps", "", "file of the times of each turn; a run goes on where it ends")
	err := flags.Parse(args)
	if err == nil && (flags.NArg() > 0 || s.Rounds < 1 || s.Seed == 0) {
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
	if err == nil && s.filters != "" {
		s.Contenders, err = rivals.Choose(strings.Split(s.filters, ",")...)
	}
	if err == nil {
		err = s.Check()
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
	result, err := s.all(ctx, stderr)
	if err != nil && errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("league: interrupted: with --laps FILE the same command goes on where it ended: %w", err)
	}
	if err == nil {
		_, err = io.WriteString(stdout, result.Text(report.Width(stdout)))
	}
	if err == nil && s.page != "" {
		err = result.WritePage(s.page, fmt.Sprintf("--n %s --rounds %d --seed %d --page DIR", s.sizes, s.Rounds, s.Seed))
	}
	return err
}

// all runs the rounds: the first one here, which finds out what cannot be done, and each other one in a process of its
// own, whose memory lies elsewhere. They hand their times on in the file of laps.
func (s *settings) all(ctx context.Context, stderr io.Writer) (*rivals.Result, error) {
	if s.round || s.Rounds == 1 {
		return rivals.Run(ctx, s.Options)
	}
	if s.Laps == "" {
		dir, err := os.MkdirTemp("", "nest-league-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		s.Laps = filepath.Join(dir, "laps")
	}
	first := s.Options
	first.Rounds = 1
	_, err := rivals.Run(ctx, first)
	for round := 2; round <= s.Rounds && err == nil; round++ {
		fmt.Fprintf(stderr, "league: round %d of %d\n", round, s.Rounds)
		next := exec.CommandContext(ctx, os.Args[0], "round", "--n", s.sizes, "--rounds", strconv.Itoa(round), "--seed",
			strconv.FormatUint(s.Seed, 10), "--filter", s.filters, "--laps", s.Laps)
		next.Stderr = stderr
		if err = next.Run(); err != nil {
			err = fmt.Errorf("league: round %d: %w", round, cmp.Or(context.Cause(ctx), err))
		}
	}
	if err != nil {
		return nil, err
	}
	return rivals.Run(ctx, s.Options)
}
