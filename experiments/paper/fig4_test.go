package paper

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/claims"
)

// The formulas are those of the paper's drawn lines, which cross where it was read off; those of its Table 2, with 3
// and 2 bits in place of log2(8/alpha) and log2(4/alpha), are not.
func TestFig4_FormulasAreThePapersLines(t *testing.T) {
	const reading = 0.03 // bits: 0.02 of the axis unit, and as much again for the three digits of a rate
	farthest := func(series string, bits func(float64) float64) (most float64) {
		for _, p := range claims.PaperPoints(4, "", series) {
			most = max(most, math.Abs(bits(p.X)-p.Y))
		}
		return most
	}
	for _, l := range fig4Lines() {
		if most := farthest(l.paper, l.bits); most > reading || most == 0 {
			t.Errorf("%s: %.3f bits from the paper's line", l.label, most)
		}
	}
	table2 := func(rate float64) float64 { return (3 - math.Log2(rate)) / 0.955 }
	if most := farthest("cuckoo filter", table2); most <= reading {
		t.Errorf("Table 2's formula is %.3f bits from the drawn line", most)
	}
	for i, want := range []struct{ rate, bits float64 }{{0.0036, 11.71}, {0.0226, 7.89}} {
		rate, bits, ok := claims.Crossover(fig4Lines()[i+1].bits, claims.BloomBits, fig4Low, fig4High)
		if !ok {
			t.Fatalf("%s: no crossover", fig4Lines()[i+1].label)
		}
		near(t, "rate", rate, want.rate, 0.00005)
		near(t, "bits", bits, want.bits, 0.005)
	}
	rate, bits, ok := claims.Crossover(table2, claims.BloomBits, 1e-5, 0.1)
	if !ok {
		t.Fatal("no crossover")
	}
	near(t, "Table 2 rate", rate, math.Exp2(-3/(0.955/math.Ln2-1)), 1e-9)
	near(t, "Table 2 bits", bits, claims.BloomBits(rate), 1e-9)
}

func TestFig4_BlockedHashesAreBest(t *testing.T) {
	for i, hashes := range blockedHashes {
		bits := 6 + 2*i
		n := 1 << 17 // of the quick profile
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
