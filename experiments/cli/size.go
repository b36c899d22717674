package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/spf13/cobra"
)

type sizeFlags struct {
	keys     string
	out      output
	missCost time.Duration
	window   time.Duration
	options  advice.Options // what else there is
}

func newSizeCommand() *cobra.Command {
	var flags sizeFlags
	cmd := &cobra.Command{
		Use:   "size [--n N] {--fpr RATE | --miss-cost TIME} [--out FILE]",
		Short: "Say which filter to take, and what it costs",
		Long: fmt.Sprintf(`size plans every filter of this module for a number of keys and a false-positive rate,
without making one. It recommends the smallest table, or one at most %.0f%% larger that touches fewer cache lines per
lookup, and prints the reasons, all plans and Go code. Without --n it recommends the filter that grows.

With --miss-cost it measures the filters on this machine and recommends the one with the cheapest lookups, a false
positive costing what it wastes (docs/CHOOSING.md has the formula). Each kind takes the number of bits per item from %d
to %d that is best for it, unless --fpr or --bits fixes it. Keys are random integers unless --keys names a file; lookups
then include hashing. A million keys take some seconds. More than %d keys are priced at the times measured for that
many.

--out draws which kind wins at which number of keys, up to %d, and cost of a miss, and writes the costs beside it as a
CSV file. That takes about a minute. With --n and --miss-cost it marks that point.`,
			100*advice.Slack, advice.MinBits, advice.MaxBits, advice.MaxMeasured, advice.MapSizes()[len(advice.MapSizes())-1]),
		Example: `  # A million keys, one false positive in a thousand
  nest size --n 1000000 --fpr 0.001
  # A million keys in every ten minutes, which are then forgotten
  nest size --window 10m --n 1e6 --fpr 0.01
  # What is fastest if a false positive costs 80 microseconds?
  nest size --n 1e6 --miss-cost 80us --negative 0.9
  # A map of who wins where
  nest size -o winners.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSize(cmd, flags) },
	}
	f, o := cmd.Flags(), &flags.options
	f.Var(count(&o.Keys), "n", countHelp+"; keys that the filter must hold (default unknown)")
	f.StringVar(&flags.keys, "keys", "", keysHelp+"; to measure with them, in place of --n")
	f.Var(parsed(&o.FPR, "rate", "", parseRate), "fpr", rateHelp)
	f.Float64Var(&o.Bits, "bits", 0, "bits per item to measure filters at, in place of --fpr")
	f.BoolVar(&o.Work.MustDelete, "delete", false, "keys must be deletable")
	f.DurationVar(&flags.window, "window", 0,
		"forget after this time, such as 10m: plan filters that do; --n is then the keys of a window")
	for _, k := range catalogue.Kinds() {
		if k.Flag != "" {
			f.Bool(k.Flag, false, "recommend "+k.Name+" filters too, which are smaller, at a cost that is printed")
		}
	}
	f.DurationVar(&flags.missCost, "miss-cost", 0,
		"time that one false positive wastes, such as 80us: measure and rank by price")
	f.Float64Var(&o.Work.Negative, "negative", 1, "share of lookups whose key is absent, 0 to 1")
	f.BoolVar(&o.Work.Batch, "batch", false, "price lookups in batches")
	flags.out.flags(cmd, "a picture of who wins where, its ending one of "+strings.Join(chart.Formats(), ", "))
	f.Uint64Var(&o.Seed, "seed", 1, seedHelp)
	jsonFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("n", "keys")                            // the file says how many keys there are
	for _, other := range []string{"delete", "keys", "miss-cost", "out"} { // it is planned, not measured
		cmd.MarkFlagsMutuallyExclusive("window", other)
	}
	cmd.MarkFlagsMutuallyExclusive("fpr", "bits") // as either decides the other
	cmd.MarkFlagsMutuallyExclusive("out", "json") // the costs behind the map are in the CSV file beside it
	return cmd
}

// check returns what is wrong with the flags that follow from others.
func (f sizeFlags) check(cmd *cobra.Command) error {
	set, mapped := cmd.Flags().Changed, f.out.name != ""
	priced := []string{"bits", "negative", "batch"}
	if mapped { // the map has prices, but no point
		priced = []string{"bits", "fpr", "n", "keys"}
	}
	if at := slices.IndexFunc(priced, set); at >= 0 && !set("miss-cost") {
		if mapped {
			return fmt.Errorf("--%s: --out draws costs of a miss; give --miss-cost too", priced[at])
		}
		return fmt.Errorf("--%s: it is a part of the price; give --miss-cost too", priced[at])
	}
	switch bits := f.options.Bits; {
	case set("window") && f.window < time.Millisecond:
		return fmt.Errorf("--window: %v: want at least 1ms", f.window)
	case set("window") && f.options.Keys == 0:
		return errors.New("--window: say how many keys a window has, with --n")
	case set("miss-cost") && f.options.Keys == 0 && f.keys == "":
		return errors.New("--miss-cost: say how many keys the filter must hold, with --n or --keys")
	case !set("miss-cost") && !mapped && !set("fpr"):
		return errors.New("--fpr: say what rate the filter must have, such as 0.001")
	case set("bits") && !(bits > 0 && bits <= 1000): // a slot of the widest fingerprints and counters has fewer
		return fmt.Errorf("--bits: %v: want a number above 0 and at most 1000", bits)
	case mapped: // before a minute of measuring
		_, err := pictureFormat(f.out.name)
		return cmp.Or(err, f.out.refuse(), f.table().refuse())
	}
	return nil
}

// table is where the costs behind the map go.
func (f sizeFlags) table() output {
	return output{strings.TrimSuffix(f.out.name, filepath.Ext(f.out.name)) + ".csv", f.out.force}
}

// read reads the keys and fills in what follows from the flags.
func (f *sizeFlags) read(cmd *cobra.Command) (spec advice.Spec, err error) {
	o := &f.options
	if f.keys != "" {
		if o.Set, err = readKeys(cmd, "keys", f.keys); err != nil {
			if _, number := parseCount(f.keys); number == nil {
				err = fmt.Errorf("%w; a number of keys is --n %s", err, f.keys)
			}
			return spec, err
		}
		o.Keys = len(o.Set.Keys)
	}
	for _, k := range catalogue.Kinds() {
		if asked, err := cmd.Flags().GetBool(k.Flag); err == nil && asked {
			o.Flags = append(o.Flags, k.Flag)
		}
	}
	o.Work.MissCost = float64(f.missCost)
	o.Say = func(what string) { say(cmd, "nest: %s", what) }
	return advice.Spec{Keys: o.Keys, FPR: o.FPR, Delete: o.Work.MustDelete, Flags: o.Flags, Window: f.window}, nil
}

func runSize(cmd *cobra.Command, flags sizeFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	spec, err := flags.read(cmd)
	if err != nil {
		return err
	}
	var result interface {
		Write(w io.Writer, width int) error
	}
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
	return show(cmd, result, func(w io.Writer) error { return result.Write(w, report.Width(w)) })
}

func drawMap(cmd *cobra.Command, flags sizeFlags, priced *advice.Advice) error {
	m, err := advice.MeasureMap(cmd.Context(), flags.options)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if priced != nil {
		m.Mark(priced)
		w = cmd.ErrOrStderr() // standard output is the advice's
	}
	rows, err := m.CSV()
	if err == nil {
		err = cmp.Or(flags.table().save(cmd, bytes.NewReader(rows)), flags.out.draw(cmd, m.Figure()))
	}
	if err != nil {
		return err
	}
	return m.Write(w, report.Width(w), flags.out.name, flags.table().name)
}
