package experiments

import (
	"math"
	"slices"
	"testing"

	"github.com/nestfilter/nest/bloom"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestExactRate_KnownValues(t *testing.T) {
	// Measured .2341 at f = 4, b = 4 and half load, where the textbook power form has .2275.
	near(t, "f = 4, b = 4, alpha = .5", ExactRate(4, 4, 0.5), 0.2341, 0.0001)
	near(t, "f = 1, b = 1, full", ExactRate(1, 1, 1), 1-math.Exp(-2), 1e-15)
	near(t, "no load", ExactRate(8, 4, 0), 0, 0)
	for _, f := range []float64{2, 8, 12.5, 20} {
		near(t, "inverse", exactWidth(ExactRate(f, 4, 0.95), 4, 0.95), f, 1e-9)
		if ExactRate(f, 4, 1) > RateBound(f, 4)*(1+1/(math.Exp2(f)-1)) {
			t.Errorf("f = %v: the law is above the bound", f)
		}
	}
}

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
	rate, bits, ok := Crossover(table2, BloomBits, 1e-5, 0.1)
	if !ok {
		t.Fatal("no crossover")
	}
	near(t, "Table 2 rate", rate, math.Exp2(-3/(0.955/math.Ln2-1)), 1e-9)
	near(t, "Table 2 bits", bits, BloomBits(rate), 1e-9)
}

func TestCrossover_None(t *testing.T) {
	if rate, bits, ok := Crossover(LowerBound, BloomBits, 1e-5, 0.1); ok {
		t.Errorf("the bound and Bloom cross at %v, %v", rate, bits)
	}
}

func TestSample_KnownValues(t *testing.T) {
	s := sampleOf([]float64{2, 4, 4, 4, 5, 5, 7, 9}) // deviation sqrt(32/7)
	near(t, "mean", s.mean, 5, 1e-15)
	near(t, "standard error", s.err, math.Sqrt(32.0/7/8), 1e-15)
	near(t, "tolerance", s.tolerance(sample{err: s.err}), 4*s.err*math.Sqrt2, 1e-12)
	if one := sampleOf([]float64{3}); one.mean != 3 || one.err != 0 {
		t.Errorf("sample of one: %+v", one)
	}
}

func TestProbesFor_Bounds(t *testing.T) {
	for _, c := range []struct{ events, oneIn, trials, want int }{
		{1000, 100, 10, 10_000}, {1000, 1, 10, 500}, {1000, 1 << 20, 10, 1 << 20}, {1_000_000, 1 << 30, 1, 1 << 20},
	} {
		if got := probesFor(c.events, c.oneIn, c.trials, 500, 1<<20); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestStream_DigestsDiffer(t *testing.T) {
	s := stream{next: 7}
	hs := make([]uint64, 10_000)
	s.fill(hs[:1])
	s.fill(hs[1:])
	slices.Sort(hs)
	if n := len(slices.Compact(hs)); n != 10_000 {
		t.Errorf("%d different digests of 10000", n)
	}
}

func TestFig4_BlockedHashesAreBest(t *testing.T) {
	for i, hashes := range blockedHashes {
		bits := 6 + 2*i
		n := fig4Sizes[Quick].slots
		best := bloom.OptimalBlockedHashes(bits*n, n)
		rate, least := bloom.PredictBlockedRate(bits*n, hashes, n), bloom.PredictBlockedRate(bits*n, best, n)
		if rate > least*(1+1e-9) {
			t.Errorf("%d bits per item: %d hashes have rate %v, %d have %v", bits, hashes, rate, best, least)
		}
	}
}

func TestPaper_Parses(t *testing.T) {
	all, err := parsePaper(paperCSV)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for _, p := range all {
		counts[p.Figure]++
	}
	for figure, want := range map[int]int{2: 147, 3: 36, 4: 400} {
		if counts[figure] != want {
			t.Errorf("figure %d has %d points, want %d", figure, counts[figure], want)
		}
	}
	if p := PaperPoints(2, "b=8", "m=2^15"); len(p) != 15 || p[3].X != 4 || p[3].Y != 0.9701 {
		t.Errorf("figure 2, b=8, m=2^15: %v", p)
	}
	if p := PaperPoints(1, "", ""); p != nil {
		t.Errorf("figure 1: %v", p)
	}
	for _, bad := range []string{"h\n\"", "a,b,c,d,e\n2,,s,1", "a,b,c,d,e\nx,,s,1,2", "a,b,c,d,e\n2,,s,1,NaN"} {
		if _, err := parsePaper(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}
