package cuckoo

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// mustScalable returns a growing filter.
func mustScalable[F fingerprint.Width](t testing.TB, c ScalableConfig) *Scalable[F] {
	t.Helper()
	s, err := NewScalable[F](c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// grown returns a growing filter of the first n digests of a seed.
func grown[F fingerprint.Width](t testing.TB, c ScalableConfig, seed uint64, n int) *Scalable[F] {
	t.Helper()
	s := mustScalable[F](t, c)
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	for range n {
		if err := s.InsertHash(r.Uint64()); err != nil {
			t.Fatalf("%v: %v", s, err)
		}
	}
	return s
}

// bytesOf returns the file of a filter.
func bytesOf[F fingerprint.Width](t testing.TB, s *Scalable[F]) []byte {
	t.Helper()
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// scalableShapes are growing filters that differ in all that matters to their verbs, the first table as small as it can be.
var scalableShapes = []ScalableConfig{
	{Capacity: 1}, {Capacity: 1, BucketSize: 8}, {Capacity: 1, Kick: RandomWalk, Seed: 3}, {Capacity: 1, Kick: RoundRobin},
	{Capacity: 300, Kick: LookAhead, MaxKicks: 20}, {Capacity: 1, MaxKicks: 1}, {Capacity: 1, Kick: selfish{}},
}

// TestScalable_RateFollowsTheLaw grows a filter from 2^7 slots by 15 doublings. Just before each, the rate is what the law
// (1+g/2)*2b*alpha/2^(f-1) says, FalsePositiveRate says so too, and absent keys are found at that rate. The bound is 4.5 binomial
// standard errors of the probes, and 4.5 of the sum of as many entries as the table has, whose weights differ by up to 2^g: of
// n entries with full tails and n/2^j with j bits less the relative variance is below 2/n*(2^g)/(1+g/2)^2. One false alarm in
// 100,000 for each, over seeds; the seeds are fixed.
func TestScalable_RateFollowsTheLaw(t *testing.T) {
	const b = 4
	last, probes := 15, 1<<20
	if testing.Short() {
		last, probes = 9, 1<<18
	}
	s := mustScalable[fingerprint.Bits14](t, ScalableConfig{Capacity: 1})
	keys, absent := rand.New(rand.NewPCG(1, 0x5eed)), rand.New(rand.NewPCG(2, 0x5eed))
	for g := range last + 1 {
		for 100*s.entries() < 94*s.Slots() { // small tables double at 95%
			if err := s.InsertHash(keys.Uint64()); err != nil {
				t.Fatalf("%v: %v", s, err)
			}
		}
		positive := 0
		for range probes {
			if s.ContainsHash(absent.Uint64()) {
				positive++
			}
		}
		weight := 1 + float64(g)/2
		law := weight * 2 * b * s.LoadFactor() / math.Ldexp(1, 13)
		measured, predicted := float64(positive)/float64(probes), s.FalsePositiveRate()
		spread := math.Sqrt(2/float64(s.Len())*math.Ldexp(1, g)) / weight
		noise := 4.5*math.Sqrt(predicted/float64(probes)) + 4.5*predicted*spread
		if math.Abs(measured-predicted) > noise || math.Abs(-math.Log1p(-predicted)/law-1) > 0.04 || predicted > s.Config().FalsePositiveRate {
			t.Errorf("%v: %d doublings: measured %.5f, predicted %.5f +- %.5f, law %.5f", s, g, measured, predicted, noise, law)
		}
		if s.Doublings() != g {
			t.Fatalf("%v doubled at less than 94%%", s)
		}
		for s.Doublings() == g && g < last {
			if err := s.InsertHash(keys.Uint64()); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := rand.New(rand.NewPCG(1, 0x5eed))
	for range s.Len() {
		if h := again.Uint64(); !s.ContainsHash(h) {
			t.Fatalf("%v: digest %#x is lost", s, h)
		}
	}
}

// TestScalable_StepsAreAtOnce takes two filters through the same inserts, deletes and lookups, one of which moves everything when it
// doubles: nobody can tell them apart, at any step of the growth.
func TestScalable_StepsAreAtOnce(t *testing.T) {
	stepsAreAtOnce[fingerprint.Bits8](t)
	stepsAreAtOnce[fingerprint.Bits13](t)
	stepsAreAtOnce[fingerprint.Bits16](t)
	stepsAreAtOnce[fingerprint.Bits19](t)
}

func stepsAreAtOnce[F fingerprint.Width](t *testing.T) {
	t.Helper()
	for _, c := range scalableShapes {
		s, all := mustScalable[F](t, c), mustScalable[F](t, c)
		r := rand.New(rand.NewPCG(3, 0x5eed))
		var keys []uint64
		moving := 0
		for step := range 6000 {
			h := r.Uint64()
			a, b := s.InsertHash(h), all.InsertHash(h)
			all.settle()
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%v: %v, at once %v", s, a, b)
			}
			if a == nil {
				keys = append(keys, h)
			}
			if step%5 == 0 {
				at := r.IntN(len(keys))
				if s.DeleteHash(keys[at]) != true || !all.DeleteHash(keys[at]) {
					t.Fatalf("%v: a key is lost", s)
				}
				keys[at] = keys[len(keys)-1]
				keys = keys[:len(keys)-1]
			}
			if s.moving() {
				moving++
			}
			if !s.moving() && step%97 != 0 {
				continue
			}
			if !s.Equal(all) || !all.Equal(s) || !s.Clone().Equal(all) || s.Stats() != all.Stats() || s.String() != all.String() {
				t.Fatalf("step %d: %#v\nat once\n%#v", step, s, all)
			}
			probes := append(keys[max(0, len(keys)-50):], h, h+1, h<<1)
			dst, want := make([]bool, len(probes)), make([]bool, len(probes))
			s.ContainsHashes(probes, dst)
			all.ContainsHashes(probes, want)
			for k, h := range probes {
				if dst[k] != want[k] || s.ContainsHash(h) != want[k] || all.ContainsHash(h) != want[k] || s.CountHash(h) != all.CountHash(h) || want[k] != (s.CountHash(h) > 0) {
					t.Fatalf("step %d: digest %#x", step, h)
				}
			}
		}
		inSteps := s.config.Kick == KickPolicy(BreadthFirst) && s.config.MaxKicks > 1
		if s.Doublings() == 0 && s.config.MaxDoublings > 1 || (moving > 0) != (inSteps && s.Doublings() > 0) {
			t.Errorf("%v: %d steps while it grew", s, moving)
		}
	}
}

// TestScalable_RefusalChangesNothing brings filters to each of their limits: a refused key leaves the file as it was, and what later
// calls do.
func TestScalable_RefusalChangesNothing(t *testing.T) {
	copies := func(*rand.Rand) uint64 { return 0x123456789abcdef0 }
	random := (*rand.Rand).Uint64
	// Two keys of one bucket, one remainder and one beginning of the tail.
	twins := func(r *rand.Rand) uint64 { return 0x123456789abcdef0 ^ r.Uint64N(2)<<20 }
	for _, c := range []struct {
		name   string
		config ScalableConfig
		next   func(*rand.Rand) uint64
		want   string
		is     error
	}{
		{"copies", ScalableConfig{}, copies, "holds its fingerprint already", ErrFull},
		{"twins", ScalableConfig{Capacity: 1}, twins, "filter is full", ErrFull},
		{"doublings", ScalableConfig{Capacity: 1, MaxDoublings: 2}, random, "beyond MaxDoublings", ErrFull},
		{"rate", ScalableConfig{Capacity: 1, FalsePositiveRate: 0.0004}, random, "FalsePositiveRate", ErrFull},
		{"bytes", ScalableConfig{Capacity: 1, MaxBytes: 3000}, random, "beyond MaxBytes", ErrTooLarge},
		{"walk", ScalableConfig{Capacity: 1, MaxDoublings: 1, Kick: LookAhead}, random, "MaxDoublings", ErrFull},
	} {
		s := mustScalable[fingerprint.Bits16](t, c.config)
		r := rand.New(rand.NewPCG(4, 0x5eed))
		for s.Len() < 70 && c.name == "twins" {
			if err := s.InsertHash(r.Uint64()); err != nil { // so that more than half of the slots are used
				t.Fatal(err)
			}
		}
		var err error
		for range 4000 {
			before, stats := s.Clone(), s.Stats()
			h := c.next(r)
			if err = s.InsertHash(h); err == nil {
				continue
			}
			stats.Refusals++
			if !bytes.Equal(bytesOf(t, before), bytesOf(t, s)) || s.Stats() != stats || s.SizeBytes() != before.SizeBytes() {
				t.Fatalf("%s: %v became %v with %v", c.name, before, s, err)
			}
			if n, err := s.InsertHashes([]uint64{h, 1}); c.config.Kick == nil && (n != 0 || err == nil) {
				t.Fatalf("%s: %d of a batch: %v", c.name, n, err)
			}
			for range 50 {
				h := r.Uint64()
				if c.config.Kick == nil && fmt.Sprint(before.InsertHash(h)) != fmt.Sprint(s.InsertHash(h)) {
					t.Fatalf("%s: %v goes on otherwise", c.name, s)
				}
			}
			if c.config.Kick == nil && !before.Equal(s) {
				t.Fatalf("%s: %v went on otherwise", c.name, s)
			}
			break
		}
		if !errors.Is(err, ErrFull) || !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, %v, want %q", c.name, s, err, c.want)
		}
	}
}

// TestScalable_CopiesDoNotGrowIt gives one key again and again: at a low load and at a high one, the copy after 2b is refused, and
// the table stays.
func TestScalable_CopiesDoNotGrowIt(t *testing.T) {
	for _, n := range []int{0, 100, 119} {
		s := grown[fingerprint.Bits16](t, ScalableConfig{Capacity: 1}, 5, n)
		h := uint64(0x55aa55aa55aa55aa)
		stored := 0
		for s.InsertHash(h) == nil {
			stored++
		}
		if stored > 8 || s.CountHash(h) != stored || s.Doublings() > 1 || n == 0 && s.Doublings() > 0 {
			t.Errorf("%d keys and %d copies: %v", n, stored, s)
		}
		for range stored {
			if !s.DeleteHash(h) {
				t.Fatal("a copy is lost")
			}
		}
		if s.Len() != n {
			t.Errorf("Len %d, want %d", s.Len(), n)
		}
	}
}

// TestScalable_LimitOfTheDigest asks for doublings at the largest table that there can be, which no test can make.
func TestScalable_LimitOfTheDigest(t *testing.T) {
	s := mustScalable[fingerprint.Bits32](t, ScalableConfig{})
	s.place.shift = 63 - maxLog
	if err := s.mayDouble(); err != errLargest || !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "2^32 buckets") {
		t.Errorf("at 2^32 buckets: %v", err)
	}
	if used := maxLog + tailBits(fingerprint.MaxWidth) + remainderBits; used > 64 {
		t.Errorf("%d bits of a digest of 64", used)
	}
	// A bit more of the bucket changes the lane by that bit, down to the lowest one of the longest tail.
	p := sides{shift: 63 - maxLog}
	tail := tailBits(fingerprint.MaxWidth)
	if a, b := p.lane(0, tail), p.lane(1<<(64-maxLog-tail), tail); a^b != 2 {
		t.Errorf("lanes %#x and %#x", a, b)
	}
}

// TestSides_AreAnInvolution takes lanes of random digests from one bucket to the other and back, for all sizes of a side and widths.
func TestSides_AreAnInvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0x5eed))
	for k := uint(minLog); k <= maxLog; k++ {
		p := sidesOf(2 << k)
		if p.log() != k {
			t.Fatalf("a side of 2^%d buckets has log %d", k, p.log())
		}
		for width := uint(minTailWidth); width <= fingerprint.MaxWidth; width++ {
			tail := tailBits(width)
			for range 50 {
				h := r.Uint64()
				i, j := p.pair(h)
				lane := p.lane(h, tail)
				if i>>k != 0 || j>>k != 1 || i != h>>(64-k) || p.alternate(i, lane, tail) != j || p.alternate(j, lane, tail) != i {
					t.Fatalf("2^%d buckets, f=%d: digest %#x in %#x and %#x", k, width, h, i, j)
				}
				if lane>>width != 0 || lane&1 == 0 || lane>>(tail+1) != h&remainderMask || lane>>1&(1<<tail-1) != h<<k>>(64-tail) {
					t.Fatalf("2^%d buckets, f=%d: digest %#x is lane %#x", k, width, h, lane)
				}
				if k == maxLog {
					continue
				}
				// What the larger table has of the digest is what splits off the smaller one's.
				next := sidesOf(4 << k)
				a, b := next.pair(h)
				for _, at := range [][2]uint64{{i, a}, {j, b}} {
					half, both, moved := next.half(at[0], lane, tail)
					if tail > 0 && both == 0 && (2*at[0]+half != at[1] || moved != next.lane(h, tail)&^(2<<1-1)|2 && tail > 1) {
						t.Fatalf("2^%d buckets, f=%d: digest %#x goes to %#x as %#x, want %#x as a prefix of %#x", k, width, h, 2*at[0]+half, moved, at[1], next.lane(h, tail))
					}
					to, folded := next.fold(at[1], moved, tail, 1)
					if to != at[0] || folded != lane {
						t.Fatalf("2^%d buckets, f=%d: lane %#x became %#x and %#x again", k, width, lane, moved, folded)
					}
				}
			}
		}
	}
}

