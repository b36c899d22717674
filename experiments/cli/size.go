package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/size/price"
	"github.com/nestfilter/nest/experiments/tabular"
)

// sizeFlags are the flags of nest size.
type sizeFlags struct {
	keys, fpr, keysFile, missCost, picture string
	bits, negative, deleteRate             float64
	del, semiSort, batch, asJSON           bool
	seed                                   uint64
}

func newSizeCommand() *cobra.Command {
	var flags sizeFlags
	cmd := &cobra.Command{
		Use:   "size [--keys N] {--fpr RATE | --miss-cost TIME} [--map FILE]",
		Short: "Say which filter to take, with which parameters, and what it costs",
		Long: fmt.Sprintf(`size plans every filter of this module for a number of keys and a false-positive rate, without making one,
and recommends the smallest table, or one that is at most %.0f%% larger and touches fewer cache lines per
lookup. It gives the reasons, all the plans and Go code that makes the recommended filter.

Semi-sorted cuckoo filters save a bit of each key and take longer over everything; they are planned, and with
--semi-sort recommended and measured too.

Without --keys, or with --keys unknown, it recommends the filter that grows, and says what not knowing costs.

With --miss-cost, the time that one false positive wastes, it measures the filters on this machine instead
and recommends the one whose lookups are cheapest, wasted work included:

  price = negative * (lookup of an absent key + rate * miss cost)
        + (1 - negative) * lookup of a present key

Each kind takes the number of bits per item from %d to %d that is best for it, unless --fpr or --bits holds
all of them to one. Keys are random integers, or those of --keys-file, whose hashing is then part of every lookup:
one a line, blank lines skipped, repeated ones dropped. It takes some seconds for a million keys; more
than %d are priced at the times of so many.

--map draws which kind wins at which number of keys and cost of a miss, measured at up to %d keys, which
takes about a minute, and writes the measured costs beside it as a CSV file. With --keys and
--miss-cost it marks that point.

Of cuckoo filters it takes fingerprints of at least 6 bits, since tables of narrower ones refuse early.

Exit status: 0, 2 bad input or a rate or size that no filter reaches, 130 interrupted.`,
			100*size.Slack, price.MinBits, price.MaxBits, price.MaxMeasured, price.MapSizes()[len(price.MapSizes())-1]),
		Example: `  nest size --keys 1000000 --fpr 0.001
  nest size --keys unknown --fpr 0.001
  nest size --keys 1e9 --fpr 0.0001 --delete --json
  nest size --keys 1e6 --miss-cost 80us --negative 0.9
  nest size --keys-file blocked.txt --miss-cost 5ms --delete-rate 0.1
  nest size --map winners.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSize(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.keys, "keys", "", "number of distinct keys that the filter must hold, such as 1000000 or 1e6, or unknown (the default)")
	f.StringVar(&flags.keysFile, "keys-file", "", "file of keys to measure with, one a line, or -; in place of --keys")
	f.StringVar(&flags.fpr, "fpr", "", "highest false-positive rate that will do, such as 0.001")
	f.Float64Var(&flags.bits, "bits", 0, "bits per item to measure filters at, in place of --fpr")
	f.BoolVar(&flags.del, "delete", false, "keys must be deletable")
	f.BoolVar(&flags.semiSort, "semi-sort", false, "recommend semi-sorted cuckoo filters too, which are smaller and slower")
	f.StringVar(&flags.missCost, "miss-cost", "", "time that one false positive wastes, such as 80us: measure and rank by price")
	f.Float64Var(&flags.negative, "negative", 1, "share of lookups whose key is absent, 0 to 1")
	f.Float64Var(&flags.deleteRate, "delete-rate", 0, "deletes per insert; above 0 keys must be deletable")
	f.BoolVar(&flags.batch, "batch", false, "price lookups that are asked many at a time")
	f.StringVar(&flags.picture, "map", "", "picture to draw of who wins where: "+strings.Join(chart.Formats(), ", ")+"; files that are there are replaced")
	f.Uint64Var(&flags.seed, "seed", 1, "seed of random keys and of the order of lookups")
	f.BoolVar(&flags.asJSON, "json", false, "print JSON")
	return cmd
}

// sizeTask is what the flags of nest size ask for.
type sizeTask struct {
	spec    size.Spec
	options price.Options
	priced  bool   // --miss-cost is given
	unknown bool   // nobody knows the number of keys
	format  string // of the map, empty without one
}

// task checks the flags and reads the keys.
func (f sizeFlags) task(cmd *cobra.Command) (t sizeTask, err error) {
	t.priced = f.missCost != ""
	if err := f.clashes(cmd); err != nil {
		return t, err
	}
	if f.picture != "" {
		if t.format, err = pictureFormat(f.picture); err != nil {
			return t, fmt.Errorf("--map: %w", err)
		}
	}
	t.unknown = !t.priced && f.picture == "" && f.keysFile == "" && (f.keys == "unknown" || !cmd.Flags().Changed("keys"))
	if f.keysFile == "" && !t.unknown && (f.picture == "" || f.keys != "" || t.priced) {
		if t.spec.Keys, err = parseCount(f.keys); err != nil {
			return t, fmt.Errorf("--keys: %w", err)
		}
	}
	if f.fpr != "" || !t.priced && f.picture == "" {
		if t.spec.FPR, err = parseRate(f.fpr); err != nil {
			return t, fmt.Errorf("--fpr: %w", err)
		}
	}
	t.options.Work, err = f.workload()
	if err != nil {
		return t, err
	}
	if f.keysFile != "" {
		if t.options.Set, err = readKeys(cmd, f.keysFile); err != nil {
			return t, fmt.Errorf("--keys-file: %w", err)
		}
		t.spec.Keys = len(t.options.Set.Keys)
	}
	t.spec.Delete = f.del || f.deleteRate > 0
	t.spec.SemiSort, t.options.SemiSort = f.semiSort, f.semiSort
	t.options.Keys, t.options.FPR, t.options.Bits, t.options.Seed = t.spec.Keys, t.spec.FPR, f.bits, f.seed
	return t, nil
}

// clashes reports the first two flags that contradict each other, or the first that is out of range.
func (f sizeFlags) clashes(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	measuring := f.missCost != "" || f.picture != ""
	switch {
	case f.keys != "" && f.keysFile != "":
		return errors.New("--keys and --keys-file: the file says how many keys there are; give one of them")
	case f.fpr != "" && set("bits"):
		return errors.New("--fpr and --bits: give one of them, as either decides the other")
	case set("bits") && !(f.bits > 0 && f.bits <= maxBits):
		return fmt.Errorf("--bits: %v: want a number above 0 and at most %d", f.bits, maxBits)
	case set("bits") && f.missCost == "":
		return errors.New("--bits: filters of one size are ranked by price only; give --miss-cost too")
	case set("delete") && !f.del && f.deleteRate > 0:
		return fmt.Errorf("--delete=false and --delete-rate %v: keys are deleted or they are not", f.deleteRate)
	case f.missCost == "" && f.picture != "" && f.fpr != "":
		return errors.New("--map and --fpr: on the map each kind has its own rate; --fpr needs --miss-cost")
	case f.missCost == "" && f.keysFile != "" && f.picture != "" || f.missCost == "" && f.keys != "" && f.picture != "":
		return errors.New("--map and the number of keys: a point on the map needs --miss-cost too")
	case f.picture != "" && f.asJSON && f.missCost == "":
		return errors.New("--map and --json: the costs behind the map are in the CSV file beside it")
	}
	for _, name := range []string{"negative", "delete-rate", "batch"} {
		if set(name) && !measuring {
			return fmt.Errorf("--%s: it is a part of the price; give --miss-cost too", name)
		}
	}
	return nil
}

// maxBits is the largest --bits: what a slot of the widest fingerprints and counters takes.
const maxBits = 1000

// workload reads what lookups are like.
func (f sizeFlags) workload() (w price.Workload, err error) {
	w = price.Workload{Negative: f.negative, DeleteRate: f.deleteRate, Batch: f.batch}
	if f.del && w.DeleteRate == 0 && f.missCost+f.picture != "" {
		w.MustDelete = true
	}
	if f.missCost != "" {
		d, err := time.ParseDuration(f.missCost)
		if err != nil || d < 0 {
			return w, fmt.Errorf("--miss-cost: %q: want a time of at least 0 with its unit, such as 80us or 5ms", f.missCost)
		}
		w.MissCost = float64(d)
	}
	switch {
	case !(f.negative >= 0 && f.negative <= 1):
		return w, fmt.Errorf("--negative: %v: want a share from 0 to 1", f.negative)
	case !(f.deleteRate >= 0) || math.IsInf(f.deleteRate, 1):
		return w, fmt.Errorf("--delete-rate: %v: want a number of at least 0", f.deleteRate)
	}
	return w, nil
}

// pictureFormat returns the format that a file's ending names.
func pictureFormat(name string) (string, error) {
	for _, format := range chart.Formats() {
		if strings.HasSuffix(name, "."+format) {
			return format, nil
		}
	}
	return "", fmt.Errorf("%q: want a name that ends in .%s", name, strings.Join(chart.Formats(), ", ."))
}

// parseCount reads a whole number of at least 1, digits grouped by _ and powers of ten included.
func parseCount(s string) (int, error) {
	want := errors.New("want a whole number of at least 1, such as 1000000 or 1e6")
	plain := strings.ReplaceAll(s, "_", "")
	n, err := strconv.Atoi(plain)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		// Up to 2^53 a float64 holds whole numbers exactly.
		x, floatErr := strconv.ParseFloat(plain, 64)
		switch {
		case floatErr != nil || x != math.Trunc(x) || x < 0:
			return 0, fmt.Errorf("%q: %w", s, want)
		case x > 1<<53 || x > math.MaxInt:
			return 0, fmt.Errorf("%q: too many keys for any filter", s)
		}
		n, err = int(x), nil
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: too many keys for any filter", s)
	case n < 1:
		return 0, fmt.Errorf("%q: %w", s, want)
	}
	return n, nil
}

// runSize answers the question.
func runSize(cmd *cobra.Command, flags sizeFlags) error {
	t, err := flags.task(cmd)
	if err != nil {
		return err
	}
	t.options.Say = func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), "nest:", what) }
	var advice *price.Advice
	if t.priced {
		if advice, err = price.Advise(cmd.Context(), t.options); err != nil {
			return err
		}
	}
	if t.format != "" {
		if err := drawMap(cmd, flags.picture, t, advice); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	switch {
	case t.priced && flags.asJSON:
		return writeJSON(out, advice)
	case t.priced:
		return advice.Write(out, tabular.Width(out))
	case t.format != "":
		return nil
	}
	var result interface {
		Write(w io.Writer, width int) error
	}
	if t.unknown {
		result, err = size.Unknown(t.spec.FPR)
	} else {
		result, err = size.For(t.spec)
	}
	switch {
	case err != nil:
		return err
	case flags.asJSON:
		return writeJSON(out, result)
	}
	return result.Write(out, tabular.Width(out))
}

// writeJSON writes v with indentation.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// drawMap measures the map and writes the picture and, beside it, the CSV file.
func drawMap(cmd *cobra.Command, name string, t sizeTask, advice *price.Advice) error {
	table := strings.TrimSuffix(name, t.format) + "csv"
	for _, file := range []string{name, table} { // before a minute of measuring
		if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
			return fmt.Errorf("--map: %s: no such folder", filepath.Dir(file))
		}
	}
	m, err := price.MeasureMap(cmd.Context(), t.options)
	if err != nil {
		return err
	}
	if advice != nil {
		m.Mark(advice)
	}
	picture, err := m.Figure().Render(t.format)
	if err != nil {
		return err
	}
	rows, err := m.CSV()
	if err != nil {
		return err
	}
	if err := errors.Join(writeWhole(table, rows), writeWhole(name, picture)); err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	out := cmd.OutOrStdout()
	if advice != nil {
		out = cmd.ErrOrStderr() // standard output is the advice's
	}
	return m.Write(out, tabular.Width(out), name, table)
}
