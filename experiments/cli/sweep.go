package cli

import (
	"bytes"
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
	"github.com/nestfilter/nest/experiments/speed"
)

type sweepFlags struct {
	grid        speed.Grid
	out         output
	seed        uint64
	workers     int
	dry, asJSON bool
}

func newSweepCommand(registry lab.Registry) *cobra.Command {
	var flags sweepFlags
	known, _ := speed.Hashes(registry.Parts) // an error is reported when the command runs
	hashes := namesOf(known, lab.Value.String)
	policies := namesOf(speed.Kicks(registry.Parts), lab.Value.String)
	placements := namesOf(catalogue.Placements(), cuckoo.Placement.String)
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure cuckoo filters over a grid of parameters",
		Long: `sweep fills a filter for every combination of the values given and asks it: how many keys the table takes, how many
kicks that costs, and the false-positive rate beside the predicted one. Numbers are lists and ranges, such as 8..16, 2,4,
1e5,2^20, and 0.5..0.9:0.1 with a step; the column n has the slots.

A placement may round the slots up: xor and plainxor to a power of two of buckets, region to whole regions, a million
slots at b = 4. A load of 1 fills the table until it refuses a key. Keys are random digests (mix64), or
consecutive integers under a hash family with seed 0.

The rows are the same bytes on every machine; --timed adds nanoseconds per key, which are not, and measures one cell at
a time. An interrupt or a full disk leaves a valid table of the rows that were finished. Time and memory are said first; a
table beyond the memory that there is is refused. Hash families: ` + strings.Join(hashes, ", ") + `.

Exit status: 0, 2 bad input, 130 interrupted.`,
		Example: `  # Rates and kicks over widths, buckets, sizes and loads
  nest sweep --f 8..16 --b 2,4 --slots 1e5,1e6 --load 0.5..0.9:0.1 -o grid.csv
  # How full do tables get before they refuse a key?
  nest sweep --kick breadth-first,random-walk --f 4..12 --load 1 --out all.csv
  # Draw that
  nest chart all.csv --x f --y load_reached --series kick --out refusal.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSweep(cmd, registry, flags) },
	}
	f := cmd.Flags()
	t := &flags.grid
	t.Widths, t.BucketSizes, t.Slots, t.Loads = "12", "4", "2^16", "0.95"
	f.Var((*numbers)(&t.Widths), "f", widthHelp)
	f.Var((*numbers)(&t.BucketSizes), "b", bucketHelp)
	f.Var((*numbers)(&t.Slots), "slots", countHelp+"; slots of each table")
	f.Var((*numbers)(&t.Loads), "load", "share of the slots to fill, 1 until a key is refused")
	f.StringSliceVar(&t.Placements, "placement", []string{"additive"}, placementHelp+": "+strings.Join(placements, ", "))
	f.StringSliceVar(&t.Kicks, "kick", []string{"breadth-first"}, kickHelp+": "+strings.Join(policies, ", "))
	f.StringSliceVar(&t.Hashes, "hash", []string{speed.RandomDigests}, hashHelp)
	f.StringSliceVar(&t.Filters, "filter", []string{"cuckoo"},
		filterHelp+"; cuckoo, or those that were registered, at their own settings")
	f.IntVar(&t.Trials, "seeds", 1, "how often to measure each combination, each time with another seed")
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp)
	f.IntVar(&t.Probes, "probes", 1<<18, "absent keys to look up in each cell")
	f.BoolVar(&t.Timed, "timed", false, "add nanoseconds per insert and lookup")
	flags.out.flags(cmd, "a file (default standard output)")
	f.IntVar(&flags.workers, "workers", runtime.GOMAXPROCS(0), workersHelp)
	f.BoolVar(&flags.dry, "dry-run", false, "say what it would cost, and measure nothing")
	jsonFlag(cmd, &flags.asJSON)
	complete(cmd, "placement", placements)
	complete(cmd, "kick", policies)
	complete(cmd, "hash", hashes)
	return cmd
}

func runSweep(cmd *cobra.Command, registry lab.Registry, flags sweepFlags) error {
	if flags.workers < 1 {
		return fmt.Errorf("--workers: %d: want at least 1", flags.workers)
	}
	if err := registry.Check(); err != nil {
		return err
	}
	e, err := speed.Sweep(flags.grid, registry.Parts)
	if err != nil {
		return err
	}
	sweep := lab.Registry{Experiments: []*lab.Experiment{e}}
	o := lab.Options{Seed: flags.seed, Workers: flags.workers}
	cost, err := sweep.Estimate(o)
	if err != nil {
		return err
	}
	shown := newProgress(cmd.ErrOrStderr())
	shown.say("sweeping", "cells", cost.Trials, "expected", announced(cost.Time, flags.workers),
		"memory", memoryText(cost.Bytes))
	if flags.dry {
		return nil
	}
	table := &wholeRows{w: cmd.OutOrStdout(), columns: speed.Swept(flags.grid.Timed), asJSON: flags.asJSON}
	var file *os.File
	if flags.out.name != "" {
		if file, err = createTable(flags.out); err != nil {
			return err
		}
		table.w = file
	}
	o.Report, o.Rows = shown.update, func(r lab.Row) error { return table.add(speed.SweptRow(r)) }
	if err = table.begin(); err == nil {
		_, err = sweep.Run(cmd.Context(), o)
	}
	shown.end()
	left := fmt.Sprintf("%d of %d rows were written whole", table.rows, cost.Trials)
	if file != nil {
		err = table.close(file, err)
		if left = flags.out.name + ": " + left; table.removed {
			left = flags.out.name + ": was removed, because it had no row"
		}
	}
	switch {
	case err == nil:
		shown.say("done", "rows", table.rows)
		return nil
	case cmd.Context().Err() != nil && table.failed == nil:
		return linesWritten(table.rows + 1)
	}
	return fmt.Errorf("%w\n%s", err, left)
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
	w       io.Writer
	columns []string
	asJSON  bool  // each row is an object, and there is no header
	rows    int   // without the header
	ends    int64 // where the last whole row ends
	failed  error // of a write
	removed bool  // the file, which had no row
}

// begin writes the header.
func (t *wholeRows) begin() error {
	if t.asJSON {
		return nil
	}
	return t.write(t.columns)
}

// add writes a row.
func (t *wholeRows) add(row []string) error {
	err := t.write(row)
	if err == nil {
		t.rows++
	}
	return err
}

func (t *wholeRows) write(cells []string) error {
	var row bytes.Buffer
	if t.asJSON {
		line, err := objectOf(t.columns, cells)
		if err != nil {
			return err
		}
		row.Write(line)
	} else if t.failed = csv.NewWriter(&row).WriteAll([][]string{cells}); t.failed != nil {
		return t.failed
	}
	if _, t.failed = t.w.Write(row.Bytes()); t.failed == nil {
		t.ends += int64(row.Len())
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
