package quotient

import (
	"math"
	"math/rand/v2"
	"testing"
)

// fillRandom inserts random digests up to a load factor.
func fillRandom(tb testing.TB, f *Filter, load float64, rng *rand.Rand) {
	tb.Helper()
	for n := int(load * float64(f.Slots())); f.Len() < n; {
		if err := f.InsertHash(rng.Uint64()); err != nil {
			tb.Fatal(err)
		}
	}
}

// TestFPR_EveryFingerprint asks for all fingerprints there are: yes for those that are stored, each
// once, and no for all others. The rate of a filter is therefore exactly their share.
func TestFPR_EveryFingerprint(t *testing.T) {
	const q, r, seed = 8, 6, 17
	rng := rand.New(rand.NewPCG(seed, seed))
	f, stored := mustNew(t, Config{QuotientBits: q, RemainderBits: r, MaxLoad: 1}), map[uint64]bool{}
	for _, load := range []float64{0, 0.3, 0.9, 1} {
		for n := int(load * float64(f.Slots())); f.Len() < n; {
			h := rng.Uint64()
			if err := f.InsertHash(h); err != nil {
				t.Fatal(err)
			}
			stored[h>>(64-q-r)] = true
		}
		found := 0
		for fp := range uint64(1 << (q + r)) {
			if f.ContainsHash(digest(f, fp, rng)) {
				found++
			}
		}
		if found != len(stored) {
			t.Errorf("seed %d, load %v: %d fingerprints are found, %d are stored", seed, load, found, len(stored))
		}
	}
}

// TestFPR_WithinBinomialBound measures the rate with random digests over builds of their own. The
// variance is binomial, and between builds that of the number of distinct fingerprints (the
// occupied cells when n balls fall into 2^p). The bound of 4.9 standard deviations raises a false alarm
// once in 10^6 settings.
func TestFPR_WithinBinomialBound(t *testing.T) {
	const q, builds, seed = 12, 20, 19
	queries := 20_000
	if testing.Short() {
		queries = 4000
	}
	for _, c := range []struct {
		r    int
		load float64
	}{{1, 0.5}, {1, 0.9}, {4, 0.1}, {4, 0.9}, {7, 0.95}} {
		rng := rand.New(rand.NewPCG(seed, uint64(c.r)))
		found, predicted := 0, 0.0
		for range builds {
			f := mustNew(t, Config{QuotientBits: q, RemainderBits: c.r, MaxLoad: 1})
			fillRandom(t, f, c.load, rng)
			predicted = Predict(f.Len(), q+c.r)
			for range queries {
				if f.ContainsHash(rng.Uint64()) {
					found++
				}
			}
		}
		// The exponential differs from the power by half of 2^-(q+r) in proportion.
		n, cell := math.Floor(c.load*(1<<q)), math.Ldexp(1, -q-c.r)
		if want := 1 - math.Pow(1-cell, n); math.Abs(predicted-want) > cell*want {
			t.Errorf("r=%d, load %v: %v is predicted, the power form says %v", c.r, c.load, predicted, want)
		}
		lambda := n * cell
		between := math.Exp(-lambda) * (1 - (1+lambda)*math.Exp(-lambda)) * cell
		sigma := math.Sqrt(predicted*(1-predicted)/float64(builds*queries) + between/builds)
		if got := float64(found) / float64(builds*queries); math.Abs(got-predicted) > 4.9*sigma {
			t.Errorf("seed %d, r=%d, load %v: measured %v, predicted %v, %.1f standard deviations apart",
				seed, c.r, c.load, got, predicted, (got-predicted)/sigma)
		}
	}
}
