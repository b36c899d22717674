package paper

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
)

// The drawn lines of the paper's figure 4 cross where it was read off; the formulas of its Table 2, with
// 3 and 2 bits in place of log2(8/alpha) and log2(4/alpha), would cross elsewhere.
func TestCrossover_Figure4(t *testing.T) {
	cs := fig4Crossovers()
	for i, want := range []struct{ rate, bits float64 }{{0.0226, 7.89}, {0.0036, 11.71}} {
		if !cs[i].ok {
			t.Fatalf("%s: no crossover", cs[i].name)
		}
		near(t, cs[i].name+" rate", cs[i].rate, want.rate, 0.00005)
		near(t, cs[i].name+" bits", cs[i].bits, want.bits, 0.005)
	}
	table2 := func(rate float64) float64 { return (3 - math.Log2(rate)) / 0.955 }
	rate, bits, ok := law.Crossover(table2, law.BloomBits, 1e-5, 0.1)
	if !ok {
		t.Fatal("no crossover")
	}
	near(t, "Table 2 rate", rate, math.Exp2(-3/(0.955/math.Ln2-1)), 1e-9)
	near(t, "Table 2 bits", bits, law.BloomBits(rate), 1e-9)
}

func TestFig4_BlockedHashesAreBest(t *testing.T) {
	for i, hashes := range blockedHashes {
		bits := 6 + 2*i
		n := fig4Sizes[lab.Quick].slots
		best := bloom.OptimalBlockedHashes(bits*n, n)
		rate, least := bloom.PredictBlockedRate(bits*n, hashes, n), bloom.PredictBlockedRate(bits*n, best, n)
		if rate > least*(1+1e-9) {
			t.Errorf("%d bits per item: %d hashes have rate %v, %d have %v", bits, hashes, rate, best, least)
		}
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
