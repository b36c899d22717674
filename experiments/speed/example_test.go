package speed_test

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/speed"
)

// A grid of four cells: how far two policies fill tables of two widths.
func ExampleSweep() {
	e, err := speed.Sweep(speed.Grid{
		Widths: "4,12", BucketSizes: "4", Slots: "2^14", Loads: "1",
		Placements: []string{"additive"}, Kicks: []string{"breadth-first", "random-walk"},
		Hashes: []string{speed.RandomDigests}, Filters: []string{"cuckoo"}, Trials: 1, Probes: 1 << 16,
	}, lab.Parts{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = lab.Registry{Experiments: []*lab.Experiment{e}}.Run(context.Background(), lab.Options{Seed: 1, Rows: func(r lab.Row) error {
		fmt.Printf("f = %s, %s: %d of %d slots\n", r.Cell.Text("f"), r.Cell.Text("kick"), r.Count("stored"), r.Count("slots"))
		return nil
	}})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// f = 4, breadth-first: 15971 of 16384 slots
	// f = 4, random-walk: 15728 of 16384 slots
	// f = 12, breadth-first: 15995 of 16384 slots
	// f = 12, random-walk: 15907 of 16384 slots
}
