package cuckoo

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// filler fills a table of one configuration with n random digests and tells whether all were
// accepted.
type filler func(t *testing.T, c Config, n int, digests *rand.PCG) bool

// fillers are the widths that the promise is tested at.
var fillers = map[uint]filler{
	1:  fillOnce[fingerprint.Bits1],
	2:  fillOnce[fingerprint.Bits2],
	3:  fillOnce[fingerprint.Bits3],
	4:  fillOnce[fingerprint.Bits4],
	5:  fillOnce[fingerprint.Bits5],
	6:  fillOnce[fingerprint.Bits6],
	7:  fillOnce[fingerprint.Bits7],
	8:  fillOnce[fingerprint.Bits8],
	12: fillOnce[fingerprint.Bits12],
	16: fillOnce[fingerprint.Bits16],
}

func fillOnce[F fingerprint.Width](t *testing.T, c Config, n int, digests *rand.PCG) bool {
	t.Helper()
	f, err := New[F](c)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Capacity(); c.Capacity > got {
		t.Fatalf("%v, width %d: Capacity() is %d", c, fingerprint.WidthOf[F](), got)
	}
	return fill(f, n, digests)
}

func fill[F fingerprint.Width](f *Filter[F], n int, digests *rand.PCG) bool {
	for range n {
		if f.InsertHash(digests.Uint64()) != nil {
			return false
		}
	}
	return true
}

// mostFailures returns the largest number of failures to accept of trials that fail with
// probability p each: more happen with a probability below 1e-6.
func mostFailures(trials int, p float64) int {
	mean := float64(trials) * p
	term, above := math.Exp(-mean), -math.Expm1(-mean) // Poisson, which has the heavier tail
	failures := 0
	for above > 1e-6 {
		failures++
		term *= mean / float64(failures)
		above -= term
	}
	return failures
}

const capacitySeed = 20260101

// TestCapacity_HoldsForEverySmallN fills a table made for n keys with n keys, for every n to 2000
// (every seventh with -short).
func TestCapacity_HoldsForEverySmallN(t *testing.T) {
	widths, seeds, step := []uint{8, 12, 16}, 2, 1
	if testing.Short() {
		widths, seeds, step = []uint{8, 12}, 1, 7
	}
	for _, placement := range []Placement{Additive, XOR} {
		for b, p := range map[int]float64{2: 1e-3, 4: 1e-6, 8: 1e-6} {
			digests := rand.NewPCG(capacitySeed, uint64(b))
			failed, trials := 0, 0
			for n := 1; n <= 2000; n += step {
				for _, width := range widths {
					for range seeds {
						trials++
						c := Config{Capacity: n, BucketSize: b, Placement: placement}
						if !fillers[width](t, c, n, digests) {
							failed++
							t.Logf("seed %d: b=%d %v n=%d width %d refused", capacitySeed, b, placement, n, width)
						}
					}
				}
			}
			if most := mostFailures(trials, p); failed > most {
				t.Errorf("b=%d %v: %d of %d fills were refused, want at most %d", b, placement, failed, trials, most)
			}
		}
	}
}

// TestCapacity_HoldsForASpread fills larger tables, up to 10 million keys.
func TestCapacity_HoldsForASpread(t *testing.T) {
	sizes := []int{3000, 5001, 10_000, 33_333, 100_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:4]
	}
	for _, n := range sizes {
		for _, width := range []uint{8, 12, 16} {
			for _, placement := range []Placement{Additive, XOR} {
				for _, b := range []int{2, 4, 8} {
					checkFill(t, Config{Capacity: n, BucketSize: b, Placement: placement}, width)
				}
			}
		}
	}
	if testing.Short() {
		return
	}
	const large = 10_000_000
	for _, width := range []uint{8, 12, 16} {
		checkFill(t, Config{Capacity: large}, width)
	}
	checkFill(t, Config{Capacity: large, BucketSize: 8}, 12)
	checkFill(t, Config{Capacity: large, Placement: XOR}, 16)
	checkFill(t, Config{Capacity: large, Layout: SemiSorted}, 12)
}

