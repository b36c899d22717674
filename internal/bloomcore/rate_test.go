package bloomcore

import (
	"math"
	"testing"
)

// exactRates returns the mean of the k-th power of the fill of m cells after 0..most keys, from the
// whole distribution of the number of nonzero cells.
func exactRates(m uint64, k, most int) []float64 {
	p, powers := make([]float64, m+1), make([]float64, m+1) // p[x]: x cells are nonzero
	for x := range powers {
		powers[x] = math.Pow(float64(x)/float64(m), float64(k))
	}
	p[0] = 1
	rates := make([]float64, most+1)
	for n := range rates {
		for x, px := range p {
			rates[n] += px * powers[x]
		}
		for range k {
			for x := m; x > 0; x-- {
				p[x] = p[x]*float64(x)/float64(m) + p[x-1]*float64(m-x+1)/float64(m)
			}
			p[0] = 0
		}
	}
	return rates
}

// TestRate_AgainstExact holds the formula against the exact mean: tables of 1 to 512 cells: 0.4% at the best number of positions and at half of it, 5% at twice
// the best, for all rates that are not out of reach anyway.
func TestRate_AgainstExact(t *testing.T) {
	check := func(m uint64, k, n int, tolerance float64) {
		got, want := Rate(m, k, n), min(1, exactRates(m, k, n)[n]+digestCollision(n))
		off := math.Abs(got/want - 1)
		if off > tolerance && want > 1e-12 {
			t.Errorf("m=%d k=%d n=%d: %.6g, exactly %.6g: off by %.2g", m, k, n, got, want, off)
		}
	}
	sizes := []uint64{200, 512}
	for m := uint64(1); m <= 130; m += 1 + m/20 {
		sizes = append(sizes, m)
	}
	for _, m := range sizes {
		for n := 1; n <= 2*int(m); n += 1 + n/3 {
			best, _ := Classic.BestHashes(m, n)
			check(m, best, n, .004)
			check(m, (best+1)/2, n, .004)
			check(m, min(2*best, MaxHashes), n, .05)
		}
	}
}

// TestBlockedRate_AgainstExact holds the mixture against the sum over every number of keys in the
// block, each with its exact rate: 0.4% for all rates that are not out of reach anyway.
func TestBlockedRate_AgainstExact(t *testing.T) {
	for _, k := range []int{1, 4, 7, 12, 20} {
		rates := exactRates(BlockBits, k, 400)
		for _, blocks := range []float64{1, 2, 3, 50, 20000} {
			for _, load := range []float64{2, 20, 44, 100} { // keys a block
				n := blocks * load
				want := rates[int(load)]
				if blocks > 1 {
					want = 0
					for j := range int(min(n, 400)) + 1 {
						want += binomialExact(n, float64(j), 1/blocks) * rates[j]
					}
				}
				want += digestCollision(int(n))
				got := BlockedRate(uint64(blocks)*BlockBits, k, int(n))
				if math.Abs(got/want-1) > .004 && want > 1e-12 {
					t.Errorf("k=%d, %v blocks of %v keys: %.6g, exactly %.6g: off by %.2g", k, blocks, load, got, want, got/want-1)
				}
			}
		}
	}
}

// binomialExact multiplies the probability out, factor by factor.
func binomialExact(n, j, p float64) float64 {
	logs := 0.0
	for i := 0.0; i < j; i++ {
		logs += math.Log((n - i) / (i + 1))
	}
	return math.Exp(logs + j*math.Log(p) + (n-j)*math.Log1p(-p))
}

// TestBinomialAt_LargeN compares both ways of computing the probability, where both are good, and
// holds the saddle-point form to its limit, the Poisson probability, where only it is.
func TestBinomialAt_LargeN(t *testing.T) {
	for _, n := range []float64{1000, 1 << 20} {
		for _, j := range []float64{1, 2, 17, 40, 100, 400} {
			want := binomialExact(n, j, 40/n)
			for name, got := range map[string]float64{"lgamma": binomialAt(n, j, 40/n), "saddle point": loader(n, j, 40/n)} {
				if math.Abs(got/want-1) > 1e-7 {
					t.Errorf("%s: n=%v j=%v: %v, want %v", name, n, j, got, want)
				}
			}
		}
	}
	logs, _ := math.Lgamma(41)
	poisson := math.Exp(40*math.Log(40) - 40 - logs)
	if got := binomialAt(1e15, 40, 40/1e15); math.Abs(got/poisson-1) > 1e-9 {
		t.Errorf("n=1e15: %v, want %v", got, poisson)
	}
}

func TestRate_Edges(t *testing.T) {
	for _, c := range []struct {
		m    uint64
		k, n int
		want float64
	}{
		{1, 1, 0, 0}, {1, 1, 1, 1}, {1, 64, 1 << 30, 1}, {2, 1, 1, .5}, {2, 2, 1, .625},
		{1 << 40, 7, 0, 0}, {512, 8, 1 << 30, 1}, {1 << 62, 64, 1, digestCollision(1)},
	} {
		if got := Rate(c.m, c.k, c.n); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("Rate(%d, %d, %d) = %v, want %v", c.m, c.k, c.n, got, c.want)
		}
		if c.m < BlockBits {
			continue
		}
		if got := BlockedRate(c.m, c.k, c.n); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("BlockedRate(%d, %d, %d) = %v, want %v", c.m, c.k, c.n, got, c.want)
		}
	}
}
