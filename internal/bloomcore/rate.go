package bloomcore

import "math"

// A Model predicts the false-positive rate of m cells after n distinct keys of k positions each.
type Model func(m uint64, k, n int) float64

// digestCollision is the probability that a new key has the digest of one of n keys.
func digestCollision(n int) float64 { return float64(n) / (1 << 64) }

// Rate is the [Model] of independent positions: the mean over all tables of the k-th power of the fill. The textbook's
// (1-exp(-kn/m))^k is the power of the mean, which is smaller: by 1% at m = 1000, k = 7, n = 100 and by a quarter at m
// = 130, k = 15, n = 6 (Bose et al., "On the false-positive rate of Bloom filters", 2008).
//
// Up to fewThrows positions it is exact; from there on see moment.
func Rate(m uint64, k, n int) float64 {
	rate := 0.0
	if n <= fewThrows/k {
		rate = exactMoment(float64(m), k, k*n)
	} else {
		rate = moment(float64(m), float64(k), float64(k)*float64(n))
	}
	return min(1, rate+digestCollision(n))
}

// fewThrows is the number of throws up to which exactMoment takes less than 30 microseconds.
const fewThrows = 192

// exactMoment is the mean of the k-th power of the fill of m cells after the given number of throws, at most fewThrows,
// from the distribution of the number of nonzero cells.
func exactMoment(m float64, k, throws int) float64 {
	var p [fewThrows + 1]float64 // p[x]: x cells are nonzero
	p[0] = 1
	for t := range throws {
		for x := t + 1; x > 0; x-- {
			again, fresh := float64(x)/m, max(0, m-float64(x-1))/m
			p[x] = float64(p[x]*again) + float64(p[x-1]*fresh)
		}
		p[0] = 0
	}
	mean := 0.0
	for x, px := range p[:throws+1] {
		mean += float64(px * math.Pow(float64(x)/m, float64(k)))
	}
	return mean
}

// BlockedRate is the [Model] of blocks of 512 bits: the [Rate] of a block, averaged over the number of keys that share
// the block of a query. Putze, Sanders and Singler ("Cache-, hash- and space-efficient Bloom filters", WEA 2007,
// section 3) take the Poisson distribution for that number; here it is the binomial one, which also holds for few
// blocks.
func BlockedRate(m uint64, k, n int) float64 {
	blocks := float64(m / BlockBits)
	if n == 0 || blocks < 1 {
		return float64(min(n, 1))
	}
	if float64(n)*float64(k) > 64*BlockBits*blocks {
		return 1 // every bit is set but for one in exp(64); it also keeps the sums below short
	}
	block := func(keys float64) float64 { return moment(BlockBits, float64(k), float64(k)*keys) }
	if blocks == 1 {
		return Rate(BlockBits, k, n)
	}
	return min(1, mixture(float64(n), blocks, block)+digestCollision(n))
}

// mixture is the mean of rate over the number of those of n keys that fall into one of the blocks, which is binomial.
func mixture(n, blocks float64, rate func(keys float64) float64) float64 {
	if blocks == 1 {
		return rate(n)
	}
	odds, mode := 1/(blocks-1), math.Floor((n+1)/blocks)
	peak := binomialAt(n, mode, 1/blocks)
	sum := peak * rate(mode)
	// The terms left out are below 1e-18 of the peak, 10^4 of them at most.
	for p, j := peak, mode; p > peak*1e-18 && j < n; {
		p *= (n - j) / (j + 1) * odds
		j++
		sum += float64(p * rate(j))
	}
	for p, j := peak, mode; p > peak*1e-18 && j > 0; {
		p *= j / ((n - j + 1) * odds)
		j--
		sum += float64(p * rate(j))
	}
	return sum
}

// binomialAt is the probability of j successes in n trials of probability p in (0, 1).
func binomialAt(n, j, p float64) float64 {
	if j == 0 {
		return math.Exp(n * math.Log1p(-p))
	}
	if n > 1<<20 {
		return loader(n, j, p) // the logarithms of the factorials would cancel to nothing
	}
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(j + 1)
	c, _ := math.Lgamma(n - j + 1)
	return math.Exp(a - b - c + j*math.Log(p) + (n-j)*math.Log1p(-p))
}

// loader is the saddle-point form of the binomial probability (Loader, "Fast and accurate computation of binomial
// probabilities", 2000) for 0 < j < n.
func loader(n, j, p float64) float64 {
	e := stirlingError(n) - stirlingError(j) - stirlingError(n-j) - deviance(j, n*p) - deviance(n-j, n*(1-p))
	return math.Exp(e) * math.Sqrt(n/(2*math.Pi*j*(n-j)))
}

// stirlingError is log(n!) less Stirling's approximation of it.
func stirlingError(n float64) float64 {
	if n < 16 {
		g, _ := math.Lgamma(n + 1)
		return g - (n+.5)*math.Log(n) + n - .5*math.Log(2*math.Pi)
	}
	return (1./12 - (1./360-1./1260/(n*n))/(n*n)) / n
}

// deviance is x*log(x/mean) + mean - x, by its series where the two are close.
func deviance(x, mean float64) float64 {
	d := x - mean
	if math.Abs(d) > .01*mean {
		return x*math.Log(x/mean) - d
	}
	u := d / mean // (1+u)log(1+u) - u = u^2/2 - u^3/6 + u^4/12 - u^5/20 + ...
	return mean * u * u * (1./2 - u*(1./6-u*(1./12-u*(1./20-u/30))))
}

// moment is the mean of the k-th power of the fill of m cells after the given number of throws. Mean and variance of
// the fill are exact; higher moments are those of the beta distribution with that mean and variance. Sizes are decided
// by it, so its products are converted to float64, which bars the compiler from fusing them with a sum.
func moment(m, k, throws float64) float64 {
	if throws == 0 || m == 1 {
		return min(1, throws)
	}
	empty := math.Exp(throws * math.Log1p(-1/m))
	fill := -math.Expm1(throws * math.Log1p(-1/m))
	both := math.Exp(throws * math.Log1p(-2/m)) // two given cells are empty
	variance := max(0, float64((1-1/m)*both)+empty/m-float64(empty*empty))
	if variance == 0 || fill == 1 { // beyond 37 throws a cell a float64 has no number below 1 for the fill
		return math.Pow(fill, k)
	}
	weight := fill*(1-fill)/variance - 1
	rate := 1.0
	for i := 0.0; i < k; i++ {
		rate *= (float64(fill*weight) + i) / (weight + i)
	}
	return rate
}