// TestScalable_KeysOfEveryForm holds digests, bytes and strings of a key to be the same key.
func TestScalable_KeysOfEveryForm(t *testing.T) {
	s := mustScalable[fingerprint.Bits12](t, ScalableConfig{Hash: hashing.Metro64(9)})
	for _, key := range []string{"", "a", strings.Repeat("x", 999)} {
		err := errors.Join(s.Insert([]byte(key)), s.InsertString(key), s.InsertHash(hashing.Metro64(9).Sum64String(key)))
		if err != nil || s.Count([]byte(key)) != 3 || s.CountString(key) != 3 || !s.Contains([]byte(key)) || !s.ContainsString(key) {
			t.Errorf("%q: %d copies, %v", key, s.CountString(key), err)
		}
		if ok, err := s.InsertUnique([]byte(key)); ok || err != nil {
			t.Errorf("%q was added again: %v", key, err)
		}
		if ok, err := s.InsertUniqueString(key); ok || err != nil {
			t.Errorf("%q was added again: %v", key, err)
		}
		if !s.Delete([]byte(key)) || !s.DeleteString(key) || s.CountString(key) != 1 {
			t.Errorf("%q: %d copies after two deletes", key, s.CountString(key))
		}
	}
	if ok, err := s.InsertUniqueString("new"); !ok || err != nil {
		t.Error(ok, err)
	}
	if s.DeleteHashes([]uint64{1, hashing.Metro64(9).Sum64String("new")}) != 1 {
		t.Error("DeleteHashes")
	}
}

