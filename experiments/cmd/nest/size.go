package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/tabular"
)

func newSizeCommand() *cobra.Command {
	var keys, fpr string
	var del, asJSON bool
	cmd := &cobra.Command{
		Use:   "size --keys N --fpr RATE",
		Short: "Say which filter to take, with which parameters, and what it costs",
		Long: fmt.Sprintf(`size plans every filter of this module for a number of keys and a false-positive rate, without making one,
and recommends the smallest table, or one that is at most %.0f%% larger and touches fewer cache lines per
lookup. It gives the reasons, all the plans and Go code that makes the recommended filter.

Of cuckoo filters it takes fingerprints of at least 6 bits, since tables of narrower ones refuse early.
Exit status: 0, 2 bad input or a rate or size that no filter reaches.`, 100*size.Slack),
		Example: `  nest size --keys 1000000 --fpr 0.001
  nest size --keys 1e9 --fpr 0.0001 --delete --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := parseCount(keys)
			if err != nil {
				return fmt.Errorf("--keys: %w", err)
			}
			rate, err := parseRate(fpr)
			if err != nil {
				return fmt.Errorf("--fpr: %w", err)
			}
			return runSize(cmd, size.Spec{Keys: n, FPR: rate, Delete: del}, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&keys, "keys", "", "number of distinct keys that the filter must hold, such as 1000000 or 1e6 (required)")
	f.StringVar(&fpr, "fpr", "", "highest false-positive rate that will do, such as 0.001 (required)")
	f.BoolVar(&del, "delete", false, "keys must be deletable")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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
func runSize(cmd *cobra.Command, spec size.Spec, asJSON bool) error {
	result, err := size.For(spec)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if !asJSON {
		return result.Write(out, tabular.IsTerminal(out))
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}
