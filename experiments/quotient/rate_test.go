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
	f := mustNew(t, Config{QuotientBits: q, RemainderBits: r, MaxLoad: 1})
	for _, load := range []float64{0, 0.3, 0.9, 1} {
		fillRandom(t, f, load, rng)
		distinct, found := 0, 0
		previous := ^uint64(0)
		for quotient, remainder := range f.All() {
			if fp := quotient<<r | remainder; fp != previous {
				distinct, previous = distinct+1, fp
			}
		}
		for fp := range uint64(1 << (q + r)) {
			if f.ContainsHash(digest(f, fp, rng)) {
				found++
			}
		}
		if found != distinct {
			t.Errorf("seed %d, load %v: %d fingerprints are found, %d are stored", seed, load, found, distinct)
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
			predicted = f.FalsePositiveRate()
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

// TestStats_Expectations holds the laws of lengths against tables. They are means over many
// tables, whose spread between them the test measures: 4.9 of its standard errors, of 40 tables.
func TestStats_Expectations(t *testing.T) {
	const q, builds, seed = 13, 40, 23
	for _, load := range []float64{0.25, 0.5, 0.75, 0.9} {
		rng := rand.New(rand.NewPCG(seed, uint64(100*load)))
		var cluster, reach sample
		for range builds {
			f := mustNew(t, Config{QuotientBits: q, RemainderBits: 8, MaxLoad: 1})
			fillRandom(t, f, load, rng)
			st := f.Stats()
			cluster = append(cluster, st.MeanCluster)
			reach = append(reach, st.InsertReach)
			if st.MaxCluster < int(st.KeyCluster) || st.MaxStretch < st.MaxCluster || st.Stretches > st.Clusters || st.KeyCluster < st.MeanCluster {
				t.Errorf("%+v contradicts itself", st)
			}
		}
		if got, err := cluster.mean(); math.Abs(got-expectedCluster(load)) > 4.9*err {
			t.Errorf("seed %d, load %v: clusters of %v +- %v, expected %v", seed, load, got, err, expectedCluster(load))
		}
		if got, err := reach.mean(); math.Abs(got-expectedReach(load)) > 4.9*err {
			t.Errorf("seed %d, load %v: reach %v +- %v, expected %v", seed, load, got, err, expectedReach(load))
		}
	}
}

type sample []float64

// mean returns the mean and its standard error.
func (s sample) mean() (mean, err float64) {
	for _, x := range s {
		mean += x / float64(len(s))
	}
	for _, x := range s {
		err += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(err / float64(len(s)-1) / float64(len(s)))
}

func TestStats_KnownTables(t *testing.T) {
	c := Config{QuotientBits: 3, RemainderBits: 4, MaxLoad: 1}
	for _, k := range []struct {
		fps  []uint64
		want Stats
	}{
		{nil, Stats{Slots: 8, InsertReach: 1}},
		// The table of the package doc: slots 1 to 5 are one cluster, 6 is one, together a stretch.
		{[]uint64{0x13, 0x17, 0x20, 0x24, 0x24, 0x61}, Stats{
			Len: 6, Slots: 8, Runs: 3, MaxRun: 3, Clusters: 2, MaxCluster: 5, MeanCluster: 3, KeyCluster: 26.0 / 6,
			Stretches: 1, MaxStretch: 6, InsertReach: (7 + 6 + 5 + 4 + 3 + 2 + 1 + 1) / 8.0,
		}},
		// Eight copies in quotient 7 fill the table.
		{[]uint64{0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70}, Stats{
			Len: 8, Slots: 8, Runs: 1, MaxRun: 8, Clusters: 1, MaxCluster: 8, MeanCluster: 8, KeyCluster: 8, Stretches: 1, MaxStretch: 8,
		}},
	} {
		if got := of(t, c, k.fps).Stats(); got != k.want {
			t.Errorf("%x: %+v, want %+v", k.fps, got, k.want)
		}
	}
	if expectedCluster(0) != 1 || !math.IsInf(expectedCluster(1), 1) || expectedReach(0) != 1 {
		t.Errorf("expectations at the ends: %v, %v, %v", expectedCluster(0), expectedCluster(1), expectedReach(0))
	}
}
