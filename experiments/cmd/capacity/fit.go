package main

import "math"

// tail is the lower tail of a simulated first refusal.
type tail struct {
	trials int
	within []int // within[n] trials were refused within n keys
	// Below anchor, where fewer than anchorCount trials were refused, probabilities follow a
	// straight line in n on a logarithmic scale.
	anchor   int
	log      float64 // logarithm of the upper limit of the probability at anchor
	gradient float64 // per key
	// power, if not 0, says that probabilities fall at least as n to this power below anchor, too.
	power float64
}

const (
	// anchorCount trials fix a probability to 18%, one standard deviation.
	anchorCount = 30
	// gradientSpan is the ratio of the two probabilities that the gradient is taken from.
	gradientSpan = 20
	// gradientShare of the measured gradient is used: two standard deviations less, about.
	gradientShare = 0.85
)

// newTail turns the counts of firstRefusals into a tail.
//
// The logarithm of the probability falls ever faster as n falls (the part of it that one or two
// crowded buckets make is computed and not simulated), so that the straight line is above it.
func newTail(ended []int, trials int) tail {
	t := tail{trials: trials, within: make([]int, len(ended)+1)}
	for stored, count := range ended {
		t.within[stored+1] = t.within[stored] + count
	}
	high := 0
	for n, count := range t.within {
		if count >= anchorCount && t.anchor == 0 {
			t.anchor = n
		}
		if count >= anchorCount*gradientSpan && high == 0 {
			high = n
		}
	}
	t.log = math.Log(t.upper(t.anchor))
	if high > t.anchor {
		ratio := float64(t.within[high]) / float64(t.within[t.anchor])
		t.gradient = gradientShare * math.Log(ratio) / float64(high-t.anchor)
	}
	return t
}

// upper returns the count at n as a probability, three standard deviations more.
func (t *tail) upper(n int) float64 {
	count := float64(t.within[n])
	return min(1, (count+3*math.Sqrt(count))/float64(t.trials))
}

// probability returns an upper limit of the probability of a refusal within n keys.
func (t *tail) probability(n int) float64 {
	switch {
	case n >= len(t.within):
		return 1
	case n >= t.anchor:
		return t.upper(n)
	}
	fall := t.gradient * float64(t.anchor-n)
	if t.power != 0 {
		fall = max(fall, t.power*math.Log(float64(t.anchor)/float64(max(n, 1))))
	}
	return math.Exp(t.log - fall)
}

// largest returns the largest n in low..high for which ok, which must be true of low and of all
// numbers below one that it is true of.
func largest(low, high int, ok func(n int) bool) int {
	for low < high {
		if mid := low + (high-low+1)/2; ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
