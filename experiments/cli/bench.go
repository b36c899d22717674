package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/spf13/cobra"
)

type benchFlags struct {
	out                  output
	study, keys, queries string
	formats              []string
	timing               speed.Options
	comparison           advice.CompareOptions
	quick, restart       bool
}

func newBenchCommand() *cobra.Command {
	var flags benchFlags
	names := catalogue.Names(catalogue.Bench())
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Time filters here, or measure all of them on your own keys",
		Long: fmt.Sprintf(`bench times the filters of this module with integer keys, hash included: 12-bit fingerprints and 4
slots a bucket, or 13 bits a key for Bloom filters. It prints the median over interleaved rounds and in parentheses the
ratio to a base filter; the gather limit beside them is two reads of 8 bytes a key at random places of an
array as large as the table.

Without --slots tables have 1.5 KiB to 12 MiB, which takes about a minute; 2^26 slots take ten minutes and 3 GiB of
memory. Use an idle machine.

With --study it measures one thing beside another, with --n random digests: every kind of cuckoo filter beside a plain
one (kinds), paired slots and semi-sorted buckets beside plain ones (paired), a filter that grew from 1024 keys beside
one of the right size (growth), one for goroutines beside one for a single goroutine (shared), and what goroutines do
with it beside locks, one filter per core, and sync.Map (together).

With --keys it fills every filter of fixed size for one goroutine, without values, and a Go map with the keys of a
file. It measures bits per item, false-positive rate with its 95%% interval, bits above the bound log2(1/rate), and the
time of building and of lookups. A filter gets the highest predicted rate that it can have and that is not above --fpr.
Keys are lines of up to %d MiB without their carriage return, each once. --queries that are keys are counted apart; the
others measure the rate. Without --queries it looks up random strings: %d for each expected false positive of the
lowest rate, at most %d.

--json prints each row of the tables as an object on a line, and --out writes a folder: report.html, report.md, a CSV
file, charts, bench.txt for benchstat, and manifest.json.

Exit status: 1 a filter lost a key; nothing is written. An interrupted run with --out goes on where it was, except with
--keys.`,
			files.MaxLine>>20, advice.PerEvent, advice.MaxProbes),
		Example: `  # How fast are they here? Small tables, in some seconds
  nest bench --quick
  # Two filters in tables larger than the caches, as a report
  nest bench --out large --slots 2^26 --filter cuckoo-xor,bloom --base bloom
  # Every kind of filter with your keys and queries
  nest bench --keys blocked.txt --queries seen.txt --fpr 0.005 --out comparison`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench(cmd, flags) },
	}
	f, t, c := cmd.Flags(), &flags.timing, &flags.comparison
	flags.out.flags(cmd, folderHelp)
	f.BoolVar(&flags.quick, "quick", false, "few rounds, and small tables, unless --rounds or sizes are given")
	choice(cmd, parsed(&flags.study, "string", "", verbatim), "study", "what to compare", speed.Studies())
	f.Var(parsed(&t.Sizes, "numbers", "", speed.Ints), "slots", countHelp+"; slots of each table, powers of two")
	f.Var(parsed(&t.Sizes, "numbers", "", speed.Ints), "n", countHelp+"; keys of a study")
	choice(cmd, parsed(&t.Filters, "strings", "", func(text string) ([]catalogue.Entry, error) {
		return catalogue.ChooseBench(strings.Split(text, ",")...)
	}), "filter", filterHelp+" (default "+strings.Join(catalogue.Names(catalogue.DefaultBench()), ", ")+") of", names)
	f.StringVar(&t.Base, "base", "", "filter that the others are compared with (default the first)")
	f.StringVar(&flags.keys, "keys", "", keysHelp+": measure every kind of filter with them, on an idle machine")
	f.StringVar(&flags.queries, "queries", "", "file of what is looked up, one a line, or -; random strings if not set")
	f.Var(parsed(&c.FPRs, "rates", "0.01,0.001", parseRates), "fpr", rateHelp+"; filters are made for each")
	hashFlag(cmd, &c.Hash)
	c.Rounds = speed.DefaultRounds
	f.Var(count(&c.Rounds), "rounds", "rounds of timing")
	f.Uint64Var(&c.Seed, "seed", 1, seedHelp+", the keys that are looked up")
	f.BoolVar(&flags.restart, "restart", false, restartHelp)
	formatsFlag(cmd, &flags.formats, pictures, "")
	jsonFlag(cmd)
	for _, own := range []string{"filter", "base", "slots"} { // those of --study and --keys are given
		cmd.MarkFlagsMutuallyExclusive(own, "study", "keys")
	}
	return cmd
}

