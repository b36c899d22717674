package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
)

type sizeFlags struct {
	fpr, keys   string
	n           count
	out         output
	missCost    time.Duration
	del, asJSON bool
	options     advice.Options // what else there is
}

func newSizeCommand() *cobra.Command {
	var flags sizeFlags
	cmd := &cobra.Command{
		Use:   "size [--n N] {--fpr RATE | --miss-cost TIME} [--out FILE]",
		Short: "Say which filter to take, and what it costs",
		Long: fmt.Sprintf(`size plans every filter of this module for a number of keys and a false-positive rate,
without making one. It recommends the smallest table, or one at most %.0f%% larger that touches fewer cache lines per
lookup, and prints the reasons, all plans and Go code. Without --n it recommends the filter that grows.

With --miss-cost it measures the filters on this machine and recommends the one with the cheapest lookups:

  price = negative * (lookup of an absent key + rate * miss cost)
        + (1 - negative) * lookup of a present key

Each kind takes the number of bits per item from %d to %d that is best for it, unless --fpr or --bits fixes it. Without
--keys, whose hashing is part of every lookup, keys are random integers. A million take some seconds; more than %d are
priced at the times of so many.

--out draws which kind wins at which number of keys, up to %d, and cost of a miss, and writes the costs beside it as a
CSV file. That takes about a minute. With --n and --miss-cost it marks that point.`,
			100*advice.Slack, advice.MinBits, advice.MaxBits, advice.MaxMeasured, advice.MapSizes()[len(advice.MapSizes())-1]),
		Example: `  # A million keys, one false positive in a thousand
  nest size --n 1000000 --fpr 0.001
  # Keys that are deleted, for a program that reads the answer
  nest size --n 1e9 --fpr 0.0001 --delete --json
  # What is fastest where a false positive costs 80 microseconds?
  nest size --n 1e6 --miss-cost 80us --negative 0.9
  # The same for keys of your own
  nest size --keys blocked.txt --miss-cost 5ms --delete
  # A map of who wins where
  nest size -o winners.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSize(cmd, flags) },
	}
	f := cmd.Flags()
	f.Var(&flags.n, "n", countHelp+"; keys that the filter must hold (default nobody knows)")
	f.StringVar(&flags.keys, "keys", "", keysHelp+"; to measure with them, in place of --n")
	f.StringVar(&flags.fpr, "fpr", "", rateHelp)
	f.Float64Var(&flags.options.Bits, "bits", 0, "bits per item to measure filters at, in place of --fpr")
	f.BoolVar(&flags.del, "delete", false, "keys must be deletable")
	for _, k := range catalogue.Kinds() {
		if k.Flag != "" {
			f.Bool(k.Flag, false, "recommend "+k.Name+" filters too, which are smaller and slower")
		}
	}
	f.DurationVar(&flags.missCost, "miss-cost", 0,
		"time that one false positive wastes, such as 80us: measure and rank by price")
	work := &flags.options.Work
	f.Float64Var(&work.Negative, "negative", 1, "share of lookups whose key is absent, 0 to 1")
	f.BoolVar(&work.Batch, "batch", false, "price lookups that are asked many at a time")
	flags.out.flags(cmd, "a picture of who wins where, its ending one of "+strings.Join(chart.Formats(), ", "))
	f.Uint64Var(&flags.options.Seed, "seed", 1, seedHelp)
	jsonFlag(cmd, &flags.asJSON)
	cmd.MarkFlagsMutuallyExclusive("n", "keys")   // the file says how many keys there are
	cmd.MarkFlagsMutuallyExclusive("fpr", "bits") // as either decides the other
	cmd.MarkFlagsMutuallyExclusive("out", "json") // the costs behind the map are in the CSV file beside it
	return cmd
}

// maxBits is the largest --bits: what a slot of the widest fingerprints and counters takes.
const maxBits = 1000

// check returns what is wrong with the flags that follow from others.
func (f sizeFlags) check(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	priced := []string{"bits", "negative", "batch"}
	if f.out.name != "" { // the map has prices, but no point
		priced = []string{"bits", "fpr", "n", "keys"}
	}
	for _, name := range priced {
		if set(name) && !set("miss-cost") {
			return fmt.Errorf("--%s: it is a part of the price; give --miss-cost too", name)
		}
	}
	switch bits := f.options.Bits; {
	case set("miss-cost") && f.n == 0 && f.keys == "":
		return errors.New("--miss-cost: say how many keys the filter must hold, with --n or --keys")
	case set("bits") && !(bits > 0 && bits <= maxBits):
		return fmt.Errorf("--bits: %v: want a number above 0 and at most %d", bits, maxBits)
	case f.out.name == "":
		return nil
	}
	_, table, err := f.table()
	if info, dirErr := os.Stat(filepath.Dir(f.out.name)); err == nil && (dirErr != nil || !info.IsDir()) {
		err = fmt.Errorf("--out: %s: no such folder", filepath.Dir(f.out.name))
	}
	return cmp.Or(err, f.out.refuse(), table.refuse()) // before a minute of measuring
}

// table returns the format of the map, and where the costs behind it go.
func (f sizeFlags) table() (format string, table output, err error) {
	format, err = pictureFormat(f.out.name)
	return format, output{strings.TrimSuffix(f.out.name, filepath.Ext(f.out.name)) + ".csv", f.out.force}, err
}

// read reads the keys and fills in what follows from the flags.
func (f *sizeFlags) read(cmd *cobra.Command) (spec advice.Spec, err error) {
	spec.Keys = int(f.n)
	if f.keys != "" {
		if f.options.Set, err = readKeys(cmd, f.keys); err != nil {
			if new(count).Set(f.keys) == nil {
				err = fmt.Errorf("%w; a number of keys is --n %s", err, f.keys)
			}
			return spec, fmt.Errorf("--keys: %w", err)
		}
		spec.Keys = len(f.options.Set.Keys)
	}
	measured := f.out.name != "" || cmd.Flags().Changed("miss-cost")
	if f.fpr != "" || !measured {
		if spec.FPR, err = parseRate(f.fpr); err != nil {
			return spec, fmt.Errorf("--fpr: %w", err)
		}
	}
	for _, k := range catalogue.Kinds() {
		if asked, err := cmd.Flags().GetBool(k.Flag); err == nil && asked {
			spec.Layouts = append(spec.Layouts, k.Spec.Layout)
		}
	}
	work := &f.options.Work
	work.MissCost, work.MustDelete = float64(f.missCost), f.del
	spec.Delete = f.del
	f.options.Keys, f.options.FPR, f.options.Layouts = spec.Keys, spec.FPR, spec.Layouts
	f.options.Say = func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), "nest:", what) }
	return spec, nil
}

// An adviceText is a result that is printed.
type adviceText interface {
	Write(w io.Writer, width int) error
}

func runSize(cmd *cobra.Command, flags sizeFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	spec, err := flags.read(cmd)
	if err != nil {
		return err
	}
	var result adviceText
	switch mapped := flags.out.name != ""; {
	case cmd.Flags().Changed("miss-cost"):
		var priced *advice.Advice
		if priced, err = advice.Advise(cmd.Context(), flags.options); err == nil && mapped {
			err = drawMap(cmd, flags, priced)
		}
		result = priced
	case mapped:
		return drawMap(cmd, flags, nil)
	case spec.Keys == 0:
		result, err = advice.Unknown(spec.FPR)
	default:
		result, err = advice.For(spec)
	}
	if err != nil {
		return err
	}
	return show(cmd, flags.asJSON, result, func(w io.Writer) error { return result.Write(w, report.Width(w)) })
}

func drawMap(cmd *cobra.Command, flags sizeFlags, priced *advice.Advice) error {
	out := flags.out
	format, table, err := flags.table()
	if err != nil {
		return err
	}
	m, err := advice.MeasureMap(cmd.Context(), flags.options)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if priced != nil {
		m.Mark(priced)
		w = cmd.ErrOrStderr() // standard output is the advice's
	}
	picture, err := m.Figure().Render(format)
	if err != nil {
		return err
	}
	rows, err := m.CSV()
	if err == nil {
		err = errors.Join(table.write(rows), out.write(picture))
	}
	if err != nil {
		return err
	}
	return m.Write(w, report.Width(w), out.name, table.name)
}
