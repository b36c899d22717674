package cuckoo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// measureRate builds filters of random keys and returns the mean measured rate, the mean predicted
// rate and the standard error of the former: the binomial error of the probes and, from the spread
// between the builds, that of the keys.
func measureRate(t *testing.T, width uint, c Config, n, builds, probes int) (measured, predicted, deviation float64) {
	t.Helper()
	var sum, squares float64
	for build := range builds {
		r := rand.New(rand.NewPCG(uint64(build), uint64(width)))
		f := mustNew(t, width, c)
		for f.Len() < n {
			if err := f.InsertHash(r.Uint64()); err != nil {
				t.Fatalf("%v: %v", f, err)
			}
		}
		positive := 0
		for range probes {
			if f.ContainsHash(r.Uint64()) {
				positive++
			}
		}
		rate := float64(positive) / float64(probes)
		sum += rate
		squares += rate * rate
		predicted += f.FalsePositiveRate() / float64(builds)
	}
	measured = sum / float64(builds)
	between := (squares - sum*measured) / float64(builds-1)
	binomial := predicted * (1 - predicted) / float64(probes)
	return measured, predicted, math.Sqrt(max(between, binomial) / float64(builds))
}

// TestFPR_WithinBinomialBound holds the predicted rate against the mean of 24 builds or more, within
// 4.5 standard errors: with Student's distribution of 23 degrees of freedom, one false alarm in
// some 6,000 cases. The seeds are fixed, so an alarm is not by chance.
func TestFPR_WithinBinomialBound(t *testing.T) {
	for _, c := range []struct {
		width         uint
		b, buckets, n int
	}{
		{9, -4, 1 << 10, 3900}, {13, -4, 1 << 11, 7700}, // semi-sorted
		{4, 4, 1 << 10, 1 << 11}, {4, 4, 1000, 3600}, {8, 4, 1 << 10, 3900}, {8, 1, 4096, 1200}, {8, 2, 2048, 3400},
		{8, 8, 512, 3900}, {12, 4, 1 << 11, 7700}, {12, 8, 1 << 10, 7900}, {3, 2, 400, 200}, {1, 4, 1000, 200},
		{8, 4, 1, 4}, {6, 4, 8, 12}, {5, 8, 5, 20}, {13, 4, 1 << 12, 15000},
		{8, 4, 3 << 13, 94_000},
	} {
		if testing.Short() && c.n > 2000 {
			continue
		}
		for p := range Placement(placements) {
			if p == PlainXOR || p.powerOfTwo() && c.buckets&(c.buckets-1) != 0 {
				continue
			}
			cfg := Config{Buckets: c.buckets, BucketSize: max(c.b, -c.b), Placement: p}
			if c.b < 0 {
				cfg.Layout = SemiSorted
			}
			builds, probes := 24, 20_000
			if c.n < 50 { // small tables differ much from one another
				builds, probes = 1500, 1000
			}
			measured, predicted, deviation := measureRate(t, c.width, cfg, c.n, builds, probes)
			if math.Abs(measured-predicted) > 4.5*deviation {
				t.Errorf("f=%d %v n=%d: measured %.6f, predicted %.6f, %.1f standard errors apart",
					c.width, cfg, c.n, measured, predicted, (measured-predicted)/deviation)
			}
		}
	}
}

// TestFPR_PairedWithinBinomialBound does the same where slots are paired: the rate is 4*alpha/(2^f-1), as near as that is small.
func TestFPR_PairedWithinBinomialBound(t *testing.T) {
	for _, c := range []struct {
		width         uint
		b, buckets, n int
	}{
		{5, 4, 1 << 9, 1800}, {8, 4, 1 << 9, 1900}, {8, 8, 1 << 8, 1900}, {4, 4, 500, 1000}, {12, 4, 1 << 11, 7500}, {11, 4, 2000, 7500},
		{11, 8, 1 << 10, 7700}, {9, 8, 1 << 9, 3900}, {20, 4, 1 << 8, 960}, {8, 4, 1, 2}, {6, 4, 8, 12}, {5, 8, 5, 12}, {10, 4, 3 << 13, 92_000},
	} {
		if testing.Short() && c.n > 2000 {
			continue
		}
		for _, p := range []Placement{Additive, XOR} {
			if p.powerOfTwo() && c.buckets&(c.buckets-1) != 0 {
				continue
			}
			cfg := Config{Buckets: c.buckets, BucketSize: c.b, Placement: p, Layout: PairedSlots}
			builds, probes := 24, 20_000
			if c.n < 50 {
				builds, probes = 1500, 1000
			}
			measured, predicted, deviation := measureRate(t, c.width, cfg, c.n, builds, probes)
			if math.Abs(measured-predicted) > 4.5*deviation {
				t.Errorf("f=%d %v n=%d: measured %.6f, predicted %.6f, %.1f standard errors apart",
					c.width, cfg, c.n, measured, predicted, (measured-predicted)/deviation)
			}
			load := float64(c.n) / float64(c.buckets*c.b)
			if law := 4 * load / (math.Ldexp(1, int(c.width)) - 1); law < .01 && c.buckets > 100 && math.Abs(predicted/law-1) > .01 {
				t.Errorf("f=%d %v n=%d: predicted %.6f, the law says %.6f", c.width, cfg, c.n, predicted, law)
			}
		}
	}
}

// TestFPR_PaperBoundIsAbove holds the prediction for a full table below the paper's bound with the
// reserved value taken into account.
func TestFPR_PaperBoundIsAbove(t *testing.T) {
	for width := 2; width <= 32; width++ {
		for _, b := range []int{1, 2, 4, 8} {
			got := Config{BucketSize: b, Buckets: 1 << 20, FingerprintBits: width}.PredictRate(b << 20)
			bound := 2 * float64(b) / (math.Ldexp(1, width) - 1)
			if got > bound || got < .9*bound && bound < .1 {
				t.Errorf("f=%d b=%d: predicted %.3g at full load, the bound is %.3g", width, b, got, bound)
			}
		}
	}
}

func TestPredictRate_Ends(t *testing.T) {
	for _, c := range []struct{ b, buckets, n int }{{4, 100, 0}, {4, 100, -1}, {4, 0, 10}, {0, 100, 10}, {4, -1, 10}} {
		if got := (Config{BucketSize: c.b, Buckets: c.buckets, FingerprintBits: 12}).PredictRate(c.n); got != 0 {
			t.Errorf("PredictRate(%d, %d, %d) = %v, want 0", c.b, c.buckets, c.n, got)
		}
	}
	// The three numbers of a table of 4-bit fingerprints at half load: measured .2341.
	if got := (Config{BucketSize: 4, Buckets: 1 << 20, FingerprintBits: 4}).PredictRate(1 << 21); math.Abs(got-.2341) > .0001 {
		t.Errorf("f=4 b=4 load .5: %.4f, want .2341", got)
	}
}
