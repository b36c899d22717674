// Command coverfloor prints the statement coverage of each package of a coverage profile and of all
// of them together, and fails when one is not above the floor.
//
//	go test -coverpkg=<packages> -coverprofile=cover.out <packages>
//	coverfloor -floor 90 cover.out
//
// The profile may name a block once per test binary, as -coverpkg makes it: a block counts as
// covered when any binary reached it.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"

	"golang.org/x/tools/cover"
)

func main() {
	floor := flag.Float64("floor", 90, "percentage that every package and the total must exceed")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: coverfloor [-floor percent] profile")
		os.Exit(2)
	}
	profiles, err := cover.ParseProfiles(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "coverfloor:", err)
		os.Exit(2)
	}
	if !writeTable(os.Stdout, tally(profiles), *floor) {
		os.Exit(1)
	}
}

// A count is a number of statements and how many of them ran.
type count struct{ covered, all int }

// percent returns the covered share; of no statements, all are covered.
func (c count) percent() float64 {
	if c.all == 0 {
		return 100
	}
	return 100 * float64(c.covered) / float64(c.all)
}

func (c *count) add(d count) {
	c.covered += d.covered
	c.all += d.all
}

// tally counts the statements of each package. ParseProfiles has merged the blocks that several
// test binaries report.
func tally(profiles []*cover.Profile) map[string]count {
	packages := map[string]count{}
	for _, p := range profiles {
		sum := packages[path.Dir(p.FileName)]
		for _, b := range p.Blocks {
			one := count{all: b.NumStmt}
			if b.Count > 0 {
				one.covered = b.NumStmt
			}
			sum.add(one)
		}
		packages[path.Dir(p.FileName)] = sum
	}
	return packages
}

// writeTable writes one line for each package and the total, and says whether all exceed the floor. A
// profile without statements does not: nothing was measured.
func writeTable(w io.Writer, packages map[string]count, floor float64) bool {
	var total count
	ok := true
	line := func(name string, c count) {
		verdict := ""
		if c.percent() <= floor {
			verdict, ok = fmt.Sprintf("  not above %g%%", floor), false
		}
		fmt.Fprintf(w, "%6.1f%%  %5d/%-5d  %s%s\n", c.percent(), c.covered, c.all, name, verdict)
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		line(name, packages[name])
		total.add(packages[name])
	}
	line("total", total)
	return ok && total.all > 0
}