// TestCapacity_HoldsForWalks does so for the policies that walk. A fill with b = 2 or below 8 bits
// may fail once in a thousand times, the others once in a million.
func TestCapacity_HoldsForWalks(t *testing.T) {
	sizes := []int{10, 77, 200, 1000, 3001, 20_000, 300_000}
	if testing.Short() {
		sizes = sizes[:6]
	}
	for _, n := range sizes {
		for _, kick := range []KickPolicy{RandomWalk, RoundRobin, LookAhead} {
			for _, b := range []int{4, 8} {
				checkFill(t, Config{Capacity: n, BucketSize: b, Kick: kick}, 8)
				checkFill(t, Config{Capacity: n, BucketSize: b, Kick: kick, Placement: XOR}, 12)
			}
			checkFill(t, Config{Capacity: n, Kick: kick}, 6)
			checkFill(t, Config{Capacity: n, Kick: kick, Layout: SemiSorted}, 6)
			checkFill(t, Config{Capacity: n, Kick: kick, Layout: SemiSorted, Placement: XOR}, 8)
		}
		checkFill(t, Config{Capacity: n, BucketSize: 2, Kick: RandomWalk}, 12)
	}
}

// TestCapacity_RoundRobinHoldsAtNarrowWidths fills tables of narrow fingerprints, in which RoundRobin runs in circles, to
// what they are promised to take with a probability of 1e-3 that they do not.
func TestCapacity_RoundRobinHoldsAtNarrowWidths(t *testing.T) {
	fills := 1000
	if testing.Short() {
		fills = 100
	}
	for _, shape := range []struct {
		b, buckets int
		widths     []uint
	}{{4, 256, []uint{1, 2, 3, 4, 5, 6, 7}}, {4, 4096, []uint{3, 4, 5, 6}}, {8, 256, []uint{2, 3, 4}}, {8, 1024, []uint{2, 3}}} {
		for _, width := range shape.widths {
			for _, placement := range []Placement{Additive, XOR} {
				c := Config{Buckets: shape.buckets, FingerprintBits: int(width), BucketSize: shape.b, Placement: placement, Kick: RoundRobin}
				resolved, err := c.resolve(width)
				if err != nil {
					t.Fatal(err)
				}
				n := int(resolved.keysFor(uint64(shape.buckets)))
				trials := min(fills, 4_000_000/n)
				digests, failed := rand.NewPCG(capacitySeed, uint64(width)), 0
				for range trials {
					if !fillers[width](t, c, n, digests) {
						failed++
					}
				}
				if most := mostFailures(trials, 1e-3); failed > most {
					t.Errorf("seed %d: %v, width %d: %d of %d fills with %d keys were refused, want at most %d", capacitySeed, c, width, failed, trials, n, most)
				}
			}
		}
	}
}

// TestCapacity_NarrowTablesAreNotOversized: more fingerprints never need many more buckets, but that 1 bit has some at b = 2
// that no search could save.
func TestCapacity_NarrowTablesAreNotOversized(t *testing.T) {
	for _, b := range []int{2, 4, 8} {
		for _, placement := range []Placement{Additive, XOR} {
			for _, n := range []uint64{100, 1000, 10_000, 100_000} {
				c := Config{FingerprintBits: 1, BucketSize: b, Placement: placement}
				before := c.bucketsFor(n)
				for width := 2; width <= 16; width++ {
					c.FingerprintBits = width
					buckets := c.bucketsFor(n)
					if buckets > 2*before {
						t.Errorf("b=%d %v, %d keys: %d buckets at %d bits, %d at one fewer", b, placement, n, buckets, width, before)
					}
					before = buckets
				}
			}
		}
	}
}

// checkFill fills a table with as many keys as it was made for.
func checkFill(t *testing.T, c Config, width uint) {
	t.Helper()
	if !fillers[width](t, c, c.Capacity, rand.NewPCG(capacitySeed, uint64(c.Capacity))) {
		t.Errorf("seed %d: %v, width %d: refused", capacitySeed, c, width)
	}
}

