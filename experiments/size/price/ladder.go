package price

import (
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/size"
)

// MinBits and MaxBits are the ends of a family's ladder, in bits per item.
const (
	MinBits = 4
	MaxBits = 24
)

// families are the filters that will do for w, a family differing in size alone; with xor, cuckoo filters of that
// placement are one more, and so is each of the given layouts and its bucket sizes.
func families(w Workload, xor bool, layouts ...cuckoo.Layout) []size.Form {
	cuckoos := []size.Form{{Name: size.Cuckoo, Spec: nest.Spec{Kind: nest.Cuckoo}}}
	if xor {
		cuckoos = append(cuckoos, size.Form{Name: "cuckoo xor", Spec: nest.Spec{Kind: nest.Cuckoo, Placement: cuckoo.XOR}})
	}
	for _, l := range size.Layouts() {
		if slices.Contains(layouts, l.Spec.Layout) {
			cuckoos = append(cuckoos, l)
		}
	}
	return slices.DeleteFunc(size.Forms(cuckoos...), func(f size.Form) bool { return w.deletes() && !size.Deletes(f.Spec.Kind) })
}

// rungsOf returns what the family makes of each number of bits per item for n keys, less what is
// the same as on the rung below. Rungs on which there is no such filter are missing.
func rungsOf(f size.Form, n int) (rungs []Cost) {
	for bits := MinBits; bits <= MaxBits; bits++ {
		s := f.Spec
		s.Capacity, s.BitsPerItem = n, float64(bits)
		plans, err := size.Plans(s)
		if err != nil {
			continue
		}
		p := plans[0]
		if last := len(rungs) - 1; last >= 0 && rungs[last].Plan.Spec == p.Spec {
			continue
		}
		rungs = append(rungs, Cost{Family: f.Name, Rung: bits, Plan: p, Rate: p.FPR})
	}
	return rungs
}

// measured tells which of so many rungs are measured: the ends, every second one of the lowest thirteen and
// every fourth one above. The times on the others are between those of their neighbours.
func measured(i, rungs int) bool {
	return i == rungs-1 || i%2 == 0 && (i <= 12 || i%4 == 0)
}

func (c *Cost) times() []*float64 {
	return []*float64{&c.Absent, &c.Present, &c.AbsentBatch, &c.PresentBatch, &c.Noise, &c.Insert, &c.Delete}
}

// between takes the times between those of a, at t = 0, and of b, at t = 1.
func (c *Cost) between(a, b *Cost, t float64) {
	from, to := a.times(), b.times()
	for i, x := range c.times() {
		*x = float64(*from[i]*(1-t)) + float64(*to[i]*t)
	}
}

// shift adds the times of plus less those of minus to c's, none of which falls below 0.
func (c *Cost) shift(plus, minus Cost) {
	p, m := plus.times(), minus.times()
	for i, x := range c.times() {
		*x = max(0, *x+*p[i]-*m[i])
	}
}
