package filtertest

import (
	"fmt"
	"strings"
)

// fillLimit is how many times its capacity a filter is offered that does not refuse.
const fillLimit = 4

// checkCapacity offers as many keys as announced, and then more up to the first refusal.
func checkCapacity(r *run) Finding {
	f, first, refused := r.open(), -1, 0
	for i := 0; i < r.Capacity || first < 0 && i < fillLimit*r.Capacity; i++ {
		if f.Insert(r.key(inserted, i)) {
			continue
		}
		if first < 0 {
			first = i
		}
		count(&refused, i < r.Capacity)
	}
	if first < 0 {
		return passed("%d keys are taken and none is refused", fillLimit*r.Capacity)
	}
	out := passed("first refusal after %d keys of %d", first, r.Capacity).with("first-refusal", float64(first))
	if f.Slots != nil {
		load := float64(first) / float64(f.Slots())
		out.Evidence += fmt.Sprintf(", at load factor %.3f", load)
		out = out.with("load-at-first-refusal", load)
	}
	switch {
	case refused > 0 && r.CapacityIsTarget:
		out.Status = Noted
	case refused > 0:
		out.Status = Failed
		out.Evidence += english.Sprintf("; %d are refused", refused)
	}
	return out
}

// checkFilling looks for every key again and again while the filter fills up to its capacity or its first refusal.
func checkFilling(r *run) Finding {
	f, step := r.open(), max(1, r.Capacity/32)
	var accepted []int
	for i := range r.Capacity {
		if !f.Insert(r.key(inserted, i)) {
			// What the refusal did to the others is for other checks.
			return passed("no key is lost among %d before the first refusal", len(accepted))
		}
		accepted = append(accepted, i)
		r.right(wrongLen(f, len(accepted)), "%s")
		if len(accepted)%step != 0 && i != r.Capacity-1 {
			continue
		}
		if n := r.lost(f, accepted); n > 0 {
			return failed("%d of %d accepted keys are lost, with none refused", n, len(accepted))
		}
	}
	return passed("no key is lost among %d", len(accepted))
}

// checkOverfilling inserts far beyond the capacity and looks for all accepted keys in the end.
func checkOverfilling(r *run) Finding {
	f := r.open()
	var accepted []int
	refusals := 0
	for i := 0; i < fillLimit*r.Capacity && refusals < r.Refusals; i++ {
		if f.Insert(r.key(inserted, i)) {
			accepted = append(accepted, i)
		} else {
			refusals++
		}
	}
	out, n := passed("no key is lost among %d accepted, after %d refusals", len(accepted), refusals), r.lost(f, accepted)
	if n > 0 {
		out = failed("%d of %d accepted keys are lost after %d refusals", n, len(accepted), refusals)
	}
	return out.with("lost accepted", float64(n), float64(len(accepted)))
}

// What an operation can change that should not, and how evidence says it.
const (
	keptKeys = iota
	lens
	tables
	answers
)

var harms = [...]string{"%d of the refused keys are found that were not before", "Len changed %d times",
	"the table changed %d times", "%d answers to other absent keys changed"}

// damage counts what was changed.
type damage [len(harms)]int

// String lists the damage; it is empty if there is none.
func (d damage) String() string {
	var parts []string
	for i, n := range d {
		if n > 0 {
			parts = append(parts, english.Sprintf(harms[i], n))
		}
	}
	return strings.Join(parts, ", ")
}

// A view is what can be seen of a filter from outside, to be compared with that of another or with a later one.
type view struct {
	len     int    // -1 without a Len
	state   string // "" without a State
	answers []bool
}

// look returns a view with answers to n keys, or ends the check.
func (r *run) look(f *Filter, n int, key func(i int) []byte) *view {
	v := &view{len: -1, answers: make([]bool, n)}
	if f.Len != nil {
		v.len = f.Len()
	}
	for i := range v.answers {
		v.answers[i] = f.Contains(key(i))
	}
	if f.State != nil {
		state, err := f.State()
		if err != nil {
			r.fail("State: %s", err)
		}
		v.state = string(state)
	}
	return v
}

// glance is look with the answers to a few absent keys.
func (r *run) glance(f *Filter) *view {
	return r.look(f, 128, func(i int) []byte { return r.key(absent, i) })
}

// compare adds what differs between two views.
func (d *damage) compare(v, w *view) {
	count(&d[lens], v.len != w.len && min(v.len, w.len) >= 0)
	count(&d[tables], v.state != w.state && v.state != "" && w.state != "")
	for i := range v.answers {
		count(&d[answers], v.answers[i] != w.answers[i])
	}
}

