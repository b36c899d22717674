package advice

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
)

// reasons are sentences that explain a recommendation.
type reasons []string

// say adds a sentence, or several.
func (r *reasons) say(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func (r *Result) reasons() (out reasons) {
	p, kind := r.Plans[0], kindOf(r.Plans[0].Kind)
	out.say("%v needs %.2f bits per item (%s in all) and promises %s. Every filter needs at least log2(1/%v) = %.2f bits.",
		p, p.BitsPerItem, claims.Bytes(p.Bytes), claims.RateText(p.FPR), r.Spec.FPR, r.BoundBits)
	if g := p.Spec.Generations; g != 0 {
		out.say("A key is remembered for a window and at most 1/%d of it more. The keys of that part have room too; more "+
			"than so many in one window need a larger capacity. "+
			"In place of Window, Keys forgets a key after so many others.", g)
	}
	if r.Spec.Delete {
		out.say("Bloom filters without counters cannot delete.")
	}
	for _, k := range catalogue.Kinds() {
		at := slices.IndexFunc(r.Plans, func(p Plan) bool { return p.Kind == k.Name })
		if at <= 0 || ratio(r.Plans[at], p) > 10 { // which is not worth a sentence
			continue
		}
		other, when := r.Plans[at], k.When
		if !r.Spec.takes(other) {
			when = ": it " + k.Slower + ". It is recommended only where --" + k.Flag + " asks for it"
		}
		out.say("%v needs %.2f bits per item, %.2f times as much%s.", other, other.BitsPerItem, ratio(other, p), when)
	}
	if kind.Counts != "" {
		out = append(out, kind.Counts)
	}
	return out
}

// takes tells whether a plan may be recommended.
func (s Spec) takes(p Plan) bool {
	flag := kindOf(p.Kind).Flag
	return flag == "" || slices.Contains(s.Flags, flag)
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

func ratio(a, b Plan) float64 { return float64(a.Bytes) / float64(b.Bytes) }

func (a *Advice) reasons() (out reasons) {
	first, none := a.Rows[0], a.without()
	out.say("A lookup of %v costs %s: %s for itself, and %s for what false positives waste, one in %s lookups of absent "+
		"keys wasting %s.", first.Plan, Duration(first.Price), Duration(first.Lookup), Duration(first.Wasted),
		claims.Digits(1/first.Rate, 3), Duration(a.Work.MissCost))
	if first.Price < none {
		out.say("Without a filter, absent keys cost %s a lookup on average: %s times as much.", Duration(none),
			claims.Digits(none/first.Price, 3))
	} else {
		out.say("No filter pays here: without one, absent keys cost %s a lookup on average.", Duration(none))
	}
	out.say("The cheapest kind, and the costs of a miss at which another one is: %s.", winners(a.Winners))
	out.say("Building takes %s a key, %s in all.", Duration(first.Insert), Duration(first.Insert*float64(a.Keys)))
	if a.Measured < a.Keys {
		out.say("Times are those of %d keys, the most that are measured; for %d keys they are lower bounds where the table "+
			"outgrows the caches.", a.Measured, a.Keys)
	}
	if text := kindOf(first.Plan.Kind).Counts; text != "" {
		out = append(out, text)
	}
	return out
}

// without is the price of a lookup without a filter.
func (a *Advice) without() float64 { return a.Work.Negative * a.Work.MissCost }

// winners writes which kind wins, and the costs of a miss at which they change.
func winners(won []Stretch) (text string) {
	for i, s := range won {
		if i > 0 {
			text += " | " + Duration(s.From) + " | "
		}
		text += s.Kind
	}
	return text
}

// Duration writes nanoseconds with three digits and a fitting unit: "80 us", "1.25 ms".
func Duration(x float64) string {
	units := []string{"ns", "us", "ms", "s"}
	for ; x >= 999.5 && len(units) > 1; x /= 1000 {
		units = units[1:]
	}
	return fmt.Sprintf("%.3g %s", x, units[0])
}
