package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

type benchFlags struct {
	out                              output
	base, study, keys, queries, hash string
	slots, n                         numbers
	filters, formats, fprs           []string
	seed                             uint64
	rounds                           int
	quick, asJSON                    bool
}

func newBenchCommand() *cobra.Command {
	var flags benchFlags
	names := catalogue.Names(catalogue.Bench())
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Time filters here, or measure all of them on your own keys",
		Long: fmt.Sprintf(`bench times the filters of this module with integer keys, hash included: 12-bit fingerprints and 4 slots a bucket,
or 13 bits a key for Bloom filters. It prints the median over interleaved rounds and in parentheses the ratio to a base
filter; the gather limit beside them is two reads of 8 bytes a key at random places of an array as large as the table.

--slots are those of each table, powers of two. The default, tables of 1.5 KiB to 12 MiB, takes about a minute; 2^26
takes ten minutes and 3 GiB of memory. Use an idle machine. Filters: %s.

With --study it measures one thing beside another, with --n random digests:
  paired    paired slots and semi-sorted buckets, beside plain ones
  growth    a filter that grew from 1024 keys, beside one of the right size
  shared    a filter for goroutines, beside one for a single goroutine
  together  what goroutines do with it, beside locks, one filter per core, and
            sync.Map

With --keys it fills every kind of filter, and a Go map, with the keys of a file and measures bits per item,
false-positive rate with its 95%% interval, bits above the bound log2(1/rate), and the time of building and of lookups.
A filter gets the largest rate that it can have and that is not above --fpr. A key is a line of any bytes, up to %d MiB,
without its line feed and a carriage return before it; blank lines are skipped and repeated ones dropped. --queries that
are keys are counted apart, the others measure the rate. Without them random strings do: %d for each expected false
positive of the lowest rate, %d at most.

--json prints each row of the tables as an object on a line, and --out writes a folder: report.html, report.md, a CSV
file, charts, bench.txt for benchstat, and manifest.json.

Exit status: 0, 1 a filter lost a key, 2 bad input, 130 interrupted. If it is not 0, nothing is written.`,
			strings.Join(names, ", "), files.MaxLine>>20, advice.PerEvent, advice.MaxProbes),
		Example: `  # How fast are they here? Small tables, in some seconds
  nest bench --quick
  # Two filters in tables larger than the caches, as a report
  nest bench --out large --slots 2^26 --filter cuckoo-xor,bloom --base bloom
  # What do paired slots cost?
  nest bench --study paired --n 1e6,8e6
  # Every kind of filter with your keys, asked for what you ask for
  nest bench --keys blocked.txt --queries seen.txt --out comparison`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench(cmd, flags) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, folderHelp)
	f.BoolVar(&flags.quick, "quick", false,
		fmt.Sprintf("%d rounds, and small tables, unless --rounds or sizes say else", speed.QuickRounds))
	f.StringVar(&flags.study, "study", "",
		"measure a comparison in place of filters at all sizes: "+strings.Join(speed.Studies(), ", "))
	flags.slots = numbers(joinSizes(speed.DefaultSlots()))
	f.Var(&flags.slots, "slots", countHelp+"; slots of each table")
	f.Var(&flags.n, "n", countHelp+"; keys of a study")
	f.StringSliceVar(&flags.filters, "filter", nil,
		filterHelp+" (default "+strings.Join(catalogue.Names(catalogue.DefaultBench()), ", ")+")")
	f.StringVar(&flags.base, "base", "", "filter that the others are compared with (default the first)")
	f.StringVar(&flags.keys, "keys", "", keysHelp+": measure every kind of filter with them")
	f.StringVar(&flags.queries, "queries", "", "file of what is looked up, one a line, or -; random strings if not set")
	f.StringSliceVar(&flags.fprs, "fpr", []string{"0.01", "0.001"}, rateHelp+"; filters are made for each")
	f.StringVar(&flags.hash, "hash", "xxh64", hashHelp+": "+strings.Join(hashing.Names(), ", "))
	f.IntVar(&flags.rounds, "rounds", speed.DefaultRounds, "rounds of timing")
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp+", the keys that are looked up")
	formatsFlag(cmd, &flags.formats, pictures, "")
	jsonFlag(cmd, &flags.asJSON)
	complete(cmd, "filter", names)
	complete(cmd, "base", names)
	complete(cmd, "study", speed.Studies())
	complete(cmd, "hash", hashing.Names())
	return cmd
}

func joinSizes(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = "2^" + strconv.Itoa(int(math.Log2(float64(n))))
	}
	return strings.Join(texts, ",")
}

// A measured is a result that becomes a report in a folder and a text for people.
type measured interface {
	Report() *report.Report
	Text(width int) string
}

// check refuses flags that do not go together.
func (f benchFlags) check(cmd *cobra.Command) error {
	mode := ""
	for _, m := range []string{"study", "keys"} {
		if cmd.Flags().Changed(m) {
			if mode != "" {
				return errors.New("--study and --keys: either is another measurement: leave one out")
			}
			mode = m
		}
	}
	for _, of := range []struct{ mode, flags string }{
		{"", "filter base slots"}, {"study", "n"}, {"keys", "queries fpr hash"},
	} {
		for name := range strings.FieldsSeq(of.flags) {
			switch {
			case !cmd.Flags().Changed(name) || of.mode == mode:
			case of.mode == "":
				return fmt.Errorf("--%s: leave it out with --%s, which has filters of its own", name, mode)
			default:
				return fmt.Errorf("--%s: goes with --%s", name, of.mode)
			}
		}
	}
	if f.rounds < 1 {
		return fmt.Errorf("--rounds: %d: want at least 1", f.rounds)
	}
	return checkFormats(f.formats)
}

