package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/spf13/cobra"
)

type sweepFlags struct {
	grid    speed.Grid
	out     output
	options lab.Options
	restart bool
	dry     bool
}

func newSweepCommand(registry lab.Registry) *cobra.Command {
	flags := sweepFlags{options: lab.Options{Workers: runtime.GOMAXPROCS(0)}}
	known, _ := speed.Hashes(registry.Parts) // an error is reported when the command runs
	hashes := namesOf(known, lab.Value.String)
	policies := namesOf(speed.Kicks(registry.Parts), lab.Value.String)
	placements := namesOf(catalogue.Placements(), cuckoo.Placement.String)
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure cuckoo filters over a grid of parameters",
		Long: `sweep fills a filter for every combination of the values given. It measures how many keys the table
takes, how many kicks that costs, and the false-positive rate beside the predicted one. Numbers are lists and ranges,
such as 8..16, 2,4, 1e5,2^20, and 0.5..0.9:0.1 with a step; the column n has the number of slots.

A placement may round the slots up: xor and plainxor to a power of two of buckets. A load of 1 fills
the table until it refuses a key. Keys are random digests (mix64), or
consecutive integers under a hash family with seed 0.

The rows are the same bytes on every machine; --timed adds nanoseconds per key, which are not, and measures one cell at
a time. An interrupt or a full disk leaves a valid table of the rows that were finished. With --out the same command
then goes on where it was: finished cells are kept in FILE.partial. The command first prints the time and memory that it
needs, and refuses a table that does not fit into memory.`,
		Example: `  # Rates and kicks over widths, buckets, sizes and loads
  nest sweep --f 8..16 --b 2,4 --slots 1e5,1e6 --load 0.5..0.9:0.1 -o grid.csv
  # How full do tables get before they refuse a key?
  nest sweep --kick breadth-first,random-walk --f 4..12 --load 1 --out all.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return sweep(cmd, registry, flags) },
	}
	f, t := cmd.Flags(), &flags.grid
	f.Var(parsed(&t.Widths, "numbers", "12", verbatim), "f", widthHelp)
	f.Var(parsed(&t.BucketSizes, "numbers", "4", verbatim), "b", bucketHelp)
	f.Var(parsed(&t.Slots, "numbers", "2^16", verbatim), "slots", countHelp+"; slots of each table")
	f.Var(parsed(&t.Loads, "numbers", "0.95", verbatim), "load", "share of the slots to fill, 1 until a key is refused")
	choice(cmd, parsed(&t.Placements, "strings", "additive", commas), "placement", placementHelp, placements)
	choice(cmd, parsed(&t.Kicks, "strings", "breadth-first", commas), "kick", kickHelp, policies)
	choice(cmd, parsed(&t.Hashes, "strings", speed.RandomDigests, commas), "hash", hashHelp, hashes)
	f.Var(parsed(&t.Filters, "strings", "cuckoo", commas), "filter",
		filterHelp+"; cuckoo, or those that were registered, at their own settings")
	f.IntVar(&t.Trials, "seeds", 1, "how often to measure each combination, each time with another seed")
	f.Uint64Var(&flags.options.Seed, "seed", 1, seedHelp)
	f.IntVar(&t.Probes, "probes", 1<<18, "absent keys to look up in each cell")
	f.BoolVar(&t.Timed, "timed", false, "add nanoseconds per insert and lookup")
	flags.out.flags(cmd, "a file (default standard output)")
	f.Var(count(&flags.options.Workers), "workers", workersHelp)
	f.BoolVar(&flags.restart, "restart", false, restartHelp)
	f.BoolVar(&flags.dry, "dry-run", false, "say what it would cost, and measure nothing")
	jsonFlag(cmd)
	return cmd
}

func sweep(cmd *cobra.Command, registry lab.Registry, flags sweepFlags) (err error) {
	if err := registry.Check(); err != nil {
		return err
	}
	e, err := speed.Sweep(flags.grid, registry.Parts)
	if err != nil {
		return err
	}
	cells, o := lab.Registry{Experiments: []*lab.Experiment{e}}, flags.options
	if info := described(flags.out.name); flags.out.name != "" && !flags.dry && (info == nil || info.Mode().IsRegular()) {
		if o.Store, err = openStore(flags.out, flags.restart, o); err != nil {
			return err
		}
		defer func() { err = keep(o.Store, err) }()
	}
	cost, err := cells.Estimate(o)
	if err != nil {
		return explain(err)
	}
	log := newProgress(cmd.ErrOrStderr())
	log.Info("sweeping", "cells", cost.Trials, "kept", cost.Kept, announced(cost))
	if flags.dry {
		return nil
	}
	table := &wholeRows{Writer: cmd.OutOrStdout(), columns: speed.Swept(flags.grid.Timed)}
	if table.asJSON, _ = cmd.Flags().GetBool("json"); flags.out.name != "" {
		// What an interrupted sweep has left is written anew, from the cells that are kept.
		if err := flags.out.refuse(); err != nil && cost.Kept == 0 {
			return err
		}
		file, failed := os.Create(flags.out.name)
		if failed != nil {
			return fmt.Errorf("--out: %w", failed)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		table.Writer = file
	}
	o.Report, o.Rows = log.update, func(r lab.Row) error { return table.add(speed.SweptRow(r)) }
	if !table.asJSON {
		err = table.add(table.columns)
	}
	if err == nil {
		_, err = cells.Run(cmd.Context(), o)
	}
	switch {
	case err == nil:
		log.Info("done", "rows", cost.Trials)
		forget(cmd, o.Store)
	case cmd.Context().Err() != nil && !table.failed:
		err = linesWritten(table.lines)
	default:
		err = fmt.Errorf("%w\n%d lines were written whole, of %d cells", err, table.lines, cost.Trials)
	}
	return err
}

// A wholeRows streams rows of a table: each is one write, as soon as it is known. A full disk does not leave half of
// one.
type wholeRows struct {
	io.Writer
	columns []string
	asJSON  bool // each row is an object, and there is no header
	lines   int
	ends    int64 // where the last whole row ends
	failed  bool
}

// add writes a row, or takes back from a file what was written of it.
func (t *wholeRows) add(cells []string) (err error) {
	var row bytes.Buffer
	if t.asJSON {
		err = json.NewEncoder(&row).Encode(objectOf(t.columns, cells))
	} else {
		err = csv.NewWriter(&row).WriteAll([][]string{cells})
	}
	if err != nil {
		return err
	}
	if _, err = t.Write(row.Bytes()); err == nil {
		t.lines, t.ends = t.lines+1, t.ends+int64(row.Len())
		return nil
	}
	t.failed = true
	if file, ok := t.Writer.(interface{ Truncate(size int64) error }); ok {
		_ = file.Truncate(t.ends) // which a device cannot do
	}
	return err
}
