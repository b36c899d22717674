package cuckoo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// regionConfig is the shape that most tests of this file use.
var regionConfig = Config{BucketSize: 4, Placement: Region, Kick: BreadthFirst}

// moreThan returns a bound of the probability that one of so many regions gets more of n keys than
// it has room for: the binomial tail, summed, times the number of regions.
func moreThan(room, n, regions uint64) float64 {
	factorial := func(x uint64) float64 {
		v, _ := math.Lgamma(float64(x) + 1)
		return v
	}
	q := 1 / float64(regions)
	k := room + 1
	log := factorial(n) - factorial(k) - factorial(n-k) + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q)
	sum, term := 0.0, math.Exp(log)
	for ; k < n && term > sum*1e-9; k++ {
		sum += term
		term *= float64(n-k) / float64(k+1) * q / (1 - q)
	}
	return sum * float64(regions)
}

// TestRegion_FullestIsBoundedExactly compares the integer arithmetic with the exact binomial tail: at
// the mean promised it is below the probability allotted, at two thousandths more it is above.
func TestRegion_FullestIsBoundedExactly(t *testing.T) {
	for _, c := range []struct {
		width  uint
		b      int
		allots float64
	}{{12, 4, 1e-6 / 4}, {8, 8, 1e-6 / 4}, {12, 2, 1e-3 / 4}, {6, 4, 1e-3 / 4}} {
		cfg := Config{BucketSize: c.b}
		for _, room := range []uint64{13_000, 31_457, 62_914, 129_105} {
			for level := uint(4); level <= 19; level++ {
				regions := uint64(1) << level
				keys := mean(room, cfg.quantile(level, c.width))
				if p := moreThan(room, regions*keys, regions); p > c.allots {
					t.Errorf("%d regions of %d keys, room for %d: probability %.3g, want at most %.3g", regions, keys, room, p, c.allots)
				}
				if p := moreThan(room, regions*(keys+keys/500), regions); p < c.allots {
					t.Errorf("%d regions of %d keys, room for %d: two thousandths more have probability %.3g, the promise is needlessly low",
						regions, keys, room, p)
				}
			}
		}
	}
}

// TestRegion_CapacityGrows: more regions are never promised fewer keys. Nor are larger ones, where it
// is they that limit the promise and not what fingerprints so narrow do to the whole table.
func TestRegion_CapacityGrows(t *testing.T) {
	r := rand.New(rand.NewPCG(capacitySeed, 1))
	everyPromise(func(c Config, width uint) {
		if c.Placement != Region {
			return
		}
		before := uint64(0)
		for regions := uint64(16); regions <= fingerprint.MaxBuckets/kick.MaxRegion; regions += 1 + r.Uint64N(regions) {
			m := regions * kick.MaxRegion
			keys := c.keysFor(m, width)
			if keys < before || keys > m*uint64(c.BucketSize) {
				t.Fatalf("%v, width %d: %d regions are promised %d keys, fewer regions %d", c, width, regions, keys, before)
			}
			whole := c
			whole.Placement = XOR
			if small := min(c.regionKeys(m, minRegion, width), whole.keysFor(m, width)); small > keys {
				t.Fatalf("%v, width %d: %d regions are promised %d keys, twice as many of half the size %d", c, width, regions, keys, small)
			}
			before = keys
		}
	})
}

