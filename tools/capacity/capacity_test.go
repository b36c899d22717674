package main

import (
	"bytes"
	"math"
	"math/bits"
	"os"
	"testing"

	"github.com/nestfilter/nest/internal/kick"
)

// TestCrowd_CountsEveryDigest holds the weights against a count over all buckets and fingerprints.
func TestCrowd_CountsEveryDigest(t *testing.T) {
	for _, rule := range []kick.Rule{kick.Additive, kick.XOR} {
		for _, width := range []uint{1, 2, 3, 5} {
			for m := uint64(2); m <= 33; m++ {
				if rule == kick.XOR && bits.OnesCount64(m) != 1 {
					continue
				}
				one, pairs := countDigests(kick.NewScheme(rule, m), width)
				c := crowdOf(rule, width, m)
				if !sameCounts(c.one, one) || !sameCounts(c.pairs, pairs) {
					t.Errorf("rule %d width %d m=%d: %v and %v, want %v and %v", rule, width, m, c.one, c.pairs, one, pairs)
				}
			}
		}
	}
}

// countDigests counts, for every bucket and pair, the digests that have no other home.
func countDigests(s kick.Scheme, width uint) (one, pairs map[int]float64) {
	home := map[[2]uint64]int{}
	for i := range s.Buckets {
		for fp := uint64(1); fp < 1<<width; fp++ {
			j := s.Alternate(i, fp)
			home[[2]uint64{min(i, j), max(i, j)}]++
		}
	}
	one, pairs = map[int]float64{}, map[int]float64{}
	for i := range s.Buckets {
		one[home[[2]uint64{i, i}]]++
		for j := range i {
			weight := home[[2]uint64{j, i}]
			// A pair without a digest of its own is crowded only if one of its buckets is.
			if s := weight + home[[2]uint64{i, i}] + home[[2]uint64{j, j}]; weight > 0 {
				pairs[s]++
			}
		}
	}
	return one, pairs
}

// sameCounts compares the counts of all weights that have digests, and lets pairs be counted that
// share no digest, which is on the safe side.
func sameCounts(got, want map[int]float64) bool {
	for weight, count := range want {
		if weight > 0 && got[weight] < count {
			return false
		}
	}
	return true
}

// TestCrowd_LargeCountIsNearlyExact holds the count for large tables, which is quick, against the
// one that looks at every pair, where both can be had: never too low, and at most twice as high.
func TestCrowd_LargeCountIsNearlyExact(t *testing.T) {
	for _, m := range []uint64{300, 401, 512} {
		exact := crowdOf(kick.Additive, 8, m)
		reach := map[uint64]int{}
		scheme := kick.NewScheme(kick.Additive, m)
		for fp := uint64(1); fp < 1<<8; fp++ {
			reach[scheme.Alternate(0, fp)]++
		}
		quick := newCrowd(m, 8)
		quick.countAdditive(reach)
		for _, b := range []int{2, 4} {
			n := int(m) * b * 3 / 4
			want, got := exact.expected(n, b, 2*b), quick.expected(n, b, 2*b)
			if got < want*0.99 || got > want*2 {
				t.Errorf("m=%d b=%d: %g, want %g or a little more", m, b, got, want)
			}
		}
	}
}

// TestLogTail_Exact holds tails against sums of integers: 2^20 throws of a coin and a few others.
func TestLogTail_Exact(t *testing.T) {
	for _, c := range []struct {
		n, k int
		q    float64
		want float64
	}{
		{10, 10, 0.5, 1.0 / 1024},
		{10, 9, 0.5, 11.0 / 1024},
		{5, 4, 0.25, (5*3 + 1) / 1024.0},
		{1 << 30, 1, 1e-15, -math.Expm1(float64(1<<30) * math.Log1p(-1e-15))},
	} {
		if got := math.Exp(logTail(c.n, c.k, c.q)); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("at least %d of %d with %g: %g, want %g", c.k, c.n, c.q, got, c.want)
		}
	}
	if got := logTail(3, 4, 0.5); !math.IsInf(got, -1) {
		t.Errorf("4 of 3: %g, want -Inf", got)
	}
}

// TestTail_LineIsAboveDirectCounts fits a tail to a few trials, continues it, and counts directly
// in many what it says of smaller n. Together with the crowds it must not say too little: a count
// that a Poisson number reaches with a probability of 1e-5 is too many. There are 120 of them.
func TestTail_LineIsAboveDirectCounts(t *testing.T) {
	few, many := 10_000, 200_000
	if testing.Short() {
		many = 50_000
	}
	for _, c := range []struct {
		b uint
		m uint64
	}{{4, 32}, {8, 16}, {8, 24}} {
		s := shape{b: c.b, width: 8}
		fitted := newTail(s.firstRefusals(c.m, few, 2), few)
		direct := newTail(s.firstRefusals(c.m, many, 3), many)
		crowd := crowdOf(s.rule, s.width, c.m)
		for n := int(c.b); n < fitted.anchor; n++ {
			limit := float64(many) * (fitted.probability(n) + crowd.expected(n, int(c.b), 2*int(c.b)))
			// As few as one are expected at most of these n: the bound is Poisson's, and not the
			// normal one.
			if count := direct.within[n]; atLeast(int(count), limit) < 1e-5 {
				t.Errorf("seeds 2, 3: b=%d m=%d n=%d: %v of %d refused, the line says %.1f", c.b, c.m, n, count, many, limit)
			}
		}
	}
}