// TestScalable_AllocsZero calls every verb of a filter that does not grow.
func TestScalable_AllocsZero(t *testing.T) {
	s := grown[fingerprint.Bits12](t, ScalableConfig{MaxDoublings: 2}, 6, 5000)
	s.settle()
	var hs [200]uint64
	var dst [200]bool
	n := uint64(0)
	got := testing.AllocsPerRun(200, func() {
		n++
		var key [16]byte
		key[0], key[9] = byte(n), byte(n>>8)
		text := "a string of 32 bytes on a stack."[n%8:]
		for i := range hs {
			hs[i] = hashing.Mix64(n + uint64(i)<<32)
		}
		_ = s.Insert(key[:])
		_ = s.InsertString(text)
		_, _ = s.InsertUnique(key[:])
		_, _ = s.InsertUniqueString(text)
		_, _ = s.InsertHashes(hs[:])
		_, _ = s.InsertUniqueHashes(hs[:], dst[:])
		s.ContainsHashes(hs[:], dst[:])
		_ = s.Contains(key[:]) || s.ContainsString(text) || s.Count(key[:])+s.CountString(text) > 0
		_ = s.Delete(key[:]) || s.DeleteString(text) || s.DeleteHashes(hs[:2]) > 0
		_ = s.FalsePositiveRate() + s.LoadFactor() + float64(s.SizeBytes()) + float64(s.Stats().Kicks)
	})
	if got != 0 {
		t.Errorf("%v allocations in a call of every verb", got)
	}
}

