package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/experiments/sweep"
)

type benchFlags struct {
	out              output
	base, study      string
	slots, keys      numbers
	filters, formats []string
	seed             uint64
	rounds           int
	quick            bool
}

func newBenchCommand() *cobra.Command {
	var flags benchFlags
	names := catalogue.Names(catalogue.Bench())
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Time lookups, inserts, deletes and bulk construction here",
		Long: fmt.Sprintf(`bench times the filters of this module with integer keys, hash included: 12-bit fingerprints and 4 slots a bucket, or
13 bits a key for Bloom filters. It prints the median over interleaved rounds and in parentheses the ratio to a base
filter; the gather limit beside them is two reads of 8 bytes a key at random places of an array as large as the table.

--slots are those of each table, powers of two. The default, tables of 1.5 KiB to 12 MiB, takes about a minute; 2^26
takes ten minutes and 3 GiB of memory. Use an idle machine. With --out it writes a folder: report.html, report.md, a CSV
file of all rounds, charts, bench.txt for benchstat, and manifest.json. Filters: %s.

With --study it measures one thing beside another, with --n random digests:
  paired    paired slots and semi-sorted buckets, beside plain ones
  growth    a filter that grew from 1024 keys, beside one of the right size
  shared    a filter for goroutines, beside one for a single goroutine
  together  what goroutines do with it, beside locks, one filter per core, and
            sync.Map

Exit status: 0, 2 bad input, 130 interrupted. If it is not 0, nothing is written.`, strings.Join(names, ", ")),
		Example: `  nest bench --quick
  nest bench --out speed
  nest bench --out large --slots 2^26 --filter cuckoo-xor,bloom --base bloom
  nest bench --study paired --n 1e6,8e6
  nest bench --out together --study together`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench(cmd, flags) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, folderHelp)
	f.BoolVar(&flags.quick, "quick", false, fmt.Sprintf("%d rounds, and small tables, unless --rounds or sizes say else", speed.QuickRounds))
	f.StringVar(&flags.study, "study", "", "measure a comparison in place of filters at all sizes: "+strings.Join(speed.Studies(), ", "))
	flags.slots = numbers(joinSizes(speed.DefaultSlots()))
	f.Var(&flags.slots, "slots", countHelp+"; slots of each table")
	f.Var(&flags.keys, "n", countHelp+"; keys of a study")
	f.StringSliceVar(&flags.filters, "filter", nil, filterHelp+" (default "+strings.Join(catalogue.Names(catalogue.DefaultBench()), ", ")+")")
	f.StringVar(&flags.base, "base", "", "filter that the others are compared with (default the first)")
	f.IntVar(&flags.rounds, "rounds", speed.DefaultRounds, "rounds of timing")
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp+", the keys that are looked up")
	formatsFlag(cmd, &flags.formats, pictures, "")
	complete(cmd, "filter", names)
	complete(cmd, "base", names)
	complete(cmd, "study", speed.Studies())
	return cmd
}

func joinSizes(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = "2^" + strconv.Itoa(int(math.Log2(float64(n))))
	}
	return strings.Join(texts, ",")
}

// timing is what the flags say to measure.
func (f benchFlags) timing(cmd *cobra.Command) (t *speed.Timing, err error) {
	isStudy := cmd.Flags().Changed("study")
	for name, ofStudy := range map[string]bool{"filter": false, "base": false, "slots": false, "n": true} {
		switch {
		case cmd.Flags().Changed(name) && ofStudy && !isStudy:
			return nil, fmt.Errorf("--%s: keys are those of a study: name it with --study, or give --slots", name)
		case cmd.Flags().Changed(name) && !ofStudy && isStudy:
			return nil, fmt.Errorf("--%s: a study has its own filters: leave it out with --study", name)
		}
	}
	if f.rounds < 1 {
		return nil, fmt.Errorf("--rounds: %d: want at least 1", f.rounds)
	}
	o := speed.Options{Base: f.base, Rounds: f.rounds}
	if f.quick && !cmd.Flags().Changed("rounds") {
		o.Rounds = speed.QuickRounds
	}
	for name, text := range map[string]numbers{"slots": f.slots, "n": f.keys} {
		if cmd.Flags().Changed(name) {
			if o.Sizes, err = sweep.Ints(string(text)); err != nil {
				return nil, fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	if err := checkFormats(f.formats); err != nil {
		return nil, err
	}
	if isStudy {
		if t, err = speed.Study(f.study, o, f.quick); err != nil && errors.Is(err, catalogue.ErrUnknown) {
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

// bench says what is timed and about how long that takes, runs it, prints its table, and writes its report if it is to.
func bench(cmd *cobra.Command, flags benchFlags) error {
	t, err := flags.timing(cmd)
	if err != nil {
		return err
	}
	o := lab.Options{Seed: flags.seed, Workers: 1}
	expected, err := t.Expected(o)
	if err != nil {
		return err
	}
	run := func() (measured, error) {
		shown := newProgress(cmd.ErrOrStderr())
		defer shown.end()
		shown.say("timing", "experiment", t.Experiment.Name, "turns", expected.Trials, "expected", announced(expected.Time, 1))
		o.Report = shown.update
		return t.Run(cmd.Context(), o)
	}
	if flags.out.name != "" {
		return inReport(cmd, flags.out, flags.formats, run)
	}
	result, err := run()
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	_, err = fmt.Fprint(w, result.Text(report.Width(w)))
	return err
}
