package sweep_test

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/sweep"
)

// A grid of four cells: how far two policies fill tables of two widths.
func ExampleRun() {
	grid, err := sweep.Parse(sweep.Text{
		Widths: "4,12", BucketSizes: "4", Slots: "2^14", Loads: "1",
		Placements: []string{"additive"}, Policies: []string{"breadth-first", "random-walk"},
		Hashes: []string{sweep.RandomDigests}, Filters: []string{"cuckoo"},
		Trials: 1, Probes: 1 << 16, Seed: 1,
	}, lab.Parts{})
	if err != nil {
		fmt.Println(err)
		return
	}
	cells, cost, err := grid.Plan(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cost.Cells, "cells")
	err = sweep.Run(context.Background(), cells, sweep.Options{Workers: 2}, func(o sweep.Outcome) error {
		fmt.Printf("f = %d, %s: %d of %d slots\n", o.Cell.Width, o.Cell.Policy, o.Stored, o.Slots)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4 cells
	// f = 4, breadth-first: 15883 of 16384 slots
	// f = 4, random-walk: 15702 of 16384 slots
	// f = 12, breadth-first: 16019 of 16384 slots
	// f = 12, random-walk: 15770 of 16384 slots
}
