package fuse

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// digests returns the digests of n integers from the first on.
func digests(first, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = hashing.Mix64(uint64(first + i))
	}
	return hs
}

// absent is an integer far from those of the keys.
const absent = 1 << 30

// A built filter of any type, for tests that loop over types.
type built interface {
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	MarshalBinary() ([]byte, error)
	Len() int
	Config() Config
	table() *table
}

func (f *reader[F]) table() *table { return &f.t }

// sum returns a number whose lowest bits, as many as a fingerprint has, are 0 where the filter contains the digest h.
func (t *table) sum(h uint64) uint64 {
	x := mix(h + t.seed)
	p0, p1, p2 := t.three(x)
	sum := x ^ x>>32 ^ at(t.data, p0, t.width) ^ at(t.data, p1, t.width) ^ at(t.data, p2, t.width)
	if t.four {
		sum ^= at(t.data, t.fourth(x, p0), t.width)
	}
	return sum
}

func make1[F fingerprint.Width](c Config, hs []uint64) (built, error) { return Build[F](c, hs) }

// byWidth holds Build of every width, at its number less one.
var byWidth = [fingerprint.MaxWidth]func(Config, []uint64) (built, error){
	make1[fingerprint.Bits1], make1[fingerprint.Bits2], make1[fingerprint.Bits3], make1[fingerprint.Bits4],
	make1[fingerprint.Bits5], make1[fingerprint.Bits6], make1[fingerprint.Bits7], make1[fingerprint.Bits8],
	make1[fingerprint.Bits9], make1[fingerprint.Bits10], make1[fingerprint.Bits11], make1[fingerprint.Bits12],
	make1[fingerprint.Bits13], make1[fingerprint.Bits14], make1[fingerprint.Bits15], make1[fingerprint.Bits16],
	make1[fingerprint.Bits17], make1[fingerprint.Bits18], make1[fingerprint.Bits19], make1[fingerprint.Bits20],
	make1[fingerprint.Bits21], make1[fingerprint.Bits22], make1[fingerprint.Bits23], make1[fingerprint.Bits24],
	make1[fingerprint.Bits25], make1[fingerprint.Bits26], make1[fingerprint.Bits27], make1[fingerprint.Bits28],
	make1[fingerprint.Bits29], make1[fingerprint.Bits30], make1[fingerprint.Bits31], make1[fingerprint.Bits32],
}

// must builds a filter or ends the test.
func must[F fingerprint.Width](t testing.TB, c Config, hs []uint64) *Filter[F] {
	t.Helper()
	f, err := Build[F](c, hs)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBuild_ContainsItsKeysAtEveryWidth: all keys are there, one by one and in batches; Any and View answer alike and
// have the same file.
func TestBuild_ContainsItsKeysAtEveryWidth(t *testing.T) {
	for at, build := range byWidth {
		for _, segments := range []int{3, 4} {
			for _, n := range []int{0, 1, 2, 7, 100, 3000, splitKeys + 1} {
				if n > 3000 && testing.Short() && at%5 != 0 {
					continue
				}
				hs := digests(0, n)
				f, err := build(Config{Segments: segments}, hs)
				if err != nil || f.Len() != n || f.Config().FingerprintBits != at+1 {
					t.Fatal(f, err)
				}
				wide := must[fingerprint.Any](t, Config{Segments: segments, FingerprintBits: at + 1}, hs)
				a, err1 := f.MarshalBinary()
				b, err2 := wide.MarshalBinary()
				v, err3 := OpenView[fingerprint.Any](a)
				if err1 != nil || err2 != nil || err3 != nil || string(a) != string(b) {
					t.Fatal(at+1, n, err1, err2, err3)
				}
				ask := append(slices.Clip(hs), digests(absent, 500)...)
				got, viewed := make([]bool, len(ask)), make([]bool, len(ask))
				f.ContainsHashes(ask, got)
				v.ContainsHashes(ask, viewed)
				for i, h := range ask {
					if i < n && !got[i] || f.ContainsHash(h) != got[i] || wide.ContainsHash(h) != got[i] ||
						v.ContainsHash(h) != got[i] || viewed[i] != got[i] {
						t.Fatalf("%v: digest %d of %d: %t", f, i, n, got[i])
					}
				}
			}
		}
	}
}

// TestRate_WithinBinomialBound counts false positives, of widths up to 20 bits by probes, and above by the low 16
// bits of the sums.
func TestRate_WithinBinomialBound(t *testing.T) {
	probes := 8 << 20
	if testing.Short() {
		probes = 1 << 18
	}
	hs := make([]uint64, 1<<12)
	for at, build := range byWidth {
		f, err := build(Config{Segments: 3 + at%2}, digests(0, 5000))
		if err != nil {
			t.Fatal(err)
		}
		table := *f.table()
		bits := min(at+1, 20)
		if at+1 > 20 {
			bits = 16
		}
		found, r := 0, rand.New(rand.NewPCG(uint64(at), 0xf05e))
		for range probes / len(hs) {
			for i := range hs {
				hs[i] = r.Uint64()
			}
			for _, h := range hs {
				if table.sum(h)<<(64-bits) == 0 {
					found++
				}
			}
		}
		p := math.Ldexp(1, -bits)
		want := p * float64(probes)
		// One false alarm in 10^6: 5 standard deviations, and something for the tail of a Poisson variable.
		if off := math.Abs(float64(found) - want); off > 5*math.Sqrt(want)+9 {
			t.Errorf("%d bits: %d of %d, want %.1f", at+1, found, probes, want)
		}
	}
}

// TestBuild_EqualSetsAreEqualFilters: order, repetitions and the number of goroutines change nothing.
func TestBuild_EqualSetsAreEqualFilters(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, n := range []int{500, 3 * splitKeys} {
		hs := digests(0, n)
		want := must[fingerprint.Bits9](t, Config{}, hs)
		before := slices.Clone(hs)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
		again := append(slices.Clone(hs), hs[:n/3]...)
		for range 400 { // more copies than a byte counts
			again = append(again, hs[1])
		}
		asked := slices.Clone(again)
		for _, procs := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(procs)
			if f := must[fingerprint.Bits9](t, Config{}, hs); !f.Equal(want) {
				t.Errorf("%d keys, GOMAXPROCS %d: another filter", n, procs)
			}
			f := must[fingerprint.Bits9](t, Config{}, again)
			if s := f.Stats(); f.Len() != n || s.Repeated != n/3+400 || s.Attempts < 2 {
				t.Errorf("%d keys: %v, %+v", n, f, s)
			}
			for _, h := range before {
				if !f.ContainsHash(h) {
					t.Fatal("a key is lost")
				}
			}
		}
		if !slices.Equal(again, asked) {
			t.Error("Build changed the digests")
		}
	}
}

