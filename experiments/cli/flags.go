package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/speed"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Descriptions of flags that several commands have. What is special in one command follows a semicolon.
const (
	keysHelp      = "file of keys, one a line, or -"
	countHelp     = "a number such as 1000000, 1e6 or 2^20"
	capacityHelp  = "room for that many different keys, such as 1000000, 1e6 or 2^20"
	rateHelp      = "highest false-positive rate, such as 0.001"
	widthHelp     = "bits of a fingerprint, 1 to 32"
	bucketHelp    = "slots of a bucket, 1, 2, 4 or 8"
	seedHelp      = "seed of all that is random"
	workersHelp   = "how many to measure at once; the results do not depend on it"
	filterHelp    = "filters to measure"
	hashHelp      = "hash family"
	kickHelp      = "kick policy"
	placementHelp = "placement of fingerprints"
	// folderHelp describes the --out of commands that write a folder.
	folderHelp = "a folder, which must not exist or be empty; --force replaces an earlier report in it"
)

// A value is that of a flag whose text a function reads.
type value struct {
	kind, text string
	read       func(text string) error
}

// String is the text as it was given.
func (v *value) String() string { return v.text }

// Set reads a text.
func (v *value) Set(text string) error {
	v.text = text
	return v.read(text)
}

// Type names the value in a help.
func (v *value) Type() string { return v.kind }

// parsed is the value of a flag that a function reads into to. The text is that of the default, if there is one.
func parsed[T any](to *T, kind, text string, parse func(text string) (T, error)) *value {
	v := &value{kind, text, func(text string) error {
		got, err := parse(text)
		if err == nil {
			*to = got
		}
		return err
	}}
	if text != "" {
		if err := v.read(text); err != nil {
			panic(err) // a default of this package
		}
	}
	return v
}

// parseCount reads a whole number of at least 1, digits grouped by _, powers of ten and of two included.
func parseCount(text string) (int, error) {
	n, err := speed.Ints(strings.ReplaceAll(text, "_", ""))
	if err != nil || len(n) != 1 || n[0] < 1 {
		return 0, errors.New("want a whole number from 1 to 2^40, such as 1000000, 1e6 or 2^20")
	}
	return n[0], nil
}

// count is the value of a flag that says how many, 0 where it is not given.
func count(n *int) *value {
	text := ""
	if *n > 0 {
		text = strconv.Itoa(*n)
	}
	return parsed(n, "number", text, parseCount)
}

func parseRate(text string) (float64, error) {
	rate, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(rate > 0 && rate < 1) {
		return 0, fmt.Errorf("%q: want a number above 0 and below 1, such as 0.001", text)
	}
	return rate, nil
}

func parseRates(text string) (rates []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		rate, err := parseRate(part)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// verbatim reads a text as it is.
func verbatim(text string) (string, error) { return text, nil }

// commas reads a list.
func commas(text string) ([]string, error) { return strings.Split(text, ","), nil }

// choice adds a flag whose words its help lists and a shell completes.
func choice(cmd *cobra.Command, v pflag.Value, name, usage string, words []string) {
	cmd.Flags().Var(v, name, usage+": "+strings.Join(words, ", "))
	fixed := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(name, fixed); err != nil {
		panic(err) // it was there already
	}
}

func hashFlag(cmd *cobra.Command, h *hashing.Hasher) {
	choice(cmd, parsed(h, "string", "xxh3", secret.New), "hash", hashHelp, hashing.Names())
}

func formatsFlag(cmd *cobra.Command, formats *[]string, byDefault, more string) {
	choice(cmd, parsed(formats, "strings", byDefault, func(text string) ([]string, error) {
		list := strings.Split(text, ",")
		return list, chart.CheckFormats(list)
	}), "formats", "formats of the pictures"+more, chart.Formats())
}

// pictureFormat returns the format that a file's ending names.
func pictureFormat(name string) (string, error) {
	for _, format := range chart.Formats() {
		if strings.HasSuffix(strings.ToLower(name), "."+format) {
			return format, nil
		}
	}
	return "", fmt.Errorf("--out: %q: want a name that ends in .%s", name, strings.Join(chart.Formats(), ", ."))
}

// namesOf are the names of things.
func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}
