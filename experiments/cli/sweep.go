package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/sweep"
)

type sweepFlags struct {
	grid    sweep.Text
	out     output
	workers int
	dry     bool
	memory  func() int64 // what is available
}

func newSweepCommand(registry lab.Registry) *cobra.Command {
	flags := sweepFlags{memory: lab.AvailableMemory}
	known, _ := sweep.Hashes(registry.Parts) // an error is reported when the command runs
	hashes := namesOf(known, func(h sweep.Hash) string { return h.Name })
	policies := namesOf(sweep.Policies(registry.Parts), func(p lab.Policy) string { return p.Name })
	placements := namesOf(catalogue.Placements(), cuckoo.Placement.String)
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure cuckoo filters over a grid of parameters",
		Long: `sweep fills a filter for every combination of the values given and asks it: how many keys the table takes, how many kicks
that costs, and the false-positive rate beside the predicted one. Numbers are lists and ranges, such as 8..16, 2,4,
1e5,2^20, and 0.5..0.9:0.1 with a step.

n is the number of slots; xor and plainxor round the buckets up to a power of two, region to whole regions, of which it
needs a million slots at b = 4. A load of 1 fills the table until it refuses a key. Keys are random digests (mix64), or
consecutive integers under a hash family with seed 0.

The rows are the same bytes on every machine; --timed adds nanoseconds per key, which are not, and measures one cell at a
time. An interrupt or a full disk leaves a valid table of the rows that were finished. Time and memory are said first;
more memory than there is is refused. Hash families: ` + strings.Join(hashes, ", ") + `.

Exit status: 0, 2 bad input, 130 interrupted.`,
		Example: `  nest sweep --f 8..16 --b 2,4 --n 1e5,1e6 --load 0.5..0.9:0.1 --out grid.csv
  nest sweep --kick breadth-first,random-walk --f 4..12 --load 1 --out all.csv
  nest chart all.csv --x f --y load_reached --series kick --out refusal.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSweep(cmd, registry, flags) },
	}
	f := cmd.Flags()
	t := &flags.grid
	t.Widths, t.BucketSizes, t.Slots, t.Loads = "12", "4", "2^16", "0.95"
	f.Var((*numbers)(&t.Widths), "f", widthHelp)
	f.Var((*numbers)(&t.BucketSizes), "b", bucketHelp)
	f.Var((*numbers)(&t.Slots), "n", countHelp+"; slots of each table")
	f.Var((*numbers)(&t.Loads), "load", "share of the slots to fill, 1 until a key is refused")
	f.StringSliceVar(&t.Placements, "placement", []string{"additive"}, placementHelp+": "+strings.Join(placements, ", "))
	f.StringSliceVar(&t.Policies, "kick", []string{"breadth-first"}, kickHelp+": "+strings.Join(policies, ", "))
	f.StringSliceVar(&t.Hashes, "hash", []string{sweep.RandomDigests}, hashHelp)
	f.StringSliceVar(&t.Filters, "filter", []string{"cuckoo"}, filterHelp+"; cuckoo, or those that were registered, at their own settings")
	f.IntVar(&t.Trials, "seeds", 1, "how often to measure each combination, each time with another seed")
	f.Uint64Var(&t.Seed, "seed", 1, seedHelp)
	f.IntVar(&t.Probes, "probes", 1<<18, "absent keys to look up in each cell")
	f.BoolVar(&t.Timed, "timed", false, "add nanoseconds per insert and lookup")
	flags.out.flags(cmd, "a file (default standard output)")
	f.IntVar(&flags.workers, "workers", runtime.GOMAXPROCS(0), workersHelp)
	f.BoolVar(&flags.dry, "dry-run", false, "say what it would cost, and measure nothing")
	complete(cmd, "placement", placements)
	complete(cmd, "kick", policies)
	complete(cmd, "hash", hashes)
	return cmd
}

// plan checks the flags and lays out the cells.
func (f sweepFlags) plan(registry lab.Registry) ([]sweep.Cell, sweep.Estimate, error) {
	if f.workers < 1 {
		return nil, sweep.Estimate{}, fmt.Errorf("--workers: %d: want at least 1", f.workers)
	}
	if err := registry.Check(); err != nil {
		return nil, sweep.Estimate{}, err
	}
	grid, err := sweep.Parse(f.grid, registry.Parts)
	if err != nil {
		return nil, sweep.Estimate{}, err
	}
	workers := f.workers
	if grid.Timed {
		workers = 1
	}
	cells, cost, err := grid.Plan(workers)
	if err != nil {
		return nil, cost, err
	}
	return cells, cost, cost.Enough(f.memory())
}

func runSweep(cmd *cobra.Command, registry lab.Registry, flags sweepFlags) (err error) {
	cells, cost, err := flags.plan(registry)
	if err != nil {
		return err
	}
	shown := newProgress(cmd.ErrOrStderr())
	shown.say("sweeping", "cells", cost.Cells, "expected", announced(cost.Time, flags.workers), "memory", memoryText(int64(cost.Bytes)))
	if flags.dry {
		return nil
	}
	var w io.Writer = cmd.OutOrStdout()
	var file *os.File
	if flags.out.name != "" {
		if file, err = createTable(flags.out); err != nil {
			return err
		}
		w = file
	}
	table := &wholeRows{w: w}
	err = table.sweep(cmd.Context(), cells, sweep.Options{Workers: flags.workers, Report: shown.update})
	shown.end()
	if file != nil {
		err = table.close(file, err)
	}
	switch {
	case err == nil:
		shown.say("done", "rows", table.rows)
		return nil
	case cmd.Context().Err() != nil && table.failed == nil:
		return linesWritten(table.rows + 1)
	case file == nil:
		return fmt.Errorf("%w\n%d of %d rows were written whole", err, table.rows, len(cells))
	}
	return fmt.Errorf("%w\n%s", err, table.left(flags.out.name, len(cells)))
}

func createTable(out output) (*os.File, error) {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if out.force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(out.name, mode, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("--out: %s exists; --force replaces it", out.name)
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return file, nil
}

// A wholeRows streams rows of a table: each is one write, as soon as it is known. It knows where the last row
// that was written whole ends, so that a full disk does not leave half of one.
type wholeRows struct {
	w      io.Writer
	row    bytes.Buffer
	rows   int   // without the header
	ends   int64 // where the last whole row ends
	failed error // of a write

	removed bool // the file, which had no row
}

// sweep measures the cells and writes their rows below a header.
func (t *wholeRows) sweep(ctx context.Context, cells []sweep.Cell, o sweep.Options) error {
	if err := t.write(sweep.Columns(cells[0].Timed)); err != nil {
		return err
	}
	return sweep.Run(ctx, cells, o, func(outcome sweep.Outcome) error {
		if err := t.write(outcome.Row()); err != nil {
			return err
		}
		t.rows++
		return nil
	})
}

func (t *wholeRows) write(cells []string) error {
	t.row.Reset()
	line := csv.NewWriter(&t.row)
	if t.failed = line.Write(cells); t.failed != nil {
		return t.failed
	}
	line.Flush()
	if _, t.failed = t.w.Write(t.row.Bytes()); t.failed == nil {
		t.ends += int64(t.row.Len())
	}
	return t.failed
}

// close closes the file that the rows went to. If a write has failed it takes back what is behind the last whole row
// first, and the whole file without a row. The error is err, and what went wrong here.
func (t *wholeRows) close(file *os.File, err error) error {
	info, failed := file.Stat()
	mend := t.failed != nil && failed == nil && info.Mode().IsRegular()
	if mend {
		err = errors.Join(err, file.Truncate(t.ends))
	}
	err = errors.Join(err, file.Close())
	if mend && t.rows == 0 {
		failed = os.Remove(file.Name())
		t.removed, err = failed == nil, errors.Join(err, failed)
	}
	return err
}

// left says what an error leaves in the file.
func (t *wholeRows) left(name string, cells int) string {
	if t.removed {
		return name + ": was removed, because it had no row"
	}
	return fmt.Sprintf("%s: has %d of %d rows, each of them whole", name, t.rows, cells)
}
