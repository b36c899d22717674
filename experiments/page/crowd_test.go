package page

import (
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/trace"
)

// What was measured of a whole fill is what the formulas say, within four standard deviations and what differs from
// table to table.
func TestCrowd_MeasuredIsPredicted(t *testing.T) {
	for _, link := range []string{"b=4&f=8", "b=8&f=6&place=xor", "b=2&f=8&kick=random-walk", "b=1&f=5&seed=3"} {
		a := opened(t, link)
		do(t, a, "grow", "14")
		for a.Do("run", "1000")["done"] == "" {
		}
		c := a.crowd
		if c.kept != c.filter.Len() || c.filter.Len() < c.filter.Slots()/3 || len(c.samples) < windows/3 {
			t.Errorf("%s: %d of %d kept, %d samples", link, c.kept, c.filter.Len(), len(c.samples))
		}
		var kicks float64
		var sums, want [2]float64
		last := 0
		for _, s := range c.samples {
			for k, rate := range c.predict(s.keys) {
				want[k] += probes * rate
				sums[k] += float64(s.rates[k].Events)
			}
			kicks += s.kicks * float64(s.keys-last)
			last = s.keys
		}
		for i, filter := range []string{"cuckoo", "Bloom"} {
			if bound := claims.Deviations*math.Sqrt(want[i]) + 0.03*want[i]; math.Abs(sums[i]-want[i]) > bound {
				t.Errorf("%s: the %s filter said yes %v times, predicted %v, bound %v", link, filter, sums[i], want[i], bound)
			}
		}
		if last != c.filter.Len() || math.Abs(kicks-float64(c.kicks)) > 0.5 || c.kicks > c.filter.Stats().Kicks {
			t.Errorf("%s: samples of %d keys and %v kicks, the filter has %d and %d", link, last, kicks, c.filter.Len(), c.kicks)
		}
	}
}

func TestCrowd_SameBits(t *testing.T) {
	for f := 1; f <= 32; f++ {
		p := defaults()
		p.FingerprintBits = f
		c := newCrowd(p, leastSlots)
		if bits := c.bloom.Config().Bits; bits != f<<leastSlots || c.exponent != leastSlots {
			t.Errorf("f = %d: %d bits, exponent %d", f, bits, c.exponent)
		}
		c.fill(100)
		wellFormed(t, string(c.ratePlot(voice(0), trace.Light)))
		wellFormed(t, string(c.kicksPlot(voice(0), trace.Light)))
	}
}

// The large table does not depend on how many keys a frame inserts, and starts anew when it is emptied.
func TestCrowd_FramesDoNotMatter(t *testing.T) {
	a, b := opened(t, ""), opened(t, "")
	for range 30 {
		do(t, a, "run", "1000")
	}
	for range 3 {
		do(t, b, "run", "10000")
	}
	one, other := do(t, a, "replay"), do(t, b, "replay")
	if one["kicks"] != other["kicks"] || one["rates"] != other["rates"] || !strings.Contains(one["crowd"],
		"30,000 keys in 65,536 slots") {
		t.Errorf("%s\n%s", one["crowd"], other["crowd"])
	}
	if shown := do(t, a, "grow", "10"); !strings.Contains(shown["crowd"], "0 keys in 1,024 slots: load 0%.") {
		t.Errorf("%s", shown["crowd"])
	}
}
