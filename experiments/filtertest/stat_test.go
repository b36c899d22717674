package filtertest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTail_MatchesTheSum compares the tail with the sum of its terms.
func TestTail_MatchesTheSum(t *testing.T) {
	for _, n := range []float64{1, 2, 7, 40} {
		for _, p := range []float64{0, 0.001, 0.2, 0.5, 0.97, 1} {
			want, choose := 0.0, 1.0
			for k := n; k >= 0; k-- {
				want += choose * math.Pow(p, k) * math.Pow(1-p, n-k)
				choose *= k / (n - k + 1)
				if got := tail(k, n, p); math.Abs(got-want) > 1e-12 {
					t.Errorf("tail(%v, %v, %v) = %v, want %v", k, n, p, got, want)
				}
			}
		}
	}
}

// TestJudge_KeepsItsFalseAlarmRate draws samples whose rates differ from build to build around the expected one, and
// counts alarms. With probability 1e-6 of failing by chance they are at most as many as the stated rate explains.
func TestJudge_KeepsItsFalseAlarmRate(t *testing.T) {
	const alarm, seed = 0.01, 1
	trials := 2000
	if testing.Short() {
		trials = 500
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, c := range []struct {
		rate, spread float64
		queries      int
	}{{0.3, 0, 300}, {0.3, 0.2, 300}, {0.02, 0.3, 300}, {0.0005, 0, 300}, {0.00002, 0, 300}} {
		above, below := 0, 0
		for range trials {
			s := sample{queries: c.queries}
			expected := make([]float64, 12)
			for i := range expected {
				expected[i] = c.rate
				rate := c.rate * (1 + c.spread*rng.NormFloat64())
				hits := 0
				for range s.queries {
					count(&hits, rng.Float64() < rate)
				}
				s.hits = append(s.hits, float64(hits))
			}
			high, low := s.judge(expected, alarm)
			count(&above, high)
			count(&below, low)
		}
		t.Logf("rate %v, spread %v: %d above, %d below of %d", c.rate, c.spread, above, below, trials)
		for _, n := range []int{above, below} {
			if tail(float64(n), float64(trials), alarm) < 1e-6 {
				t.Errorf("rate %v, spread %v: %d alarms of %d at a rate of %v (seed %d)", c.rate, c.spread, n, trials, alarm, seed)
			}
		}
	}
}

// TestJudge_SeesDifferences holds that small differences are chance and larger ones are not.
func TestJudge_SeesDifferences(t *testing.T) {
	s := sample{hits: []float64{10_000, 10_100, 9_900, 10_000}, queries: 1_000_000}
	for _, c := range []struct {
		rate         float64
		above, below bool
	}{{0.01, false, false}, {0.0096, false, false}, {0.0104, false, false}, {0.0092, true, false}, {0.0108, false, true},
		{0, true, false}} {
		if above, below := s.judge(slices.Repeat([]float64{c.rate}, 4), 1e-3); above != c.above || below != c.below {
			t.Errorf("the rate %v is judged %t, %t", c.rate, above, below)
		}
	}
}

// TestExceeds_ComparesShares tries shares that chance explains and that it does not.
func TestExceeds_ComparesShares(t *testing.T) {
	for _, c := range []struct {
		x, n, y, m int
		want       bool
	}{
		{0, 100, 0, 1000, false},
		{1, 100, 0, 1000, false},
		{20, 100, 0, 1000, true},
		{20, 100, 200, 1000, false},
		{96, 100, 960, 1000, false},
		{60, 100, 200, 1000, true},
	} {
		if got := exceeds(c.x, c.n, c.y, c.m, 1e-6); got != c.want {
			t.Errorf("%d of %d beside %d of %d: %v, want %v", c.x, c.n, c.y, c.m, got, c.want)
		}
	}
}
