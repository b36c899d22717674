package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/speed"
)

// How the flags are described that several commands have. What is special in one of them stands behind a semicolon.
const (
	keysHelp      = "file of keys, one a line, or -"
	countHelp     = "how many, such as 1000000, 1e6 or 2^20"
	capacityHelp  = "room for so many different keys, such as 1000000, 1e6 or 2^20"
	rateHelp      = "highest false-positive rate, such as 0.001"
	widthHelp     = "bits of a fingerprint, 1 to 32"
	bucketHelp    = "slots of a bucket, 1, 2, 4 or 8"
	quietHelp     = "print nothing but errors"
	seedHelp      = "seed of all that is random"
	workersHelp   = "how many to measure at a time; the results do not depend on it"
	filterHelp    = "filters to measure"
	hashHelp      = "hash family"
	kickHelp      = "kick policy"
	placementHelp = "placement of fingerprints"
)

// folderHelp describes the --out of commands that write a folder.
const folderHelp = "a folder, which must not exist or be empty; --force replaces an earlier report in it (required)"

func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}

func formatsFlag(cmd *cobra.Command, formats *[]string, byDefault []string, more string) {
	cmd.Flags().StringSliceVar(formats, "formats", byDefault,
		"formats of the pictures: "+strings.Join(chart.Formats(), ", ")+more)
	complete(cmd, "formats", chart.Formats())
}

var pictures = []string{"png", "svg", "pdf"}

func checkFormats(formats []string) error {
	if err := chart.CheckFormats(formats); err != nil {
		return fmt.Errorf("--formats: %w", err)
	}
	return nil
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

// complete offers fixed words where a shell completes a flag.
func complete(cmd *cobra.Command, flag string, words []string) {
	fixed := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, fixed); err != nil {
		panic(err) // a flag that this file does not define
	}
}

// A count is the value of a flag that says how many, 0 where it is not given.
type count int

// String writes the number in digits.
func (c *count) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.Itoa(int(*c))
}

// Set reads a whole number of at least 1, digits grouped by _, powers of ten and of two included.
func (c *count) Set(text string) error {
	n, err := speed.Ints(strings.ReplaceAll(text, "_", ""))
	if err != nil || len(n) != 1 || n[0] < 1 {
		return fmt.Errorf("want a whole number from 1 to 2^40, such as 1000000, 1e6 or 2^20")
	}
	*c = count(n[0])
	return nil
}

// Type names the value in a help.
func (*count) Type() string { return "number" }

// numbers is the value of a flag that is a list of numbers and ranges, which package speed reads.
type numbers string

// String is the list as it was given.
func (n *numbers) String() string { return string(*n) }

// Set takes the list as it is.
func (n *numbers) Set(text string) error {
	*n = numbers(text)
	return nil
}

// Type names the value in a help.
func (*numbers) Type() string { return "numbers" }
