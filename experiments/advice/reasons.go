package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
)

// reasons are sentences that explain a recommendation.
type reasons []string

// say adds a sentence, or several.
func (r *reasons) say(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func (r *Result) reasons() (out reasons) {
	p, smallest := r.Plans[0], r.smallest()
	out.say("%v needs %.2f bits per item (%s in all) and promises %s. Every filter needs at least log2(1/%v) = %.2f bits.",
		p, p.BitsPerItem, claims.Bytes(p.Bytes), claims.RateText(p.FPR), r.Spec.FPR, r.BoundBits)
	if smallest.Bytes != p.Bytes {
		out.say("%v is %s smaller, but touches %d cache lines for a hit and %d for a miss, against %d and %d.",
			smallest, claims.Percent(1-ratio(smallest, p), 2), smallest.LinesHit, smallest.LinesMiss, p.LinesHit, p.LinesMiss)
	}
	r.otherKinds(&out)
	kind := kindOf(p.Kind)
	if kind.Touches != "" {
		out = append(out, kind.Touches)
	} else {
		out.say("A lookup touches up to %d cache lines if the key is present and about %d if not.", p.LinesHit, p.LinesMiss)
	}
	r.layouts(&out)
	if kind.Counts != "" {
		out = append(out, kind.Counts)
	}
	if text := static(r.Spec.Keys, r.Spec.FPR, p.BitsPerItem); text != "" && !r.Spec.Delete {
		out.say("%s", text)
	}
	return out
}

// static says how much smaller than so many bits per item a static filter of the rate would be, which takes no key
// after it is built; it is empty where it would not be smaller.
func static(keys int, fpr, bits float64) string {
	width := claims.FuseWidth(fpr)
	less := bits - claims.FuseBits(keys, width)
	if less < 0.005 {
		return ""
	}
	return fmt.Sprintf("If all keys are known when the filter is built and none comes or goes later, a static filter is "+
		"smaller: binary fuse with %d-bit fingerprints takes %.2f bits per item at %s, %.2f less. nest has none; "+
		"github.com/FastFilter/xorfilter has it with 8, 16 and 32 bits.",
		width, bits-less, claims.RateText(math.Exp2(-float64(width))), less)
}

// smallest is the smallest of the plans that are in the choice.
func (r *Result) smallest() Plan {
	out := r.Plans[0]
	for _, p := range r.Plans {
		if p.Bytes < out.Bytes && r.Spec.takes(p) {
			out = p
		}
	}
	return out
}

// layouts says what other layouts would save, or what that of the recommended filter costs.
func (r *Result) layouts(out *reasons) {
	p := r.Plans[0]
	if slower := kindOf(p.Kind).Slower; slower != "" {
		out.say("It %s.", slower)
	}
	for _, k := range catalogue.Kinds() {
		if o, ok := r.first(k.Name); ok && o.Bytes < p.Bytes && !r.Spec.takes(o) {
			out.say("%v needs %.2f bits per item, %s less than the recommended filter: it %s. It is recommended only where "+
				"--%s asks for it.", o, o.BitsPerItem, claims.Percent(1-ratio(o, p), 2), k.Slower, k.Flag)
		}
	}
}

// takes tells whether a plan may be recommended.
func (s Spec) takes(p Plan) bool {
	return kindOf(p.Kind).Slower == "" || slices.Contains(s.Layouts, p.Spec.Layout)
}

// kindOf is the kind of that name in the catalogue.
func kindOf(name string) (of catalogue.Kind) {
	for _, k := range catalogue.Kinds() {
		if k.Name == name {
			of = k
		}
	}
	return of
}

// otherKinds compares the recommendation with the best plan of every other kind, but for other layouts.
func (r *Result) otherKinds(out *reasons) {
	const absurd = 10 // times the recommended table, another one is not worth a sentence
	p := r.Plans[0]
	if r.Spec.Delete {
		out.say("Bloom filters without counters cannot delete.")
	}
	for _, k := range catalogue.Kinds() {
		other, ok := r.first(k.Name)
		if !ok || k.Slower != "" || k.Name == p.Kind || other == r.smallest() || ratio(other, p) > absurd {
			continue
		}
		cost, when := fmt.Sprintf("%.2f times as much", ratio(other, p)), k.When
		if ratio(other, p) < 1 {
			cost = claims.Percent(1-ratio(other, p), 2) + " less, but more cache lines"
		}
		switch {
		case k.Spec.Kind == nest.Cuckoo && p.isCuckoo():
			when = ": take it if time is dearer than memory"
		case k.Spec.Kind == nest.Bloom && p.isCuckoo():
			when = ", and cannot delete; the lower the rate, the better the cuckoo filter compares " +
				"(Fan et al. 2014, figure 4: its lines cross at 0.36%)"
		}
		out.say("%v needs %.2f bits per item, %s%s.", other, other.BitsPerItem, cost, when)
	}
}

// first returns the best ranked plan of a kind.
func (r *Result) first(kind string) (Plan, bool) {
	i := slices.IndexFunc(r.Plans, func(p Plan) bool { return p.Kind == kind })
	if i < 0 {
		return Plan{}, false
	}
	return r.Plans[i], true
}

func ratio(a, b Plan) float64 { return float64(a.Bytes) / float64(b.Bytes) }

func (a *Advice) reasons() (out reasons) {
	first, none := a.Rows[0], a.without()
	out.say("A lookup of %v costs %s: %s for itself, and %s for what false positives waste, one in %s lookups of absent "+
		"keys wasting %s.", first.Plan, ns(first.Price), ns(first.Lookup), ns(first.Wasted), claims.Digits(1/first.Rate, 3),
		Duration(a.Work.MissCost))
	if a.pays() {
		out.say("Without a filter, absent keys cost %s a lookup on average: %s times as much.", ns(none),
			claims.Digits(none/first.Price, 3))
	} else {
		out.say("No filter pays here: without one, absent keys cost %s a lookup on average.", ns(none))
	}
	a.againstNext(&out)
	a.flips(&out)
	out.say("Building takes %s a key, %s in all.", ns(first.Insert), Duration(first.Insert*float64(a.Keys)))
	a.sizes(&out)
	if a.Measured < a.Keys {
		out.say("Times are those of %d keys, the most that are measured; for %d keys they are lower bounds where the table "+
			"outgrows the caches.", a.Measured, a.Keys)
	}
	if text := kindOf(first.Plan.Kind).Counts; text != "" {
		out = append(out, text)
	}
	return out
}

// pays tells whether the first filter is cheaper than none.
func (a *Advice) pays() bool { return a.Rows[0].Price < a.without() }

// without is the price of a lookup without a filter.
func (a *Advice) without() float64 { return a.Work.Negative * a.Work.MissCost }

// againstNext compares with the best filter of another kind.
func (a *Advice) againstNext(out *reasons) {
	first := a.Rows[0]
	i := slices.IndexFunc(a.Rows, func(r Row) bool { return r.Plan.Kind != first.Plan.Kind })
	if i < 0 {
		return
	}
	next, tie := a.Rows[i], ""
	if next.Price-first.Price <= max(first.Noise+next.Noise, 0.02*first.Price) {
		tie = ": a tie, as repeated rounds differ by as much"
	}
	out.say("%v is next, at %s, %s more%s.", next.Plan, ns(next.Price), claims.Percent(next.Price/first.Price-1, 2), tie)
}

// flips says at which costs of a miss other kinds win.
func (a *Advice) flips(out *reasons) {
	at := stretch(a.Winners, a.Work.MissCost)
	how, would := "Were each kind free to choose its bits per item anew", "would win"
	if a.fixed() {
		how = "With the filters as they are"
	}
	var parts []string
	if at > 0 {
		parts = append(parts, "below a miss of "+Duration(a.Winners[at].From)+" "+a.Winners[at-1].Kind+" would win")
		would = "would"
	}
	if at+1 < len(a.Winners) {
		parts = append(parts, fmt.Sprintf("above %s %s %s", Duration(a.Winners[at+1].From), a.Winners[at+1].Kind, would))
	}
	if parts == nil {
		parts = []string{"no other kind would win at any cost of a miss"}
	}
	out.say("%s, %s.", how, strings.Join(parts, ", and "))
}

// sizes says what the winner takes, and what the smallest takes.
func (a *Advice) sizes(out *reasons) {
	first := a.Rows[0]
	text := "It takes " + claims.Digits(first.Plan.BitsPerItem, 3) + " bits per item, "
	text += claims.Bytes(first.Plan.Bytes) + " in all"
	if !a.fixed() {
		text += fmt.Sprintf(", the best of %d to %d for this price: memory itself is not priced", MinBits, MaxBits)
	}
	smallest := slices.MinFunc(a.Rows, func(r, s Row) int { return r.Plan.Bytes - s.Plan.Bytes })
	if a.fixed() && smallest.Plan.Bytes < first.Plan.Bytes {
		text += fmt.Sprintf(". %v takes %s, at %s a lookup", smallest.Plan, claims.Bytes(smallest.Plan.Bytes),
			ns(smallest.Price))
	}
	out.say("%s.", text)
}

// ns writes a time of a lookup: "4.35 ns".
func ns(x float64) string {
	if x >= 1e4 {
		return Duration(x)
	}
	return claims.Digits(x, 3) + " ns"
}

// Duration writes nanoseconds with three digits and a fitting unit: "80 us", "1.25 ms".
func Duration(x float64) string {
	units := []string{"ns", "us", "ms", "s"}
	for ; x >= 999.5 && len(units) > 1; x /= 1000 {
		units = units[1:]
	}
	return fmt.Sprintf("%.3g %s", x, units[0])
}
