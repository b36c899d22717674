package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

type compareFlags struct {
	keys, queries, hash string
	out                 output
	fprs, formats       []string
	seed                uint64
	rounds              int
}

func newCompareCommand() *cobra.Command {
	var flags compareFlags
	cmd := &cobra.Command{
		Use:   "compare --keys FILE --out DIR",
		Short: "Put keys of your own through every filter and a Go map",
		Long: fmt.Sprintf(`compare fills every filter of this module, and a Go map, with the keys of a file and measures bits per item,
false-positive rate with its 95%% interval, bits above the bound log2(1/rate), and the time of building and of lookups. A
filter gets the largest rate that it can have and that is not above the one asked for.

A key is a line of any bytes, up to %d MiB, without its line feed and a carriage return before it. Blank lines are
skipped and repeated ones dropped. Queries that are keys are counted apart; the others measure the rate. Without
--queries, random strings do: %d for each expected false positive of the lowest rate, %d at most.

The folder holds report.html, report.md, compare.csv (the same for the same keys, queries, hash and seed), speed.csv and
bench.txt (times), the chart and manifest.json.

Exit status: 0, 1 a filter lost a key, 2 bad input, 130 interrupted. If it is not 0, nothing is written.`,
			files.MaxLine>>20, 100, advice.MaxProbes),
		Example: `  nest compare --keys blocked.txt --queries seen.txt --out comparison
  sort urls.txt | nest compare --keys - --fpr 0.0001 --out comparison`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCompare(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.keys, "keys", "", keysHelp+" (required)")
	f.StringVar(&flags.queries, "queries", "", "file of what is looked up, one a line, or -; random strings if not set")
	flags.out.flags(cmd, folderHelp)
	f.StringSliceVar(&flags.fprs, "fpr", []string{"0.01", "0.001"}, rateHelp+"; filters are made for each")
	f.StringVar(&flags.hash, "hash", "xxh64", hashHelp+": "+strings.Join(hashing.Names(), ", "))
	f.Uint64Var(&flags.seed, "seed", 1, seedHelp)
	f.IntVar(&flags.rounds, "rounds", advice.DefaultRounds, "rounds of timing")
	formatsFlag(cmd, &flags.formats, pictures, "")
	complete(cmd, "hash", hashing.Names())
	return cmd
}

func (f compareFlags) options(cmd *cobra.Command) (o advice.CompareOptions, err error) {
	o = advice.CompareOptions{Seed: f.seed, Rounds: f.rounds}
	switch {
	case f.keys == "":
		return o, errors.New("--keys: name the file with the keys, such as --keys keys.txt")
	case f.out.name == "":
		return o, errors.New("--out: name the folder to write, such as --out comparison")
	case f.keys == files.Stdin && f.queries == files.Stdin:
		return o, errors.New("--keys and --queries: both are -, but there is one standard input")
	case f.rounds < 1:
		return o, fmt.Errorf("--rounds: %d: want at least 1", f.rounds)
	}
	if o.FPRs, err = parseRates(f.fprs); err != nil {
		return o, fmt.Errorf("--fpr: %w", err)
	}
	if err := checkFormats(f.formats); err != nil {
		return o, err
	}
	if o.Hash, err = secret.New(f.hash); err != nil {
		return o, fmt.Errorf("--hash: %w", err)
	}
	if err := report.Check(f.out.name, report.Options{Force: f.out.force}); err != nil {
		return o, folderError(err)
	}
	if o.Keys, err = readKeys(cmd, f.keys); err != nil {
		return o, fmt.Errorf("--keys: %w", err)
	}
	if f.queries == "" {
		return o, nil
	}
	if o.Queries, err = readKeys(cmd, f.queries); err != nil {
		return o, fmt.Errorf("--queries: %w", err)
	}
	return o, nil
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

func runCompare(cmd *cobra.Command, flags compareFlags) error {
	options, err := flags.options(cmd)
	if err != nil {
		return err
	}
	return inReport(cmd, flags.out, flags.formats, func() (measured, error) {
		result, err := advice.Compare(cmd.Context(), options)
		return result, lostKey(err)
	})
}

// A measured is a result that becomes a report in a folder and a text for people.
type measured interface {
	Report() *report.Report
	Text(width int) string
}

// inReport writes the report of what run returns into a folder, prints the text, and says which page to read.
func inReport(cmd *cobra.Command, out output, formats []string, run func() (measured, error)) error {
	var result measured
	err := inFolder(cmd.Context(), out.name, report.Options{Force: out.force}, formats, func() (_ *report.Report, err error) {
		if result, err = run(); err != nil {
			return nil, err
		}
		return result.Report(), nil
	})
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	_, err = fmt.Fprintf(w, "%s\nRead %s\n", result.Text(report.Width(w)), page(out.name))
	return err
}

// lostKey makes the error of a lost key one of a claim that does not hold; it returns others as they are.
func lostKey(err error) error {
	if _, lost := errors.AsType[*advice.LostKeyError](err); lost {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	return err
}
