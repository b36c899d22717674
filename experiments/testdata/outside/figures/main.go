// Command figures calls the experiments from Go: it measures figures 2 and 3 and the experiment of this module with the
// parts of this module among the built-in ones, and sweeps its policy over a grid.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/speed"

	"example.org/outside/parts"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures the figures and the grid, and prints what concerns the parts of this program.
func run(ctx context.Context) error {
	registry, err := parts.Registry()
	if err != nil {
		return err
	}
	chosen, err := registry.Only("fig2", "fig3", "twins")
	if err != nil {
		return err
	}
	findings, err := chosen.Run(ctx, lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		return err
	}
	for _, f := range findings {
		fmt.Printf("%s: %s\n", f.Data.Experiment.Name, strings.Join(f.Data.Series(), "; "))
		for _, v := range f.Verdicts {
			if f.Data.Experiment.Name == "twins" {
				fmt.Printf("  %s: %v, ours %s\n", v.Says, v.Status, v.Ours)
			}
		}
	}
	return sweepPolicies(ctx, registry.Parts)
}

// sweepPolicies compares the policy of this program with the paper's.
func sweepPolicies(ctx context.Context, own lab.Parts) error {
	e, err := speed.Sweep(speed.Grid{
		Widths: "8,12", BucketSizes: "4", Slots: "2^12", Loads: "1", Trials: 1, Probes: 4096,
		Placements: []string{"xor"}, Kicks: []string{"random-walk", "first slot"}, Hashes: []string{"mix64"}, Filters: []string{"cuckoo"},
	}, own)
	if err != nil {
		return err
	}
	fmt.Println("sweep:")
	_, err = lab.Registry{Experiments: []*lab.Experiment{e}}.Run(ctx, lab.Options{Seed: 1, Rows: func(r lab.Row) error {
		fmt.Printf("  f=%s %s: full at %d of %d\n", r.Cell.Text("f"), r.Cell.Text("kick"), r.Count("stored"), r.Count("slots"))
		return nil
	}})
	return err
}