// TestSides_SplitIsTheSame splits buckets of every width, one by one and together, and compares with single lanes.
func TestSides_SplitIsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0x5eed))
	for width := uint(minTailWidth); width <= fingerprint.MaxWidth; width++ {
		for _, b := range []int{4, 8} {
			tail := tailBits(width)
			c := ScalableConfig{FingerprintBits: int(width), BucketSize: b}
			from := c.newSides(minLog)
			for bucket := range from.Buckets() {
				for lane := range from.Lanes() {
					if end := r.UintN(tail + 2); end <= tail {
						from.Set(bucket, lane, r.Uint64N(1<<width)>>end<<end|1<<end)
					}
				}
			}
			to, all, want := c.newSides(minLog+1), c.newSides(minLog+1), c.newSides(minLog+1)
			p := sidesOf(to.Buckets())
			for bucket := range from.Buckets() {
				p.split(&to, &from, bucket, bucket+1, tail)
				for lane := range from.Lanes() {
					if x := from.Get(bucket, lane); x != 0 {
						half, both, moved := p.half(bucket, x, tail)
						for n := range 1 + both {
							want.Set(2*bucket+half^n, lane, moved)
						}
					}
				}
			}
			p.split(&all, &from, 0, from.Buckets(), tail)
			if !bytes.Equal(to.Data(), want.Data()) || !bytes.Equal(all.Data(), want.Data()) {
				t.Errorf("f=%d b=%d: another table", width, b)
			}
		}
	}
}

// TestScalable_ReadersInParallel queries a filter that is growing from several goroutines; the race detector watches.
func TestScalable_ReadersInParallel(t *testing.T) {
	s := grown[fingerprint.Bits12](t, ScalableConfig{}, 7, 7874)
	for n := uint64(0); !s.moving(); n++ {
		if err := s.InsertHash(hashing.Mix64(n)); err != nil {
			t.Fatal(err)
		}
	}
	keys := s.Len()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(7, 0x5eed))
			var dst [1]bool
			for range 7874 {
				h := r.Uint64()
				s.ContainsHashes([]uint64{h}, dst[:])
				if !dst[0] || !s.ContainsHash(h) || s.CountHash(h) < 1 {
					t.Errorf("digest %#x is lost", h)
				}
			}
			if s.Len() != keys || s.FalsePositiveRate() <= 0 || !s.Clone().Equal(s) || len(bytesOf(t, s)) == 0 {
				t.Errorf("%v", s)
			}
		})
	}
	wg.Wait()
}
