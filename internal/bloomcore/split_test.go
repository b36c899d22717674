package bloomcore

import (
	"math"
	"math/big"
	"testing"
)

// splitExact multiplies the eighth power out: the mean of (1-q^j)^8 over a binomial j is the sum of
// the eight alternating terms C(8,i) (1-(1-q^i)/blocks)^n, with q = 31/32. They cancel, so it
// calculates with 300 bits.
func splitExact(blocks uint64, n int) float64 {
	const precision = 300
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	sum, q := number(0), number(1)
	for i := range int64(SplitLanes + 1) {
		base := new(big.Float).Sub(number(1), q)
		base.Quo(base, number(float64(blocks))).Sub(number(1), base)
		term := number(1)
		for e := n; e > 0; e /= 2 {
			if e%2 == 1 {
				term.Mul(term, base)
			}
			base.Mul(base, base)
		}
		term.Mul(term, new(big.Float).SetInt(new(big.Int).Binomial(SplitLanes, i)))
		if i%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
		q.Mul(q, number(31./32))
	}
	rate, _ := sum.Float64()
	return rate
}

// TestSplitRate_AgainstExact holds the sum over the number of keys in a block against the other way
// to calculate the same law, over all rates and to the precision of the binomial probabilities.
func TestSplitRate_AgainstExact(t *testing.T) {
	for _, blocks := range []uint64{1, 2, 3, 100, 54_321, 1 << 20, 1 << 32} {
		for _, load := range []float64{.001, .1, 1, 8, 24, 100, 1000} { // keys a block
			keys := load * float64(blocks)
			if keys < 1 || keys > math.MaxInt {
				continue
			}
			n := int(keys)
			want := min(1, splitExact(blocks, n)+float64(n)/float64(blocks)/(1<<32))
			if got := SplitRate(blocks*SplitBits, SplitLanes, n); math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%d blocks, %d keys: %.12g, exactly %.12g", blocks, n, got, want)
			}
		}
	}
}

func TestSplitRate_Edges(t *testing.T) {
	for _, c := range []struct {
		m    uint64
		n    int
		want float64
	}{
		{256, 0, 0}, {0, 0, 0}, {0, 1, 1}, {255, 5, 1}, {256, 1 << 30, 1}, {1 << 40, 0, 0},
		{256, 1, math.Pow(32, -8) + math.Pow(2, -32)},
	} {
		if got := SplitRate(c.m, SplitLanes, c.n); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("SplitRate(%d, %d) = %v, want %v", c.m, c.n, got, c.want)
		}
	}
}
