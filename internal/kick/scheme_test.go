package kick

import (
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

var ruleNames = map[Rule]string{Additive: "additive", XOR: "xor", PlainXOR: "plain xor"}

// native are the rules that a filter of ours may have.
var native = func() (all []Rule) {
	for rule := range Rule(rules) {
		all = append(all, rule)
	}
	return all
}()

// fits tells whether a rule works with m buckets.
func fits(rule Rule, m uint64) bool { return rule == Additive || m&(m-1) == 0 }

// checkInvolution holds the alternate bucket of every given fingerprint in bucket i to lead back.
func checkInvolution(t *testing.T, rule Rule, s *Scheme, i, fp uint64) {
	t.Helper()
	j := s.Alternate(i, fp)
	if j >= s.Buckets {
		t.Fatalf("%s, m = %d: alternate of bucket %d, fingerprint %d is %d", ruleNames[rule], s.Buckets, i, fp, j)
	}
	if back := s.Alternate(j, fp); back != i {
		t.Fatalf("%s, m = %d: bucket %d, fingerprint %d: alternate %d leads back to %d",
			ruleNames[rule], s.Buckets, i, fp, j, back)
	}
}

// TestPlacement_IsInvolution tries every bucket and fingerprint of small tables, and random ones of
// tables up to the largest.
func TestPlacement_IsInvolution(t *testing.T) {
	for _, rule := range native {
		for m := uint64(1); m <= 66; m++ {
			if !fits(rule, m) {
				continue
			}
			s := NewScheme(rule, m)
			for i := range m {
				for fp := uint64(1); fp < 256; fp++ {
					checkInvolution(t, rule, &s, i, fp)
				}
			}
		}
		r := rand.New(rand.NewPCG(uint64(rule), 0x5eed))
		for range 20_000 {
			m := r.Uint64N(fingerprint.MaxBuckets) >> r.UintN(32)
			m = max(m, 1)
			if r.IntN(8) == 0 {
				m = fingerprint.MaxBuckets - r.Uint64N(3)
			}
			if !fits(rule, m) {
				m = 1 << r.UintN(33)
			}
			s := NewScheme(rule, m)
			for _, i := range []uint64{0, m - 1, r.Uint64N(m)} {
				for _, fp := range []uint64{1, 1<<32 - 1, 1 + r.Uint64N(1<<(1+r.UintN(32))-1)} {
					checkInvolution(t, rule, &s, i, fp)
				}
			}
		}
	}
}

// TestAdditive_IsTheFormula holds the rule to docs/FORMAT.md, with remainders and powers of two, around the number of
// buckets from which sums are masked.
func TestAdditive_IsTheFormula(t *testing.T) {
	for _, m := range []uint64{1, 2, 61, 4095, 4096, 4097, 8191, 8192, 1<<32 - 1, 1 << 32} {
		s := NewScheme(Additive, m)
		for n := range uint64(1000) {
			fp, i := n*n*n+1, n*0x9e3779b97f4a7c15%m
			g := fp * 0x9e3779b97f4a7c15
			g ^= g / (1 << 32)
			c := g % (1 << 32) * m / (1 << 32)
			if m >= 4096 {
				power := uint64(4096)
				for 2*power <= m {
					power *= 2
				}
				c = g % power
			}
			if got, want := s.Alternate(i, fp), (c+m-i)%m; got != want {
				t.Fatalf("m = %d: alternate of %d and %d: %d, want %d", m, i, fp, got, want)
			}
		}
	}
}

// TestPair_AgreesWithAlternate holds the inlined form of the verbs to the form of the kicks.
func TestPair_AgreesWithAlternate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0x5eed))
	for _, rule := range native {
		for range 20_000 {
			m := uint64(1) << r.UintN(33)
			if fits(rule, 3) {
				m = 1 + r.Uint64N(m)
			}
			s := NewScheme(rule, m)
			h := r.Uint64()
			fp := fingerprint.Of(h, 1+r.UintN(32))
			i, j := s.Pair(h, fp)
			if i != fingerprint.Bucket(h, m) || j != s.Alternate(i, fp) {
				t.Fatalf("%s, m = %d: Pair(%#x, %d) = %d, %d, want %d, %d", ruleNames[rule], m, h, fp,
					i, j, fingerprint.Bucket(h, m), s.Alternate(i, fp))
			}
		}
	}
}

// TestPlainXOR_IsTheFingerprintItself pins what the placement is kept for.
func TestPlainXOR_IsTheFingerprintItself(t *testing.T) {
	s := NewScheme(PlainXOR, 1<<10)
	for fp := uint64(1); fp < 5000; fp++ {
		if got, want := s.Alternate(700, fp), 700^fp&1023; got != want {
			t.Fatalf("fingerprint %d: alternate %d, want %d", fp, got, want)
		}
	}
}

// TestAlternate_Spreads holds the alternates of one bucket to be spread evenly: over the
// fingerprints of 16 bits, no 64th of the table gets more than its share by 6.1 deviations of a
// binomial variable, one false alarm in 10^9 a cell.
func TestAlternate_Spreads(t *testing.T) {
	const cells, fps = 64, 1<<16 - 1
	for _, rule := range []Rule{Additive, XOR} {
		s := NewScheme(rule, 1<<20)
		var count [cells]int
		for fp := uint64(1); fp <= fps; fp++ {
			count[s.Alternate(12345, fp)*cells>>20]++
		}
		const mean = float64(fps) / cells
		for c, n := range count {
			if d := float64(n) - mean; d*d > 6.1*6.1*mean {
				t.Errorf("%s: cell %d has %d alternates, want about %.0f", ruleNames[rule], c, n, mean)
			}
		}
	}
}