// TestCapacity_SmallTables fills the smallest tables 20000 times each to what they are promised to
// take. The table would fail it if it promised a quarter of a bucket more at each size.
func TestCapacity_SmallTables(t *testing.T) {
	fills := 20_000
	if testing.Short() {
		fills = 2_000
	}
	for _, kick := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin} {
		for b, p := range map[int]float64{2: 1e-3, 4: 1e-6, 8: 1e-6} {
			if b == 2 && kick == RoundRobin {
				continue // no promise
			}
			failed, over, trials := 0, 0, 0
			for m := 2; m <= 16; m++ {
				f, err := New[fingerprint.Bits8](Config{Buckets: m, BucketSize: b, Kick: kick})
				if err != nil {
					t.Fatal(err)
				}
				failed += refusals(f, f.Capacity(), fills)
				over += refusals(f, f.Capacity()+b, fills/4)
				trials += fills
			}
			most := mostFailures(trials, p)
			if failed > most {
				t.Errorf("seed %d: b=%d %v: %d of %d fills were refused, want at most %d", capacitySeed, b, kick, failed, trials, most)
			}
			if sharp := mostFailures(trials/4, p); over <= sharp {
				t.Errorf("b=%d %v: a bucket more is refused %d of %d times: the promise is needlessly low", b, kick, over, trials/4)
			}
		}
	}
}

// TestCapacity_OfTheSmallestTables fills each of the tables of up to 8 buckets, and those made for 1 to 64 keys, with as
// many keys as it is promised to take, in every layout.
func TestCapacity_OfTheSmallestTables(t *testing.T) {
	fills := 60_000
	if testing.Short() {
		fills = 2_000
	}
	promised := map[int]float64{2: 1e-3, 4: 1e-6, 5: 1e-6, 8: 1e-6}
	for _, shape := range []Config{
		{BucketSize: 2}, {BucketSize: 4}, {BucketSize: 8}, {BucketSize: 4, Layout: SemiSorted}, {Layout: Words},
		{BucketSize: 4, Layout: PairedSlots}, {BucketSize: 8, Layout: PairedSlots},
	} {
		for _, shape.FingerprintBits = range []int{8, 11, 12, 16} {
			for _, shape.Placement = range []Placement{Additive, XOR} {
				tried := map[int]bool{} // by slots
				for c := range smallest(shape) {
					f, err := New[fingerprint.Any](c)
					if err != nil {
						t.Fatal(err)
					}
					if f.Capacity() < c.Capacity {
						t.Errorf("%v: Capacity() is %d", c, f.Capacity())
					}
					n, p := f.Capacity(), promised[f.config.BucketSize]
					if c.Layout == PairedSlots && c.FingerprintBits < 12 {
						p = 1e-3
					}
					if tried[f.Slots()] {
						continue
					}
					tried[f.Slots()] = true
					trials := fills / (8 + n) * 8
					failed := refusals(f, n, trials)
					if most := mostFailures(trials, p); failed > most {
						t.Errorf("seed %d: %v, %d keys: %d of %d fills were refused, want at most %d",
							capacitySeed, f.config, n, failed, trials, most)
					}
				}
			}
		}
	}
}

// smallest yields configurations of the smallest tables.
func smallest(c Config) iter.Seq[Config] {
	return func(yield func(Config) bool) {
		for n := 1; n <= 64; n++ {
			sized, asked := c, c
			sized.Buckets, asked.Capacity = n, n
			if n <= 8 && c.Placement.fits(uint64(n)) == "" && !yield(sized) || !yield(asked) {
				return
			}
		}
	}
}

// refusals fills a filter with n keys, trials times, and returns how often one was refused.
func refusals[F fingerprint.Width](f *Filter[F], n, trials int) (failed int) {
	digests := rand.NewPCG(capacitySeed, uint64(f.Slots()))
	for range trials {
		f.Reset()
		if !fill(f, n, digests) {
			failed++
		}
	}
	return failed
}

// everyPromise calls check with every row of the table, as configurations.
func everyPromise(check func(c Config, width uint)) {
	for placement := range Placement(placements) {
		for _, kick := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead} {
			for _, b := range []int{1, 2, 4, 8} {
				for width := uint(1); width <= 17; width++ {
					check(Config{FingerprintBits: int(width), BucketSize: b, Placement: placement, Kick: kick}, width)
					if b > 2 {
						check(Config{FingerprintBits: int(width), BucketSize: b, Placement: placement, Kick: kick, Layout: PairedSlots}, width)
					}
				}
			}
		}
	}
}

// spread returns numbers from 1 to 2^36, the small ones all.
func spread(all uint64) (ns []uint64) {
	random := rand.New(rand.NewPCG(capacitySeed, 0))
	for n := uint64(1); n < 1<<36; n += 1 + random.Uint64N(n/all*n/4+1) {
		ns = append(ns, n)
	}
	return ns
}

