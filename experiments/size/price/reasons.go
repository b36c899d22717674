package price

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/stat"
)

func (a *Advice) reasons() (out size.Reasons) {
	first, none := a.Rows[0], a.Work.noFilter().at(a.Work.MissCost)
	out.Say("A lookup of %v costs %s: %s for itself, and %s for what false positives waste, one in %s lookups of absent keys wasting %s.",
		first.Plan, ns(first.Price), ns(first.Lookup), ns(first.Wasted), stat.Digits(1/first.Rate, 3), Duration(a.Work.MissCost))
	if a.pays() {
		out.Say("Without a filter, absent keys cost %s a lookup on average: %s times as much.", ns(none), stat.Digits(none/first.Price, 3))
	} else {
		out.Say("No filter pays here: without one, absent keys cost %s a lookup on average.", ns(none))
	}
	a.againstNext(&out)
	a.flips(&out)
	a.amortised(&out, none-first.Price)
	a.sizes(&out)
	if a.Measured < a.Keys {
		out.Say("Times are those of %d keys, the most that are measured; for %d keys they are lower bounds where the table outgrows the caches.", a.Measured, a.Keys)
	}
	out.Copies(first.Plan)
	return out
}

// pays tells whether the first filter is cheaper than none.
func (a *Advice) pays() bool { return a.Rows[0].Price < a.Work.noFilter().at(a.Work.MissCost) }

// next returns the best row of another kind than the first.
func (a *Advice) next() (Row, bool) {
	for _, r := range a.Rows[1:] {
		if r.Plan.Kind != a.Rows[0].Plan.Kind {
			return r, true
		}
	}
	return Row{}, false
}

// fixed tells whether all filters were held to one rate or size.
func (a *Advice) fixed() bool { return a.FPR != 0 || a.Bits != 0 }

// againstNext compares with the best filter of another kind.
func (a *Advice) againstNext(out *size.Reasons) {
	first := a.Rows[0]
	next, ok := a.next()
	if !ok {
		return
	}
	tie, even := "", "; it does not catch up at any cost of a miss"
	if next.Price-first.Price <= max(first.Noise+next.Noise, 0.02*first.Price) {
		tie = ": a tie, as repeated rounds differ by as much"
	}
	if at, ok := a.Work.BreakEven(first.Cost, next.Cost); ok {
		even = "; these two break even at a miss of " + Duration(at)
	}
	out.Say("%v is next, at %s, %s more%s%s.", next.Plan, ns(next.Price), stat.Percent(next.Price/first.Price-1, 2), tie, even)
}

// flips says at which costs of a miss other kinds win.
func (a *Advice) flips(out *size.Reasons) {
	at := stretch(a.Winners, a.Work.MissCost)
	how := "Were each kind free to choose its bits per item anew"
	if a.fixed() {
		how = "With the filters as they are"
	}
	var parts []string
	if at > 0 {
		parts = append(parts, fmt.Sprintf("below a miss of %s %s would win", Duration(a.Winners[at].From), a.Winners[at-1].Kind))
	}
	if at+1 < len(a.Winners) {
		would := "would"
		if at == 0 {
			would = "would win"
		}
		parts = append(parts, fmt.Sprintf("above %s %s %s", Duration(a.Winners[at].To), a.Winners[at+1].Kind, would))
	}
	if parts == nil {
		parts = []string{"no other kind would win at any cost of a miss"}
	}
	out.Say("%s, %s.", how, strings.Join(parts, ", and "))
}

// amortised says what building costs, and after how many lookups a dearer one pays, where a lookup saves so much against
// no filter.
func (a *Advice) amortised(out *size.Reasons, saved float64) {
	first := a.Rows[0]
	text := fmt.Sprintf("Building takes %s a key, %s in all", ns(first.Upkeep), Duration(first.Upkeep*float64(a.Keys)))
	if a.Work.DeleteRate > 0 {
		text = fmt.Sprintf("An insert and the deletes that go with it take %s", ns(first.Upkeep))
	}
	if saved > 0 {
		text += fmt.Sprintf("; against no filter that is paid back after %s lookups per key", stat.Digits(first.Upkeep/saved, 2))
	}
	if next, ok := a.next(); ok {
		dearer, gain := first.Upkeep-next.Upkeep, next.Price-first.Price
		if dearer <= 0 || gain > 0 {
			text += fmt.Sprintf(". %v takes %s", next.Plan, ns(next.Upkeep))
		}
		if dearer > 0 && gain > 0 {
			text += fmt.Sprintf("; the difference pays after %s lookups per key", stat.Digits(dearer/gain, 2))
		}
	}
	out.Say("%s.", text)
}

// sizes says what the winner takes, what it would cost on lower rungs, and what the smallest takes.
func (a *Advice) sizes(out *size.Reasons) {
	first := a.Rows[0]
	text := fmt.Sprintf("It takes %s bits per item, %s in all", stat.Digits(first.Plan.BitsPerItem, 3), stat.Bytes(first.Plan.Bytes))
	if !a.fixed() {
		text += fmt.Sprintf(", the best of %d to %d for this price: memory itself is not priced", MinBits, MaxBits)
	}
	var fewer []string
	for _, c := range a.ladder {
		if c.Family == first.Family && c.Rung%4 == 0 && c.Rung < first.Rung && c.Rung >= 8 {
			fewer = append(fewer, fmt.Sprintf(" %s with %d", ns(a.Work.Price(c)), c.Rung))
		}
	}
	if fewer != nil {
		text += ". With fewer bits a lookup would cost" + strings.Join(fewer, ",")
	}
	smallest := slices.MinFunc(a.Rows, func(r, s Row) int { return r.Plan.Bytes - s.Plan.Bytes })
	if a.fixed() && smallest.Plan.Bytes < first.Plan.Bytes {
		text += fmt.Sprintf(". %v takes %s, at %s a lookup", smallest.Plan, stat.Bytes(smallest.Plan.Bytes), ns(smallest.Price))
	}
	out.Say("%s.", text)
}

// ns writes a time of a lookup: "4.35 ns".
func ns(x float64) string {
	if x >= 1e4 {
		return Duration(x)
	}
	return stat.Digits(x, 3) + " ns"
}

// Duration writes nanoseconds with three digits and a fitting unit: "80 us", "1.25 ms".
func Duration(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}} {
		if x >= unit.size*0.9995 {
			return digits(x/unit.size) + " " + unit.name
		}
	}
	return digits(x) + " ns"
}

// digits writes three digits at most, without zeros at the end.
func digits(x float64) string {
	if x == 0 || math.Abs(x) >= 1e9 {
		return stat.Digits(x, 3)
	}
	scale := math.Pow10(2 - int(math.Floor(math.Log10(math.Abs(x)))))
	return fmt.Sprint(math.Round(x*scale) / scale)
}
