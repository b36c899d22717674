package price

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/stat"
)

// reasons says in words why the first row wins, by how much, and when it would not.
func (a *Advice) reasons() []string {
	first := a.Rows[0]
	out := []string{fmt.Sprintf("A lookup of %v costs %s: %s for itself, and %s for what false positives waste, one in %s lookups of absent keys wasting %s.",
		first.Plan, ns(first.Price), ns(first.Lookup), ns(first.Wasted), stat.Digits(1/first.Rate, 3), Duration(a.Work.MissCost))}
	out = append(out, a.againstNone()...)
	out = append(out, a.againstNext()...)
	out = append(out, a.flips()...)
	out = append(out, a.amortised()...)
	out = append(out, a.sizes()...)
	if a.Measured < a.Keys {
		out = append(out, fmt.Sprintf("Times are those of %d keys, the most that are measured; for %d keys they are lower bounds where the table outgrows the caches.", a.Measured, a.Keys))
	}
	switch {
	case (first.Plan.Kind == size.Cuckoo || first.Plan.Kind == size.SemiSorted) && first.Plan.BucketSize > 0:
		out = append(out, fmt.Sprintf("It deletes. It holds at most 2b = %d copies of one key: insert each key once, or use InsertUnique.", 2*first.Plan.BucketSize))
	case first.Plan.Deletes:
		out = append(out, "It deletes. Delete only keys that were inserted.")
	}
	return out
}

// againstNone compares with asking what lies behind every time.
func (a *Advice) againstNone() []string {
	none := a.Work.noFilter().at(a.Work.MissCost)
	if !a.pays() {
		return []string{fmt.Sprintf("No filter pays here: without one, absent keys cost %s a lookup on average.", ns(none))}
	}
	return []string{fmt.Sprintf("Without a filter, absent keys cost %s a lookup on average: %s times as much.", ns(none), stat.Digits(none/a.Rows[0].Price, 3))}
}

// pays tells whether the first filter is cheaper than none.
func (a *Advice) pays() bool { return a.Rows[0].Price < a.Work.noFilter().at(a.Work.MissCost) }

// againstNext compares with the best filter of another kind.
func (a *Advice) againstNext() []string {
	next, ok := a.next()
	if !ok {
		return nil
	}
	first := a.Rows[0]
	text := fmt.Sprintf("%v is next, at %s, %s more", next.Plan, ns(next.Price), stat.Percent(next.Price/first.Price-1, 2))
	if gap := next.Price - first.Price; gap <= max(first.Noise+next.Noise, 0.02*first.Price) {
		text += ": a tie, as repeated rounds differ by as much"
	}
	if at, ok := a.Work.BreakEven(first.Cost, next.Cost); ok {
		text += fmt.Sprintf("; these two break even at a miss of %s", Duration(at))
	} else {
		text += "; it does not catch up at any cost of a miss"
	}
	return []string{text + "."}
}

// next returns the best row of another kind than the first.
func (a *Advice) next() (Row, bool) {
	for _, r := range a.Rows[1:] {
		if r.Plan.Kind != a.Rows[0].Plan.Kind {
			return r, true
		}
	}
	return Row{}, false
}

// flips says at which costs of a miss other kinds win, each at its own best number of bits.
func (a *Advice) flips() []string {
	at := stretch(a.Winners, a.Work.MissCost)
	how := "Were each kind free to choose its bits per item anew"
	if a.FPR != 0 || a.Bits != 0 {
		how = "With the filters as they are"
	}
	var text string
	if at > 0 {
		text = fmt.Sprintf("below a miss of %s %s would win", Duration(a.Winners[at].From), a.Winners[at-1].Kind)
	}
	if at+1 < len(a.Winners) {
		if text != "" {
			text += ", and "
		}
		text += fmt.Sprintf("above %s %s would", Duration(a.Winners[at].To), a.Winners[at+1].Kind)
		if at == 0 {
			text += " win"
		}
	}
	if text == "" {
		text = "no other kind would win at any cost of a miss"
	}
	return []string{how + ", " + text + "."}
}

// amortised says what building costs, and after how many lookups a dearer one pays.
func (a *Advice) amortised() []string {
	first := a.Rows[0]
	what := "Building takes %s a key"
	if a.Work.DeleteRate > 0 {
		what = "An insert and the deletes that go with it take %s"
	}
	text := fmt.Sprintf(what, ns(first.Upkeep))
	if a.Work.DeleteRate == 0 {
		text += fmt.Sprintf(", %s in all", Duration(first.Upkeep*float64(a.Keys)))
	}
	saved := a.Work.noFilter().at(a.Work.MissCost) - first.Price
	if saved > 0 {
		text += fmt.Sprintf("; against no filter that is paid back after %s lookups per key", stat.Digits(first.Upkeep/saved, 2))
	}
	if next, ok := a.next(); ok {
		dearer, gain := first.Upkeep-next.Upkeep, next.Price-first.Price
		switch {
		case dearer <= 0:
			text += fmt.Sprintf(". %v takes %s", next.Plan, ns(next.Upkeep))
		case gain > 0:
			text += fmt.Sprintf(". %v takes %s; the difference pays after %s lookups per key", next.Plan, ns(next.Upkeep), stat.Digits(dearer/gain, 2))
		}
	}
	return []string{text + "."}
}

// sizes says what the winner takes, and what the smallest does.
func (a *Advice) sizes() []string {
	first, smallest := a.Rows[0], a.Rows[0]
	for _, r := range a.Rows {
		if r.Plan.Bytes < smallest.Plan.Bytes {
			smallest = r
		}
	}
	text := fmt.Sprintf("It takes %s bits per item, %s in all", stat.Digits(first.Plan.BitsPerItem, 3), stat.Bytes(first.Plan.Bytes))
	if a.FPR == 0 && a.Bits == 0 {
		text += fmt.Sprintf(", the best of %d to %d for this price: memory itself is not priced", MinBits, MaxBits)
	}
	text += a.fewerBits()
	if (a.FPR != 0 || a.Bits != 0) && smallest.Plan != first.Plan {
		text += fmt.Sprintf(". %v takes %s, at %s a lookup", smallest.Plan, stat.Bytes(smallest.Plan.Bytes), ns(smallest.Price))
	}
	return []string{text + "."}
}

// fewerBits says what the winner would cost on lower rungs, or nothing.
func (a *Advice) fewerBits() (text string) {
	first := a.Rows[0]
	for _, c := range a.ladder {
		if c.Family == first.Family && c.Rung%4 == 0 && c.Rung < first.Rung && c.Rung >= 8 {
			text += fmt.Sprintf(", %s with %d", ns(a.Work.Price(c)), c.Rung)
		}
	}
	if text != "" {
		text = ". With fewer bits a lookup would cost" + text[1:]
	}
	return text
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
