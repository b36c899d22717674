package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/experiments/study"
	"github.com/nestfilter/nest/experiments/sweep"
)

type benchFlags struct {
	out              output
	base, study      string
	sizes            numbers
	filters, formats []string
	seed             uint64
	rounds           int
	quick            bool
}

func newBenchCommand() *cobra.Command {
	var flags benchFlags
	names := catalogue.Names(catalogue.DefaultBench())
	cmd := &cobra.Command{
		Use:   "bench --out DIR",
		Short: "Time lookups, inserts, deletes and bulk construction on this machine",
		Long: fmt.Sprintf(`bench times the filters of this module with integer keys, hash included: 12-bit fingerprints and 4 slots a bucket, or
13 bits a key for Bloom filters. It reports the median over interleaved rounds, its 95%% interval, the ratio to a base
filter, and the ratio to the gather limit: two reads of 8 bytes a key at random places of an array as large as the table.

n is the number of slots of a table, a power of two. The default, tables of 1.5 KiB to 12 MiB, takes about a minute; 2^26
takes ten minutes and 3 GiB of memory. Use an idle machine. The folder holds report.html, report.md, CSV files, charts,
bench.txt for benchstat, and manifest.json. Filters: %s.

With --study it measures one thing beside another, with random digests. n is
then the number of keys.
  paired   paired slots and semi-sorted buckets, beside plain ones of equal rate
  growth   a filter that grew from 1024 keys, beside one of the right size
  shared   a filter for goroutines, beside one for a single goroutine, locks,
           one filter per core, and sync.Map; n is one number

Exit status: 0, 2 bad input, 130 interrupted. If it is not 0, nothing is written.`, strings.Join(catalogue.Names(catalogue.Bench()), ", ")),
		Example: `  nest bench --out speed --quick
  nest bench --out speed
  nest bench --out large --n 2^23,2^26 --filter cuckoo-xor,bloom --base bloom
  nest bench --out paired --study paired --n 1e6,8e6
  nest bench --out shared --study shared`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench(cmd, flags) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, folderHelp)
	f.BoolVar(&flags.quick, "quick", false, fmt.Sprintf("%d rounds, and small tables, unless --rounds or --n say else", speed.QuickRounds))
	f.StringVar(&flags.study, "study", "", "measure a comparison in place of filters at all sizes: "+strings.Join(study.Names(), ", "))
	flags.sizes = numbers(joinSizes(speed.DefaultSizes()))
	f.Var(&flags.sizes, "n", countHelp+"; slots of each table, or keys of a study")
	f.StringSliceVar(&flags.filters, "filter", nil, filterHelp+" (default "+strings.Join(names, ", ")+")")
	f.StringVar(&flags.base, "base", "", "filter that the others are compared with (default the first)")
	f.IntVar(&flags.rounds, "rounds", speed.DefaultRounds, "rounds of timing")
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp+", the keys that are looked up")
	formatsFlag(cmd, &flags.formats, pictures, "")
	complete(cmd, "filter", catalogue.Names(catalogue.Bench()))
	complete(cmd, "base", catalogue.Names(catalogue.Bench()))
	complete(cmd, "study", study.Names())
	return cmd
}

func joinSizes(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = "2^" + strconv.Itoa(int(math.Log2(float64(n))))
	}
	return strings.Join(texts, ",")
}

// numbers reads the flags that every run has, and returns the sizes, nil if none are named, and the rounds.
func (f benchFlags) numbers(cmd *cobra.Command) (sizes []int, rounds int, err error) {
	switch {
	case f.out.name == "":
		return nil, 0, errors.New("--out: name the folder to write, such as --out speed")
	case f.rounds < 1:
		return nil, 0, fmt.Errorf("--rounds: %d: want at least 1", f.rounds)
	}
	if cmd.Flags().Changed("n") {
		if sizes, err = sweep.Ints(string(f.sizes)); err != nil {
			return nil, 0, fmt.Errorf("--n: %w", err)
		}
	}
	rounds = f.rounds
	if f.quick && !cmd.Flags().Changed("rounds") {
		rounds = speed.QuickRounds
	}
	return sizes, rounds, checkFormats(f.formats)
}

func (f benchFlags) options(cmd *cobra.Command) (o speed.Options, err error) {
	o = speed.Options{Base: f.base, Seed: f.seed, MemoryBytes: uint64(lab.AvailableMemory())}
	if o.Sizes, o.Rounds, err = f.numbers(cmd); err != nil {
		return o, err
	}
	if f.quick && o.Sizes == nil {
		o.Sizes = speed.QuickSizes()
	}
	if !cmd.Flags().Changed("filter") {
		f.filters = catalogue.Names(catalogue.DefaultBench())
	}
	if o.Filters, err = catalogue.ChooseBench(f.filters...); err != nil {
		return o, fmt.Errorf("--filter: %w", err)
	}
	return o.Resolve()
}

// studyOptions returns the options of --study, with which some flags mean nothing.
func (f benchFlags) studyOptions(cmd *cobra.Command) (o study.Options, s study.Study, err error) {
	for _, name := range []string{"filter", "base"} {
		if cmd.Flags().Changed(name) {
			return o, s, fmt.Errorf("--%s: a study has its own filters: leave it out with --study", name)
		}
	}
	o = study.Options{Study: f.study, Seed: f.seed, MemoryBytes: uint64(lab.AvailableMemory())}
	if s, err = study.Find(f.study); err != nil {
		return o, s, fmt.Errorf("--study: %w", err)
	}
	if o.Sizes, o.Rounds, err = f.numbers(cmd); err != nil {
		return o, s, err
	}
	if f.quick && o.Sizes == nil {
		o.Sizes = s.Quick
	}
	return o.Resolve()
}

func bench(cmd *cobra.Command, flags benchFlags) error {
	if cmd.Flags().Changed("study") {
		options, s, err := flags.studyOptions(cmd)
		if err != nil {
			return err
		}
		return timing(cmd, flags, options.Expected(s), []any{"study", s.Name, "n", options.Sizes, "rounds", options.Rounds}, &options.Report, func() (measured, error) {
			return study.Run(cmd.Context(), options)
		})
	}
	options, err := flags.options(cmd)
	if err != nil {
		return err
	}
	about := []any{"filters", strings.Join(catalogue.Names(options.Filters), ","), "n", joinSizes(options.Sizes), "rounds", options.Rounds}
	return timing(cmd, flags, options.Expected(), about, &options.Report, func() (measured, error) { return speed.Run(cmd.Context(), options) })
}

// timing says what is timed and about how long that takes, runs it, and writes its report.
func timing(cmd *cobra.Command, flags benchFlags, expected time.Duration, about []any, to *func(lab.Progress), run func() (measured, error)) error {
	return inReport(cmd, flags.out, flags.formats, func() (measured, error) {
		shown := newProgress(cmd.ErrOrStderr())
		defer shown.end()
		shown.say("timing", append(about, "expected", announced(expected, 1))...)
		*to = shown.update
		return run()
	})
}