// TestRegion_BucketsAreEnoughAndFewest: a table made for n keys is promised to take n, none of fewer
// buckets is, and more keys never take fewer buckets.
func TestRegion_BucketsAreEnoughAndFewest(t *testing.T) {
	r := rand.New(rand.NewPCG(capacitySeed, 2))
	before := uint64(0)
	for n := uint64(1_000_000); n < 1<<33; n += 1 + r.Uint64N(n/50) {
		m := regionConfig.bucketsFor(n, 12)
		if misfit := Region.fits(m); misfit != "" || m < before {
			t.Fatalf("%d keys take %d buckets (%s), fewer keys %d", n, m, misfit, before)
		}
		if got := regionConfig.keysFor(m, 12); got < n {
			t.Fatalf("%d keys take %d buckets, which are promised %d", n, m, got)
		}
		for _, size := range regionSizes {
			if fewer := (m - 1) / size * size; Region.fits(fewer) == "" && regionConfig.keysFor(fewer, 12) >= n {
				t.Fatalf("%d keys take %d buckets though %d would do", n, m, fewer)
			}
		}
		if spare := float64(4*m)/float64(n) - 1/.935; m >= 1<<20 && spare > .0157 {
			t.Fatalf("%d keys take %d slots: more than rounding and the fullest region explain", n, 4*m)
		}
		before = m
	}
	if m := regionConfig.bucketsFor(math.MaxUint64/2, 12); m <= fingerprint.MaxBuckets {
		t.Errorf("2^63 keys take %d buckets", m)
	}
}

// TestRegion_FullestRegionHolds draws as many keys as a table promises to take, for many seeds, and
// holds the fullest region to what its buckets are promised to take. A false alarm comes once in
// 25000 runs at most.
func TestRegion_FullestRegionHolds(t *testing.T) {
	for _, c := range []struct {
		slots uint64
		seeds int
	}{{1 << 20, 120}, {1 << 22, 30}} {
		if testing.Short() {
			c.seeds /= 15
		}
		m := c.slots / 4
		regions := m / kick.MaxRegion
		n, room := regionConfig.keysFor(m, 12), searchRoom(kick.MaxRegion)
		fullest := make([]int, c.seeds)
		for seed := range fullest {
			r := rand.NewPCG(uint64(seed), c.slots)
			counts := make([]int, regions)
			for range n {
				counts[r.Uint64()>>32*regions>>32]++
			}
			fullest[seed] = slices.Max(counts)
		}
		if most := slices.Max(fullest); uint64(most) > room {
			t.Errorf("%d slots, seeds 0 to %d: %d keys in one region, want at most %d", c.slots, c.seeds-1, most, room)
		}
	}
}

// searchRoom returns how many keys a table of m buckets is promised to take under placement XOR.
func searchRoom(m uint64) uint64 {
	return Config{BucketSize: 4, Placement: XOR, Kick: BreadthFirst}.keysFor(m, 12)
}

// TestRegion_CapacityHolds fills tables of a million slots and more with as many keys as they were made
// for.
func TestRegion_CapacityHolds(t *testing.T) {
	checkFill(t, Config{Capacity: 1_000_000, Placement: Region}, 12)
	if testing.Short() {
		return
	}
	for width, n := range map[uint]int{8: 1_000_000, 12: 4_000_000, 16: 1_234_567} {
		checkFill(t, Config{Capacity: n, Placement: Region}, width)
	}
	for _, b := range []int{2, 8} {
		checkFill(t, Config{Capacity: 2_000_000, BucketSize: b, Placement: Region}, 12)
	}
	for _, k := range []KickPolicy{RandomWalk, LookAhead} {
		checkFill(t, Config{Capacity: 1_500_000, Placement: Region, Kick: k}, 12)
	}
}

// TestRegion_LoadAtFirstRefusal holds the median over 5 seeds to .96 at b = 4, for regions of both
// sizes: .970 and .965 were seen.
func TestRegion_LoadAtFirstRefusal(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 20 tables of a million slots")
	}
	for _, c := range []struct {
		config Config
		want   float64
	}{
		{Config{Buckets: 1 << 18}, .96},
		{Config{Buckets: 1 << 18, Kick: LookAhead}, .96},
		{Config{Buckets: 33 << 13}, .96},
		{Config{Buckets: 1 << 18, BucketSize: 2}, .865},
	} {
		c.config.Placement = Region
		t.Run(c.config.String(), func(t *testing.T) {
			t.Parallel()
			loads := firstRefusals(t, c.config, 5)
			t.Logf("loads %.4f", loads)
			if loads[2] < c.want {
				t.Errorf("median load at the first refusal %.4f, want at least %.3f", loads[2], c.want)
			}
		})
	}
}
