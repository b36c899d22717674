package page

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/trace"
)

// The opening walk takes a fingerprint away from home and back: what is said of it is true all the same.
func TestWords_MovedFingerprintsAreAtHome(t *testing.T) {
	a := opened(t, "kick=random-walk&"+example)
	e, _ := a.current()
	words := do(t, a, "step", "1000")["words"]
	contains(t, words, "Every fingerprint that moved lies in one of its two homes")
	back := false
	moved := e.step.Moved()
	for i, fp := range moved {
		for k, other := range moved[:i] {
			back = back || fp == other && e.step.Path[i+1].Bucket == e.step.Path[k].Bucket
		}
	}
	if !back || strings.Contains(words, "its other home") {
		t.Errorf("moved %x by %v: %s", moved, e.step.Path, words)
	}
}

// The row of the table, its rate and its keys are those of the moment that is shown.
func TestApp_TableFollowsTheMoment(t *testing.T) {
	a := opened(t, "")
	do(t, a, "delete", "owl")
	end := do(t, a, "step", "1000")
	contains(t, end["use"], "10 of 16 slots")
	shown := do(t, a, "step", "-1000")
	for n := 0; ; shown = do(t, a, "step", "1") {
		e, i := a.current()
		m, keys := e.moment(i), strings.Count(shown["keys"], "“")
		contains(t, shown["use"], fmt.Sprintf("%d of 16 slots", m.Table.Used()))
		if i == e.ends() && keys != m.Table.Used() || keys < n-1 {
			t.Errorf("%s: %d keys, %d fingerprints", shown["where"], keys, m.Table.Used())
		}
		n = keys
		if shown["end"] != "" {
			break
		}
	}
	do(t, a, "step", "-1000")
	if shown := do(t, a, "step", "0"); shown["use"] == end["use"] || shown["rate"] == end["rate"] ||
		shown["keys"] != "none yet" {
		t.Errorf("at the start: %q, %q, %q", shown["use"], shown["rate"], shown["keys"])
	}
	if shown := do(t, a, "type", "egg"); shown["use"] != end["use"] || shown["keys"] != end["keys"] {
		t.Errorf("a key that is typed is looked up in the table as it is: %q", shown["use"])
	}
}

func TestWords_CoincidingHomes(t *testing.T) {
	a := opened(t, "m=8")
	coincide := false
	sums := regexp.MustCompile(`add up to (\d), counted modulo 8: (\d) \+ (\d) = (\d+)( = (\d) modulo 8)?`)
	for i := range 100 {
		shown := do(t, a, "type", fmt.Sprint("key ", i))
		if s := a.asked.step; s.Primary == s.Alternate {
			coincide = true
			contains(t, shown["why"], "Both homes of this key coincide")
			continue
		} else if m := sums.FindStringSubmatch(shown["why"]); m == nil || m[1] != fmt.Sprint((s.Primary+s.Alternate)%8) ||
			m[4] != fmt.Sprint(s.Primary+s.Alternate) || (m[6] != "") == (m[4] == m[1]) {
			t.Errorf("%q: %q", s.Key, m)
		}
	}
	if !coincide {
		t.Error("no key has homes that coincide")
	}
}

// Every sentence that is said has both languages, and all of them are said.
func TestWords_AllAreTranslated(t *testing.T) {
	var code []byte
	for _, name := range []string{"app.go", "crowd.go", "lesson.go", "link.go", "plot.go", "speak.go"} {
		b, _ := os.ReadFile(name) // which says nothing if it is missing
		code = append(code, b...)
	}
	for _, said := range regexp.MustCompile(`(?:say|problem)\("(.*?)"`).FindAllSubmatch(code, -1) {
		if sentences[string(said[1])] == [2]string{} {
			t.Errorf("%q is not in words.txt", said[1])
		}
	}
	for name, both := range sentences {
		if !strings.Contains(string(code), strconv.Quote(name)) || both[0] == "" || both[1] == "" {
			t.Errorf("nothing says %q, which is %q", name, both)
		}
	}
}

// All that is wrong with the parameters is said at once, also in another language, and the fields are named.
func TestSet_NamesTheFields(t *testing.T) {
	a := opened(t, "")
	shown := a.Do("set", "7", "2", "33", "xor", "breadth-first", "x")
	contains(t, shown["unfit"], "width in bits is", "The seed is", "needs 1, 2, 4, 8, 16 or 32 buckets, not 7")
	zh := a.Do("see", "zh", "light")
	good := do(t, a, "set", "7", "2", "32", "additive", "breadth-first", "1")
	if shown["invalid"] != "f seed m place" || shown["problem"] != "" || zh["invalid"] != shown["invalid"] ||
		!strings.Contains(zh["unfit"], "种子") || good["unfit"]+good["invalid"] != "" {
		t.Errorf("%q, in Chinese %q, after good parameters %q", shown["invalid"], zh["unfit"], good["unfit"])
	}
}

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

// Both filters have as many bits at every width, and ticks of the plots differ and have units.
func TestCrowd_EveryWidth(t *testing.T) {
	p, ticks := defaults(), regexp.MustCompile(`text-anchor="end">([^<]*)<`)
	for p.FingerprintBits = 1; p.FingerprintBits <= 32; p.FingerprintBits++ {
		c := newCrowd(p, leastSlots)
		if bits := c.bloom.Config().Bits; bits != p.FingerprintBits<<leastSlots || c.exponent != leastSlots {
			t.Errorf("width %d: %d bits, exponent %d", p.FingerprintBits, bits, c.exponent)
		}
		c.fill(100)
		rates, seen := string(c.ratePlot(0, trace.Light)), map[string]bool{}
		wellFormed(t, rates)
		wellFormed(t, string(c.kicksPlot(0, trace.Light)))
		for _, tick := range ticks.FindAllStringSubmatch(rates, -1) {
			if seen[tick[1]] || !strings.HasSuffix(tick[1], "%") {
				t.Errorf("width %d: the tick %s is there twice or has no unit", p.FingerprintBits, tick[1])
			}
			seen[tick[1]] = true
		}
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