// A measured is a result that becomes a report in a folder and a text for people.
type measured interface {
	Report() *report.Report
	Text(width int) string
}

// bench measures what the flags say, writes the report of it if it is to, and prints it.
func bench(cmd *cobra.Command, flags benchFlags) (err error) {
	set := cmd.Flags().Changed
	for name, of := range map[string]string{"n": "study", "queries": "keys", "fpr": "keys", "hash": "keys"} {
		if set(name) && !set(of) {
			return fmt.Errorf("--%s: goes with --%s", name, of)
		}
	}
	if flags.quick && !set("rounds") {
		flags.comparison.Rounds = speed.QuickRounds
	}
	if flags.out.name != "" { // before anything is read or measured
		if err := checkFolder(flags.out); err != nil {
			return err
		}
	}
	start := time.Now()
	var result measured
	var store *lab.Journal
	if set("keys") {
		result, err = flags.compare(cmd)
	} else {
		result, store, err = flags.time(cmd)
	}
	defer func() { err = keep(store, err) }()
	if err != nil {
		return err
	}
	if flags.out.name != "" {
		o := report.Options{Start: start}
		if err := writeFolder(cmd.Context(), flags.out, o, flags.formats, result.Report()); err != nil {
			return err
		}
		forget(cmd, store)
	}
	w := cmd.OutOrStdout()
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return writeObjects(w, result.Report())
	}
	text := result.Text(report.Width(w))
	if flags.out.name != "" {
		text += "\nRead " + page(flags.out.name) + "\n"
	}
	_, err = io.WriteString(w, text)
	return err
}

// time measures speed, after it has said what is timed and about how long that takes. What is for a report goes into a
// store, and on from there.
func (f benchFlags) time(cmd *cobra.Command) (result measured, store *lab.Journal, err error) {
	f.timing.Rounds, f.timing.Quick = f.comparison.Rounds, f.quick
	t, err := speed.New(f.study, f.timing)
	if errors.Is(err, catalogue.ErrUnknown) && f.study != "" {
		err = fmt.Errorf("--study: %w", err)
	}
	if err != nil {
		return nil, nil, err
	}
	log := newProgress(cmd.ErrOrStderr())
	o := lab.Options{Seed: f.comparison.Seed, Workers: 1, Report: log.update}
	if f.out.name != "" {
		if o.Store, err = openStore(f.out, f.restart, o); err != nil {
			return nil, nil, err
		}
	}
	expected, err := t.Expected(o)
	if err != nil {
		return nil, o.Store, explain(err)
	}
	log.Info("timing", "experiment", t.Experiment.Name, "turns", expected.Trials, "kept", expected.Kept,
		announced(expected))
	result, err = t.Run(cmd.Context(), o)
	return result, o.Store, explain(err)
}

// compare measures filters on the keys of a file.
func (f benchFlags) compare(cmd *cobra.Command) (result measured, err error) {
	o := f.comparison
	switch {
	case f.keys == "":
		return nil, errors.New("--keys: name the file with the keys, such as --keys keys.txt")
	case f.keys == dash && f.queries == dash:
		return nil, errors.New("--keys and --queries: both are -, but there is one standard input")
	}
	if o.Keys, err = readKeys(cmd, "keys", f.keys); err != nil {
		return nil, err
	}
	if f.queries != "" {
		if o.Queries, err = readKeys(cmd, "queries", f.queries); err != nil {
			return nil, err
		}
	}
	compared, err := advice.Compare(cmd.Context(), o)
	if errors.Is(err, advice.ErrLost) {
		err = fmt.Errorf("%w: %w", errFailed, err)
	}
	return compared, err
}

// writeObjects writes the rows of a report as objects of JSON on a line each.
func writeObjects(w io.Writer, r *report.Report) error {
	for _, s := range r.Sections {
		for _, row := range s.Table.Rows {
			if err := json.NewEncoder(w).Encode(objectOf(s.Table.Columns, row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// objectOf is a row of a table as an object: numbers are numbers, and an empty cell is left out.
func objectOf(columns, row []string) map[string]any {
	object := map[string]any{}
	for i, cell := range row {
		if _, err := strconv.ParseFloat(cell, 64); err == nil && json.Valid([]byte(cell)) {
			object[columns[i]] = json.Number(cell)
		} else if cell != "" {
			object[columns[i]] = cell
		}
	}
	return object
}