// TestCapacity_BucketsAreEnoughAndNoneTooMany: a table made for n keys is promised to take n, with
// one bucket less (half of them for XOR) it is not, and more keys never take fewer buckets.
func TestCapacity_BucketsAreEnoughAndNoneTooMany(t *testing.T) {
	ns := spread(200)
	everyPromise(func(c Config, width uint) {
		before := uint64(0)
		for _, n := range ns {
			m := c.bucketsFor(n)
			fewer := m - 1
			if c.Placement.powerOfTwo() {
				fewer = m / 2
			}
			if m < before {
				t.Fatalf("%v, width %d: %d keys take %d buckets, fewer keys %d", c, width, n, m, before)
			}
			if m > fingerprint.MaxBuckets {
				break
			}
			if got := c.keysFor(m); got < n {
				t.Fatalf("%v, width %d: %d keys take %d buckets, which are promised %d", c, width, n, m, got)
			}
			if fewer > 0 && c.keysFor(fewer) >= n {
				t.Fatalf("%v, width %d: %d keys take %d buckets though %d would do", c, width, n, m, fewer)
			}
			before = m
		}
	})
}

// TestCapacity_GrowsWithBuckets: more buckets are never promised fewer keys, nor more than slots.
func TestCapacity_GrowsWithBuckets(t *testing.T) {
	ms := spread(500)
	everyPromise(func(c Config, width uint) {
		before := uint64(0)
		for _, m := range ms {
			keys := c.keysFor(m)
			if keys < before || keys > m*uint64(c.BucketSize) {
				t.Fatalf("%v, width %d: %d buckets are promised %d keys, fewer %d", c, width, m, keys, before)
			}
			before = keys
		}
	})
}

// TestCapacity_Huge: any Capacity is made or refused with an error at once.
func TestCapacity_Huge(t *testing.T) {
	everyPromise(func(c Config, width uint) {
		for shift := range 3 {
			c.Capacity = math.MaxInt >> shift
			c.MaxBytes = 1 << 20
			if _, err := c.resolve(width); !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%v, width %d: error is %v, want ErrTooLarge", c, width, err)
			}
		}
		if m := c.bucketsFor(math.MaxUint64); m <= fingerprint.MaxBuckets {
			t.Fatalf("%v, width %d: 2^64-1 keys take %d buckets", c, width, m)
		}
	})
}

// TestCapacity_BitsPerItem holds what a large table costs to the figures that the package states.
func TestCapacity_BitsPerItem(t *testing.T) {
	for n := 1_000_000; n < 50_000_000; n += n / 7 {
		for b, most := range map[int]float64{2: 14.0, 4: 12.6, 8: 12.2} {
			c, err := Config{Capacity: n, BucketSize: b}.resolve(12)
			if err != nil {
				t.Fatal(err)
			}
			if got := 12 * float64(c.Buckets*c.BucketSize) / float64(n); got > most {
				t.Errorf("n=%d b=%d: %.3f bits per item, want at most %v", n, b, got, most)
			}
		}
	}
}

// TestCapacity_PairedHolds fills tables with paired slots to their promise: small ones often, at the widths 8 and 12, and a few
// of up to a million keys.
func TestCapacity_PairedHolds(t *testing.T) {
	step, sizes := 1, []int{3000, 33_333, 100_000, 1_000_000}
	if testing.Short() {
		step, sizes = 13, sizes[:2]
	}
	for _, c := range []Config{{Layout: PairedSlots}, {Layout: PairedSlots, Placement: XOR}, {Layout: PairedSlots, BucketSize: 8}} {
		for width, p := range map[uint]float64{8: 1e-3, 12: 1e-6} {
			digests := rand.NewPCG(capacitySeed, uint64(width))
			failed, trials := 0, 0
			for n := 1; n <= 1500; n += step {
				trials++
				if c.Capacity = n; !fillers[width](t, c, n, digests) {
					failed++
				}
			}
			if most := mostFailures(trials, p); failed > most {
				t.Errorf("seed %d: %v width %d: %d of %d fills were refused, want at most %d", capacitySeed, c, width, failed, trials, most)
			}
		}
		for _, c.Capacity = range sizes {
			checkFill(t, c, 12)
		}
	}
	if testing.Short() {
		return
	}
	c := Config{Layout: PairedSlots}
	for _, c.Kick = range []KickPolicy{RandomWalk, RoundRobin, LookAhead} {
		c.Capacity = 50_000 // no promise, but loads that are reached
		checkFill(t, c, 12)
	}
}
