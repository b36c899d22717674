// Kicks of other modules take the generator of the process, which the next line makes repeatable.

//go:debug randautoseed=0

// Command conformance runs the conformance kit and a filling on the filters of several Go modules, adds the rows that
// are kept of others, prints a table and writes a page and its chart.
//
//	cd experiments/versus && go run ./conformance --out DIR
//
// It takes about a minute. Two runs write the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus"
)

func main() {
	out := flag.String("out", "", "directory for CONFORMANCE.md and its chart (nothing is written if empty)")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "conformance: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string) error {
	kept, err := versus.Kept()
	if err != nil {
		return err
	}
	results := versus.Merge(versus.Run(versus.Subjects(), versus.Options{}, func(filter string, capacity int) {
		fmt.Fprintf(os.Stderr, "conformance: %s, capacity %d\n", filter, capacity)
	}), kept)
	overview := versus.Overview(results)
	if err := overview.Write(os.Stdout, report.Width(os.Stdout)); err != nil || out == "" {
		return err
	}
	return versus.Write(out, results)
}