var (
	builds = flag.Int("fuse.builds", 20000, "random small sets to build")
	seed   = flag.Uint64("fuse.seed", 0xf05e, "which ones")
)

// TestBuild_RandomSmallSets builds filters of 0 to 2000 random digests.
func TestBuild_RandomSmallSets(t *testing.T) {
	if testing.Short() {
		*builds = min(*builds, 2000)
	}
	most := 0
	r := rand.New(rand.NewPCG(33, *seed))
	hs := make([]uint64, 2000)
	for i := range *builds {
		set := hs[:r.IntN(len(hs)+1)]
		for k := range set {
			set[k] = r.Uint64()
		}
		f := must[fingerprint.Bits8](t, Config{Segments: 3 + i%2}, set)
		for _, h := range set {
			if !f.ContainsHash(h) {
				t.Fatalf("set %d of %d digests: one is lost", i, len(set))
			}
		}
		most = max(most, f.Stats().Attempts)
	}
	t.Logf("%d sets, at most %d seeds for one", *builds, most)
}

// TestBuild_SaysHowManyAreLeft: sets that do not peel give an error, here because one seed only is tried.
func TestBuild_SaysHowManyAreLeft(t *testing.T) {
	c, err := Config{FingerprintBits: 8}.resolve(0)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for first := range 200 {
		_, s, err := c.build(digests(1000*first, 50), 1)
		if err == nil {
			continue
		}
		failed++
		var n, left, seeds int
		format := "fuse: invalid configuration: of %d digests %d are left that have no slot alone, " +
			"under each of %d seeds"
		if _, wrong := fmt.Sscanf(err.Error(), format, &n, &left, &seeds); wrong != nil || n != 50 || left < 2 ||
			left > n || seeds != 1 || s.Attempts != 1 {
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Error("no set failed under the first seed")
	}
}

// TestPlan_IsTheSizeBuilt: and the size is that of the paper.
func TestPlan_IsTheSizeBuilt(t *testing.T) {
	for _, segments := range []int{3, 4} {
		c := Config{Segments: segments, FingerprintBits: 8}
		for _, n := range []int{0, 1, 10, 1000, 50000} {
			f := must[fingerprint.Any](t, c, digests(0, n))
			slots, size, err := Plan(c, n)
			if err != nil || slots != f.Slots() || size != f.SizeBytes() || size != slots+8 {
				t.Errorf("%d keys: %d slots, %d bytes, %v", n, slots, size, err)
			}
		}
		want := map[int]float64{3: 1.125, 4: 1.075}[segments]
		slots, _, err := Plan(c, 1e6)
		if got := float64(slots) / 1e6; err != nil || got < want || got > 1.01*want {
			t.Errorf("%d segments: %.4f slots for each of a million keys, want %.3f", segments, got, want)
		}
	}
}

// TestPrefetch_TakesUpToAhead: asking for the slots of 0 to ahead digests does not panic.
func TestPrefetch_TakesUpToAhead(t *testing.T) {
	for _, segments := range []int{3, 4} {
		f := must[fingerprint.Bits8](t, Config{Segments: segments}, digests(0, 10))
		for n := range ahead + 1 {
			f.t.prefetch(digests(0, n))
		}
	}
}

// TestAllocs_Zero: lookups allocate nothing.
func TestAllocs_Zero(t *testing.T) {
	f, g := must[fingerprint.Bits8](t, Config{}, digests(0, 1000)), must[fingerprint.Any](t,
		Config{FingerprintBits: 12}, digests(0, 1000))
	hs, dst := digests(0, 100), make([]bool, 100)
	if n := testing.AllocsPerRun(100, func() {
		f.ContainsHashes(hs, dst)
		g.ContainsHashes(hs, dst)
		key := [4]byte{1, 2}
		dst[0] = f.ContainsHash(1) || g.ContainsHash(2) || f.Contains(key[:]) || g.ContainsString("three")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkBuild builds filters on one processor and on two.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 20} {
		hs := digests(0, n)
		for _, segments := range []int{3, 4} {
			for _, procs := range []int{1, 2} {
				b.Run(fmt.Sprintf("segments=%d/n=%d/procs=%d", segments, n, procs), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
					for b.Loop() {
						must[fingerprint.Bits8](b, Config{Segments: segments}, hs)
					}
				})
			}
		}
	}
}
