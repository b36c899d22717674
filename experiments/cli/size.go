package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
)

type sizeFlags struct {
	fpr, keys                  string
	n                          count
	out                        output
	missCost                   time.Duration
	bits, negative, deleteRate float64
	del, batch, asJSON         bool
	seed                       uint64
}

func newSizeCommand() *cobra.Command {
	var flags sizeFlags
	cmd := &cobra.Command{
		Use:   "size [--n N] {--fpr RATE | --miss-cost TIME} [--out FILE]",
		Short: "Say which filter to take, and what it costs",
		Long: fmt.Sprintf(`size plans every filter of this module for a number of keys and a false-positive rate,
without making one. It recommends the smallest table, or one at most %.0f%% larger that touches fewer cache lines per
lookup, and prints the reasons, all plans and Go code. Without --n it recommends the filter that grows. Cuckoo filters
with paired slots or semi-sorted buckets, smaller by a bit a key and slower, are recommended and measured only with
--paired-slots and --semi-sort. Fingerprints have at least 6 bits.

With --miss-cost, the time that one false positive wastes, it measures the filters on this machine and recommends the
one with the cheapest lookups:

  price = negative * (lookup of an absent key + rate * miss cost)
        + (1 - negative) * lookup of a present key

Each kind takes the number of bits per item from %d to %d that is best for it, unless --fpr or --bits fixes it. Keys
are random integers, or the lines of --keys, whose hashing is then part of every lookup. A million keys take some
seconds; more than %d are priced at the times of so many.

--out draws which kind wins at which number of keys, up to %d, and cost of a miss, and writes the costs beside it as a
CSV file. That takes about a minute. With --n and --miss-cost it marks that point.

Exit status: 0, 2 bad input or a rate or size that no filter reaches, 130 interrupted.`,
			100*advice.Slack, advice.MinBits, advice.MaxBits, advice.MaxMeasured, advice.MapSizes()[len(advice.MapSizes())-1]),
		Example: `  # A million keys, one false positive in a thousand
  nest size --n 1000000 --fpr 0.001
  # Keys that are deleted, for a program that reads the answer
  nest size --n 1e9 --fpr 0.0001 --delete --json
  # What is fastest where a false positive costs 80 microseconds?
  nest size --n 1e6 --miss-cost 80us --negative 0.9
  # The same for keys of your own
  nest size --keys blocked.txt --miss-cost 5ms --delete-rate 0.1
  # A map of who wins where
  nest size -o winners.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSize(cmd, flags) },
	}
	f := cmd.Flags()
	f.Var(&flags.n, "n", countHelp+"; keys that the filter must hold (default nobody knows)")
	f.StringVar(&flags.keys, "keys", "", keysHelp+"; to measure with them, in place of --n")
	f.StringVar(&flags.fpr, "fpr", "", rateHelp)
	f.Float64Var(&flags.bits, "bits", 0, "bits per item to measure filters at, in place of --fpr")
	f.BoolVar(&flags.del, "delete", false, "keys must be deletable")
	for _, l := range advice.Layouts() {
		if f.Lookup(l.Flag) == nil {
			f.Bool(l.Flag, false, "recommend "+advice.Name(l.Spec)+" filters too, which are smaller and slower")
		}
	}
	f.DurationVar(&flags.missCost, "miss-cost", 0,
		"time that one false positive wastes, such as 80us: measure and rank by price")
	f.Float64Var(&flags.negative, "negative", 1, "share of lookups whose key is absent, 0 to 1")
	f.Float64Var(&flags.deleteRate, "delete-rate", 0, "deletes per insert; above 0 keys must be deletable")
	f.BoolVar(&flags.batch, "batch", false, "price lookups that are asked many at a time")
	flags.out.flags(cmd, "a picture of who wins where, its ending one of "+strings.Join(chart.Formats(), ", "))
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp)
	jsonFlag(cmd, &flags.asJSON)
	cmd.MarkFlagsMutuallyExclusive("n", "keys")   // the file says how many keys there are
	cmd.MarkFlagsMutuallyExclusive("fpr", "bits") // as either decides the other
	return cmd
}

// sizeTask is what the flags of nest size ask for.
type sizeTask struct {
	spec    advice.Spec
	options advice.Options
	priced  bool   // --miss-cost is given
	unknown bool   // nobody knows the number of keys
	format  string // of the map, empty without one
}

func (f sizeFlags) task(cmd *cobra.Command) (t sizeTask, err error) {
	t.priced = cmd.Flags().Changed("miss-cost")
	if err := f.clashes(cmd); err != nil {
		return t, err
	}
	mapped := f.out.name != ""
	if mapped {
		if t.format, err = pictureFormat(f.out.name); err != nil {
			return t, err
		}
	}
	t.spec.Keys = int(f.n)
	t.unknown = !t.priced && !mapped && f.n == 0 && f.keys == ""
	if f.fpr != "" || !t.priced && !mapped {
		if t.spec.FPR, err = parseRate(f.fpr); err != nil {
			return t, fmt.Errorf("--fpr: %w", err)
		}
	}
	t.options.Work = advice.Workload{MissCost: float64(f.missCost), Negative: f.negative, DeleteRate: f.deleteRate,
		Batch: f.batch, MustDelete: f.del && f.deleteRate == 0 && (t.priced || mapped)}
	if f.keys != "" {
		if t.options.Set, err = readKeys(cmd, f.keys); err != nil {
			if new(count).Set(f.keys) == nil {
				err = fmt.Errorf("%w; a number of keys is --n %s", err, f.keys)
			}
			return t, fmt.Errorf("--keys: %w", err)
		}
		t.spec.Keys = len(t.options.Set.Keys)
	}
	t.spec.Delete = f.del || f.deleteRate > 0
	for _, l := range advice.Layouts() {
		if asked, err := cmd.Flags().GetBool(l.Flag); err == nil && asked && !slices.Contains(t.spec.Layouts, l.Spec.Layout) {
			t.spec.Layouts = append(t.spec.Layouts, l.Spec.Layout)
		}
	}
	t.options.Layouts = t.spec.Layouts
	t.options.Keys, t.options.FPR, t.options.Bits, t.options.Seed = t.spec.Keys, t.spec.FPR, f.bits, f.seed
	return t, nil
}

// clashes returns what contradicts itself among the flags, or lacks another one.
func (f sizeFlags) clashes(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	mapped, priced, counted := f.out.name != "", set("miss-cost"), f.n != 0 || f.keys != ""
	for _, c := range []struct {
		clash bool
		what  string
	}{
		{priced && !counted, "--miss-cost: say how many keys the filter must hold, with --n or --keys"},
		{f.missCost < 0, fmt.Sprintf("--miss-cost: %v: want a time of at least 0", f.missCost)},
		{set("bits") && !(f.bits > 0 && f.bits <= maxBits),
			fmt.Sprintf("--bits: %v: want a number above 0 and at most %d", f.bits, maxBits)},
		{set("bits") && !priced, "--bits: filters of one size are ranked by price only; give --miss-cost too"},
		{set("delete") && !f.del && f.deleteRate > 0,
			fmt.Sprintf("--delete=false and --delete-rate %v: keys are deleted or they are not", f.deleteRate)},
		{!(f.negative >= 0 && f.negative <= 1), fmt.Sprintf("--negative: %v: want a share from 0 to 1", f.negative)},
		{!(f.deleteRate >= 0) || math.IsInf(f.deleteRate, 1),
			fmt.Sprintf("--delete-rate: %v: want a number of at least 0", f.deleteRate)},
		{mapped && !priced && f.fpr != "", "--out and --fpr: on the map each kind has its own rate; --fpr needs --miss-cost"},
		{mapped && !priced && counted, "--out and the number of keys: a point on the map needs --miss-cost too"},
		{mapped && !priced && f.asJSON, "--out and --json: the costs behind the map are in the CSV file beside it"},
	} {
		if c.clash {
			return errors.New(c.what)
		}
	}
	for _, name := range []string{"negative", "delete-rate", "batch"} {
		if set(name) && !priced && !mapped {
			return fmt.Errorf("--%s: it is a part of the price; give --miss-cost too", name)
		}
	}
	return nil
}

// maxBits is the largest --bits: what a slot of the widest fingerprints and counters takes.
const maxBits = 1000

func runSize(cmd *cobra.Command, flags sizeFlags) error {
	t, err := flags.task(cmd)
	if err != nil {
		return err
	}
	t.options.Say = func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), "nest:", what) }
	var priced *advice.Advice
	if t.priced {
		if priced, err = advice.Advise(cmd.Context(), t.options); err != nil {
			return err
		}
	}
	if t.format != "" {
		if err := drawMap(cmd, flags.out, t, priced); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	switch {
	case t.priced && flags.asJSON:
		return writeJSON(out, priced)
	case t.priced:
		return priced.Write(out, report.Width(out))
	case t.format != "":
		return nil
	}
	var result interface {
		Write(w io.Writer, width int) error
	}
	if t.unknown {
		result, err = advice.Unknown(t.spec.FPR)
	} else {
		result, err = advice.For(t.spec)
	}
	switch {
	case err != nil:
		return err
	case flags.asJSON:
		return writeJSON(out, result)
	}
	return result.Write(out, report.Width(out))
}

func drawMap(cmd *cobra.Command, out output, t sizeTask, priced *advice.Advice) error {
	table := out
	table.name = strings.TrimSuffix(out.name, t.format) + "csv"
	if info, err := os.Stat(filepath.Dir(out.name)); err != nil || !info.IsDir() { // before a minute of measuring
		return fmt.Errorf("--out: %s: no such folder", filepath.Dir(out.name))
	}
	if err := errors.Join(out.refuse(), table.refuse()); err != nil {
		return err
	}
	m, err := advice.MeasureMap(cmd.Context(), t.options)
	if err != nil {
		return err
	}
	if priced != nil {
		m.Mark(priced)
	}
	picture, err := m.Figure().Render(t.format)
	if err != nil {
		return err
	}
	rows, err := m.CSV()
	if err != nil {
		return err
	}
	if err := errors.Join(table.write(rows), out.write(picture)); err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if priced != nil {
		w = cmd.ErrOrStderr() // standard output is the advice's
	}
	return m.Write(w, report.Width(w), out.name, table.name)
}
