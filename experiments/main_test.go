package experiments

import (
	"context"
	"flag"
	"sync"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
)

// update rewrites the golden files: go test ./experiments -run Golden -update.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// tinyFindings are those of the tiny profile with seed 1, which several tests look at and none changes.
var tinyFindings = sync.OnceValues(func() ([]lab.Finding, error) {
	return Default().Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1, Workers: 2})
})

func tiny(t *testing.T) []lab.Finding {
	t.Helper()
	findings := must.Get(tinyFindings())(t)
	return findings
}

// tinyOf returns the finding of one experiment.
func tinyOf(t *testing.T, name string) lab.Finding {
	t.Helper()
	for _, f := range tiny(t) {
		if f.Data.Experiment.Name == name {
			return f
		}
	}
	t.Fatalf("no experiment %q", name)
	return lab.Finding{}
}
