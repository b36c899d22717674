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
	"log"
	"os"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("conformance: ")
	out := flag.String("out", "", "directory for CONFORMANCE.md and its chart (nothing is written if empty)")
	if flag.Parse(); flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	results, err := versus.Kept()
	if err == nil {
		measured := versus.Run(versus.Subjects(), versus.Options{}, func(filter string, capacity int) {
			log.Printf("%s, capacity %d", filter, capacity)
		})
		results = versus.Merge(measured, results)
		overview := versus.Overview(results)
		err = overview.Write(os.Stdout, report.Width(os.Stdout))
	}
	if err == nil && *out != "" {
		err = versus.Write(*out, results)
	}
	if err != nil {
		log.Fatal(err)
	}
}
