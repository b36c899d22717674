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
	"github.com/nestfilter/nest/experiments/parallel"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/experiments/sweep"
)

type benchFlags struct {
	out              output
	base             string
	sizes            numbers
	filters, formats []string
	seed             uint64
	rounds           int
	quick, parallel  bool
}

func newBenchCommand() *cobra.Command {
	var flags benchFlags
	names := catalogue.Names(catalogue.DefaultSubjects())
	cmd := &cobra.Command{
		Use:   "bench --out DIR",
		Short: "Time lookups, inserts, deletes and bulk construction on this machine",
		Long: fmt.Sprintf(`bench times the filters of this module with integer keys, hash included: 12-bit fingerprints and 4 slots a bucket, or
13 bits a key for Bloom filters. It reports the median over interleaved rounds, its 95%% interval, the ratio to a base
filter, and the ratio to the gather limit: two reads of 8 bytes a key at random places of an array as large as the table.

n is the number of slots of a table, a power of two. The default, tables of 1.5 KiB to 12 MiB, takes about a minute; 2^26
takes ten minutes and 3 GiB of memory. Use an idle machine. The folder holds report.html, report.md, CSV files, charts,
bench.txt for benchstat, and manifest.json. Filters: %s.

With --parallel it times sets that goroutines share, by the number of goroutines and by the share of writes: cuckoo.Concurrent, a
filter behind an RWMutex, 64 filters with a mutex each, and sync.Map. n is then the number of keys, one number.

Exit status: 0, 2 bad input, 130 interrupted. If it is not 0, nothing is written.`, strings.Join(catalogue.Names(catalogue.Subjects()), ", ")),
		Example: `  nest bench --out speed --quick
  nest bench --out speed
  nest bench --out large --n 2^23,2^26 --filter cuckoo-xor,bloom --base bloom
  nest bench --out shared --parallel`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench(cmd, flags) },
	}
	f := cmd.Flags()
	flags.out.flags(cmd, folderHelp)
	f.BoolVar(&flags.quick, "quick", false, fmt.Sprintf("%d rounds, and no table above 2^20 slots, unless --rounds or --n say else", speed.QuickRounds))
	f.BoolVar(&flags.parallel, "parallel", false, "time what goroutines share; --n is the number of keys (default 2^20)")
	flags.sizes = numbers(joinSizes(speed.DefaultSizes()))
	f.Var(&flags.sizes, "n", countHelp+"; slots of each table")
	f.StringSliceVar(&flags.filters, "filter", nil, filterHelp+" (default "+strings.Join(names, ", ")+")")
	f.StringVar(&flags.base, "base", "", "filter that the others are compared with (default the first)")
	f.IntVar(&flags.rounds, "rounds", speed.DefaultRounds, "rounds of timing")
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp+", the keys that are looked up")
	formatsFlag(cmd, &flags.formats, pictures, "")
	complete(cmd, "filter", catalogue.Names(catalogue.Subjects()))
	complete(cmd, "base", catalogue.Names(catalogue.Subjects()))
	return cmd
}

func joinSizes(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = "2^" + strconv.Itoa(int(math.Log2(float64(n))))
	}
	return strings.Join(texts, ",")
}

func (f benchFlags) options(cmd *cobra.Command) (o speed.Options, err error) {
	o = speed.Options{Base: f.base, Rounds: f.rounds, Seed: f.seed, MemoryBytes: uint64(lab.AvailableMemory())}
	switch {
	case f.out.name == "":
		return o, errors.New("--out: name the folder to write, such as --out speed")
	case f.rounds < 1:
		return o, fmt.Errorf("--rounds: %d: want at least 1", f.rounds)
	}
	if o.Sizes, err = sweep.Ints(string(f.sizes)); err != nil {
		return o, fmt.Errorf("--n: %w", err)
	}
	if f.quick && !cmd.Flags().Changed("rounds") {
		o.Rounds = speed.QuickRounds
	}
	if f.quick && !cmd.Flags().Changed("n") {
		o.Sizes = speed.QuickSizes()
	}
	if o.Filters, err = catalogue.FindSubjects(f.filters...); err != nil {
		return o, fmt.Errorf("--filter: %w", err)
	}
	if err := checkFormats(f.formats); err != nil {
		return o, err
	}
	return o.Resolve()
}

// parallelOptions returns the options of --parallel, with which some flags mean nothing.
func (f benchFlags) parallelOptions(cmd *cobra.Command) (o parallel.Options, err error) {
	o = parallel.Options{Keys: 1 << 20, Rounds: f.rounds, Turn: parallel.DefaultTurn, Seed: f.seed}
	for _, name := range []string{"filter", "base"} {
		if cmd.Flags().Changed(name) {
			return o, fmt.Errorf("--%s is for filters of one goroutine, not with --parallel", name)
		}
	}
	if cmd.Flags().Changed("n") {
		sizes, err := sweep.Ints(string(f.sizes))
		if err != nil {
			return o, fmt.Errorf("--n: %w", err)
		}
		if len(sizes) != 1 || sizes[0] < parallel.MinKeys || sizes[0] > maxParallelKeys {
			return o, fmt.Errorf("--n: %s: want one number of keys from %d to %d with --parallel", f.sizes, parallel.MinKeys, maxParallelKeys)
		}
		o.Keys = sizes[0]
	}
	switch {
	case f.out.name == "":
		return o, errors.New("--out: name the folder to write, such as --out shared")
	case f.rounds < 1:
		return o, fmt.Errorf("--rounds: %d: want at least 1", f.rounds)
	}
	if f.quick && !cmd.Flags().Changed("rounds") {
		o.Rounds = speed.QuickRounds
	}
	return o, checkFormats(f.formats)
}

// maxParallelKeys is the largest number of keys of --parallel: a map of more takes many gigabytes.
const maxParallelKeys = 1 << 25

func bench(cmd *cobra.Command, flags benchFlags) error {
	if flags.parallel {
		options, err := flags.parallelOptions(cmd)
		if err != nil {
			return err
		}
		return inReport(cmd, flags.out, flags.formats, func() (measured, error) {
			shown := newProgress(cmd.ErrOrStderr())
			defer shown.end()
			shown.say("timing", "keys", options.Keys, "rounds", options.Rounds)
			options.Report = shown.update
			return parallel.Run(cmd.Context(), options)
		})
	}
	if !cmd.Flags().Changed("filter") {
		flags.filters = catalogue.Names(catalogue.DefaultSubjects())
	}
	options, err := flags.options(cmd)
	if err != nil {
		return err
	}
	return inReport(cmd, flags.out, flags.formats, func() (measured, error) {
		shown := newProgress(cmd.ErrOrStderr())
		defer shown.end()
		shown.say("timing", "filters", strings.Join(catalogue.Names(options.Filters), ","), "n", joinSizes(options.Sizes),
			"rounds", options.Rounds, "expected", announced(options.Expected(), 1))
		options.Report = shown.update
		return speed.Run(cmd.Context(), options)
	})
}
