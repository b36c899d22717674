// Kicks of other modules take the generator of the process, which the next line makes repeatable.

//go:debug randautoseed=0

// Command conformance runs the conformance kit and a filling on the filters of several Go modules, adds the rows that
// are kept of others under the same capacities, seed and refusals, prints a table and writes a page, tables and a
// chart.
//
//	cd experiments/versus && go run ./conformance --out DIR
//
// It takes about a minute at the default capacities. Two runs write the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is main without the process.
func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "directory for the page, the tables and the chart (nothing is written if empty)")
	formats := flags.String("formats", "md,csv,png,svg", "what to write there: "+strings.Join(versus.Formats(), ", "))
	defaults := strings.Trim(strings.ReplaceAll(fmt.Sprint(versus.DefaultCapacities), " ", ","), "[]")
	list := flags.String("capacities", defaults, "capacities of the filters, one run each")
	seed := flags.Uint64("seed", 1, "seed of all keys")
	refusals := flags.Int("refusals", versus.DefaultRefusals, "refused inserts after which a filter is full enough")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("conformance: unexpected argument %q", flags.Arg(0))
	}
	capacities, err := versus.Numbers(*list, maxCapacity)
	if err != nil {
		return fmt.Errorf("conformance: --capacities: %w", err)
	}
	o := versus.Options{Capacities: capacities, Seed: *seed, Kit: filtertest.Options{Refusals: *refusals}}
	results := versus.Run(versus.Subjects(), o, func(filter string, capacity int) {
		fmt.Fprintf(stderr, "conformance: %s, capacity %d\n", filter, capacity)
	})
	kept, err := versus.Kept(o)
	if err != nil {
		return err
	}
	results = versus.Merge(results, kept)
	shown := versus.Overview(results)
	if err := shown.Write(stdout, report.Width(stdout)); err != nil || *out == "" {
		return err
	}
	command := fmt.Sprintf("go run ./conformance --capacities %s --seed %d --refusals %d --out DIR",
		*list, *seed, *refusals)
	files, err := versus.Write(*out, strings.Split(*formats, ","), results, command)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "conformance: wrote %s\n", strings.Join(files, ", "))
	return err
}

// maxCapacity keeps the tables within a machine: the largest takes some 1,600 bytes a key.
const maxCapacity = 1_000_000