// bench measures what the flags say, writes the report of it if it is to, and prints it.
func bench(cmd *cobra.Command, flags benchFlags) (err error) {
	if err := flags.check(cmd); err != nil {
		return err
	}
	if flags.quick && !cmd.Flags().Changed("rounds") {
		flags.rounds = speed.QuickRounds
	}
	if flags.out.name != "" { // before anything is read or measured
		if err := report.Check(flags.out.name, report.Options{Force: flags.out.force}); err != nil {
			return folderError(err)
		}
	}
	prepare := flags.timing
	if cmd.Flags().Changed("keys") {
		prepare = flags.comparison
	}
	run, err := prepare(cmd)
	if err != nil {
		return err
	}
	var result measured
	if flags.out.name == "" {
		result, err = run()
	} else {
		o := report.Options{Force: flags.out.force}
		err = inFolder(cmd.Context(), flags.out.name, o, flags.formats, func() (_ *report.Report, err error) {
			if result, err = run(); err != nil {
				return nil, err
			}
			return result.Report(), nil
		})
	}
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if flags.asJSON {
		return writeObjects(w, result.Report())
	}
	text := result.Text(report.Width(w))
	if flags.out.name != "" {
		text += "\nRead " + page(flags.out.name) + "\n"
	}
	_, err = io.WriteString(w, text)
	return err
}

// timing measures speed: it says what is timed and about how long that takes.
func (f benchFlags) timing(cmd *cobra.Command) (run func() (measured, error), err error) {
	t, err := f.experiment(cmd)
	if err != nil {
		return nil, err
	}
	o := lab.Options{Seed: f.seed, Workers: 1}
	expected, err := t.Expected(o)
	return func() (measured, error) {
		shown := newProgress(cmd.ErrOrStderr())
		defer shown.end()
		shown.say("timing", "experiment", t.Experiment.Name, "turns", expected.Trials,
			"expected", announced(expected.Time, 1))
		o.Report = shown.update
		return t.Run(cmd.Context(), o)
	}, err
}

func (f benchFlags) experiment(cmd *cobra.Command) (t *speed.Timing, err error) {
	o := speed.Options{Base: f.base, Rounds: f.rounds}
	for name, text := range map[string]numbers{"slots": f.slots, "n": f.n} {
		if cmd.Flags().Changed(name) {
			if o.Sizes, err = speed.Ints(string(text)); err != nil {
				return nil, fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	if cmd.Flags().Changed("study") {
		if t, err = speed.Study(f.study, o, f.quick); errors.Is(err, catalogue.ErrUnknown) {
			err = fmt.Errorf("--study: %w", err)
		}
		return t, err
	}
	if f.quick && o.Sizes == nil {
		o.Sizes = speed.QuickSlots()
	}
	if cmd.Flags().Changed("filter") {
		if o.Filters, err = catalogue.ChooseBench(f.filters...); err != nil {
			return nil, fmt.Errorf("--filter: %w", err)
		}
	}
	return speed.Bench(o)
}

// comparison measures filters on the keys of a file.
func (f benchFlags) comparison(cmd *cobra.Command) (run func() (measured, error), err error) {
	o := advice.CompareOptions{Seed: f.seed, Rounds: f.rounds}
	switch {
	case f.keys == "":
		return nil, errors.New("--keys: name the file with the keys, such as --keys keys.txt")
	case f.keys == files.Stdin && f.queries == files.Stdin:
		return nil, errors.New("--keys and --queries: both are -, but there is one standard input")
	}
	if o.FPRs, err = parseRates(f.fprs); err != nil {
		return nil, fmt.Errorf("--fpr: %w", err)
	}
	if o.Hash, err = secret.New(f.hash); err != nil {
		return nil, fmt.Errorf("--hash: %w", err)
	}
	if o.Keys, err = readKeys(cmd, f.keys); err != nil {
		return nil, fmt.Errorf("--keys: %w", err)
	}
	if f.queries != "" {
		if o.Queries, err = readKeys(cmd, f.queries); err != nil {
			return nil, fmt.Errorf("--queries: %w", err)
		}
	}
	return func() (measured, error) {
		result, err := advice.Compare(cmd.Context(), o)
		if errors.Is(err, advice.ErrLost) {
			err = fmt.Errorf("%w: %w", errFailed, err)
		}
		return result, err
	}, nil
}

func parseRates(texts []string) (rates []float64, err error) {
	for _, s := range texts {
		rate, err := parseRate(s)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	if len(rates) == 0 {
		return nil, errors.New("no rate is given, want numbers such as 0.01,0.001")
	}
	return rates, nil
}

func parseRate(s string) (float64, error) {
	rate, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(rate > 0 && rate < 1) {
		return 0, fmt.Errorf("%q: want a number above 0 and below 1, such as 0.001", s)
	}
	return rate, nil
}

// writeObjects writes the rows of a report as objects of JSON on a line each.
func writeObjects(w io.Writer, r *report.Report) error {
	for _, s := range r.Sections {
		for _, row := range s.Table.Rows {
			line, err := objectOf(s.Table.Columns, row)
			if err == nil {
				_, err = w.Write(line)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// objectOf is a row of a table as an object of JSON on a line: numbers are numbers, and an empty cell is left out.
func objectOf(columns, row []string) ([]byte, error) {
	line := []byte{'{'}
	for i, cell := range row {
		value := []byte(cell)
		if _, notNumber := strconv.ParseFloat(cell, 64); notNumber != nil || !json.Valid(value) {
			var err error
			if value, err = json.Marshal(cell); err != nil {
				return nil, err
			}
		}
		if cell != "" {
			line = fmt.Appendf(line, "%q:%s,", columns[i], value)
		}
	}
	return append(bytes.TrimSuffix(line, []byte{','}), "}\n"...), nil
}
