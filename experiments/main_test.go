package experiments

import (
	"context"
	"flag"
	"math"
	"sync"
	"testing"
)

// update rewrites the golden files: go test ./experiments -run Golden -update.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// tinyFindings are those of the tiny profile with seed 1, which several tests look at and none changes.
var tinyFindings = sync.OnceValues(func() ([]Finding, error) {
	return Default().Run(context.Background(), Options{Profile: Tiny, Seed: 1, Workers: 2})
})

func tiny(t *testing.T) []Finding {
	t.Helper()
	findings, err := tinyFindings()
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// tinyOf returns the finding of one experiment.
func tinyOf(t *testing.T, name string) Finding {
	t.Helper()
	for _, f := range tiny(t) {
		if f.Data.About.Name == name {
			return f
		}
	}
	t.Fatalf("no experiment %q", name)
	return Finding{}
}

// paperNeeds64 skips a test of the paper's sizes where an int has 32 bits: 2^27 keys that take more than 16 ns each, or
// eight times the bytes of two tables of 192 MiB, are beyond 2^31. Registry.Run refuses the profile there.
func paperNeeds64(t *testing.T) {
	t.Helper()
	if math.MaxInt == math.MaxInt32 {
		t.Skip("profile paper needs a 64-bit build")
	}
}