// atLeast returns the probability that a Poisson number of the given mean is count or more.
func atLeast(count int, mean float64) float64 {
	below, term := 0.0, math.Exp(-mean)
	for k := range count {
		below += term
		term *= mean / float64(k+1)
	}
	return 1 - below
}

// TestKnots_AreDeterministic makes a small row twice.
func TestKnots_AreDeterministic(t *testing.T) {
	rows := func(sim *simulator) []row {
		g := searchGoal(kick.XOR, 2, 3)
		g.inserts, g.largest = 10_000, 16
		return []row{{2, 3, g.knots(sim)}}
	}
	file := func() []byte {
		out, err := goFile(7, []section{{"x", "is a test.", rows}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if a, b := file(), file(); !bytes.Equal(a, b) {
		t.Errorf("one seed, two results:\n%s\n%s", a, b)
	}
}

// TestDocument_IsOfThisTable holds the table of sizes in docs/results/CAPACITY.md against what the package
// does now.
func TestDocument_IsOfThisTable(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the document has tables of 10^9 keys, which a 32-bit build cannot address")
	}
	text, err := os.ReadFile("../../docs/results/CAPACITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range checks { // whose lines take minutes
		checks[name] = func(uint64) string { return "" }
	}
	now, err := document(1)
	if err != nil {
		t.Fatal(err)
	}
	computed, _, _ := bytes.Cut(now, []byte("## Checked"))
	if !bytes.HasPrefix(text, computed) {
		t.Errorf("docs/results/CAPACITY.md is not of the compiled table: run go run -C tools/capacity . -doc\n%s", computed)
	}
}

// TestCircling_IsAboveSimulated fills tables by RoundRobin to loads at which it runs in circles now and then, and holds the
// number of refusals to be no larger than what circling says of it, of which the count may differ by chance once in 10^5.
func TestCircling_IsAboveSimulated(t *testing.T) {
	for _, c := range []struct {
		b, width uint
		load     float64
	}{{4, 4, .9}, {4, 5, .9}, {4, 4, .7}, {4, 3, .5}, {8, 3, .94}, {8, 2, .6}} {
		const m, trials = 1024, 300
		s, n := shape{b: c.b, width: c.width, policy: kick.RoundRobin}, int(c.load*m*float64(c.b))
		refused := s.broken(m, n, trials, 5)
		crowd := crowdOf(kick.Additive, c.width, m)
		said := circling[c.b]*crowd.circles(n, int(c.b)) + crowd.expected(n, int(c.b), 2*int(c.b))
		if atLeast(refused, trials*said) < 1e-5 {
			t.Errorf("b=%d f=%d load %.2f: %d of %d refused, want at most %.4f of them", c.b, c.width, c.load, refused, trials, said)
		}
		t.Logf("b=%d f=%d load %.2f: %d of %d refused, %.4f said", c.b, c.width, c.load, refused, trials, said)
	}
}

// TestCramped_IsAboveSimulated holds what is counted of the smallest tables with paired slots against fills of them: it is
// never too low, and at most three times as high up to half of the slots.
func TestCramped_IsAboveSimulated(t *testing.T) {
	const trials = 40_000
	for _, c := range []struct {
		b uint
		m uint64
	}{{4, 1}, {4, 2}, {4, 3}, {4, 4}, {8, 1}, {8, 2}} {
		counted := crampedOf(kick.Additive, c.b, 12, c.m)
		s, refused := shape{b: c.b, width: 12, paired: true}, 0
		ended := s.firstRefusals(c.m, trials, 9)
		for n := 1; n < len(ended); n++ {
			refused += ended[n-1] // in a fill with n keys
			said := counted.expected(n)
			if n <= pairedLeast && refused+int(said) > 0 || atLeast(refused, trials*said) < 1e-6 {
				t.Errorf("b=%d m=%d n=%d: %d of %d refused, %g said", c.b, c.m, n, refused, trials, said)
			}
			if refused > 50 && n <= len(ended)/2 && said > 3*float64(refused)/trials {
				t.Errorf("b=%d m=%d n=%d: %d of %d refused, %g said is needlessly high", c.b, c.m, n, refused, trials, said)
			}
		}
	}
}
