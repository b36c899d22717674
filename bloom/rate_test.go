package bloom_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/bloom"
)

// measured is what rate tests need of every kind.
type measured interface {
	verbs
	Config() bloom.Config
	ScanStats() bloom.Stats
}

// kinds are the filters of this package.
var kinds = []struct {
	name    string
	make    func(bloom.Config) (measured, error)
	predict func(bits, hashes, n int) float64
}{
	{"bloom", func(c bloom.Config) (measured, error) { return bloom.New(c) }, bloom.PredictRate},
	{"blocked", func(c bloom.Config) (measured, error) { return bloom.NewBlocked(c) }, bloom.PredictBlockedRate},
	{
		"splitblock", func(c bloom.Config) (measured, error) { return bloom.NewSplitBlock(c) },
		func(bits, _, n int) float64 { return bloom.PredictSplitBlockRate(bits, n) },
	},
}

// mustMake fails the test where the configuration is wrong.
func mustMake(t testing.TB, make func(bloom.Config) (measured, error), c bloom.Config) measured {
	t.Helper()
	f, err := make(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// falsePositives inserts n random digests and counts how many of q others are found. Digests of 64
// bits collide less than once in 10^9 runs of these tests.
func falsePositives(r *rand.Rand, f measured, n, q int) (found int) {
	hs, dst := make([]uint64, 4096), make([]bool, 4096)
	draw := func(n int, use func(hs []uint64)) {
		for ; n > 0; n -= len(hs) {
			some := hs[:min(n, len(hs))]
			for i := range some {
				some[i] = r.Uint64()
			}
			use(some)
		}
	}
	draw(n, f.InsertHashes)
	draw(q, func(hs []uint64) {
		f.ContainsHashes(hs, dst)
		for _, yes := range dst[:len(hs)] {
			if yes {
				found++
			}
		}
	})
	return found
}

// rates sums up builds of one configuration.
type rates struct {
	queries, found int
	expected       float64 // found, as FalsePositiveRate of each build says
	variance       float64 // of found around expected
	sum, squares   float64 // of FalsePositiveRate
}

func build(t *testing.T, seed uint64, builds, queries, n int, make func(bloom.Config) (measured, error), c bloom.Config) (f measured, s rates) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	for range builds {
		f = mustMake(t, make, c)
		s.found += falsePositives(r, f, n, queries)
		s.queries += queries
		p := f.ScanStats().FalsePositiveRate
		s.expected += float64(queries) * p
		s.variance += float64(queries) * p * (1 - p)
		s.sum += p
		s.squares += p * p
	}
	return f, s
}

// check holds found against FalsePositiveRate, within the binomial deviation alone, and the mean of
// FalsePositiveRate against the prediction, within the deviation between builds. Five deviations of
// a normal variable are a false alarm once in 1.7 million; with the few degrees of freedom of 24
// builds it is once in 21,000 for the second. The prediction may be 0.4% off, as its doc says;
// the 1e-15 are the colliding digests that it counts and a table cannot show.
func (s rates) check(t *testing.T, name string, builds int, predicted float64) {
	t.Helper()
	// Where few are expected the Poisson tail is longer than the normal one: 3 more cover it.
	if off := math.Abs(float64(s.found) - s.expected); off > 5*math.Sqrt(s.variance)+3 {
		t.Errorf("%s: %d of %d found, FalsePositiveRate expects %.1f +- %.1f", name, s.found, s.queries, s.expected, math.Sqrt(s.variance))
	}
	mean := s.sum / float64(builds)
	between := math.Sqrt(max(0, s.squares/float64(builds)-mean*mean) / float64(builds-1))
	if off := math.Abs(mean - predicted); off > 5*between+.004*predicted+1e-15 {
		t.Errorf("%s: mean FalsePositiveRate of %d builds is %.6g +- %.2g, predicted %.6g", name, builds, mean, between, predicted)
	}
}

// TestFPR_WithinBinomialBound measures filters that were sized for a rate, at half their capacity,
// at capacity and at twice as much.
func TestFPR_WithinBinomialBound(t *testing.T) {
	const seed = 20140212
	total, capacities, rates := 1<<19, []int{10, 100, 3000, 20_000}, []float64{.3, .01, .001, 1e-4}
	if testing.Short() {
		total, capacities, rates = 1<<15, capacities[1:3], rates[1:3]
	}
	for _, kind := range kinds {
		for _, capacity := range capacities {
			// The rates of small blocked filters have a long tail: a block with many keys is rare.
			builds := max(24, 60_000/capacity)
			for _, eps := range rates {
				c := bloom.Config{Capacity: capacity, FalsePositiveRate: eps}
				c = mustMake(t, kind.make, c).Config() // sizes it once for all builds
				for _, n := range []int{capacity / 2, capacity, 2 * capacity} {
					name := fmt.Sprintf("%s seed=%d capacity=%d eps=%v n=%d", kind.name, seed, capacity, eps, n)
					f, s := build(t, seed, builds, 1+total/builds, n, kind.make, c)
					predicted := kind.predict(f.Slots(), f.Config().Hashes, n)
					if n == capacity && predicted > eps {
						t.Errorf("%s: predicted rate %v is above the promise", name, predicted)
					}
					s.check(t, name, builds, predicted)
				}
			}
		}
	}
}

// TestFPR_SmallTables measures tables of 1 to 130 bits, down to rates of 3e-5: where double hashing
// is worst, because there are few pairs of positions.
func TestFPR_SmallTables(t *testing.T) {
	const seed, builds = 130, 400
	queries := 1 << 12
	if testing.Short() {
		queries = 1 << 8
	}
	for _, m := range []int{1, 2, 3, 7, 8, 16, 31, 64, 65, 100, 127, 128, 130} {
		for _, n := range []int{1, (m + 19) / 20, (m + 9) / 10, (m + 4) / 5} {
			k := min(planner(bloom.Plan).hashes(m, n), 16)
			name := fmt.Sprintf("seed=%d bits=%d hashes=%d n=%d", seed, m, k, n)
			_, s := build(t, seed, builds, queries, n, kinds[0].make, bloom.Config{Slots: m, Hashes: k})
			s.check(t, name, builds, bloom.PredictRate(m, k, n))
		}
	}
}

// TestFPR_LowRate measures one rate of 1e-4 with many queries: about 1600 are found, so that 12% too
// many would show.
func TestFPR_LowRate(t *testing.T) {
	if testing.Short() {
		t.Skip("16 million queries a kind")
	}
	for _, kind := range kinds {
		c := bloom.Config{Capacity: 5000, FalsePositiveRate: 1e-4}
		f, s := build(t, 3, 4, 1<<22, 5000, kind.make, c)
		s.check(t, kind.name, 4, kind.predict(f.Slots(), f.Config().Hashes, 5000))
	}
}

// TestScanStats_FullFilter sets every bit.
func TestScanStats_FullFilter(t *testing.T) {
	for _, kind := range kinds {
		f := mustMake(t, kind.make, bloom.Config{Slots: 512, Hashes: 8})
		f.InsertHashes(digests(0, 5000))
		if rate := f.ScanStats().FalsePositiveRate; rate != 1 {
			t.Errorf("%s: full filter has rate %v", kind.name, rate)
		}
	}
}

// TestPredictions_OfNonsense asks about filters that there are not: what comes is a probability, and a number of
// hashes that there is.
func TestPredictions_OfNonsense(t *testing.T) {
	nonsense := []int{
		math.MinInt, math.MinInt32, -64, -1, 0, 1, 2, 31, 256, 257, 512, 1023, math.MaxInt32, math.MaxInt - 1, math.MaxInt,
	}
	plans := []planner{bloom.Plan, bloom.PlanBlocked, bloom.PlanSplitBlock}
	for _, bits := range nonsense {
		for _, n := range nonsense {
			for _, plan := range plans {
				if k := plan.hashes(bits, n); k < 0 || k > bloom.MaxHashes {
					t.Errorf("%d bits, %d keys: %d hashes", bits, n, k)
				}
			}
			for _, k := range nonsense {
				for at, rate := range []float64{
					bloom.PredictRate(bits, k, n), bloom.PredictBlockedRate(bits, k, n), bloom.PredictSplitBlockRate(bits, n),
				} {
					if !(rate >= 0 && rate <= 1) {
						t.Errorf("%d bits, %d hashes, %d keys: rate %d is %v", bits, k, n, at, rate)
					}
				}
			}
		}
		for _, rate := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, 1e-300, .01, 1, 2} {
			for _, plan := range plans {
				got, err := plan.slots(bits, rate)
				if got < 0 || err != nil && !errors.Is(err, bloom.ErrConfig) && !errors.Is(err, bloom.ErrTooLarge) {
					t.Errorf("capacity %d, rate %v: %d bits, %v", bits, rate, got, err)
				}
			}
		}
	}
}
