package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/nestfilter/nest/internal/kick"
)

func main() {
	seed := flag.Uint64("seed", 1, "start of the random digests")
	out := flag.String("out", "cuckoo/capacity_table.go", "the Go file to write")
	doc := flag.Bool("doc", false, "write the document of the compiled table instead")
	docOut := flag.String("docout", "docs/CAPACITY.md", "where to write it")
	flag.Parse()
	write, to := table, *out
	if *doc {
		write, to = document, *docOut
	}
	text, err := write(*seed)
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "capacity:", err)
		os.Exit(1)
	}
}

// table simulates and returns the Go file.
func table(seed uint64) ([]byte, error) {
	sim := &simulator{seed: seed, tails: map[simulated]tail{}}
	start := time.Now()
	step := func(name string) func(b, width uint) {
		return func(b, width uint) {
			fmt.Fprintf(os.Stderr, "%6.1fs %s b=%d f=%d\n", time.Since(start).Seconds(), name, b, width)
		}
	}
	return goFile(seed, []section{
		{"searchAdditive", "holds for BreadthFirst with placement Additive.", searchRows(sim, kick.Additive, step("additive"))},
		{"searchXOR", "holds for BreadthFirst with the placements XOR and PlainXOR, and for the regions of Region.", searchRows(sim, kick.XOR, step("xor"))},
		{"walkRandom", "holds, with those of BreadthFirst, for RandomWalk and a user's policy.", walkRows(sim, kick.RandomWalk, step("random-walk"))},
		{"walkRobin", "holds, with those of BreadthFirst, for RoundRobin.", walkRows(sim, kick.RoundRobin, step("round-robin"))},
		{"walkLook", "holds, with those of BreadthFirst, for LookAhead.", walkRows(sim, kick.LookAhead, step("look-ahead"))},
		{"plainXOR", "are load targets of PlainXOR, and no promise.", plainRows(sim, step("plainxor"))},
	})
}