// differ says where two views differ, or nothing.
func (v *view) differ(w *view) string {
	var d damage
	switch d.compare(v, w); {
	case d[lens] > 0:
		return english.Sprintf("Len is %d and %d", v.len, w.len)
	case d[answers] > 0:
		return english.Sprintf("%d of %d answers differ", d[answers], len(v.answers))
	case d[tables] > 0:
		return "the tables differ"
	}
	return ""
}

// differ says where two filters differ, or nothing: it asks for the first n keys, inserted and absent.
func (r *run) differ(f, g *Filter, n int) string {
	return r.look(f, 2*n, r.either).differ(r.look(g, 2*n, r.either))
}

// A witness offers keys to a filter and compares everything that can be seen before and after each refusal.
type witness struct {
	*run
	f        *Filter
	d        damage
	refusals int
	before   *view // nil after a key was accepted
	calm     int   // how many inserts ago a key was refused
}

// farRefusal is how many inserts behind a refusal another one is no longer expected.
const farRefusal = 1000

// offer inserts key i and tells whether it was accepted.
func (w *witness) offer(i int) bool {
	// Views cost more than inserts, so they are taken soon after a refusal.
	if w.refusals > 0 && w.before == nil && w.calm < farRefusal {
		w.before = w.glance(w.f)
	}
	w.calm++
	had := w.f.Contains(w.key(inserted, i))
	if w.f.Insert(w.key(inserted, i)) {
		w.before = nil
		return true
	}
	w.refusals++
	w.calm = 0
	count(&w.d[keptKeys], !had && w.f.Contains(w.key(inserted, i)))
	if w.before != nil {
		after := w.glance(w.f)
		w.d.compare(w.before, after)
		w.before = after
	}
	return false
}

// refusedCopies is how many copies of one key are offered after the first that is refused.
const refusedCopies = 8

// checkRefusal watches refusals of too many copies of a key, in a filter that is not full, and then of new keys in one
// that is.
func checkRefusal(r *run) (out Finding) {
	w := witness{run: r, f: r.open()}
	next := 0
	for ; next < r.background(); next++ {
		w.offer(next)
	}
	for range r.Capacity / 4 {
		if !w.offer(next) && w.refusals >= refusedCopies {
			break
		}
	}
	for ; next < fillLimit*r.Capacity && w.refusals < r.Refusals+refusedCopies; next++ {
		w.offer(next)
	}
	switch {
	case w.refusals == 0:
		out = skipped("none of %d keys is refused", fillLimit*r.Capacity)
		out.Status = map[Full]Status{MayRefuse: Skipped, Refuses: Failed, Absorbs: Passed}[r.Full]
	case r.Full == Absorbs:
		out = failed("%d keys are refused by a filter that should take any number", w.refusals)
	case w.d.String() != "":
		out = failed("after %d refused inserts: %s", w.refusals, w.d.String())
	default:
		out = passed("%d refused inserts change nothing", w.refusals)
	}
	return out.with("refusals kept-keys", float64(w.refusals), float64(w.d[keptKeys]))
}

// tinyCapacities is the largest capacity that the check of tiny filters tries; it tries all below.
const tinyCapacities = 64

// checkTiny fills filters of the smallest capacities, looking for every key after every insert, and empties them again.
func checkTiny(r *run) Finding {
	early := 0
	for capacity := 1; capacity <= tinyCapacities; capacity++ {
		f := r.openFor(capacity)
		var accepted []int
		for len(accepted) < capacity && f.Insert(r.key(inserted, len(accepted))) {
			accepted = append(accepted, len(accepted))
			r.keeps(f, accepted, 0, "capacity %[3]d: %[1]d of %[2]d keys are lost", capacity)
		}
		if len(accepted) < capacity {
			early++
			continue // what the refusal did is for other checks
		}
		r.right(wrongLen(f, capacity), "capacity %d: %s", capacity)
		if f.Delete != nil {
			r.right(r.deleteAll(f, accepted, nil), "capacity %d: %s", capacity)
		}
	}
	out := passed("capacities 1 to %d: no key is lost, %d refuse one early", tinyCapacities, early)
	switch {
	case early > 0 && r.CapacityIsTarget:
		out.Status = Noted
	case early > 0:
		out = failed("%d of the capacities 1 to %d are refused a key early", early, tinyCapacities)
	}
	return out
}
